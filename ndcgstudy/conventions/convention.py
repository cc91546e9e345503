"""A convention: everything on which two computations of one number may differ, as one value."""

import dataclasses
import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ndcgstudy.checks import nearest
from ndcgstudy.discounts import DISCOUNTS, Discount, Log2
from ndcgstudy.expressions import split
from ndcgstudy.gains import GAINS, Gain, Linear
from ndcgstudy.measures import DCG, MEASURES, Measure, nDCG
from ndcgstudy.policies import Policy

OWN = "ndcgstudy"
LINEAR, LOG2, DEFAULTS = Linear(), Log2(), Policy()
POLICIES = tuple(f.name for f in dataclasses.fields(Policy))
AVERAGES = ("topics", "pooled", "union")
SETTINGS = ("gain", "discount", *POLICIES, "average")
ONLY_NDCG = ("gain", "discount", "ideal")
"""Settings that no other measure than nDCG and DCG heeds."""


@dataclass(frozen=True)
class Convention:
    """How a number is computed: a gain and a discount, which rewrite nDCG and DCG, and a policy.

    Parameters
    ----------
    gain, discount
        What nDCG and DCG are computed with; other measures stay as they are.
    policy
        How ties, holes and gaps are treated.
    name
        The convention it started from: a tool's name, or "ndcgstudy" for the defaults.
    only_ndcg
        Whether it concerns nDCG and DCG alone, so that other measures keep the policy they had.
    average
        How topics become one number: "topics" is the mean of their scores; "pooled" the sum of DCG
        over the sum of ideal DCG (of nDCG alone); "union" their mean over the judged topics that
        count and the topics of the run without judgments, which count as 0.

    Raises
    ------
    ValueError
        If `average` is another word.

    Examples
    --------
    >>> str(Convention().but(gain="exponential", ties="average"))
    'ndcgstudy(gain=exponential,ties=average)'
    """

    gain: Gain = LINEAR
    discount: Discount = LOG2
    policy: Policy = DEFAULTS
    name: str = OWN
    only_ndcg: bool = False
    average: str = "topics"

    def __post_init__(self) -> None:
        if self.average not in AVERAGES:
            others = nearest(str(self.average), [*AVERAGES])
            raise ValueError(f"unknown average {self.average!r}{others}")

    def settings(self) -> dict[str, Any]:
        """Return gain, discount, every policy and the average by name."""
        policies = {name: getattr(self.policy, name) for name in POLICIES}
        return {
            "gain": self.gain,
            "discount": self.discount,
            **policies,
            "average": self.average,
        }

    def but(self, **changes: Any) -> "Convention":
        """Return the convention with some settings changed; parts may be given as text.

        Raises
        ------
        ValueError
            If a setting or its value is unknown.
        """
        for name in changes:
            if name not in SETTINGS:
                raise ValueError(f"unknown setting {name!r}{nearest(name, [*SETTINGS])}")
        policies = {name: changes[name] for name in changes if name in POLICIES}
        return dataclasses.replace(
            self,
            gain=GAINS.parse(changes.get("gain", self.gain)),
            discount=DISCOUNTS.parse(changes.get("discount", self.discount)),
            policy=dataclasses.replace(self.policy, **policies),
            average=changes.get("average", self.average),
        )

    def changes_from(self, other: "Convention") -> dict[str, Any]:
        """Return the settings that differ from another convention's, with their values here."""
        theirs = other.settings()
        return {name: value for name, value in self.settings().items() if value != theirs[name]}

    def concerns(self, measure: Measure) -> bool:
        """Tell whether it says how to compute a measure."""
        return not self.only_ndcg or is_graded(measure)

    def rewrite(self, measure: Measure) -> Measure:
        """Return nDCG or DCG with this gain and discount, and any other measure as it is."""
        if isinstance(measure, nDCG | DCG):
            return dataclasses.replace(measure, gain=self.gain, discount=self.discount)
        return measure

    def __str__(self) -> str:
        changes = written(self.changes_from(KNOWN[self.name].convention))
        return f"{self.name}({changes})" if changes else self.name


@dataclass(frozen=True)
class Tool:
    """A tool's convention, and what a table of settings cannot say of it.

    Parameters
    ----------
    convention
        What the tool computes.
    remark
        Limits of the tool, and what it does besides.
    source
        How that is known: the tool was run beside this one, or its published formula was.
    """

    convention: Convention
    remark: str
    source: str

    @property
    def name(self) -> str:
        """The tool's name."""
        return self.convention.name


KNOWN: dict[str, Tool] = {OWN: Tool(Convention(), "the defaults of `ndcgstudy score`", "")}
"""Every named convention; `ndcgstudy.conventions.tools` fills in the tools'."""


def parse(text: "str | Convention") -> Convention:
    """Read a convention: a tool's name, with changes in parentheses if there are any.

    Raises
    ------
    ValueError
        If the text cannot be read, or names an unknown tool, setting or value.

    Examples
    --------
    >>> parse("ndcgstudy(gain=exponential,no-relevant=skip)").policy.no_relevant
    'skip'
    """
    if isinstance(text, Convention):
        return text
    match = re.fullmatch(r"([\w.-]+)\s*(?:\((.*)\))?", text.strip())
    if not match:
        raise ValueError(f"cannot read convention {text!r}: expected NAME or NAME(setting=value)")
    name, inside = match.groups()
    if name not in KNOWN:
        raise ValueError(f"unknown convention {name!r}{nearest(name, [*KNOWN])}")
    changes = dict(_change(part, text) for part in split(inside or "", ","))
    return KNOWN[name].convention.but(**changes)


def _change(part: str, text: str) -> tuple[str, Any]:
    name, equals, value = part.partition("=")
    if not equals:
        raise ValueError(f"cannot read {part!r} in convention {text!r}: expected setting=value")
    name, value = name.strip().replace("-", "_"), value.strip()
    return name, {"True": True, "False": False}.get(value, value)


def combinations(choices: Mapping[str, Sequence[Any]]) -> list[Convention]:
    """Return a convention for every combination of the values of some settings.

    Raises
    ------
    ValueError
        If a setting or a value is unknown.

    Examples
    --------
    >>> [str(c) for c in combinations({"gain": ["linear", "exponential"], "ideal": ["cut"]})]
    ['ndcgstudy', 'ndcgstudy(gain=exponential)']
    """
    read: dict[str, Callable[[Any], Any]] = {"gain": GAINS.parse, "discount": DISCOUNTS.parse}
    levels = [[read.get(name, lambda x: x)(v) for v in values] for name, values in choices.items()]
    each = itertools.product(*levels)
    return [Convention().but(**dict(zip(choices, values, strict=True))) for values in each]


def written(changes: dict[str, Any]) -> str:
    """Write settings as ``gain=exponential,ties=average``."""
    return ",".join(f"{name}={value}" for name, value in changes.items())


def is_graded(measure: Measure) -> bool:
    """Tell whether a measure is nDCG or DCG, whose gain and discount a convention sets."""
    return isinstance(measure, nDCG | DCG)


def plain(measure: "str | Measure") -> Measure:
    """Read a measure whose gain and discount a convention is to set, so that it names none.

    Raises
    ------
    ValueError
        If it cannot be read, or is an nDCG or DCG with parts of its own.

    Examples
    --------
    >>> plain("nDCG@10").cutoff
    10
    """
    part = MEASURES.parse(measure)
    if is_graded(part) and ("(" in str(measure) or "(" in str(part)):
        raise ValueError(
            f"{measure}: the convention sets gain and discount; name the measure alone, as nDCG@10"
        )
    return part
