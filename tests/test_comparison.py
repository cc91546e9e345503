"""Results against earlier ones: every digit, or four standard errors; a wrong one is found."""

import math
import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from runs import arguments, counted, finish
from study_files import put

from ndcgstudy.comparison import differences, sampled, share
from ndcgstudy.ledger import Claim, Ruling, Verdict
from ndcgstudy.read_results import Results
from ndcgstudy.study import Study

STUDY = Study("?", print, print, print)
HOLDS = Verdict("C1", Ruling.HOLDS, "0.5", "So.")
TABLE = pd.DataFrame(
    {"name": ["a", "b"], "n": [1, 2], "x": [0.5, 0.25], "x_se": [0.01, 0.02], "x_low": [0.4, 0.2]}
)


def compared(now, verdicts=(HOLDS,), before=TABLE, study=STUDY, **how):
    old = Results({"table": before}, [(Claim("C1", "It is."), HOLDS)], {})
    found = differences(study, old, {"table": now}, list(verdicts), **{"exact": False, **how})
    return [(d.file, d.row, d.column, d.before, d.now, d.apart) for d in found]


def test_the_same_is_the_same():
    assert compared(TABLE, exact=True) == compared(TABLE) == []
    nan = TABLE.assign(x=math.nan)
    assert compared(nan, before=nan, exact=True) == compared(nan, before=nan) == []


def test_to_the_last_digit_one_digit_counts():
    now = TABLE.assign(x=[0.5, 0.2500000001])
    assert compared(now, exact=True) == [("table.csv", "2", "x", "0.25", "0.2500000001", "")]
    assert compared(TABLE.assign(x=[0.5, 0.25 + 1e-13]), exact=True) == []


def test_within_four_standard_errors_of_both_a_sampled_value_may_move():
    four = 4 * math.hypot(0.02, 0.02)
    assert compared(TABLE.assign(x=[0.5, 0.25 + 0.99 * four])) == []
    ((_, row, column, _, _, apart),) = compared(TABLE.assign(x=[0.5, 0.25 + 1.01 * four]))
    assert (row, column, apart) == ("b, 2", "x", "4.0")


def test_what_is_not_sampled_must_stay():
    assert [d[:2] for d in compared(TABLE.assign(n=[1, 3]))] == [
        ("table.csv", "b, 2"),
        ("table.csv", "b, 3"),
    ]


def test_errors_and_limits_of_a_sampled_column_may_move():
    assert compared(TABLE.assign(x_se=0.03, x_low=0.1)) == []
    assert set(sampled(STUDY, TABLE)) == {"x", "x_se", "x_low"}


def test_a_declared_error_takes_the_place_of_the_column_beside():
    study = replace(STUDY, errors={"x": lambda table: table["n"] * 1.0})
    assert compared(TABLE.assign(x=[4.0, 9.0]), study=study) == []
    assert len(compared(TABLE.assign(x=[40.0, 9.0]), study=study)) == 1
    unknown = replace(STUDY, errors={"x": None})
    assert compared(TABLE.assign(x=[40.0, 9.0]), study=unknown) == []


def test_rows_of_another_grid_are_compared_where_they_are_in_common():
    longer = pd.concat([TABLE, TABLE.assign(name="c")])
    assert len(compared(longer)) == 2
    assert compared(longer, same_grid=False) == []
    assert len(compared(TABLE.assign(name="c"), same_grid=False)) == 4


def test_rows_without_sampled_columns_are_among_those_of_the_longer_grid():
    table = pd.DataFrame({"name": ["a", "b", "c"], "n": [1, 2, 3]})
    for before, now in ((table, table[:2]), (table[1:], table)):
        assert compared(now, before=before, same_grid=False) == []
        wrong = now.assign(n=now["n"] + 7)
        assert len(compared(wrong, before=before, same_grid=False)) == 2


def test_other_columns_tables_and_lengths_are_told():
    assert compared(TABLE.drop(columns="n"))[0][2] == "columns"
    assert compared(TABLE[:1], exact=True) == [("table.csv", "", "rows", "2", "1", "")]
    old = Results({"table": TABLE, "more": TABLE}, [], {})
    (found,) = differences(STUDY, old, {"table": TABLE}, [], exact=True)
    assert (found.file, found.before, found.now) == ("more.csv", "there", "missing")


def test_claims_are_compared_by_verdict_and_exactly_by_every_word():
    other = replace(HOLDS, measured="0.6")
    assert compared(TABLE, [other]) == []
    assert compared(TABLE, [other], exact=True) == [
        ("claims.csv", "C1", "measured", "0.5", "0.6", "")
    ]
    wrong = replace(HOLDS, ruling=Ruling.CONTRADICTED)
    assert [d[2:5] for d in compared(TABLE, [wrong])] == [("ruling", "holds", "contradicted")]
    assert len(compared(TABLE, [])) == 1


def test_two_samples_of_one_law_rarely_differ_and_of_two_laws_always():
    rng = np.random.default_rng(5)
    count = 1000

    def table(p, trials):
        hits = rng.binomial(trials, p, size=count)
        return pd.DataFrame({"row": range(count), "p": hits / trials, "replicates": trials})

    study = replace(STUDY, errors={"p": share("p"), "replicates": None})
    for p in (0.5, 0.95, 0.999, 1.0):
        found = compared(table(p, 400), before=table(p, 10_000), study=study)
        # beyond 4 standard errors lies 6e-5 of a normal law; shares near 1 are skewed
        assert len(found) <= 5
    assert len(compared(table(0.7, 400), before=table(0.5, 10_000), study=study)) > 0.99 * count


# the command


@pytest.fixture(scope="module")
def committed(tmp_path_factory):
    folder = counted(tmp_path_factory.mktemp("committed"))
    finish(folder, "--workers", 1, "--quiet", "--seed", 3, PAUSE=0, CELLS=8)
    return folder


def check(folder, *more, code=0):
    env = {**os.environ, "PAUSE": "0", "CELLS": "8"}
    done = subprocess.run(
        arguments("--check", "--quiet", "--workers", 1, *more),
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env=env,
    )
    assert "Traceback" not in done.stderr
    assert done.returncode == code, done.stderr
    return done


def test_a_check_reruns_at_the_seed_of_the_results_and_writes_nothing(committed):
    before = {p: p.read_bytes() for p in (committed / "results").rglob("*") if p.is_file()}
    begun = len((committed / "experiments" / "count.txt").read_text().splitlines())
    assert check(committed).stdout == "walk: the same, to the last digit\n"
    assert len((committed / "experiments" / "count.txt").read_text().splitlines()) == begun + 8
    assert {p: p.read_bytes() for p in (committed / "results").rglob("*") if p.is_file()} == before
    assert list((committed / ".cache" / "ndcgstudy" / "check").glob("*.sqlite*")) == []


def test_a_check_prints_what_differs(committed, tmp_path):
    folder = Path(shutil.copytree(committed, tmp_path / "copy"))
    table = folder / "results" / "walk" / "table.csv"
    text = table.read_text().splitlines()
    text[3] = text[3].replace("two,0,", "two,0,1")
    table.write_text("\n".join(text) + "\n")
    done = check(folder, code=1)
    assert done.stderr == "ndcgstudy: results differ from those in results\n"
    row = next(line for line in done.stdout.splitlines() if "table.csv" in line)
    assert row.split()[:4] == ["walk", "table.csv", "3", "mean"]
    assert "walk: 1 differences, to the last digit" in done.stdout


def test_a_check_without_results_is_refused(committed):
    done = check(committed, "--out", "nowhere", code=2)
    assert done.stderr == ("ndcgstudy: no results in nowhere/walk: No such file or directory\n")


SAMPLED = """
from ndcgstudy.comparison import share
from ndcgstudy.study import Study

def cell(parameters, rng):
    draws = rng.random(400)
    return [{**parameters, "mean": draws.mean(), "mean_se": draws.std() / 20,
             "low": (draws < SHARE).mean(), "replicates": 400}]

STUDY = Study("Draws?", lambda scale: [{"block": b} for b in range(6)], cell,
              lambda rows: {"table": rows}, stream=("block",), errors={"low": share("low")})
"""


def test_a_check_at_another_seed_goes_by_standard_errors(tmp_path):
    put(tmp_path / "experiments", small=SAMPLED.replace("SHARE", "0.5"))
    finish(tmp_path, "--quiet", "--workers", 1)
    done = check(tmp_path, "--seed", 1)
    assert done.stdout == "small: the same, within 4 standard errors; not compared: mean_se\n"
    put(tmp_path / "experiments", small=SAMPLED.replace("SHARE", "0.8"))
    done = check(tmp_path, "--seed", 1, code=1)
    assert "small: 6 differences, within 4 standard errors" in done.stdout


# before a run


def foretold(folder, *more, **env):
    done = subprocess.run(
        arguments("--dry-run", *more),
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "CELLS": "8", **env},
    )
    assert done.stderr == ""
    return done.stdout


def test_a_dry_run_tells_cells_stored_ones_and_the_time_and_does_nothing(tmp_path):
    folder = counted(tmp_path)
    text = foretold(folder, "--workers", "1")
    assert "unknown: no stored cells" in text
    assert text.splitlines()[-1] == "walk: block 0, 1, 2, 3; name one, two"
    assert sorted(path.name for path in folder.iterdir()) == ["experiments"]
    finish(folder, "--workers", 1, "--quiet", PAUSE=0.1, CELLS=4)
    row = next(line for line in foretold(folder, "--workers", "1").splitlines() if "walk  " in line)
    name, cells, stored, left, seconds, unit = row.split()
    assert (name, cells, stored, left, unit) == ("walk", "8", "4", "4", "s")
    assert 0.4 <= float(seconds) < 1.5
    assert len((folder / "experiments" / "count.txt").read_text().splitlines()) == 4
    fresh = next(line for line in foretold(folder, "--fresh").splitlines() if "walk  " in line)
    assert fresh.split()[1:4] == ["8", "0", "8"]
