"""Parts by name: text such as ``power(beta=0.5)`` to an object and back.

Every family of parts (discounts, gains, measures, generators) has one `Registry`. A part is a
frozen dataclass; registering it gives it the text that `Registry.parse` reads back to an equal part.
"""

import ast
import dataclasses
import difflib
import re
import warnings
from collections.abc import Callable
from importlib import metadata
from typing import Any, Generic, TypeVar

from ndcgstudy.external import External, load

P = TypeVar("P")

_EXTERNAL = re.compile(r"[\w./~+-]+:[A-Za-z_]\w*")
_NESTED = "registry"


def number(
    name: str,
    value: object,
    *,
    above: float = float("-inf"),
    at_least: float = float("-inf"),
    below: float = float("inf"),
    whole: bool = False,
) -> None:
    """Check that a parameter is a finite number in its range.

    Raises
    ------
    ValueError
        Naming the parameter, the rule and the value.

    Examples
    --------
    >>> number("beta", -1, at_least=0)
    Traceback (most recent call last):
        ...
    ValueError: `beta` must be a number at least 0, got -1
    """
    value = plain(value)
    rules = [("above", above), ("at least", at_least), ("below", below)]
    text = " and ".join(f"{word} {x:g}" for word, x in rules if abs(x) != float("inf"))
    kinds = int if whole else int | float
    good = isinstance(value, kinds) and not isinstance(value, bool)
    if not (good and above < value < below and value >= at_least):  # type: ignore[operator]
        kind = "a whole number" if whole else "a number"
        raise ValueError(f"`{name}` must be {kind} {text or 'that is finite'}, got {value!r}")


def plain(value: Any) -> Any:
    """Turn numpy scalars into the Python number they hold; leave all else alone."""
    return value.item() if hasattr(value, "item") and not getattr(value, "shape", ()) else value


def field(default: Any, registry: "Registry[Any]") -> Any:
    """Declare a dataclass field that holds a part of another family."""
    return dataclasses.field(default=default, metadata={_NESTED: registry})


def nearest(name: str, names: list[str]) -> str:
    """Say which known name a wrong one may have meant, and list them all, sorted.

    Examples
    --------
    >>> nearest("pover", ["zipf", "power"])
    "; did you mean 'power'? known: power, zipf"
    """
    lower = {known.lower(): known for known in names}
    close = difflib.get_close_matches(name.lower(), lower, n=1)
    guess = f"; did you mean {lower[close[0]]!r}?" if close else ";"
    return f"{guess} known: {', '.join(sorted(names))}"


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

    Examples
    --------
    >>> from ndcgstudy.discounts import DISCOUNTS
    >>> DISCOUNTS.parse("power(beta=0.5)")
    Power(beta=0.5)
    >>> str(_)
    'power(beta=0.5)'
    """

    def __init__(self, kind: str, group: str, suffix: str | None = None) -> None:
        self.kind, self.group, self.suffix = kind, group, suffix
        self._parts: dict[str, Any] = {}
        self._aliases: dict[str, str] = {}
        self._check: Callable[[Any], None] | None = None

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

    def names(self) -> list[str]:
        """Return the sorted names of all parts, those of entry points included."""
        return sorted({*self._parts, *self._entry_points()})

    def describe(self) -> dict[str, str]:
        """Return each name with its signature and the first line of its docstring."""
        return {name: self._describe(self._find(name)) for name in self.names()}

    def parse(self, text: "str | P") -> P:
        """Read a part from its text form; an object that is a part already is returned as is.

        Raises
        ------
        ValueError
            If the text cannot be read, the name is unknown, or a parameter is unknown or wrong.
        """
        if not isinstance(text, str):
            return text
        externals: list[str] = []

        def mark(match: re.Match[str]) -> str:
            externals.append(match.group())
            return f"_external_{len(externals) - 1}"

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(_EXTERNAL.sub(mark, text.strip()), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise ValueError(
                f"cannot read {self.kind} {text!r}: expected NAME or NAME(...)"
            ) from None
        return self._build(tree, text, externals)

    def _build(self, node: ast.expr, text: str, externals: list[str]) -> P:
        extra: dict[str, Any] = {}
        if self.suffix and isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            extra[self.suffix] = _literal(node.right, text)
            node = node.left
        call = node if isinstance(node, ast.Call) else ast.Call(node, [], [])
        if not isinstance(call.func, ast.Name):
            raise ValueError(f"cannot read {self.kind} {text!r}: expected NAME or NAME(...)")
        name = call.func.id
        if name.startswith("_external_") and name[10:].isdigit():
            cls = load(externals[int(name[10:])], self.kind)
        else:
            cls = self._find(name)
        fields = (
            {f.name: f for f in dataclasses.fields(cls)} if dataclasses.is_dataclass(cls) else {}
        )
        values = self._arguments(call, cls, fields, text, externals)
        if clash := values.keys() & extra:
            raise ValueError(f"{text!r} gives `{clash.pop()}` twice")
        return self._construct(cls, values | extra, text, externals)

    def _arguments(
        self, call: ast.Call, cls: Any, fields: dict[str, Any], text: str, externals: list[str]
    ) -> dict[str, Any]:
        """Read the arguments of a call by name; positional ones take the fields in order."""
        variadic = getattr(cls, "variadic", None)
        if variadic and call.args:
            whole: ast.expr = ast.Tuple(list(call.args), ast.Load())
            pairs = [(variadic, whole)]
        else:
            names = [f for f in fields if f != self.suffix]
            if len(call.args) > len(names):
                raise ValueError(f"{text!r} has too many arguments; it takes {_listed(names)}")
            pairs = list(zip(names, call.args, strict=False))
        pairs += [(word.arg or "**", word.value) for word in call.keywords]
        values: dict[str, Any] = {}
        for name, node in pairs:
            if name not in fields:
                raise ValueError(
                    f"unknown parameter {name!r} in {text!r}{nearest(name, [*fields])}"
                )
            if name in values:
                raise ValueError(f"{text!r} gives `{name}` twice")
            family = fields[name].metadata.get(_NESTED)
            values[name] = (
                family._build(node, ast.unparse(node), externals)
                if family
                else _literal(node, text)
            )
        return values

    def _construct(self, cls: Any, values: dict[str, Any], text: str, externals: list[str]) -> P:
        """Make the part; one from outside is wrapped so that it prints and pickles as its text."""
        outside = not (isinstance(cls, type) and cls in self._parts.values())
        if missing := [f for f in _required(cls) if f not in values]:
            raise ValueError(f"{self.kind} {text!r} needs {_listed(missing)}")
        try:
            part = cls(**values) if isinstance(cls, type) else cls
        except (TypeError, ValueError) as error:
            raise ValueError(f"{self.kind} {text!r}: {error}") from None
        if not outside:
            return part  # type: ignore[no-any-return]
        if not callable(part) or (values and not isinstance(cls, type)):
            raise ValueError(f"{self.kind} {text!r} must be a callable or a class of callables")
        wrapped: Any = External(self._restore(text, externals), self.kind, part)
        if self._check:
            self._check(wrapped)
        return wrapped  # type: ignore[no-any-return]

    @staticmethod
    def _restore(text: str, externals: list[str]) -> str:
        return re.sub(r"_external_(\d+)", lambda m: externals[int(m.group(1))], text.strip())

    def _find(self, name: str) -> Any:
        name = self._aliases.get(name, name)
        if name in self._parts:
            return self._parts[name]
        points = self._entry_points()
        if name not in points:
            raise ValueError(f"unknown {self.kind} {name!r}{nearest(name, self.names())}")
        try:
            return points[name].load()
        except Exception as error:  # noqa: BLE001 - whatever another package raises is its fault
            where = points[name].value
            raise ValueError(f"{self.kind} {name!r} ({where}) cannot be loaded: {error}") from None

    def _entry_points(self) -> dict[str, metadata.EntryPoint]:
        return {point.name: point for point in metadata.entry_points(group=self.group)}

    def _text(self, name: str, part: Any) -> str:
        """Print a part as the text that reads back, leaving out what has its default value."""
        arguments, tail = [], ""
        for f in dataclasses.fields(part):
            value = getattr(part, f.name)
            if f.default is not dataclasses.MISSING and value == f.default:
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

    @staticmethod
    def _describe(part: Any) -> str:
        lines = (part.__doc__ or "").strip().splitlines()
        shown = [f.name for f in dataclasses.fields(part)] if dataclasses.is_dataclass(part) else []
        return (f"({', '.join(shown)})  " if shown else "") + (lines[0] if lines else "")


def _literal(node: ast.expr, text: str) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        raise ValueError(
            f"cannot read {ast.unparse(node)!r} in {text!r}: expected a number"
        ) from None


def _required(cls: Any) -> list[str]:
    """List the fields of a part that have no default."""
    if not (isinstance(cls, type) and dataclasses.is_dataclass(cls)):
        return []
    none = dataclasses.MISSING
    return [
        f.name for f in dataclasses.fields(cls) if f.default is none and f.default_factory is none
    ]


def _listed(names: list[str]) -> str:
    return ", ".join(names) or "none"
