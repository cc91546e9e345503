"""People's answers on pairs of ranked lists: which of the two they would rather have."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ndcgstudy.checks import nearest
from ndcgstudy.ids import Index, Mask
from ndcgstudy.lists import Floats, Lists
from ndcgstudy.words import many

if TYPE_CHECKING:
    from ndcgstudy.measures import Measure

Texts = npt.NDArray[np.object_]

ANSWERS = ("each", "majority")
_MOST = 10**8  # rows that answers may be repeated to


@dataclass(frozen=True, eq=False)
class Preferences:
    """Answers on pairs of lists, a row an answer; rows of one pair share their lists.

    Parameters
    ----------
    topics
        The topics' ids.
    topic
        The position in `topics` of each row, shape (rows,).
    lists
        All lists that were shown, graded, as one system: shape (1, lists, ranks).
    first, second
        The place among the lists of list A and list B of each row, as the person saw them.
    preference
        1 where the person prefers A, -1 for B, 0 for neither; shape (rows,).
    pair
        A number for each row: equal for the answers on one pair, whichever list was on side A.
    weight
        How much each answer weighs, above 0.
    same
        Where A and B hold the same documents in the same order.
    columns
        Further facts on each row by name, as text: ways to divide the rows.
    kind
        What was compared, e.g. "lists" or "top-1 documents".
    convention
        How the lists were graded.
    notes
        What deserves a word, a line each.
    source
        Where the answers came from, for messages.

    Raises
    ------
    ValueError
        If there is no answer, or a column differs in length.
    """

    topics: tuple[str, ...]
    topic: Index
    lists: Lists
    first: Index
    second: Index
    preference: Index
    pair: Index
    weight: Floats
    same: Mask
    columns: Mapping[str, Texts] = field(default_factory=dict)
    kind: str = "lists"
    convention: str = ""
    notes: tuple[str, ...] = ()
    source: str = "preferences"

    def __post_init__(self) -> None:
        rows = len(self.preference)
        if not rows:
            raise ValueError(f"{self.source}: the preferences hold no answer")
        parts = [self.topic, self.first, self.second, self.pair, self.weight, self.same]
        for part in (*parts, *self.columns.values()):
            if part.shape != (rows,):
                raise ValueError(
                    f"{self.source}: every column must have {rows} rows, got {part.shape}"
                )

    def __len__(self) -> int:
        return len(self.preference)

    def differences(self, measures: "Sequence[str | Measure]") -> Floats:
        """Return the score of list A minus that of list B, shape (measures, rows).

        A measure that is 0/0 on a list, since nothing is relevant, counts as 0.
        """
        from ndcgstudy.measures import MEASURES

        scores = np.array([MEASURES.parse(measure)(self.lists)[0] for measure in measures])
        scores = np.where(np.isnan(scores), 0.0, scores)
        return np.asarray(scores[:, self.first] - scores[:, self.second])

    def anything_relevant(self) -> tuple[Mask, Mask]:
        """Tell of each row whether list A, and whether list B, holds a document of grade above 0."""
        found = (self.lists.grade[0] > 0).any(axis=-1)
        return found[self.first], found[self.second]

    def select(self, rows: Any) -> "Preferences":
        """Keep some rows; lists and topics stay."""
        parts = ("topic", "first", "second", "preference", "pair", "weight", "same")
        kept: dict[str, Any] = {name: getattr(self, name)[rows] for name in parts}
        return replace(
            self, **kept, columns={name: values[rows] for name, values in self.columns.items()}
        )

    def answers(self, how: str = "each") -> "Preferences":
        """Count the answers on a pair one by one, or take their majority.

        Parameters
        ----------
        how
            "each": an answer counts as often as its weight says. "majority": a pair counts once,
            with the answer (A, B or neither) of the largest total weight, and as neither where
            several share it; its sides are those of the first answer.

        Raises
        ------
        ValueError
            If `how` is another word, or "each" meets a weight that is no whole number, or weights
            of more than 10^8 in all.
        """
        if how not in ANSWERS:
            raise ValueError(f"unknown answers {how!r}{nearest(str(how), [*ANSWERS])}")
        return self._each() if how == "each" else self._majority()

    def _each(self) -> "Preferences":
        part = self.weight % 1 > 0
        if part.any():
            raise ValueError(
                f"{self.source}: answers counted one by one need whole weights, "
                f"got {self.weight[part][0]:g}; take their majority"
            )
        if (whole := self.weight.sum()) > _MOST:
            raise ValueError(
                f"{self.source}: answers counted one by one may weigh {_MOST:,} in all, "
                f"got {whole:.4g}; take their majority"
            )
        if (self.weight == 1).all():
            return self
        rows = np.repeat(np.arange(len(self)), self.weight.astype(np.int64))
        return replace(self.select(rows), weight=np.ones(rows.size))

    def _majority(self) -> "Preferences":
        _, head, group = np.unique(self.pair, return_index=True, return_inverse=True)
        turned = self.first != self.first[head][group]
        votes, answer = np.zeros((head.size, 3)), np.where(turned, -1, 1) * self.preference
        np.add.at(votes, (group, answer + 1), self.weight)
        most = votes >= votes.max(axis=1, keepdims=True) - 1e-9
        preference = np.where(most.sum(axis=1) == 1, most.argmax(axis=1) - 1, 0)
        order = np.argsort(head, kind="stable")
        single = self.select(head[order])
        several = int(np.count_nonzero(np.bincount(group) > 1))
        note = f"{many(several, 'pair')} with several answers: majority, or neither"
        mixed = [n for n, values in self.columns.items() if (values != values[head][group]).any()]
        first = f"of columns in which these differ the first is kept: {', '.join(mixed)}"
        over = (
            f"{many(int(turned.sum()), 'answer')} with the sides changed over: those of the first"
        )
        return replace(
            single,
            preference=preference[order],
            weight=np.ones(head.size),
            notes=(
                *self.notes,
                *([note] if several else []),
                *([over] if turned.any() else []),
                *([first] if mixed else []),
            ),
        )
