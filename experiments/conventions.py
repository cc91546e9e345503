"""How far the choice of a convention moves two real leaderboards, and which choice moves them most.

All runs of TREC-COVID round 1 and of the TREC 2021 Deep Learning passage task are scored under every
combination of choices. Two sets of combinations: all of them, and those that share the ideal that evaluation
tools share, the judged documents cut at k.
"""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ndcgstudy import inputs
from ndcgstudy.conventions import TOOLS
from ndcgstudy.conventions.comparing import tools_beside
from ndcgstudy.conventions.convention import OWN, Convention
from ndcgstudy.conventions.figure import draw_choices, draw_pairs, draw_sets
from ndcgstudy.conventions.multiverse import CHOICES, multiverse
from ndcgstudy.conventions.shared import evaluate, mean
from ndcgstudy.data import Judgments, Rankings
from ndcgstudy.decision import Decision, changed
from ndcgstudy.formats import read_qrels, read_run
from ndcgstudy.ledger import Checks, check, read_claims, true
from ndcgstudy.measures import MEASURES
from ndcgstudy.orders import kendall_tau, tau_ap
from ndcgstudy.study import Drawing, Parameters, Row, Study, Tables

FOLDERS = {"round 1": "trec_covid_round1", "DL 2021": "trec_dl2021_passage"}
QRELS = {"round 1": "round1.qrels.gz", "DL 2021": "nist.qrels.gz"}
LATER = "trec_covid_round1/round1_plus_later.qrels.gz"
OFFICIAL = "trec_covid_round1/leaderboard.csv"
TOPIC_SCORES = "topic_scores/trec_dl_2019_2021_passage.csv.gz"
BOARD = "leaderboards/mteb_retrieval.csv.gz"

SCORED = ("nDCG@10", "nDCG@100")
SETS = {"all": CHOICES, "same ideal": CHOICES | {"ideal": ("cut",)}}
FOUR_DIGITS = 5e-5 + 1e-9  # half a unit of the fourth decimal, and rounding

CLAIMS = Path(__file__).with_name("claims.csv")
TOOLS_TABLE = Path(__file__).with_name("tools.csv")
KNOWN = read_claims(CLAIMS)

qrels_of = inputs.loader(read_qrels)


@inputs.loader
def runs_of(folder: Path) -> list[Rankings]:
    """Read the runs of a folder, each named by its file."""
    return [read_run(p, name=p.name.removesuffix(".run.gz")) for p in sorted(folder.iterdir())]


@inputs.loader
def csv_of(path: Path) -> pd.DataFrame:
    """Read a table."""
    return pd.read_csv(path, dtype={"qid": str})


def collection(name: str) -> tuple[Judgments, list[Rankings]]:
    """Return judgments and runs of a collection."""
    folder = FOLDERS[name]
    return qrels_of(f"{folder}/{QRELS[name]}"), runs_of(f"{folder}/runs")


def grid(scale: str) -> list[Parameters]:
    """Lay out a cell for each collection, measure and set of choices, and a few more.

    Nothing is sampled, so that both scales are alike.
    """
    cells = [
        {"part": "multiverse", "collection": name, "measure": measure, "set": chosen}
        for measure in SCORED
        for name in FOLDERS
        for chosen in SETS
    ]
    tools = [{"part": "tools", "collection": name, "measure": "nDCG@10"} for name in FOLDERS]
    return [*cells, *tools, {"part": "parity"}, {"part": "judgments"}]


def cell(parameters: Parameters, rng: np.random.Generator) -> list[Row]:
    """Score a collection under many conventions, or compare numbers that were published."""
    return {"multiverse": _multiverse, "tools": _tools, "parity": _parity, "judgments": _later}[
        parameters["part"]
    ](parameters)


def _multiverse(parameters: Parameters) -> list[Row]:
    judgments, runs = collection(parameters["collection"])
    found = multiverse(judgments, runs, parameters["measure"], SETS[parameters["set"]])
    where = {name: parameters[name] for name in ("collection", "measure", "set")}
    tables = {
        "runs": found.runs().drop(columns=["lowest_by", "highest_by"]),
        "choices": found.shares(),
        "conventions": found.conventions(),
        "pairs": found.agreement().tenths(),
    }
    return [
        {"kind": kind, **where, **row}
        for kind, table in tables.items()
        for row in table.to_dict("records")
    ]


def _tools(parameters: Parameters) -> list[Row]:
    """Score the runs as each tool does, and compare with trec_eval 9."""
    where = {name: parameters[name] for name in ("collection", "measure")}
    table = tools_beside(*collection(where["collection"]), where["measure"], "trec_eval-9")
    table = table[table["tool"] != OWN]
    return [{"kind": "tools", **where, **row} for row in table.to_dict("records")]


def _parity(parameters: Parameters) -> list[Row]:
    """Compare with the official scores, which trec_eval gave, under its gain and the other one."""
    ways = {
        **{f"as {name}": TOOLS[name].convention for name in ("mteb", "beir")},
        "with gain 2^g - 1": TOOLS["mteb"].convention.but(gain="exponential"),
    }
    rows = []
    for name, stated in (("round 1", _leaderboard()), ("DL 2021", _topic_scores())):
        judgments, runs = collection(name)
        many = evaluate(judgments, runs, [*ways.values()], [MEASURES.parse("nDCG@10")])
        for i, way in enumerate(ways):
            values = many.values(i)
            scores = mean(values) if name == "round 1" else values
            official = stated(many.systems, many.topics)
            rows.append(
                {
                    "kind": "parity",
                    "collection": name,
                    "way": way,
                    "scores": int(official.size),
                    "met": int((np.abs(scores - official) <= FOUR_DIGITS).sum()),
                }
            )
    board = csv_of(BOARD)
    told = board.loc[board["revision"] == "external", "model"].nunique()
    own = {"way": "self-reported", "scores": board["model"].nunique(), "met": told}
    return [*rows, {"kind": "parity", **own}]


def _leaderboard() -> Any:
    table = csv_of(OFFICIAL).set_index("run")["ndcg@10"]
    return lambda systems, topics: table.loc[list(systems)].to_numpy()


def _topic_scores() -> Any:
    table = csv_of(TOPIC_SCORES)
    table = table[table["year"] == 2021].pivot(index="run", columns="qid", values="ndcg_cut_10")
    return lambda systems, topics: table.loc[list(systems), list(topics)].to_numpy()


def _later(parameters: Parameters) -> list[Row]:
    """Score round 1 with its own judgments and with all that were made later."""
    judgments, runs = collection("round 1")
    part = [MEASURES.parse("nDCG@10")]
    before = evaluate(judgments, runs, [Convention()], part).means()[0]
    after = evaluate(qrels_of(LATER), runs, [Convention()], part).means()[0]
    return [
        {
            "kind": "judgments",
            "collection": "round 1",
            "measure": "nDCG@10",
            "mean_before": float(before.mean()),
            "mean_after": float(after.mean()),
            "most_changed": float(np.abs(after - before).max()),
            "tau": kendall_tau(after, before),
            "tau_ap": tau_ap(after, before),
        }
    ]


ORDER = (
    *("collection", "measure", "set", "tool", "way", "run", "choice", *CHOICES),
    *("score", "lowest", "highest", "range", "rank", "best_rank", "worst_rank"),
    *("values", "share", "total", "order", "mean", "mean_before", "mean_after", "most_changed"),
    *("runs_changed", "moved", "tau", "tau_ap", "flipped", "tenth", "pairs", "pairs_flipped"),
    *("pairs_sure", "pairs_sure_both_ways", "scores", "met"),
)
COUNTS = (
    *("rank", "best_rank", "worst_rank", "values", "tenth", "pairs", "pairs_flipped"),
    *("pairs_sure", "pairs_sure_both_ways", "runs_changed", "scores", "met"),
)


def analysis(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return a table a kind of row, and the summary of them as the main one."""
    parts = {str(kind): _typed(part) for kind, part in rows.groupby("kind", sort=False)}
    columns = ["tool", "gain", "source"]
    defaults = pd.read_csv(TOOLS_TABLE, usecols=columns)[columns]
    return {"table": _summary(parts), **parts, "defaults": defaults}


def _typed(part: pd.DataFrame) -> pd.DataFrame:
    table = part.dropna(axis=1, how="all").reset_index(drop=True)
    columns = [name for name in ORDER if name in table]
    table = table[columns]
    whole = [name for name in COUNTS if name in table]
    return table.astype(dict.fromkeys(whole, int))


def _summary(parts: Tables) -> pd.DataFrame:
    """Return a row a collection, measure and set: ranges, orders, and the choice that moves most."""
    runs, pairs = parts["runs"], parts["pairs"]
    rows = []
    for where, own in parts["conventions"].groupby(["collection", "measure", "set"], sort=False):
        same = dict(zip(("collection", "measure", "set"), where, strict=True))
        ranges = _where(runs, same)["range"]
        counts = _where(pairs, same)[["pairs", "pairs_flipped", "pairs_sure_both_ways"]].sum()
        first = _where(parts["choices"], same).iloc[0]
        rows.append(
            {
                **same,
                "conventions": len(own),
                "range_median": ranges.median(),
                "range_most": ranges.max(),
                "tau_lowest": own["tau"].min(),
                "tau_median": own["tau"].median(),
                "tau_ap_lowest": own["tau_ap"].min(),
                **counts.to_dict(),
                "moves_most": first["choice"],
                "share": first["share"],
            }
        )
    return pd.DataFrame(rows)


def _where(table: pd.DataFrame, values: dict[str, Any]) -> pd.DataFrame:
    keep = np.ones(len(table), dtype=bool)
    for name, value in values.items():
        keep &= (table[name] == value).to_numpy()
    return table[keep]


def _a10(tables: Tables) -> Checks:
    parity = tables["parity"]
    tools = tables["defaults"]
    both = tools["tool"].str.startswith(("BEIR", "MTEB"))
    linear = (tools.loc[both, "gain"] == "linear") & tools.loc[both, "source"].str.contains(
        "pytrec_eval"
    )
    rows = [
        check(
            "of BEIR and MTEB, those whose code calls pytrec_eval with linear gain", linear.sum(), 2
        )
    ]
    for _, row in parity[parity["way"] != "self-reported"].iterrows():
        scores, way = f"official nDCG@10 of {row['collection']}", f"met {row['way']}"
        if str(row["way"]).startswith("as "):
            rows.append(check(f"{scores} {way}, of {row['scores']}", row["met"], row["scores"]))
        else:
            fewer = row["met"] < row["scores"] / 2
            text = f"fewer than half of {row['scores']} {scores} are {way}"
            rows.append(true(text, fewer, value=row["met"]))
    own = parity[parity["way"] == "self-reported"].iloc[0]
    text = f"models on the MTEB board with self-reported numbers, of {own['scores']}"
    return [*rows, check(text, own["met"], 0, limit=True)]


OTHERWISE = (
    changed("parity", "way != 'self-reported'", met=1),
    changed("parity", "way == 'with gain 2^g - 1'", met=lambda t: t["scores"]),
    changed("parity", "way == 'self-reported'", met=0),
    changed("defaults", gain="exponential"),
)


def answer(tables: Tables) -> str:
    """Say how far scores, orders and conclusions move, and by which choice most."""
    parts = [
        f"{row.collection}, {row.conventions} conventions ({row.set}): {row.range_median:.3f}, "
        f"{row.pairs_flipped / row.pairs:.1%}, {row.pairs_sure_both_ways / row.pairs:.1%}, {row.moves_most}"
        for row in tables["table"].query("measure == 'nDCG@10'").itertuples()
    ]
    return (
        "nDCG@10, the range of the median run, pairs of runs that change order, pairs separated both ways, "
        f"and the choice that moves most: {'; '.join(parts)}."
    )


STUDY = Study(
    question="How far does the choice of a convention move scores, orders and conclusions?",
    grid=grid,
    cell=cell,
    analysis=analysis,
    figures={
        "ranges": Drawing(partial(draw_sets, "round 1", "nDCG@10"), table="runs", size=(6.4, 3.2)),
        "ranges_2021": Drawing(
            partial(draw_sets, "DL 2021", "nDCG@10"), table="runs", size=(6.4, 3.2)
        ),
        "choices": Drawing(draw_choices, table="choices", size=(5.6, 3.4)),
        "pairs": Drawing(draw_pairs, table="pairs", size=(5.6, 3.0)),
    },
    inputs=(
        *(f"{folder}/runs" for folder in FOLDERS.values()),
        *(f"{FOLDERS[name]}/{qrels}" for name, qrels in QRELS.items()),
        *(LATER, OFFICIAL, TOPIC_SCORES, BOARD, CLAIMS, TOOLS_TABLE),
    ),
    decisions=(Decision(KNOWN["A10"], _a10, OTHERWISE),),
)
