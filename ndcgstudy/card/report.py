"""The card of a discount: all sections, as records, as text and as a figure."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ndcgstudy.card.board import Board, board_section
from ndcgstudy.card.line import Section
from ndcgstudy.card.made import made_board, made_pairs
from ndcgstudy.card.people import people_section
from ndcgstudy.card.separation import separation_section
from ndcgstudy.card.weights import CURVE, relative, weights_section
from ndcgstudy.checks import LISTS, MANY, number
from ndcgstudy.discounts import DISCOUNTS, Discount, Log2, check_discount
from ndcgstudy.gains import GAINS, Gain
from ndcgstudy.preferences import Preferences
from ndcgstudy.separability.sums import sums_for

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure as Page

REPLICATES, RESAMPLES, CUTOFF = 300, 2_000, 10
MOST = 1e50  # and 1e-50 the least: products of four weights and 1e12 ranks are below 1e308


@dataclass(frozen=True, eq=False)
class Card:
    """What can be said of a discount beside log2.

    Parameters
    ----------
    discount, gain, cutoff
        Of the card, in text; the board and the pairs are scored down to the cutoff.
    sections
        The weights, the separation of two rankers, the board, and people's preferences.
    weights
        Columns rank, discount and log2: weights over that of rank 1.
    curve
        The share of pairs at or below each p-value: measure, level, share.
    notes
        What deserves a word on the board and the pairs.
    """

    discount: str
    gain: str
    cutoff: int
    sections: tuple[Section, ...]
    weights: "pd.DataFrame"
    curve: "pd.DataFrame"
    notes: tuple[str, ...] = ()

    def section(self, name: str) -> Section:
        """Return a section: weights, separation, board or people."""
        return {section.name: section for section in self.sections}[name]

    def records(self) -> list[dict[str, Any]]:
        """Return tidy records.

        Columns: discount, section, name, at (a rank or list length), of (discount,
        log2, or difference), value, low, high, note.
        """
        return [
            {"discount": self.discount, **record}
            for section in self.sections
            for record in section.records()
        ]

    def text(self) -> str:
        """Lay the card out for reading."""
        from ndcgstudy.card.text import laid_out

        return laid_out(self)

    def plot(self, page: "Page") -> "Page":
        """Draw weights, right orders, separated pairs and differences to log2 on a figure."""
        from ndcgstudy.card.drawing import draw

        return draw(self, page)


def card(
    discount: str | Discount,
    *,
    gain: str | Gain = "linear",
    cutoff: int = CUTOFF,
    board: Board | None = None,
    pairs: Preferences | None = None,
    replicates: int = REPLICATES,
    resamples: int = RESAMPLES,
    rng: np.random.Generator,
) -> Card:
    """Compare a discount with log2: weights, separation, a leaderboard, people's preferences.

    Both are drawn, resampled and asked on the same lists, topics and queries.

    Parameters
    ----------
    discount, gain
        Parts or their text forms.
    cutoff
        The last rank that counts on the board and in the pairs.
    board
        By default one made up from `rng`, and called synthetic.
    pairs
        By default made-up answers of simulated users, which are no evidence for a measure.
    replicates
        How often lists are drawn, at least 2.
    resamples
        How often topics and queries are resampled, at least 39.

    Raises
    ------
    ValueError
        Naming the parameter, rule and value; or if the board cannot be scored, or nobody prefers a list.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> found = card("zipf", replicates=5, resamples=99, rng=rng)
    >>> found.section("separation").line("exponent of z, predicted").mine.word
    'log n'
    """
    part, worth, log2 = DISCOUNTS.parse(discount), GAINS.parse(gain), Log2()
    check_discount(part)
    _check_size(part)
    number("cutoff", cutoff, at_least=1, whole=True)
    number("replicates", replicates, at_least=2, at_most=LISTS, whole=True)
    number("resamples", resamples, at_least=39, at_most=MANY, whole=True)
    make, ask, draw, again, anew = rng.spawn(5)
    board = board or made_board(rng=make)
    pairs = pairs or made_pairs(rng=ask)
    scores, notes = board.scores(part, log2, gain=worth, cutoff=cutoff)
    ranked, power = board_section(scores, board.source, resamples=resamples, rng=again)
    how: dict[str, Any] = {"gain": worth, "cutoff": cutoff, "resamples": resamples, "rng": anew}
    sections = (
        weights_section(part, log2),
        separation_section(part, log2, gain=worth, replicates=replicates, rng=draw),
        ranked,
        people_section(pairs, part, log2, pairs.source, **how),
    )
    caution = f"discount {part}: {told}" if (told := sums_for(part).caution) else ""
    curve, notes = power.curve(), tuple(filter(None, (caution, *notes, *pairs.notes)))
    return Card(str(part), str(worth), cutoff, sections, _weights(part, log2), curve, notes)


def _check_size(discount: Discount) -> None:
    """Check that squares of sums of weights stay within the range of a double."""
    first = float(np.asarray(discount(np.array([1])))[0])
    if not 1 / MOST <= first <= MOST:
        raise ValueError(
            f"discount {discount} must have a weight between {1 / MOST:g} and {MOST:g} at rank 1, "
            f"got {first:g}"
        )


def _weights(discount: Discount, log2: Discount) -> "pd.DataFrame":
    import pandas as pd

    columns = {"discount": relative(discount, CURVE), "log2": relative(log2, CURVE)}
    return pd.DataFrame({"rank": CURVE, **columns})
