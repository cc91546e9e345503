"""Who loses when a pool is made of others' documents.

TREC-COVID round 1 has 143 runs of 56 teams, of which each put one run into the pool. Each team is
left out in turn; pools are made of fewer teams, of shallower tops, and of samples of the judgments;
all runs are scored again and their order compared with that by all judgments.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ndcgstudy.data import Judgments
from ndcgstudy.figures import BLACK, BLUE, lines
from ndcgstudy.holes import Change, Pool, leave_out, pool, sampled
from ndcgstudy.holes.loaded import loaded_qrels, loaded_runs
from ndcgstudy.inputs import loader
from ndcgstudy.scoring import score
from ndcgstudy.study import Drawing, Parameters, Row, Study, Tables

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROUND = "trec_covid_round1"
QRELS, RUNS, BOARD = f"{ROUND}/round1.qrels.gz", f"{ROUND}/runs", f"{ROUND}/leaderboard.csv"
MEASURE, DEPTH = "nDCG@10", 7  # the round's pool took the first seven of each contributing run

TEAM_BLOCKS = 8
TEAMS = (1, 2, 4, 8, 16, 32, 56)
DEPTHS = (1, 2, 3, 5, 7)
SHARES = (0.05, 0.1, 0.2, 0.4, 0.7)
DRAWS = {"quick": 6, "full": 20}


@loader
def board(path: Path) -> pd.DataFrame:
    """Read the leaderboard: team and contribution of each run."""
    return pd.read_csv(path).set_index("run")


def grid(scale: str) -> list[Parameters]:
    """Lay out the teams, and the other pools by draw."""
    parts: list[tuple[str, float, int]] = [("team", 0, i) for i in range(TEAM_BLOCKS)]
    parts += [("depth", depth, 0) for depth in DEPTHS]
    for block in range(DRAWS[scale]):
        parts += [("teams", m, block) for m in TEAMS if m < max(TEAMS) or block == 0]
        parts += [("sample", part, block) for part in SHARES]
    return [{"part": part, "setting": x, "block": b} for part, x, b in parts]


def cell(parameters: Parameters, rng: np.random.Generator) -> list[Row]:
    """Leave teams out, or make one other pool."""
    part, setting, block = (parameters[name] for name in ("part", "setting", "block"))
    if part == "team":
        return [{"part": part, **row} for row in _left_out(block)]
    return [{"part": part, "setting": setting, **_other_pool(part, setting, rng)}]


def _contributors() -> pd.Series:
    """Return the team of each run that contributed to the pool."""
    table = board(BOARD)
    return table.loc[table["contributed judgments"] == "yes", "team"]


def _pooled(depth: int) -> Pool:
    given = set(_contributors().index)
    return pool(loaded_qrels(QRELS), [run for run in loaded_runs(RUNS) if run.name in given], depth)


def _left_out(block: int) -> list[Row]:
    """Leave out some of the teams, each by itself."""
    teams = board(BOARD)["team"]
    chosen = sorted(teams.unique())[block::TEAM_BLOCKS]
    groups = {team: sorted(teams.index[teams == team]) for team in chosen}
    table = leave_out(_pooled(DEPTH), loaded_runs(RUNS), groups, MEASURE)
    table["contributed"] = table["run"].isin(_contributors().index).astype(int)
    return [{str(name): value for name, value in row.items()} for row in table.to_dict("records")]


def _other_pool(part: str, setting: float, rng: np.random.Generator) -> Row:
    """Score all runs with the judgments of another pool, and compare with all judgments."""
    teams = _contributors()
    inside = list(teams.index)
    if part == "sample":
        qrels = sampled(loaded_qrels(QRELS), setting, rng=rng)
    elif part == "depth":
        qrels = _pooled(int(setting)).only(inside)
    else:
        inside = sorted(rng.choice(teams.index.to_numpy(), int(setting), replace=False))
        qrels = _pooled(DEPTH).only(inside)
    full, less = (_means(qrels) for qrels in (loaded_qrels(QRELS), qrels))
    found = Change(less.to_numpy(), full.to_numpy())
    outside = [run for run in full.index if run not in inside]
    lost = less - full
    return {
        "judged": qrels.grade.size,
        "tau": found.tau,
        "tau_ap": found.tau_ap,
        "inside": lost[inside].mean(),
        "outside": lost[outside].mean(),
    }


def _means(qrels: Judgments) -> pd.Series:
    scores = score(qrels, loaded_runs(RUNS), MEASURE).scores[MEASURE]
    return pd.Series(scores.mean(), index=scores.systems)


def analysis(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the other pools, and the teams left out."""
    parts = {str(n): p.dropna(axis=1, how="all") for n, p in rows.groupby("part")}
    others = pd.concat([parts[name] for name in ("teams", "depth", "sample")])
    teams = (
        parts["team"]
        .drop(columns="part")
        .astype(dict.fromkeys(("judged", "rank", "rank_without", "contributed"), int))
    )
    return {
        "table": _others(others),
        "teams": teams.sort_values(["group", "run"]).reset_index(drop=True),
        "team_summary": _summary(teams),
    }


def _others(rows: pd.DataFrame) -> pd.DataFrame:
    """Return means over draws with standard errors; what is not drawn has none."""
    names = ("judged", "tau", "tau_ap", "inside", "outside")
    groups = rows.groupby(["part", "setting"], sort=False)
    table = groups.size().rename("draws").reset_index()
    for name in names:
        table[name] = groups[name].mean().to_numpy()
        table[f"{name}_se"] = (groups[name].std() / groups.size() ** 0.5).fillna(0.0).to_numpy()
    return table.sort_values(["part", "setting"], ignore_index=True)


def _summary(teams: pd.DataFrame) -> pd.DataFrame:
    """Return mean and extreme changes over the teams, of the pooled runs and of their others."""
    fallen = teams.assign(fall=teams["rank_without"] - teams["rank"])
    groups = fallen.groupby("contributed")
    table = groups.size().rename("runs").reset_index()
    for name, column, how in (
        ("mean_change", "change", "mean"),
        ("lowest_change", "change", "min"),
        ("mean_fall", "fall", "mean"),
        ("largest_fall", "fall", "max"),
        ("least_tau", "tau", "min"),
        ("least_tau_ap", "tau_ap", "min"),
    ):
        table[name] = groups[column].agg(how).to_numpy()
    return table


def draw_orders(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw how far the order agrees with the full one, against the teams in the pool."""
    rows = table[table["part"] == "teams"]
    long = pd.concat(
        [
            pd.DataFrame({"teams": rows["setting"], "name": name, "value": rows[column]}).assign(
                low=rows[column] - 1.96 * rows[f"{column}_se"],
                high=rows[column] + 1.96 * rows[f"{column}_se"],
            )
            for name, column in (("tau", "tau"), ("tau_AP", "tau_ap"))
        ]
    )
    ax.set_xscale("log")
    ax.set_xticks(TEAMS, [str(m) for m in TEAMS])
    ax.minorticks_off()
    ax.set_xlabel("teams whose runs make the pool (first 7 documents)")
    ax.set_ylabel("agreement with the order by all judgments")
    return lines(long, ax, x="teams", y="value", by="name", low="low", high="high")


def draw_losses(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw the change of mean nDCG@10 inside and outside the pool, against the teams in it."""
    rows = table[(table["part"] == "teams") & (table["setting"] < max(TEAMS))]
    names = {"inside": "in the pool", "outside": "all other runs"}
    long = pd.concat(
        [
            pd.DataFrame({"teams": rows["setting"], "name": name, "value": rows[column]})
            for column, name in names.items()
        ]
    )
    ax.set_xscale("log")
    ax.set_xticks(TEAMS, [str(m) for m in TEAMS])
    ax.minorticks_off()
    ax.axhline(0, color=BLACK, lw=0.7)
    ax.set_xlabel("teams whose runs make the pool (first 7 documents)")
    ax.set_ylabel("change of nDCG@10 against all judgments")
    return lines(long, ax, x="teams", y="value", by="name")


def draw_teams(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw what each team's pooled run loses against how many judgments it alone brought in."""
    rows = table[table["contributed"] == 1]
    ax.plot(rows["judged"], rows["change"], ls="", marker="o", color=BLUE, alpha=0.7)
    ax.axhline(0, color=BLACK, lw=0.7)
    ax.set_xlabel("judgments that the team alone brought in")
    ax.set_ylabel("change of its nDCG@10 when it is left out")
    return ax


def answer(tables: Tables) -> str:
    """Say what a team loses that is left out of the pool, and what fewer teams do to the order."""
    summary = tables["team_summary"].set_index("contributed")
    teams = tables["table"].query("part == 'teams'").sort_values("setting")
    parts = [
        f"runs that had {text} change by {row['mean_change']:+.4f} on average and "
        f"{row['lowest_change']:+.4f} at worst, {row['largest_fall']:.0f} places at worst"
        for row, text in ((summary.loc[1], "made the pool"), (summary.loc[0], "not"))
    ]
    few = teams.iloc[0]
    return (
        f"With their team left out, {'; '.join(parts)}. The smallest pool, of {few['setting']:.0f} of the "
        f"teams, orders the runs with tau {few['tau']:.3f} to the order by all judgments; runs outside it "
        f"change by {few['outside']:+.3f}, those inside by {few['inside']:+.3f}."
    )


STUDY = Study(
    question="Who loses when a pool is made of the documents of others?",
    grid=grid,
    cell=cell,
    analysis=analysis,
    stream=("part", "setting", "block"),
    figures={
        "orders": Drawing(draw_orders, size=(4.2, 3.0)),
        "losses": Drawing(draw_losses, size=(4.4, 3.0)),
        "teams": Drawing(draw_teams, "teams", size=(4.2, 3.0)),
    },
    inputs=(QRELS, RUNS, BOARD),
    errors={"draws": None},
)
