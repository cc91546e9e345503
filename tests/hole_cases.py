"""Small judgments and runs with holes, and all that judgments of the holes could make of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from hypothesis import strategies as st

from ndcgstudy import Judgments, Policy, Rankings, score_grades
from ndcgstudy.holes import Tops, lay_out
from ndcgstudy.measures import MEASURES

GAINS = ("linear", "exponential", "binary(threshold=2)", "table(0,1,1,5)")
DISCOUNTS = ("log2", "jk2002", "power(beta=0.5)", "constant", "table(1,0.4)", "geometric(p=0.5)")
CUTOFFS = ("", "@1", "@2", "@3")


@dataclass(frozen=True)
class Case:
    """Judgments ``{topic: {document: grade}}`` and runs ``{topic: documents in order}``."""

    qrels: dict[str, dict[str, int]]
    runs: tuple[dict[str, Sequence[str]], ...]
    measure: str = "nDCG@3"
    max_grade: int = 2
    no_relevant: str = "zero"
    ideal: str = "cut"

    @property
    def judgments(self) -> Judgments:
        return Judgments.from_dict(self.qrels)

    @property
    def policy(self) -> Policy:
        return Policy(no_relevant=self.no_relevant, ideal=self.ideal)

    @property
    def rankings(self) -> list[Rankings]:
        return [ranking(run, f"s{i}") for i, run in enumerate(self.runs)]

    def tops(self) -> Tops:
        return lay_out(
            self.judgments, self.rankings, self.measure, self.policy, max_grade=self.max_grade
        )

    def stake(self, topic: str, systems: Sequence[int]) -> list[str]:
        """Return the unjudged documents in the tops of systems, sorted."""
        cutoff = MEASURES.parse(self.measure).cutoff
        docs = {doc for s in systems for doc in self.runs[s].get(topic, ())[:cutoff]}
        return sorted(docs - set(self.qrels[topic]))

    def every(self, topic: str, docs: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """Score all systems under all assignments of grades to documents.

        Returns the assignments (count, documents) and the scores (systems, count).
        """
        rows = list(product(range(self.max_grade + 1), repeat=len(docs)))
        given = np.array(rows, dtype=float).reshape(len(rows), len(docs))
        judged = self.qrels[topic]
        known = np.broadcast_to(list(judged.values()), (len(given), len(judged)))
        ideal = np.concatenate([known, given], axis=1)
        column = {doc: i for i, doc in enumerate([*judged, *docs])}
        found = np.zeros((len(self.runs), len(given)))
        for s, run in enumerate(self.runs):
            if not run.get(topic):
                continue
            at = [column.get(doc) for doc in run[topic]]
            grades = np.stack(
                [np.full(len(given), np.nan) if i is None else ideal[:, i] for i in at], axis=1
            )
            cut = self.ideal == "cut"
            values = score_grades(self.measure, grades, ideal, cut_ideal=cut)
            found[s] = np.where(np.isnan(values), float(self.no_relevant == "one"), values)
        return given, found


def ranking(run: dict[str, Sequence[str]], name: str) -> Rankings:
    """Make a run of documents in order."""
    return Rankings.from_dict(
        {topic: {doc: -float(i) for i, doc in enumerate(docs)} for topic, docs in run.items()}, name
    )


@st.composite
def cases(draw: st.DrawFn, systems: int = 2, topics: int = 2, docs: str = "abcdefg") -> Case:
    """Draw a small case: every run answers at least one of the topics."""
    names = [f"q{t}" for t in range(draw(st.integers(1, topics)))]
    grades = st.dictionaries(st.sampled_from(docs), st.integers(-1, 3), min_size=1, max_size=5)
    orders = st.lists(st.sampled_from(docs), unique=True, min_size=1, max_size=4)
    some = st.dictionaries(st.sampled_from(names), orders, min_size=1)
    kind = draw(st.sampled_from(["nDCG", "nDCG", "DCG"]))
    cut = draw(st.sampled_from(CUTOFFS))
    parts = f"gain={draw(st.sampled_from(GAINS))},discount={draw(st.sampled_from(DISCOUNTS))}"
    others = st.sampled_from(["P@2", "P(rel=2)@3", "R@2", "R", "RBP(p=0.5)@3"])
    measure = f"{kind}({parts}){cut}" if draw(st.integers(0, 4)) else draw(others)
    return Case(
        {name: draw(grades) for name in names},
        tuple(draw(some) for _ in range(systems)),
        measure,
        draw(st.integers(1, 3)),
        draw(st.sampled_from(["zero", "one"])),
        draw(st.sampled_from(["cut", "all"])),
    )
