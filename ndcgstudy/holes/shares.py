"""How likely judgments of the documents at stake are to turn an order, under a model of the grades."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ndcgstudy.checks import MANY, number
from ndcgstudy.data import Floats
from ndcgstudy.formats.read import check_choice
from ndcgstudy.holes.bounds import pair_changes
from ndcgstudy.holes.flips import TIE, pair_of
from ndcgstudy.holes.tops import TopicTops, Tops
from ndcgstudy.ids import Index

MODELS = ("uniform", "rates")


@dataclass(frozen=True)
class Share:
    """The share of assignments that turn an order, its Monte-Carlo standard error, and the model."""

    value: float
    error: float
    model: str

    def __str__(self) -> str:
        return f"{self.value:.4f} (se {self.error:.4f}, {self.model})"


def flip_share(
    tops: Tops,
    first: str,
    second: str,
    model: str = "uniform",
    *,
    draws: int,
    rng: np.random.Generator,
) -> Share:
    """Estimate the share of all judgments of the documents at stake that turn the order of two means.

    Parameters
    ----------
    tops
        From `lay_out`.
    first, second
        The names of the two systems.
    model
        "uniform": every grade from 0 to the highest is as likely as any other; "rates": a document has
        the grades seen among the judged documents at its rank, in the tops of all systems (the mean
        over its two ranks if both systems have it). Documents are independent.
    draws
        How many assignments to draw, at least 1.
    rng
        The random stream.

    Returns
    -------
    share
        0 where the systems are tied: there is no order to turn. The standard error is that of a
        share with two successes and two failures added, so that it is not 0 at 0 or 1.

    Raises
    ------
    ValueError
        If a system or model is unknown, `draws` is no such number, or "rates" finds no judged document.

    Examples
    --------
    >>> from ndcgstudy import Judgments, Rankings
    >>> from ndcgstudy.holes import lay_out
    >>> qrels = Judgments.from_dict({"q1": {"a": 1, "b": 1}})
    >>> good = Rankings.from_dict({"q1": {"a": 2.0, "b": 1.0}}, name="good")
    >>> odd = Rankings.from_dict({"q1": {"x": 3.0, "y": 2.0, "a": 1.0}}, name="odd")
    >>> tops, rng = lay_out(qrels, [good, odd]), np.random.default_rng(1)
    >>> share = flip_share(tops, "good", "odd", draws=10_000, rng=rng)
    >>> abs(share.value - 1 / 4) < 4 * share.error
    True
    """
    check_choice("model", model, MODELS)
    number("draws", draws, at_least=1, at_most=MANY, whole=True)
    a, b = pair_of(tops, first, second)
    odds = _uniform(tops) if model == "uniform" else _rates(tops)
    means = tops.scores.mean(axis=1)
    order = np.sign(means[a] - means[b]) * (abs(means[a] - means[b]) > TIE)
    gap = np.zeros(draws)
    for topic in tops.topics:
        gap += _gaps(tops, topic, a, b, odds, draws, rng) / len(tops.topics)
    turned = int(np.count_nonzero((order != 0) & (np.sign(gap) == -order) & (np.abs(gap) > TIE)))
    p = (turned + 2) / (draws + 4)
    return Share(turned / draws, float((p * (1 - p) / (draws + 4)) ** 0.5), model)


Odds = Callable[[Index], Floats]


def _gaps(
    tops: Tops, topic: TopicTops, a: int, b: int, odds: Odds, draws: int, rng: np.random.Generator
) -> Floats:
    """Draw the gap of two systems on one topic."""
    change, inside = pair_changes(topic, np.array([a]), np.array([b]))
    change, docs = (
        change[0][inside[0]],
        np.concatenate([topic.number[a], topic.number[b]])[inside[0]],
    )
    chance = np.cumsum(odds(topic.rank[[a, b]][:, docs]), axis=-1)
    levels = (rng.random((draws, docs.size, 1)) >= chance[:, :-1]).sum(axis=-1)
    reach = (levels[..., None] > np.arange(tops.gains.size - 1)).sum(axis=1)
    ideal = topic.ladder.ideal_of(reach)
    total = topic.base[a] - topic.base[b] + tops.gains[levels] @ change
    bare = np.full(draws, topic.bare[a] - topic.bare[b])
    return np.asarray(np.divide(total, ideal, out=bare, where=ideal > 0))


def _uniform(tops: Tops) -> Odds:
    """Make every grade as likely as any other: a gain that several grades share is likelier."""
    share = np.diff(np.append(tops.grades, tops.most + 1)) / (tops.most + 1)
    return lambda ranks: np.broadcast_to(share, (ranks.shape[1], share.size))


def _rates(tops: Tops) -> Odds:
    """Give a document the gains of the judged documents at its rank, or at all if it is alone."""
    seen = tops.seen.sum(axis=0).astype(float)
    if not seen.sum():
        raise ValueError("`rates` need judged documents, but no document in the tops is judged")
    count = seen.sum(axis=1, keepdims=True)
    rate = np.where(count > 0, seen / np.maximum(count, 1), seen.sum(axis=0) / seen.sum())
    rate = np.concatenate([np.zeros((1, rate.shape[1])), rate])

    def odds(ranks: Index) -> Floats:
        return np.asarray(rate[ranks].sum(axis=0) / (ranks > 0).sum(axis=0)[:, None])

    return odds
