"""Whether holes in the judgments turn pairs of systems by more than chance, and more than other topics would.

All pairs of the 143 runs of TREC-COVID round 1, scored on its 30 topics with the judgments of the round
and with those the topics had in the end. That some of ten thousand pairs turn is certain. So a turn
counts by the interval of the pair's gap before, and by that of the change of the gap; the pairs that
turn are compared with those that turn when the topics are drawn again, which is the margin.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from ndcgstudy.decision import Decision, changed
from ndcgstudy.figures import BLUE, RED, key
from ndcgstudy.holes.flips import TIE
from ndcgstudy.holes.loaded import loaded_qrels, loaded_runs
from ndcgstudy.inputs import loader
from ndcgstudy.ledger import Checks, interval, read_claims, true
from ndcgstudy.scoring import score
from ndcgstudy.study import Drawing, Parameters, Row, Study, Tables

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = npt.NDArray[np.float64]

CLAIMS = read_claims(Path(__file__).with_name("claims.csv"))
ROUND = "trec_covid_round1"
BEFORE, AFTER = f"{ROUND}/round1.qrels.gz", f"{ROUND}/round1_plus_later.qrels.gz"
RUNS, BOARD = f"{ROUND}/runs", f"{ROUND}/leaderboard.csv"
MEASURE, LEVEL = "nDCG@10", 0.95
RESAMPLES = {"quick": 200, "full": 5000}
KINDS = {
    "all": "all pairs",
    "inside": "pairs of runs that contributed to the pool",
    "outside": "pairs with a run that did not contribute",
}
BROKEN = 0.05
"""Share of separated pairs in the other order from which on a comparison counts as broken."""


@loader
def board(path: Path) -> pd.DataFrame:
    """Read the official leaderboard."""
    return pd.read_csv(path).set_index("run")


def grid(scale: str) -> list[Parameters]:
    """Lay out the two ways to draw: signs of changes, and topics."""
    return [{"part": part, "resamples": RESAMPLES[scale]} for part in ("changes", "topics")]


def cell(parameters: Parameters, rng: np.random.Generator) -> list[Row]:
    """Count the pairs that turn, or turn when topics are drawn again."""
    fewer, more, names = _scores()
    first, second = np.triu_indices(len(names), 1)
    before, after = (x[first] - x[second] for x in (fewer, more))
    drawn = parameters["resamples"]
    if parameters["part"] == "changes":
        return [{"part": "changes", **_changes(before, after, drawn, rng)}]
    inside = (board(BOARD).loc[names, "contributed judgments"] == "yes").to_numpy()
    both = inside[first] & inside[second]
    kinds = {"all": np.full(both.size, True), "inside": both, "outside": ~both}
    return [{"part": "topics", **row} for row in _redrawn(before, after, kinds, drawn, rng)]


def _scores() -> tuple[Floats, Floats, list[str]]:
    """Return all runs' scores by fewer and by more judgments, (systems, topics), and their names."""
    runs, topics = loaded_runs(RUNS), loaded_qrels(BEFORE).topics
    both = [
        next(iter(score(loaded_qrels(q), runs, MEASURE, topics=topics).scores.values()))
        for q in (BEFORE, AFTER)
    ]
    return both[0].values, both[1].values, [*both[0].systems]


def _signs(gaps: Floats) -> Floats:
    return np.sign(gaps) * (np.abs(gaps) > TIE)


def _larger(mean: Floats, squares: Floats, topics: int) -> npt.NDArray[np.bool_]:
    """Tell which means over topics are larger than the half-width of their 95% t interval.

    `squares` is the sum of squares over topics of what has the mean.
    """
    from scipy.stats import t

    spread = np.maximum(squares - topics * mean**2, 0) / (topics - 1) / topics
    return np.asarray(np.abs(mean) > t.ppf((1 + LEVEL) / 2, topics - 1) * np.sqrt(spread) + TIE)


def _changes(before: Floats, after: Floats, resamples: int, rng: np.random.Generator) -> Row:
    """Count the pairs that turn by a change larger than its interval, and those that would by chance.

    By chance: the change on each topic gets a random sign, one for all pairs.
    """
    change, gap = after - before, before.mean(axis=1)
    topics, squares = change.shape[1], (change**2).sum(axis=1)
    moved = _larger(change.mean(axis=1), squares, topics)
    turned = _signs(gap) * _signs(after.mean(axis=1)) < 0
    apart = _larger(gap, (before**2).sum(axis=1), topics)
    found = []
    for signs in rng.choice([-1.0, 1.0], (resamples, topics)):
        mean = change @ signs / topics
        found.append(
            int((_larger(mean, squares, topics) & (_signs(gap) * _signs(gap + mean) < 0)).sum())
        )
    share = (apart & turned).sum() / apart.sum()
    low, high = _separated_turned(before, after, resamples, rng)
    return {
        "pairs": len(gap),
        "turned": int(turned.sum()),
        "moved_turned": int((moved & turned).sum()),
        "chance": float(np.mean(found)),
        "chance_high": float(np.quantile(found, 0.975)),
        "separated": int(apart.sum()),
        "separated_turned": int((apart & turned).sum()),
        "share": float(share),
        "share_low": low,
        "share_high": high,
    }


def _separated_turned(
    before: Floats, after: Floats, resamples: int, rng: np.random.Generator
) -> tuple[float, float]:
    """Return the 95% interval, over drawn topics, of the share of separated pairs that turn."""
    topics, squares, found = before.shape[1], before**2, []
    for at in rng.integers(0, topics, (resamples, topics)):
        weights = np.bincount(at, minlength=topics) / topics
        gap = before @ weights
        apart = _larger(gap, squares @ weights * topics, topics)
        found.append((apart & (_signs(gap) * _signs(after @ weights) < 0)).sum() / apart.sum())
    low, high = np.quantile(found, (0.025, 0.975))
    return float(low), float(high)


def _redrawn(
    before: Floats,
    after: Floats,
    kinds: dict[str, npt.NDArray[np.bool_]],
    resamples: int,
    rng: np.random.Generator,
) -> list[Row]:
    """Return, a kind of pair, the shares that holes turn and that other topics turn, with intervals."""
    topics, order = before.shape[1], _signs(before.mean(axis=1))
    turned = order * _signs(after.mean(axis=1)) < 0
    drawn: dict[str, list[tuple[float, float]]] = {name: [] for name in kinds}
    for at in rng.integers(0, topics, (resamples, topics)):
        weights = np.bincount(at, minlength=topics) / topics
        again = _signs(before @ weights)
        holes, other = again * _signs(after @ weights) < 0, again * order < 0
        for name, kind in kinds.items():
            drawn[name].append((holes[kind].mean(), other[kind].mean()))
    rows = []
    for name, kind in kinds.items():
        (low, least), (high, most) = np.quantile(drawn[name], (0.025, 0.975), axis=0)
        row: Row = {"kind": name, "count": int(kind.sum()), "turned": int(turned[kind].sum())}
        row |= {"share": turned[kind].mean(), "share_low": low, "share_high": high}
        row |= {"redrawn": np.mean(drawn[name], axis=0)[1]}
        row |= {"redrawn_low": least, "redrawn_high": most}
        more = np.subtract(drawn[name], drawn["inside"])[:, 0]
        low, high = np.quantile(more, (0.025, 0.975))
        row |= {"more": turned[kind].mean() - turned[kinds["inside"]].mean()}
        rows.append(row | {"more_low": low, "more_high": high})
    return rows


def analysis(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the kinds of pairs, and what changes of gaps turn."""
    parts = {
        str(name): part.drop(columns="part").dropna(axis=1, how="all").reset_index(drop=True)
        for name, part in rows.groupby("part")
    }
    whole = {"turned": int}
    counts = ("pairs", "moved_turned", "separated", "separated_turned")
    return {
        "table": parts["topics"].astype({**whole, "count": int}),
        "changes": parts["changes"].astype({**whole, **dict.fromkeys(counts, int)}),
    }


def _separated(tables: Tables) -> Row:
    """Return the share of pairs separated before that are in the other order after, with its interval."""
    row = tables["changes"].iloc[0]
    return {"value": row["share"], **interval(row, "share")}


def _order_flips(tables: Tables) -> Checks:
    """A17: pairs turn by more than chance; whether pairs that were separated turn."""
    row, share = tables["changes"].iloc[0], _separated(tables)
    by_more = (
        f"of {row['turned']:.0f} pairs that change their order, {row['moved_turned']:.0f} do by a change "
        f"larger than its 95% interval, more than the {row['chance_high']:.0f} that chance allows"
    )
    text = (
        f"of {row['separated']:.0f} pairs separated before, a share above 0 is in the other order"
    )
    return [
        true(by_more, row["moved_turned"] > row["chance_high"]),
        true(text, share["low"] > 0, **share, limit=True),
    ]


def _not_broken(tables: Tables) -> Checks:
    """B10: holes turn no more pairs than other topics would, and few that were separated."""
    rows, share = [], _separated(tables)
    for row in tables["table"].to_dict("records"):
        text = (
            f"share of {KINDS[row['kind']]} ({row['count']}) that holes turn is no larger than that which "
            f"drawing the topics again turns, {row['redrawn']:.4f}"
        )
        met = row["share_high"] <= row["redrawn"]
        ends = interval(row, "share")
        rows.append(true(text, met, value=row["share"], **ends, limit=row["kind"] != "all"))
    few = f"share of pairs separated before in the other order is below {BROKEN:.0%}"
    outside = tables["table"].set_index("kind").loc["outside"]
    more = "share by which more pairs turn where a run did not contribute is 0 within its interval"
    ends = interval(outside, "more")
    fair = true(more, ends["low"] <= 0, value=outside["more"], **ends, limit=True)
    return [*rows, true(few, share["high"] < BROKEN, **share), fair]


DECISIONS = (
    Decision(
        CLAIMS["A17"],
        _order_flips,
        (
            changed("changes", moved_turned=20),
            changed("changes", share=0.1, share_low=0.08, share_high=0.12),
        ),
    ),
    Decision(
        CLAIMS["B10"],
        _not_broken,
        (
            changed(share=0.2, share_low=0.15, share_high=0.25),
            changed("changes", share=0.1, share_low=0.08, share_high=0.12),
            changed(more=-0.01, more_low=-0.02, more_high=0.01),
            changed(more=0.02, more_low=0.01, more_high=0.03),
        ),
    ),
)


def draw_shares(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw the shares of pairs that holes turn beside those that other topics turn, with intervals."""
    for column, colour, shift in (("share", RED, -0.13), ("redrawn", BLUE, 0.13)):
        at = [place + shift for place in range(len(table))]
        ax.hlines(at, table[f"{column}_low"], table[f"{column}_high"], color=colour, lw=1)
        ax.plot(table[column], at, "o", color=colour)
    names = [
        f"{KINDS[kind]}\n({n:,})" for kind, n in zip(table["kind"], table["count"], strict=True)
    ]
    ax.set_yticks(range(len(table)), names)
    ax.set_ylim(len(table) - 0.5, -0.5)
    ax.set_xlim(left=0)
    ax.set_xlabel("share of pairs in the other order (95%)")
    looks = {"holes filled": {"color": RED, "marker": "o"}}
    key(ax, looks | {"topics drawn again": {"color": BLUE, "marker": "o"}})
    return ax


def answer(tables: Tables) -> str:
    """Give both shares, and what became of separated pairs."""
    row, kinds = tables["changes"].iloc[0], tables["table"].set_index("kind")
    whole = kinds.loc["all"]
    return (
        f"Filling the holes puts {whole['share']:.1%} of {whole['count']:.0f} pairs in the other order, and "
        f"drawing the topics again {whole['redrawn']:.1%}. Of {row['turned']:.0f} pairs that turn, "
        f"{row['moved_turned']:.0f} turn by a change larger than its 95% interval; of "
        f"{row['separated']:.0f} separated pairs {row['separated_turned']:.0f} turn."
    )


STUDY = Study(
    question="Do holes turn pairs of systems by more than chance, and more than other topics would?",
    grid=grid,
    cell=cell,
    analysis=analysis,
    stream=("part",),
    figures={"shares": Drawing(draw_shares, size=(5.0, 2.4))},
    decisions=DECISIONS,
    inputs=(BEFORE, AFTER, RUNS, BOARD),
    errors=dict.fromkeys(
        (
            *("share_low", "share_high", "redrawn", "redrawn_low", "redrawn_high"),
            *("chance", "chance_high", "more_low", "more_high"),
        )
    ),
)
