"""How large a "gain" comes from choosing: the best of m equal systems, a weak baseline, test topics.

Equal systems have the margin of a real board's middle run and correlate over topics as its middle pair
("unlike") or its closest tenth of pairs ("alike"). The best of m of them is compared with one more, the
baseline: by a paired t interval, by an interval that holds for the best found against every other, and by
the set of systems that may be first. Real runs are chosen on one half of the topics and looked at on
the other: what is lost is what came of choosing; what is kept a baseline gains by being tuned too.
"""

import functools
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ndcgstudy.boards import ROUND1, TOPIC_SCORES, board, distinct
from ndcgstudy.comparison import share
from ndcgstudy.data import Scores
from ndcgstudy.figures import BLACK, BLUE, GREEN, GREY, RED, lines
from ndcgstudy.inference.gaps import gaps
from ndcgstudy.inference.ranks import ranks
from ndcgstudy.intervals import wilson
from ndcgstudy.study import Drawing, Parameters, Row, Study, Tables
from ndcgstudy.synthetic.matrices import Copula, Margin, equal, fitted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = npt.NDArray[np.float64]

BOARDS = ("dl2021", "round1")
KINDS = {"unlike": 0.5, "alike": 0.9}
"""Which quantile of a board's correlations of pairs the equal systems have."""

MS = (1, 2, 5, 10, 20, 50)
CHOSEN = 20
TOPICS = 50
REPLICATES, BLOCKS = 10, {"quick": 2, "full": 50}
SPLITS = 100
RESAMPLES, BOARD_RESAMPLES = 199, 1999
CALLS = {"t": "paired t", "at_once": "best against all", "first": "not tied for first"}


def grid(scale: str) -> list[Parameters]:
    """Lay out the boards, and a cell a kind of equal systems and one of real runs a block."""
    names = BOARDS if scale == "full" else BOARDS[:1]
    cells = [("board", name, "", 0) for name in names]
    cells += [
        (part, name, kind, block)
        for block in range(BLOCKS[scale])
        for name in names
        for part, kind in (*(("equal", kind) for kind in KINDS), ("tuning", ""))
    ]
    return [dict(zip(("part", "board", "kind", "block"), cell, strict=True)) for cell in cells]


def cell(parameters: Parameters, rng: np.random.Generator) -> list[Row]:
    """Describe a board, draw equal systems, or split the topics of real runs."""
    name, kind = parameters["board"], parameters["kind"]
    if parameters["part"] == "board":
        rows = _placed(distinct(board(name)), rng)
    elif parameters["part"] == "equal":
        margin, correlations = _law(name)
        rho = float(np.quantile(correlations, KINDS[kind]))
        model = equals(margin, rho, 1 + max(MS))
        drawn = [(i, model.draw(TOPICS, rng)) for i in range(REPLICATES)]
        where = {"kind": kind, "rho": rho, "mean": margin.mean()}
        rows = [{**where, "draw": i, **chosen(x, m, rng)} for i, x in drawn for m in MS]
    else:
        rows = _tuned(distinct(board(name)).values, rng)
    return [{"part": parameters["part"], "board": name, **row} for row in rows]


def _placed(scores: Scores, rng: np.random.Generator) -> list[Row]:
    """Return each run's mean, and its gap to the best with the interval for all runs at once."""
    found = gaps(scores, family="best", resamples=BOARD_RESAMPLES, rng=rng)
    ends = np.array([[0.0, 0.0], *zip(found.low, found.high, strict=True)])
    return [
        {"place": i, "system": name, "mean": mean, "gap": found.means[0] - mean}
        | {"low": low, "high": high, "separated": bool(low > 0)}
        for i, (name, mean, (low, high)) in enumerate(
            zip(found.systems, found.means, ends, strict=True), start=1
        )
    ]


@functools.cache
def _law(name: str) -> tuple[Margin, Floats]:
    """Return the margin of a board's middle run and the correlations of all pairs."""
    model = equal(fitted(distinct(board(name)).values))
    correlations = model.root @ model.root.T
    return model.margins[0], correlations[np.triu_indices(len(correlations), 1)]


def equals(margin: Margin, rho: float, systems: int) -> Copula:
    """Return systems of one margin, all pairs of which correlate by rho."""
    common = np.full((systems, 1), rho**0.5)
    root = np.concatenate([common, (1 - rho) ** 0.5 * np.eye(systems)], axis=1)
    return Copula((margin,) * systems, root, np.zeros(systems))


def chosen(values: Floats, m: int, rng: np.random.Generator) -> Row:
    """Compare the best of m systems with the baseline, which is the last; say who calls it better."""
    best = values[:m][np.argmax(values[:m].mean(axis=1))]
    gain = float(best.mean() - values[-1].mean())
    pair, every = (
        Scores(np.array(x), (*map(str, range(len(x))),), (*map(str, range(TOPICS)),), "nDCG@10")
        for x in ([best, values[-1]], [*values[:m], values[-1]])
    )
    how: dict[str, Any] = {"resamples": RESAMPLES, "rng": rng}
    last = gaps(every, family="best", **how)
    against = (np.array(last.systems) == str(m))[last.second]
    ranked = ranks(every, family="marginal", **how)
    may = dict(zip(ranked.systems, ranked.tied_for_first, strict=True))
    t = bool(gaps(pair, family="each").separated[0]) and gain > 0
    at_once = bool(last.separated[against].any())
    return {"m": m, "gain": gain, "t": t, "at_once": at_once, "first": not may[str(m)]}


def _tuned(values: Floats, rng: np.random.Generator) -> list[Row]:
    """Choose the best of m real runs on half of the topics; return its lead there and elsewhere."""
    rows = []
    for _ in range(SPLITS):
        topics, runs = rng.permutation(values.shape[1]), rng.permutation(len(values))
        half = len(topics) // 2
        seen, fresh = (values[runs][:, at].mean(axis=1) for at in (topics[:half], topics[half:]))
        for m in MS[1:]:
            best = int(np.argmax(seen[:m]))
            lead, kept = (float(x[best] - x[:m].mean()) for x in (seen, fresh))
            rows.append({"m": m, "topics": half, "lead": lead, "kept": kept, "lost": lead - kept})
    return rows


def analysis(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the gains from choosing equal systems, the boards, and leads of real runs."""
    parts = {str(n): p.dropna(axis=1, how="all") for n, p in rows.groupby("part")}
    boards = parts["board"].drop(columns="part").reset_index(drop=True)
    boards = boards.astype({"place": int, "separated": bool})
    return {
        "table": _gains(parts["equal"], boards),
        "boards": boards,
        "weak": _weak(boards),
        "tuning": _leads(parts["tuning"]),
    }


def _gains(rows: pd.DataFrame, boards: pd.DataFrame) -> pd.DataFrame:
    """Return mean gains with the middle 90% of draws, real gaps below them, and false calls."""
    found = []
    rows = rows.astype({"m": int})
    for (name, kind, m), part in rows.groupby(["board", "kind", "m"], sort=False):
        means = np.sort(boards.loc[boards["board"] == name, "mean"].to_numpy())
        every = np.abs(means[:, None] - means)[np.triu_indices(len(means), 1)]
        gain, count = float(part["gain"].mean()), len(part)
        row: Row = {"board": name, "kind": kind, "m": m, "draws": count}
        row |= {"rho": part["rho"].iloc[0], "mean": part["mean"].iloc[0], "gain": gain}
        row["gain_se"] = float(part["gain"].std() / count**0.5)
        row["middle_low"], row["middle_high"] = part["gain"].quantile([0.05, 0.95])
        row["percent"] = 100 * gain / row["mean"]
        row["neighbours_closer"] = float((np.diff(means) < gain).mean())
        row["pairs_closer"] = float((every < gain).mean())
        for call in CALLS:
            hits = int(part[call].sum())
            low, high = wilson(hits, count)
            row |= {call: hits / count, f"{call}_low": float(low), f"{call}_high": float(high)}
        found.append(row)
    return pd.DataFrame(found)


def _weak(boards: pd.DataFrame) -> pd.DataFrame:
    """Return the gap of a board's best run to baselines further and further down."""
    found = []
    for name, part in boards.groupby("board", sort=False):
        last = len(part) - 1
        for baseline, at in (("second", 1), ("upper quarter", last // 4), ("middle", last // 2)):
            row = part.iloc[at]
            found.append({"board": name, "baseline": baseline, "best": part["mean"].iloc[0]})
            found[-1] |= {c: row[c] for c in ("place", "mean", "gap", "low", "high", "separated")}
    return pd.DataFrame(found)


def _leads(rows: pd.DataFrame) -> pd.DataFrame:
    groups = rows.groupby(["board", "m", "topics"], sort=False)[["lead", "kept", "lost"]]
    errors = groups.sem().add_suffix("_se")
    table = pd.concat([groups.size().rename("splits"), groups.mean(), errors], axis=1)
    return table.reset_index().astype({"m": int, "topics": int})


LOOKS = {"unlike": {"color": BLUE}, "alike": {"color": GREEN}}


def draw_gains(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw the gain of the best of m equal systems over a baseline that is their equal."""
    some = table[table["board"] == table["board"].iloc[0]]
    ax.set_xscale("log")
    ax.set_xticks(MS, [str(m) for m in MS])
    ax.minorticks_off()
    ax.axhline(0, color=BLACK, lw=0.7)
    ax.set_xlabel("systems tried, m (all equal)")
    ax.set_ylabel(f"gain of the best over the baseline,\nnDCG@10, {TOPICS} topics")
    names = {k: f"{k}, rho {g['rho'].iloc[0]:.2f}" for k, g in some.groupby("kind")}
    how: dict[str, Any] = {"low": "middle_low", "high": "middle_high", "looks": LOOKS}
    return lines(some, ax, x="m", y="gain", by="kind", names=names, **how)


def draw_calls(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw how often a gain that is none is called one, with 95% bands."""
    some = table[(table["board"] == table["board"].iloc[0]) & (table["kind"] == "unlike")]
    long = pd.concat(
        some[["m"]].assign(
            call=text, y=some[call], low=some[f"{call}_low"], high=some[f"{call}_high"]
        )
        for call, text in CALLS.items()
    )
    ax.set_xscale("log")
    ax.set_xticks(MS, [str(m) for m in MS])
    ax.minorticks_off()
    ax.set_ylim(-0.01, max(0.2, 1.05 * long["high"].max()))
    ax.axhline(0.05, color=BLACK, lw=0.7, ls=":")
    ax.set_xlabel("systems tried, m (all equal)")
    ax.set_ylabel("share of draws that call the best better")
    looks = {text: {"color": c} for text, c in zip(CALLS.values(), (RED, BLUE, GREEN), strict=True)}
    return lines(long, ax, x="m", y="y", by="call", low="low", high="high", looks=looks)


def draw_tuning(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw the lead of the best of m real runs where it was chosen and on fresh topics."""
    from matplotlib.lines import Line2D

    looks: dict[str, dict[str, Any]] = {}
    for (name, rows), colour in zip(
        table.groupby("board", sort=False), (BLUE, RED, GREY), strict=False
    ):
        for column, style, text in (
            ("lead", "-", "where chosen"),
            ("kept", "--", "on fresh topics"),
        ):
            look = {"color": colour, "linestyle": style, "marker": "o"}
            ax.errorbar(rows["m"], rows[column], 1.96 * rows[f"{column}_se"], lw=1.2, **look)
            looks[f"{name}, {text}"] = {"color": colour, "linestyle": style}
    ax.set_xscale("log")
    ax.set_xticks(MS[1:], [str(m) for m in MS[1:]])
    ax.minorticks_off()
    ax.set_ylim(bottom=0)
    ax.set_xlabel("real runs tried on half of the topics, m")
    ax.set_ylabel("lead of the best over their mean, nDCG@10")
    handles = [Line2D([], [], label=text, **look) for text, look in looks.items()]
    ax.legend(handles=handles, frameon=False, loc="upper left")
    return ax


def answer(tables: Tables) -> str:
    """Say what choosing systems, a baseline and topics gains on each board."""
    best = tables["table"].query(f"m == {CHOSEN} and kind == 'unlike'").set_index("board")
    tuned = tables["tuning"].query(f"m == {max(MS)}").set_index("board")
    weak = tables["weak"].set_index(["board", "baseline"])["gap"]
    parts = []
    for name, row in best.iterrows():
        half = tuned.loc[name]
        parts.append(
            f"{name}: the best of {CHOSEN} equal systems gains {row['gain']:.3f} ({row['percent']:.0f}%), "
            f"and a t test calls it better in {row['t']:.0%}; the best run leads the second by "
            f"{weak[name, 'second']:.3f} and the middle one by {weak[name, 'middle']:.3f}; the best of "
            f"{max(MS)} runs on half of the topics loses {half['lost']:.3f} of its lead of "
            f"{half['lead']:.3f} on the others"
        )
    return f"In nDCG@10, on {'. On '.join(parts)}."


STUDY = Study(
    question="How large a gain comes from choosing systems, baselines and topics alone?",
    grid=grid,
    cell=cell,
    analysis=analysis,
    stream=("part", "board", "kind", "block"),
    figures={
        "gains": Drawing(draw_gains, size=(4.6, 3.0)),
        "calls": Drawing(draw_calls, size=(4.6, 3.0)),
        "tuning": Drawing(draw_tuning, table="tuning", size=(4.4, 3.2)),
    },
    inputs=(f"{ROUND1}/round1.qrels.gz", f"{ROUND1}/runs", TOPIC_SCORES),
    errors={
        **dict.fromkeys(("draws", "splits", "middle_low", "middle_high", "percent")),
        **dict.fromkeys(("neighbours_closer", "pairs_closer", "low", "high", "separated")),
        **{call: share(call, "draws") for call in CALLS},
    },
)
