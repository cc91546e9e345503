"""Parts by name: text such as ``power(beta=0.5)`` to an object and back.

Every family of parts (discounts, gains, measures, generators) has one `Registry`. A part is a
frozen dataclass; registering it gives it the text that `Registry.parse` reads back to an equal part.
"""

import ast
import dataclasses
import re
import warnings
from collections.abc import Callable
from importlib import metadata
from typing import Any, Generic, TypeVar

from ndcgstudy.checks import nearest, plain
from ndcgstudy.expressions import listed, literal, restored, shown
from ndcgstudy.external import External, load

P = TypeVar("P")

_EXTERNAL = re.compile(r"(?<![\w./~+-])[\w./~+-]+:[A-Za-z_]\w*")
_NESTED = "registry"
ALWAYS = "always"  # marks a field that is printed even where it has its default


def field(default: Any, registry: "Registry[Any]") -> Any:
    """Declare a dataclass field that holds a part of another family."""
    return dataclasses.field(default=default, metadata={_NESTED: registry})


def read_parts(part: Any) -> None:
    """Read the fields of a frozen part that hold parts of other families and were given as text."""
    for f in dataclasses.fields(part):
        if family := f.metadata.get(_NESTED):
            object.__setattr__(part, f.name, family.parse(getattr(part, f.name)))


class Registry(Generic[P]):
    """The named parts of one family.

    Parameters
    ----------
    kind
        What a part is called in messages: "discount", "gain", "measure".
    group
        The entry-point group through which other packages add parts.
    suffix
        The field that is written behind an ``@``, as the cutoff of a measure.
    method
        What a part must have: ``__call__``, or the method through which it is used.

    Examples
    --------
    >>> from ndcgstudy.discounts import DISCOUNTS
    >>> DISCOUNTS.parse("power(beta=0.5)")
    Power(beta=0.5)
    >>> str(_)
    'power(beta=0.5)'
    """

    def __init__(
        self, kind: str, group: str, suffix: str | None = None, method: str = "__call__"
    ) -> None:
        self.kind, self.group, self.suffix, self.method = kind, group, suffix, method
        self._parts: dict[str, Any] = {}
        self._aliases: dict[str, str] = {}
        self._check: Callable[[Any], None] | None = None
        self._translate: Callable[[str], str] | None = None

    def register(self, name: str, *aliases: str) -> Callable[[type], Any]:
        """Decorate a frozen dataclass so that `name` (or an alias) finds it.

        A class attribute ``variadic`` names the tuple field that takes all positional arguments.
        """

        def decorate(cls: type) -> type:
            if name in self._parts:
                raise ValueError(f"{self.kind} {name!r} is registered twice")
            if not dataclasses.is_dataclass(cls) or vars(cls).get("__hash__") is None:
                raise ValueError(f"{self.kind} {name!r} must be a frozen dataclass")
            self._parts[name] = cls
            self._aliases.update(dict.fromkeys(aliases, name))
            setattr(cls, "__str__", lambda part: self._text(name, part))  # noqa: B010
            return cls

        return decorate

    def checks_externals(self, check: Callable[[Any], None]) -> Callable[[Any], None]:
        """Decorate the function that every part from outside the package must pass."""
        self._check = check
        return check

    def translates(self, translate: Callable[[str], str]) -> Callable[[str], str]:
        """Decorate the function that turns names of other tools into ours, and leaves others alone."""
        self._translate = translate
        return translate

    def names(self) -> list[str]:
        """Return the sorted names of all parts, those of entry points included."""
        return sorted({*self._parts, *self._entry_points()})

    def describe(self) -> dict[str, str]:
        """Return each name with its signature and the first line of its docstring."""
        return {name: self._described(name) for name in self.names()}

    def parse(self, text: "str | P") -> P:
        """Read a part from its text form; an object that is a part already is returned as is.

        Raises
        ------
        ValueError
            If the text cannot be read, the name is unknown, or a parameter is unknown or wrong.
        """
        if not isinstance(text, str):
            if callable(getattr(text, self.method, None)) and not isinstance(text, type):
                return text
            raise ValueError(f"expected a {self.kind} or its text form, got {text!r}")
        if self._translate:
            text = self._translate(text)
        mark = "_external_"
        while mark in text:
            mark += "_"
        externals: dict[str, str] = {}

        def marked(match: re.Match[str]) -> str:
            name = f"{mark}{len(externals)}"
            externals[name] = match.group()
            return name

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(_EXTERNAL.sub(marked, text.strip()), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise self._unreadable(text) from None
        try:
            return self._build(tree, text.strip(), externals)
        except RecursionError:
            raise self._unreadable(text) from None

    def _unreadable(self, text: str) -> ValueError:
        return ValueError(f"cannot read {self.kind} {shown(text)}: expected NAME or NAME(...)")

    def _build(self, node: ast.expr, text: str, externals: dict[str, str]) -> P:
        extra: dict[str, Any] = {}
        if self.suffix and isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            extra[self.suffix] = literal(node.right, text, externals)
            node = node.left
        call = node if isinstance(node, ast.Call) else ast.Call(node, [], [])
        if not isinstance(call.func, ast.Name):
            raise self._unreadable(text)
        name = call.func.id
        cls = load(externals[name], self.kind) if name in externals else self._find(name)
        known = dataclasses.fields(cls) if dataclasses.is_dataclass(cls) else ()
        fields = {f.name: f for f in known}
        values = self._arguments(call, cls, fields, text, externals)
        if clash := values.keys() & extra:
            raise ValueError(f"{shown(text)} gives `{clash.pop()}` twice")
        return self._construct(cls, values | extra, text, externals.get(name, name))

    def _arguments(
        self, call: ast.Call, cls: Any, fields: dict[str, Any], text: str, externals: dict[str, str]
    ) -> dict[str, Any]:
        """Read the arguments of a call by name; positional ones take the fields in order."""
        variadic = getattr(cls, "variadic", None)
        if variadic and call.args:
            whole: ast.expr = ast.Tuple(list(call.args), ast.Load())
            pairs = [(variadic, whole)]
        else:
            names = [f for f in fields if f != self.suffix]
            if len(call.args) > len(names):
                raise ValueError(f"{shown(text)} has too many arguments; it takes {listed(names)}")
            pairs = list(zip(names, call.args, strict=False))
        pairs += [(word.arg or "**", word.value) for word in call.keywords]
        values: dict[str, Any] = {}
        for name, node in pairs:
            if name not in fields:
                raise ValueError(
                    f"unknown parameter {name!r} in {shown(text)}{nearest(name, [*fields])}"
                )
            if name in values:
                raise ValueError(f"{shown(text)} gives `{name}` twice")
            family = fields[name].metadata.get(_NESTED)
            if family:
                values[name] = family._build(node, restored(node, externals), externals)
            else:
                values[name] = literal(node, text, externals)
        return values

    def _construct(self, cls: Any, values: dict[str, Any], text: str, name: str) -> P:
        """Make the part; one from outside is wrapped so that it prints and pickles as its text."""
        outside = not (isinstance(cls, type) and cls in self._parts.values())
        if missing := [f for f in _required(cls) if f not in values]:
            raise ValueError(f"{self.kind} {shown(text)} needs {listed(missing)}")
        try:
            part = cls(**values) if isinstance(cls, type) else cls
        except Exception as error:  # noqa: BLE001 - a user's class may raise anything
            raise ValueError(f"{self.kind} {shown(text)}: {error}") from None
        if not outside:
            return part  # type: ignore[no-any-return]
        able = callable(getattr(part, self.method, None))
        if not able or (values and not isinstance(cls, type)):
            call = self.method == "__call__"
            rule = "be a callable or a class of callables" if call else f"have `{self.method}`"
            raise ValueError(f"{self.kind} {shown(text)} must {rule}")
        has_fields = isinstance(cls, type) and dataclasses.is_dataclass(cls)
        spec = self._text(name, part) if has_fields else name
        wrapped: Any = External(spec, self.kind, part)
        if self._check:
            self._check(wrapped)
        return wrapped  # type: ignore[no-any-return]

    def _find(self, name: str) -> Any:
        name = self._aliases.get(name, name)
        if name in self._parts:
            return self._parts[name]
        points = self._entry_points()
        if name not in points:
            raise ValueError(f"unknown {self.kind} {name!r}{nearest(name, self.names())}")
        try:
            return points[name].load()
        except (Exception, SystemExit) as error:  # noqa: BLE001 - another package may raise anything
            where = points[name].value
            raise ValueError(f"{self.kind} {name!r} ({where}) cannot be loaded: {error}") from None

    def _entry_points(self) -> dict[str, metadata.EntryPoint]:
        return {point.name: point for point in metadata.entry_points(group=self.group)}

    def _text(self, name: str, part: Any) -> str:
        """Print a part as the text that reads back, leaving out what has its default value."""
        arguments, tail = [], ""
        for f in dataclasses.fields(part):
            value = getattr(part, f.name)
            if value == f.default and ALWAYS not in f.metadata:
                continue
            if f.name == self.suffix:
                tail = f"@{plain(value)}"
            elif f.name == getattr(part, "variadic", None):
                arguments += [repr(plain(x)) for x in value]
            elif f.metadata.get(_NESTED):
                arguments.append(f"{f.name}={value}")
            else:
                arguments.append(f"{f.name}={plain(value)!r}")
        return name + (f"({','.join(arguments)})" if arguments else "") + tail

    def _described(self, name: str) -> str:
        try:
            part = self._find(name)
        except ValueError as error:
            return str(error)
        lines = (part.__doc__ or "").strip().splitlines()
        shown = [f.name for f in dataclasses.fields(part)] if dataclasses.is_dataclass(part) else []
        return (f"({', '.join(shown)})  " if shown else "") + (lines[0] if lines else "")


def _required(cls: Any) -> list[str]:
    """List the fields of a part that have no default."""
    if not (isinstance(cls, type) and dataclasses.is_dataclass(cls)):
        return []
    none = dataclasses.MISSING
    return [f.name for f in dataclasses.fields(cls) if f.default is f.default_factory is none]
