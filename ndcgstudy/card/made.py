"""A leaderboard and preference pairs made up by chance, for a card where no real data are given."""

import numpy as np
import numpy.typing as npt

from ndcgstudy.agreement.users import Users, draw_pairs
from ndcgstudy.card.board import Board
from ndcgstudy.card.line import SYNTHETIC
from ndcgstudy.data import Judgments, Rankings
from ndcgstudy.ids import Ids
from ndcgstudy.lists import Lists
from ndcgstudy.preferences import Preferences

Floats = npt.NDArray[np.float64]

SYSTEMS, TOPICS, DOCUMENTS = 24, 50, 200
QUERIES, SIZE, RANKS, BEST = 100, 20, 10, 2
PEOPLE = Users("DCG@10", slope=4.64, nu=2.53)
"""Slope and weight of ties as fitted to the people of 2012, see `Users`."""


def made_board(*, rng: np.random.Generator) -> Board:
    """Make up a board: systems of rising quality, graded judgments, topics of differing difficulty.

    On a topic a document has a quality q, standard normal; the best of them, a share between 2% and
    20%, are relevant, and a third of these highly. A system ranks by c s + sqrt(1 - c²) e, with a
    signal s that goes like q^tilt: a large tilt finds the best and mixes up the rest. It shares the
    noise e in part with the others, and its c depends on the system, the topic and both.
    """
    quality = rng.standard_normal((TOPICS, DOCUMENTS))
    relevant = np.rint(DOCUMENTS * np.exp(rng.uniform(np.log(0.02), np.log(0.2), TOPICS)))
    place = np.argsort(np.argsort(-quality, axis=1), axis=1)
    grades = (place < relevant[:, None]).astype(float) + (place < relevant[:, None] / 3)
    tilt = rng.uniform(0.8, 1.25, (SYSTEMS, 1, 1))
    signal = np.sign(quality) * np.abs(quality) ** tilt
    signal /= np.sqrt((signal**2).mean(axis=(1, 2), keepdims=True))
    skill = np.linspace(0.45, 0.65, SYSTEMS)[:, None]
    clear = skill + 0.1 * rng.standard_normal(TOPICS) + 0.1 * rng.standard_normal((SYSTEMS, TOPICS))
    c = np.clip(clear, 0.05, 0.95)[..., None]
    shared = rng.standard_normal((TOPICS, DOCUMENTS))
    own = rng.standard_normal((SYSTEMS, TOPICS, DOCUMENTS))
    scores = c * signal + np.sqrt(1 - c**2) * (shared + own) / 2**0.5
    return _laid_out(grades, scores)


def _laid_out(grades: Floats, scores: Floats) -> Board:
    topics = tuple(f"t{i + 1}" for i in range(TOPICS))
    topic = np.repeat(np.arange(TOPICS), DOCUMENTS)
    docs = Ids.of([f"{name}-{d + 1}" for name in topics for d in range(DOCUMENTS)])
    judgments = Judgments(topics, topic, docs, grades.ravel(), "synthetic judgments")
    runs = [
        Rankings(f"s{i + 1:02}", topics, topic, docs, part.ravel(), f"synthetic run {i + 1}")
        for i, part in enumerate(scores)
    ]
    return Board(judgments, runs, f"{SYNTHETIC} board, no real systems")


def made_pairs(*, rng: np.random.Generator) -> Preferences:
    """Make up pairs of lists and the answers of simulated users, whose utility is known."""
    first, second, query = draw_pairs(QUERIES, SIZE, ranks=RANKS, best=BEST, rng=rng)
    answers = PEOPLE.answers(first, second, BEST, rng=rng)
    grade = np.concatenate([first, second])[None].astype(float)
    pairs = np.arange(len(query))
    lists = Lists(grade, np.full(grade.shape[:2], RANKS), -np.sort(-grade, axis=-1))
    return Preferences(
        topics=tuple(f"q{i + 1}" for i in range(QUERIES)),
        topic=query,
        lists=lists,
        first=pairs,
        second=pairs + len(pairs),
        preference=answers,
        pair=pairs,
        weight=np.ones(len(pairs)),
        same=(first == second).all(axis=1),
        source=f"{SYNTHETIC} answers: simulated users whose utility is {PEOPLE.measure}, so no evidence "
        "for a measure: the one nearest to that utility wins by construction",
    )
