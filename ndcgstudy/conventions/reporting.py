"""Reported numbers: read as they were printed, and compared with scores to their digits."""

import re
from dataclasses import dataclass
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal
from functools import cached_property

import numpy as np

from ndcgstudy.conventions.convention import plain
from ndcgstudy.expressions import shown, split
from ndcgstudy.measures import DCG, Measure

SUMS = Decimal("1e-12")
"""Two programs that add the same doubles in another order differ by less."""

_PLAIN = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_SCALAR = re.compile(r"[A-Za-z][\w.]*\(\s*([^(),]*?)\s*(?:,[^()]*)?\)")  # np.float64(0.42)
_VALUE = re.compile(rf"(?P<number>{_PLAIN})\s*(?P<percent>%?)")
_NAMED = re.compile(rf"(?:(?P<name>.*?)(?:\s*[=:]\s*|\s+))?(?P<value>{_PLAIN}\s*%?)")
_COMMA = re.compile(r"(?<![\w.])(\d{1,2}),(\d+)%?(?![\w.,])")
_BETWEEN = re.compile(r"(?<=[\d)%])\s+(?=(?!all\b)[A-Za-z])")
_ROUND = re.compile(r"\[\d+\]\s+")


@dataclass(frozen=True)
class Reported:
    """A number as it was printed: a measure, its value and how many decimals it has.

    `percent` tells whether it was printed as a percentage; `value` is the share. `name` is what was
    written before it, "" where nothing was.
    """

    measure: Measure
    value: Decimal
    percent: bool = False
    name: str = ""

    @cached_property
    def unit(self) -> Decimal:
        """One unit of the last digit."""
        return Decimal(1).scaleb(int(self.value.as_tuple().exponent))

    @property
    def grain(self) -> Decimal:
        """How far apart two scores are that the number can tell from each other."""
        return max(self.unit, Decimal("1e-7") if self.single else SUMS)

    @cached_property
    def single(self) -> bool:
        """Whether it is a 32-bit float printed in full, with 8 or 9 digits or as the double it equals."""
        digits = len(self.value.as_tuple().digits)
        with np.errstate(over="ignore"):
            short = np.float32(float(self.value))
        if digits < 8 or not np.isfinite(short):
            return False
        printed = Decimal(str(short)) if digits < 10 else Decimal(repr(float(short)))
        return printed == self.value

    def how(self, score: float) -> str:
        """Tell how a score would be printed as the number: "rounded", "cut", or "" where it is not.

        A score within 1e-12 of where the printed number changes is taken for either side of it. A
        number that is a 32-bit float printed in full is met within 4 units of its last bit: "float32".

        Examples
        --------
        >>> number = reported("0.42")[0]
        >>> number.how(0.4151), number.how(0.4249), number.how(0.4299), number.how(0.4301)
        ('rounded', 'rounded', 'cut', '')
        >>> reported("np.float64(0.785002371969948)")[0].how(0.7850023719699481)
        'rounded'
        """
        if not np.isfinite(score):
            return ""
        off, near = Decimal(score) - self.value, SUMS * max(Decimal(1), abs(self.value))
        if abs(off) <= self.unit / 2 + near:
            return "rounded"
        if -near <= off < self.unit + near:
            return "cut"
        bit = Decimal(float(np.spacing(np.float32(float(self.value))))) if self.single else 0
        return "float32" if abs(off) <= 4 * bit else ""

    def printed(self, score: float) -> list[tuple[str, Decimal]]:
        """Return how a score may be printed to as many decimals as matter, rounded and cut."""
        exact = Decimal(score)
        ways = [
            ("rounded", exact, ROUND_HALF_UP),
            ("rounded", exact - SUMS, ROUND_HALF_UP),
            ("rounded", exact + SUMS, ROUND_HALF_UP),
            ("cut", exact, ROUND_DOWN),
            ("cut", exact + SUMS, ROUND_DOWN),
        ]
        return [(word, x.quantize(self.grain, rounding=rule)) for word, x, rule in ways]


def reported(text: str, measure: str = "nDCG@10") -> list[Reported]:
    """Read reported numbers: ``0.4213``, ``42.13%``, or ``nDCG@10=0.4213,nDCG@20=0.43``.

    Numbers and names may stand as programs print them: ``np.float64(0.42)``, ``eval-ndcg@10:0.42``,
    ``ndcg_cut_10 all 0.42``, ``{'map': 0.31}``. A number above 1 is a percentage, but for DCG.

    Parameters
    ----------
    measure
        What a number without a measure is one of.

    Raises
    ------
    ValueError
        With a line for each that is no number with decimals in the range of its measure.

    Examples
    --------
    >>> [(str(number.measure), str(number.value)) for number in reported("0.42, map: 31.0%")]
    [('nDCG@10', '0.42'), ('AP', '0.310')]
    """
    found, wrong = [], []
    for name, value in named(text):
        try:
            found.append(_number(plain(name or measure), value, name))
        except ValueError as error:
            wrong.append(str(error))
    if not found and not wrong:
        wrong.append("`reported` needs a number, as 0.4213 or nDCG@10=0.4213,nDCG@20=0.43")
    if wrong:
        raise ValueError("\n".join(wrong))
    return found


def named(text: str) -> list[tuple[str, str]]:
    r"""Split a text into numbers and the names before them, "" where there is none.

    Examples
    --------
    >>> named("ndcg_cut_10 all 0.42\nvalid_0's ndcg@5: 0.5, [3] eval-ndcg@10:0.6")
    [('ndcg_cut_10', '0.42'), ('ndcg@5', '0.5'), ('ndcg@10', '0.6')]
    """
    text = _SCALAR.sub(lambda m: m[1] if _VALUE.fullmatch(m[1]) else m[0], text.strip())
    text = _ROUND.sub("", text)
    while len(text) > 1 and text[0] + text[-1] in ("{}", "[]", "()"):
        text = text[1:-1].strip()
    if comma := _COMMA.search(text):
        number = f"{comma[1]}.{comma[2]}"
        raise ValueError(f"`reported` {shown(comma[0])}: a decimal comma? write {number}")
    parts = [part for line in re.split(r"[\n;]", text) for part in split(line, ",")]
    return [_pair(one.strip()) for part in parts for one in _BETWEEN.split(part)]


def _pair(text: str) -> tuple[str, str]:
    """Split a number from the name before it."""
    if match := _NAMED.fullmatch(text.replace("'", " ").replace('"', " ").strip()):
        return _name(match["name"] or ""), match["value"]
    name, _, value = text.rpartition("=")
    return name.strip(), value.strip()


def _name(text: str) -> str:
    """Strip a name of what programs print around it: the data, or "all" topics."""
    words = split(text)
    if words[1:] and words[-1] == "all":
        words.pop()
    bare = words[-1] if words else ""
    return re.sub(r"^\w+-(?=[A-Za-z])", "", bare).removesuffix("-")


def _number(measure: Measure, text: str, name: str) -> Reported:
    match = _VALUE.fullmatch(text)
    if not match:
        raise _no_decimals(text)
    value, percent = Decimal(match["number"]), bool(match["percent"])
    share = percent or (value > 1 and not isinstance(measure, DCG))
    exponent = int(value.as_tuple().exponent)
    if not share and exponent >= 0:
        raise _no_decimals(text)
    if share and (percent or value <= 100):
        value = value.quantize(Decimal(1)) if exponent > 0 else value
        value = value.scaleb(-2)
    if value < 0 or (value > 1 and not isinstance(measure, DCG)):
        raise ValueError(f"`reported` must be in [0, 1], or a percentage, got {shown(text)}")
    return Reported(measure, value, share, name)


def _no_decimals(text: str) -> ValueError:
    return ValueError(
        f"`reported` must be a number with its decimals, as 0.4213, got {shown(text)}"
    )
