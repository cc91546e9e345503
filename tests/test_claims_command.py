"""`ndcgstudy claims`: the ledger says what studies decided, and nothing of its own."""

import csv
import io
import json
import shutil
from pathlib import Path

import pytest
from result_files import made

from ndcgstudy.claims import COLUMNS, OPEN, counted, known_claims, ledger, ledger_bytes
from ndcgstudy.cli import main
from ndcgstudy.ledger import Ruling
from ndcgstudy.read_results import read_verdicts

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    return made(tmp_path_factory.mktemp("claims"))


@pytest.fixture
def folder(kept, tmp_path):
    for name in ("experiments", "results"):
        shutil.copytree(kept / name, tmp_path / name)
    return tmp_path


@pytest.fixture
def call(capsys, folder):
    def run(*words):
        where = ["--results", folder / "results", "--experiments", folder / "experiments"]
        with pytest.raises(SystemExit) as end:
            main(["claims", *map(str, [*where, *words])])
        out = capsys.readouterr()
        return end.value.code, out.out, out.err

    return run


def entries(folder):
    return ledger(folder / "results", *known_claims(folder / "experiments"))


def by_id(folder):
    return {entry.id: entry for entry in entries(folder)}


# what the ledger says


def test_every_known_claim_has_its_line_in_order_and_those_of_studies_follow(folder):
    assert [entry.id for entry in entries(folder)] == ["A2", "A10", "A3", "T1", "Z1"]


def test_a_verdict_is_the_one_of_the_study_with_its_figure_and_where_it_stands(folder):
    found = by_id(folder)
    ((_, verdict),) = read_verdicts(folder / "results" / "means")
    entry = found["T1"]
    assert (entry.verdict, entry.figure, entry.why) == (
        verdict.ruling,
        verdict.measured,
        verdict.why,
    )
    assert (entry.study, entry.scale, entry.file) == ("means", "quick", "means/claims.csv")
    assert (folder / "results" / entry.file).is_file()
    assert found["Z1"].verdict == Ruling.CONTRADICTED


def test_what_no_study_decides_is_cited_where_a_source_is_named_and_else_open(folder):
    found = by_id(folder)
    assert found["A2"].verdict == Ruling.CITED
    assert found["A2"].why == "Somebody (1999), page 3"
    assert found["A3"].verdict == OPEN
    for key in ("A2", "A3"):
        assert not any((found[key].figure, found[key].study, found[key].file))


def test_a_study_that_decides_outweighs_a_source(folder):
    assert by_id(folder)["A10"].verdict == Ruling.HOLDS
    shutil.rmtree(folder / "results" / "mixed")
    assert by_id(folder)["A10"].verdict == Ruling.CITED


def test_a_claim_that_two_studies_decide_has_a_line_for_each(folder):
    shutil.copytree(folder / "results" / "means", folder / "results" / "twins")
    assert [e.study for e in entries(folder) if e.id == "T1"] == ["means", "twins"]


def test_the_words_of_a_claim_are_those_of_the_list_of_claims(folder):
    path = folder / "experiments" / "claims.csv"
    path.write_text("id,claim\nT1,In other words.\n", encoding="utf-8")
    assert by_id(folder)["T1"].claim == "In other words."


def test_counts_name_each_verdict_in_the_order_of_rulings():
    told = counted([OPEN, Ruling.CONTRADICTED, Ruling.HOLDS, Ruling.HOLDS])
    assert told == "4 claims: holds 2, contradicted 1, not decided yet 1"
    assert counted([]) == "0 claims"


# the command


def test_json_and_csv_are_records_and_the_count_goes_to_stderr(call):
    code, out, err = call("--format", "json")
    records = json.loads(out)
    assert code == 0
    assert [tuple(record) for record in records] == [COLUMNS] * 5
    assert "5 claims: holds 2, contradicted 1, cited only 1, not decided yet 1" in err
    code, out, _ = call("--format", "csv")
    assert list(csv.DictReader(io.StringIO(out))) == records


@pytest.mark.parametrize("form", ["table", "markdown", "latex"])
def test_tables_for_reading_say_why(call, form):
    _, out, _ = call("--format", form)
    for words in ("1 + 1: 2, not", "met"):  # why one is contradicted, why one holds
        assert words in " ".join(out.split())


@pytest.mark.parametrize("form", ["table", "markdown", "latex"])
def test_tables_for_reading_cut_no_word_off(capsys, form):
    with pytest.raises(SystemExit):
        main(["claims", "--results", str(ROOT / "results"), "--format", form])
    assert "\N{HORIZONTAL ELLIPSIS}" not in capsys.readouterr().out


def test_prose_begins_at_the_left_and_is_broken(call):
    assert call("--format", "markdown")[1].splitlines()[1] == "| --- " * 6 + "|"
    assert call("--format", "latex")[1].count(r"p{0.12\linewidth}") == 6


@pytest.mark.parametrize("form", ["table", "markdown", "latex"])
def test_tables_for_reading_name_every_claim_and_verdict(call, form):
    code, out, err = call("--format", form)
    assert (code, err) == (0, "")
    for text in ("A10", "contradicted", "cited only", OPEN, "5 claims"):
        assert text in out


def test_out_writes_the_ledger_too(call, folder):
    out = folder / "new" / "deep"
    code, shown, _ = call("--format", "csv", "--out", out)
    assert code == 0
    assert (out / "claims.csv").read_text(encoding="utf-8") == shown
    assert [path.name for path in out.iterdir()] == ["claims.csv"]


def test_without_a_list_of_claims_the_studies_own_are_shown_and_that_is_said(call, folder):
    (folder / "experiments" / "claims.csv").unlink()
    code, out, err = call("--format", "csv")
    assert code == 0
    assert "no claims in" in err
    assert [row["id"] for row in csv.DictReader(io.StringIO(out))] == ["T1", "A10", "Z1"]


def _no_results(folder):
    shutil.rmtree(folder / "results")


def _no_json(folder):
    (folder / "results" / "means" / "manifest.json").write_text("{")


def _no_such_ruling(folder):
    path = folder / "results" / "means" / "claims.csv"
    path.write_text("id,claim,verdict,measured,why\nT1,Text.,perhaps,1,Because.\n")


def _no_column(folder):
    (folder / "results" / "means" / "claims.csv").write_text("id,verdict\nT1,holds\n")


def _no_claim(folder):
    (folder / "experiments" / "claims.csv").write_text("id,text\nT1,One.\n")


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (_no_results, "no results of studies in"),
        (_no_json, "damaged results"),
        (_no_such_ruling, "damaged results"),
        (_no_column, "damaged results"),
        (_no_claim, "no column 'claim'"),
    ],
)
def test_damage_is_told_in_one_line(call, folder, damage, words):
    damage(folder)
    code, out, err = call()
    assert (code, out) == (2, "")
    assert words in err
    assert err.count("\n") == 1


def test_an_unknown_format_and_a_folder_that_cannot_be_made_are_refused(call, folder):
    assert call("--format", "html")[::2] == (
        2,
        "ndcgstudy: unknown format 'html'; known: csv, json, latex, markdown, table\n",
    )
    path = folder / "experiments" / "claims.csv"
    assert call("--out", path) == (2, "", f"ndcgstudy: --out {path}: is a file; name a folder\n")
    code, _, err = call("--out", path / "deep")
    assert code == 2
    assert "claims.csv" in err


# the project's own ledger


@pytest.fixture(scope="module")
def own():
    return ledger(ROOT / "results", *known_claims(ROOT / "experiments"))


def test_the_ledger_has_all_55_claims(own):
    ids = [f"A{i}" for i in range(1, 33)] + [f"B{i}" for i in range(1, 24)]
    assert list(dict.fromkeys(entry.id for entry in own)) == ids


def test_no_claim_is_left_undecided(own):
    assert {entry.id for entry in own if entry.verdict == OPEN} == set()


def test_each_verdict_stands_in_the_file_that_is_named(own):
    for entry in own:
        if entry.study:
            text = (ROOT / "results" / entry.file).read_text(encoding="utf-8")
            assert {"id": entry.id, "verdict": entry.verdict, "measured": entry.figure} in [
                {name: row[name] for name in ("id", "verdict", "measured")}
                for row in csv.DictReader(io.StringIO(text))
            ]


def test_a_ledger_that_was_written_is_that_of_the_results(own):
    path = ROOT / "results" / "claims.csv"
    if path.is_file():
        assert path.read_bytes() == ledger_bytes(own)
