"""`ndcgstudy reproduce` as a user meets it."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest
from study_files import FAILING, TINY, put

from ndcgstudy.cli.telling import report
from ndcgstudy.decision import Decision
from ndcgstudy.ledger import Claim, judge, true
from ndcgstudy.reproduction import Outcome
from ndcgstudy.study import Study

ROOT = Path(__file__).parents[1]


def call(*arguments, cwd=ROOT):
    """Run the command; it must never end in a traceback."""
    words = list(map(str, arguments))
    out = [] if "--out" in words else ["--out", "results"]
    done = subprocess.run(
        [sys.executable, "-m", "ndcgstudy", "reproduce", *out, *words],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "Traceback" not in done.stderr
    return done


@pytest.fixture
def folder(tmp_path):
    put(tmp_path / "experiments", means=TINY)
    return tmp_path


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """One run of a small study: its folder and what it said."""
    where = tmp_path_factory.mktemp("run")
    put(where / "experiments", means=TINY, twins=TINY)
    return where, call("means", "--workers", 2, "--seed", 3, cwd=where)


# a run


def test_results_are_under_the_name_of_the_study(ran):
    folder, done = ran
    assert done.returncode == 0
    found = sorted(path.name for path in (folder / "results" / "means").iterdir())
    assert found == [
        "claims.csv",
        "manifest.json",
        "means.csv",
        "means.png",
        "means.svg",
        "table.csv",
    ]
    assert [path.name for path in (folder / "results").iterdir()] == ["means"]


def test_it_ends_in_the_verdicts_and_the_places_of_the_figures(ran):
    _, done = ran
    row = next(line for line in done.stdout.splitlines() if "T1" in line)
    assert "The mean is one half." in row
    assert "holds" in row
    assert str(Path("results", "means", "means.png")) in done.stdout


def test_progress_is_told_on_stderr_in_plain_lines_where_there_is_no_terminal(ran):
    _, done = ran
    first, last = done.stderr.splitlines()
    assert first == "ndcgstudy: means begins, 0 of 6 cells done"
    assert last.startswith("ndcgstudy: means: 6 of 6 cells, ")
    assert last.endswith(" cells/s, 0 s left")


def test_the_manifest_tells_how_to_repeat_the_run(ran):
    manifest = json.loads((ran[0] / "results" / "means" / "manifest.json").read_text())
    assert manifest["question"] == "Is the mean of uniform draws one half?"
    told = {
        name: manifest[name] for name in ("study", "scale", "seed", "options", "claims", "cells")
    }
    assert told == {
        "study": "means",
        "scale": "quick",
        "seed": 3,
        "options": {"discount": []},
        "claims": {"T1": "holds"},
        "cells": 6,
    }
    assert manifest["seconds"] > 0
    assert {"commit", "dirty", "versions", "parameters", "platform", "inputs"} <= set(manifest)
    assert (manifest["computed"], manifest["reused"]) == (6, 0)


@pytest.mark.parametrize("workers", [1, 3])
def test_the_number_of_workers_does_not_change_a_byte(ran, workers):
    folder, _ = ran
    call("means", "--workers", workers, "--seed", 3, "--fresh", "--out", f"w{workers}", cwd=folder)
    for name in ("table.csv", "means.csv", "claims.csv", "means.png", "means.svg"):
        again = (folder / f"w{workers}" / "means" / name).read_bytes()
        assert again == (folder / "results" / "means" / name).read_bytes()


def test_another_seed_changes_the_table(ran):
    folder, _ = ran
    call("means", "--workers", 1, "--seed", 4, "--out", "other", cwd=folder)
    table = Path("means", "table.csv")
    assert (folder / "other" / table).read_bytes() != (folder / "results" / table).read_bytes()


def test_all_studies_run_by_default_and_each_has_its_own_streams(ran):
    folder, _ = ran
    done = call("--workers", 1, "--seed", 3, "--out", "all", cwd=folder)
    assert done.returncode == 0
    means, twins = (
        (folder / "all" / name / "table.csv").read_bytes() for name in ("means", "twins")
    )
    assert means == (folder / "results" / "means" / "table.csv").read_bytes()
    assert means != twins


def test_an_added_discount_reaches_the_grid_and_the_manifest(folder):
    done = call("--discount", "zipf", "--discount", "power(beta=0.7)", "--workers", 1, cwd=folder)
    assert done.returncode == 0
    table = (folder / "results" / "means" / "table.csv").read_text()
    assert "power(beta=0.7)" in table
    manifest = json.loads((folder / "results" / "means" / "manifest.json").read_text())
    assert manifest["options"] == {"discount": ["zipf", "power(beta=0.7)"]}


# where results go


def test_a_run_that_names_no_folder_leaves_results_alone(folder):
    done = subprocess.run(
        [sys.executable, "-m", "ndcgstudy", "reproduce", "means", "--workers=1"],
        cwd=folder,
        capture_output=True,
        check=True,
    )
    assert (folder / "build" / "study" / "means" / "manifest.json").is_file(), done.stdout
    assert not (folder / "results").exists()


def test_a_quick_run_does_not_replace_results_at_full_scale(folder):
    assert call("means", "--scale", "full", "--workers", 1, cwd=folder).returncode == 0
    before = (folder / "results" / "means" / "manifest.json").read_bytes()
    done = call("means", "--workers", 1, cwd=folder)
    assert done.returncode == 2
    assert "results/means holds results at full scale" in done.stderr
    assert (folder / "results" / "means" / "manifest.json").read_bytes() == before
    assert call("means", "--scale", "full", "--seed", 1, "--workers", 1, cwd=folder).returncode == 0


def test_a_quick_run_is_compared_with_the_kept_results(folder):
    call("means", "--workers", 1, cwd=folder)
    words = ("means", "--workers", 1, "--out", "quick", "--against", "results")
    done = call(*words, cwd=folder)
    assert done.returncode == 0
    last = done.stdout.splitlines()[-2:]
    assert last[0].startswith("1 claim: ")
    assert last[1] == "1 of 1 study agrees with results, to the last digit"
    path = folder / "results" / "means" / "table.csv"
    head, first, *rest = path.read_text().splitlines()
    cells = first.split(",")
    cells[head.split(",").index("n")] = "999"
    path.write_text("\n".join([head, ",".join(cells), *rest, ""]))
    done = call(*words, cwd=folder)
    assert done.returncode == 1
    assert "0 of 1 study agree with results, to the last digit" in done.stdout


def test_the_time_of_a_run_is_foretold_from_the_kept_results(folder):
    call("means", "--scale", "full", "--workers", 1, cwd=folder)
    path = folder / "results" / "means" / "manifest.json"
    facts = json.loads(path.read_text())
    facts |= {"seconds": 600.0, "computed": facts["cells"]}
    path.write_text(json.dumps(facts))
    done = call("means", "--scale", "full", "--dry-run", "--cache", "other", cwd=folder)
    assert "in all about 10 min" in done.stdout


# bad input


def refused(*arguments, cwd):
    done = call(*arguments, cwd=cwd)
    assert done.returncode == 2
    assert done.stdout == ""
    assert not (cwd / "results").exists()
    return done.stderr.splitlines()


def test_all_bad_arguments_are_reported_together(folder):
    lines = refused(
        *("meens", "--scale", "ful", "--workers", "no", "--seed", "-1"),
        *("--discount", "pover(beta=1)", "--discount", "power(beta=-1)"),
        cwd=folder,
    )
    assert lines == [
        "ndcgstudy: `workers` must be a whole number at least 1, got 'no'",
        "ndcgstudy: `seed` must be a whole number at least 0, got -1",
        "ndcgstudy: unknown scale 'ful'; did you mean 'full'? known: full, quick",
        "ndcgstudy: unknown discount 'pover'; did you mean 'power'? known: constant, geometric, "
        "jk2002, linear, log2, loglog, power, table, zipf",
        "ndcgstudy: discount 'power(beta=-1)': `beta` must be a number at least 0, got -1",
        "ndcgstudy: unknown study 'meens'; did you mean 'means'? known: means",
    ]


def test_a_missing_folder_of_studies_is_named(tmp_path):
    (line,) = refused("means", "--experiments", "none", cwd=tmp_path)
    assert line == "ndcgstudy: no folder none with studies; name one with --experiments DIR"


def test_without_a_folder_of_studies_the_installed_ones_are_found(tmp_path):
    (line,) = refused("means", cwd=tmp_path)
    assert line.startswith("ndcgstudy: unknown study 'means'")
    assert "known: across_collections, agreement_level" in line


def test_studies_are_found_in_another_folder(folder):
    done = call("--experiments", "experiments", "--out", folder / "out", "--workers", 1, cwd=folder)
    assert done.returncode == 0
    (line,) = refused("--experiments", "nowhere", cwd=folder)
    assert "no folder nowhere with studies" in line


def test_results_that_would_lie_in_a_file_are_refused(folder):
    (folder / "file").touch()
    (line,) = refused("--out", "file", cwd=folder)
    assert line == "ndcgstudy: file: not a folder"


def test_a_file_that_is_no_study_is_named_with_its_error(folder):
    put(folder / "experiments", broken="raise RuntimeError('no luck')", empty="")
    lines = refused(cwd=folder)
    assert [("broken" in line, "empty" in line) for line in lines] == [(True, False), (False, True)]
    assert "RuntimeError: no luck" in lines[0]
    assert "has no 'STUDY'" in lines[1]


def test_a_discount_for_studies_that_take_none_is_refused(folder):
    put(folder / "experiments", means=TINY.replace('    options=("discount",),\n', ""))
    (line,) = refused("--discount", "zipf", cwd=folder)
    assert line == "ndcgstudy: --discount is of no use to the chosen studies: means"


# failures


def test_a_failing_cell_ends_with_code_1_and_keeps_what_was_finished(folder):
    put(folder / "experiments", zz_fails=FAILING)
    done = call("--workers", 2, cwd=folder)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-2:] == [
        "ndcgstudy: study zz_fails, cell n=3: ArithmeticError: the last line",
        "ndcgstudy: 1 of 2 studies failed; they got no new results; the same command computes only "
        "the cells that are missing",
    ]
    assert [path.name for path in (folder / "results").iterdir()] == ["means"]


def test_a_folder_that_cannot_be_written_is_named(folder):
    (folder / "results").mkdir()
    (folder / "results" / "means").touch()  # where the study's folder should be
    done = call("--workers", 1, cwd=folder)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith(f"ndcgstudy: {Path('results', 'means')}: ")


SLOW = """
import time
from ndcgstudy.study import Study

def cell(parameters, rng):
    time.sleep(0.2)
    return [{"n": parameters["n"]}]

STUDY = Study("Slow?", lambda scale: [{"n": n} for n in range(500)], cell, lambda rows: {})
"""


def test_ctrl_c_stops_soon_and_says_what_is_kept(folder):
    put(folder / "experiments", zz_slow=SLOW)
    process = subprocess.Popen(
        [sys.executable, "-m", "ndcgstudy", "reproduce", "--workers=2", "--out=results"],
        cwd=folder,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # so that the signal goes to the workers too, as on a terminal
    )
    assert process.stderr is not None
    while "zz_slow begins" not in process.stderr.readline():
        pass
    begun = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)
    _, last = process.communicate(timeout=30)
    assert time.monotonic() - begun < 2
    assert process.returncode == 130
    assert last == (
        "ndcgstudy: stopped; finished cells and the results of finished studies are kept; "
        "the same command goes on from there\n"
    )
    assert (folder / "results" / "means" / "manifest.json").is_file()


# start


def test_help_is_shown_without_loading_what_computes():
    code = (
        "import sys\n"
        "from ndcgstudy.cli import commands\n"
        "heavy = {'numpy', 'pandas', 'scipy', 'matplotlib'} & set(sys.modules)\n"
        "sys.exit(f'loaded: {heavy}' if heavy else 0)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_help_lists_the_options():
    done = call("--help")
    assert done.returncode == 0
    for option in (
        *("--scale", "--workers", "--cluster", "--seed", "--out", "--experiments", "--cache"),
        *("--discount", "--fresh", "--fail-fast", "--check", "--redecide", "--dry-run", "--quiet"),
    ):
        assert option in done.stdout


def test_what_is_measured_of_a_claim_is_told_with_its_interval(tmp_path, capsys):
    claim = Claim("T1", "It is ahead.")
    found = judge("T1", pd.DataFrame([true("ahead", True, value=0.5, low=0.4, high=0.6)]))
    study = Study(
        "What?",
        lambda scale: [],
        print,
        print,
        name="sample",
        decisions=(Decision(claim, lambda tables: []),),
    )
    report([Outcome(study, [found], tmp_path, [])])
    assert "ahead: yes, 0.5 [0.4, 0.6]" in " ".join(capsys.readouterr().out.split())


# deciding anew


@pytest.fixture
def decided(folder):
    """A study that ran, and then decides and draws otherwise."""
    assert call("means", cwd=folder).returncode == 0
    later = TINY.replace('check("mean"', 'check("their mean"').replace('y="mean"', 'y="n"')
    put(folder / "experiments", means=later)
    return folder


def contents(folder):
    return {path.name: path.read_bytes() for path in (folder / "results" / "means").iterdir()}


def test_redeciding_keeps_the_tables_and_renews_claims_and_figures(decided):
    before = contents(decided)
    done = call("means", "--redecide", cwd=decided)
    assert done.returncode == 0, done.stderr
    after = contents(decided)
    assert {name for name in after if after[name] == before[name]} == {"means.csv", "table.csv"}
    assert b"their mean" in after["claims.csv"]
    assert b"their mean" not in before["claims.csv"]
    old, new = (json.loads(files["manifest.json"]) for files in (before, after))
    changed = {name for name in new if new[name] != old.get(name)}
    assert changed == {"redecided", "files"}
    assert set(new["redecided"]) == {"commit", "dirty"}
    assert call("means", "--check", cwd=decided).returncode == 0


@pytest.mark.parametrize(
    "option", ["--fresh", "--check", "--dry-run", "--scale=full", "--seed=1", "--discount=zipf"]
)
def test_redeciding_takes_no_option_of_a_run(decided, option):
    done = call("means", "--redecide", option, cwd=decided)
    assert done.returncode == 2
    assert "--redecide takes the tables as they are" in done.stderr


def test_redeciding_needs_the_tables_that_were_written(decided):
    table = decided / "results" / "means" / "table.csv"
    table.write_bytes(table.read_bytes().replace(b"0.4", b"0.5"))
    before = contents(decided)
    done = call("means", "--redecide", cwd=decided)
    assert done.returncode == 1
    assert "table.csv: not the file that the manifest lists" in done.stderr
    assert contents(decided) == before


def test_redeciding_from_tables_of_another_study_says_so(decided):
    put(decided / "experiments", means=TINY.replace('tables["table"]', 'tables["others"]'))
    done = call("means", "--redecide", cwd=decided)
    assert done.returncode == 1
    assert "are not those it decides from; run it again: KeyError: 'others'" in done.stderr


def test_redeciding_without_results_says_so(folder):
    done = call("means", "--redecide", cwd=folder)
    assert done.returncode == 2
    assert "no results in results/means" in done.stderr
