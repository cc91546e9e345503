"""`score --as`, `list conventions` and `conventions` on the command line."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from collections_drawn import drawn_runs, written

from ndcgstudy.cli import main
from ndcgstudy.conventions import TOOLS

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str]) -> Call:
    """Run the command line and return exit code, stdout and stderr."""

    def run(*words: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as end:
            main([*words])
        out = capfd.readouterr()
        return int(end.value.code or 0), out.out, out.err

    return run


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    qrels, runs = drawn_runs(np.random.default_rng(1), 4)
    return written(tmp_path, qrels, *runs)


EXAMPLE = {"t1": {"alpha": 3, "bravo": 1, "charlie": 2, "delta": 0}}
ORDER = {"t1": {"bravo": 9.0, "charlie": 8.0, "delta": 7.0, "alpha": 6.0}}


@pytest.fixture
def example(tmp_path: Path) -> list[str]:
    return written(tmp_path, EXAMPLE, ORDER)


# score --as


@pytest.mark.parametrize(
    ("name", "value"), [("trec_eval-9", 0.746324), ("gdeval", 0.628943), ("jk2002", 0.799158)]
)
def test_score_as_a_tool(call: Call, example: list[str], name: str, value: float) -> None:
    code, out, err = call("score", *example, "--as", name, "--format", "json")
    (record,) = json.loads(out)
    assert (code, record["value"]) == (0, pytest.approx(value, abs=5e-7))
    assert f"convention: as {name}: gain " in err


def test_every_tool_scores(call: Call, files: list[str]) -> None:
    for name in TOOLS:
        code, out, err = call("score", *files, "--as", name)
        assert code == 0, err
        assert f"convention: as {name}: " in out


def test_options_of_the_call_go_before_the_tools(call: Call, files: list[str]) -> None:
    _, plain, _ = call("score", *files[:2], "--format", "json")
    _, own, _ = call("score", *files[:2], "--as", "trec_eval-9", "--format", "json")
    _, out, err = call(
        *("score", *files[:2], "--as", "trec_eval-9", "--missing", "zero", "--format", "json")
    )
    assert json.loads(out) == json.loads(plain) != json.loads(own)
    assert "as trec_eval-9(missing=zero): " in err


def test_a_default_that_is_given_counts_as_given(call: Call, files: list[str]) -> None:
    _, _, err = call("score", *files, "--as", "beir", "--ties", "trec", "--format", "csv")
    assert "as beir: " in err
    _, _, err = call("score", *files, "--as", "ranx", "--ties", "trec", "--format", "csv")
    assert "as ranx(ties=trec): " in err


def test_other_measures_keep_the_options_of_the_call(call: Call, files: list[str]) -> None:
    words = ("-m", "AP", "-m", "nDCG@5", "--missing", "skip", "--format", "json")
    _, out, err = call("score", *files[:2], "--as", "sklearn", *words)
    _, plain, _ = call("score", *files[:2], *words)
    ap = [[r for r in json.loads(text) if r["measure"] == "AP"] for text in (out, plain)]
    assert ap[0] == ap[1]
    assert "sklearn concerns nDCG alone; AP: " in err


def test_collections_are_scored_as_a_tool(call: Call, tmp_path: Path) -> None:
    paths = written(tmp_path, EXAMPLE, ORDER)
    table = tmp_path / "table.csv"
    table.write_text(f"collection,qrels,run\nx,{paths[0]},{paths[1]}\ny,{paths[0]},{paths[1]}\n")
    words = ("--as", "gdeval", "-m", "AP nDCG@10", "--format", "json")
    code, out, _ = call("score", "--collections", str(table), *words)
    values = [r["value"] for r in json.loads(out) if r["measure"] != "AP"]
    assert (code, values) == (0, pytest.approx([0.628943] * 3, abs=5e-7))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--as", "treceval"), "did you mean 'trec_eval-9'?"),
        (("--as", "beir(ties=mean)"), "unknown ties 'mean'"),
        (("--as", "beir", "-m", "nDCG(gain=exp)@5"), "the convention sets gain and discount"),
        (("--as", "beir", "--ties", "mean"), "unknown ties 'mean'"),
    ],
)
def test_bad_conventions_are_told(
    call: Call, example: list[str], words: tuple[str, ...], message: str
) -> None:
    code, out, err = call("score", *example, *words)
    assert (code, out) == (2, "")
    assert message in err
    assert "Traceback" not in err


def test_the_table_of_conventions(call: Call) -> None:
    code, out, _ = call("list", "conventions")
    lines = out.splitlines()
    assert code == 0
    assert lines[0].split()[:4] == ["convention", "gain", "discount", "ideal"]
    for name in TOOLS:
        assert sum(line.startswith(f"{name} ") for line in lines) == 1
        assert sum(line.startswith(f"{name}: ") for line in lines) == 1
    code, _, err = call("list", "convention")
    assert code == 2
    assert "did you mean 'conventions'? known: conventions, discounts, formats, gains" in err


# conventions


def test_the_summary(call: Call, files: list[str]) -> None:
    code, out, err = call("conventions", *files)
    assert (code, err) == (0, "")
    assert " is ahead of " in out
    assert " of 432, significantly in " in out
    assert "of 6 pairs change order with the convention" in out
    assert "tau to the default: lowest " in out
    assert "nDCG@10; 432 conventions, the first by default: gain linear, exponential" in out
    assert "\n\n\n" not in out
    assert "\n\n\n" not in call("conventions", *files[:2])[1]


@pytest.mark.parametrize(
    ("show", "key", "count"),
    [
        ("runs", "run", 4),
        ("choices", "choice", 7),
        ("pairs", "first", 6),
        ("conventions", "gain", 432),
        ("tools", "tool", 14),
        ("ties", "run", 12),
    ],
)
def test_each_table_as_records(
    call: Call, files: list[str], show: str, key: str, count: int
) -> None:
    _, text, err = call("conventions", *files, "--show", show, "--format", "json")
    records = json.loads(text)
    assert len(records) == count
    assert next(iter(records[0])) == key
    told = {
        "tools": "nDCG@10 as each tool computes it, beside the defaults",
        "ties": "nDCG@10 under ndcgstudy but for ties and precision",
    }
    assert f"conventions: {told.get(show, 'nDCG@10; 432 conventions')}" in err
    _, table, _ = call("conventions", *files, "--show", show, "--format", "csv")
    assert len(list(csv.DictReader(io.StringIO(table)))) == count
    for form in ("table", "markdown", "latex"):
        code, out, _ = call("conventions", *files, "--show", show, "--format", form)
        assert code == 0
        assert key in out


def test_choices_are_varied_as_asked(call: Call, files: list[str]) -> None:
    words = ("--vary", "gain=exponential", "--vary", "discount=log2 zipf", "--vary", "ideal=cut")
    _, out, err = call("conventions", *files, *words, "--format", "json")
    assert "72 conventions, the first by default: gain exponential; discount log2, zipf" in err
    _, alone, _ = call("score", *files, "-m", "nDCG(gain=exp)@10", "--format", "json")
    scores = {r["run"]: r["value"] for r in json.loads(alone)}
    assert {r["run"]: r["score"] for r in json.loads(out)} == scores


def test_one_run_and_one_topic(call: Call, example: list[str]) -> None:
    code, out, _ = call("conventions", *example)
    assert code == 0
    assert "ahead" not in out


def test_topics_are_chosen(call: Call, files: list[str]) -> None:
    _, out, _ = call("conventions", *files, "--topics", "3,4,5", "--format", "json")
    _, plain, _ = call("score", *files, "--topics", "3,4,5", "--format", "json")
    assert {r["run"]: r["score"] for r in json.loads(out)} == {
        r["run"]: r["value"] for r in json.loads(plain)
    }


@pytest.mark.parametrize("form", ["png", "svg"])
def test_the_figure_is_written(call: Call, files: list[str], tmp_path: Path, form: str) -> None:
    path = tmp_path / f"ranges.{form}"
    code, _, err = call("conventions", *files, "--figure", str(path))
    assert (code, err) == (0, "")
    assert path.read_bytes()[:100].count(b"PNG" if form == "png" else b"<?xml") == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--vary", "tie=trec"), "unknown setting 'tie'; did you mean 'ties'?"),
        (("--vary", "gain=lineer"), "did you mean 'linear'?"),
        (("--show", "run"), "unknown show 'run'; did you mean 'runs'?"),
        (("--level", "2"), "`level` must be a number above 0 and below 1, got 2"),
        (("--level", "low"), "`level` must be a number above 0 and below 1, got 'low'"),
        (("--figure", "x.jpg"), "--figure x.jpg: the name must end with one of .pdf, .png, .svg"),
        (("--figure", "nowhere/x.png"), "nowhere/x.png: there is no folder nowhere"),
        (("-m", "nDCG(gain=exp)@10"), "the convention sets gain and discount"),
        (("-m", "nDGC@10"), "did you mean 'nDCG'?"),
        (("-m", "AP", "--show", "ties"), "computed for nDCG and DCG, not for AP"),
        (("--topics", "99"), "no judgments for topic '99'"),
        (("--format", "yaml"), "unknown format 'yaml'"),
        (("--grades", "real"), "unknown grades 'real'"),
    ],
)
def test_bad_words_are_told(
    call: Call, files: list[str], words: tuple[str, ...], message: str
) -> None:
    code, _, err = call("conventions", *files, *words)
    assert code == 2
    assert message in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    "words",
    [
        ("conventions",),
        ("match", "--reported", "0.5"),
        ("explain", "--as", "beir", "--as", "gdeval"),
    ],
)
def test_bad_files_are_told(call: Call, files: list[str], tmp_path: Path, words: Any) -> None:
    broken = tmp_path / "broken"
    broken.write_text("1 Q0 d1 1 high x\n")
    lost = tmp_path / "lost"
    lost.write_text("77 Q0 d1 1 1.0 x\n")
    for paths, message in (
        ((files[0], "none"), "none: No such file"),
        (("none", files[1]), "none: No such file"),
        ((files[0], str(broken)), "broken"),
        ((files[0], str(lost)), "no topic of the run is in the qrels"),
    ):
        code, out, err = call(words[0], *paths, *words[1:])
        assert (code, out) == (2, "")
        assert message in err
        assert "Traceback" not in err


def test_all_mistakes_are_told_together(call: Call, files: list[str]) -> None:
    words = ("--vary", "a=b", "--show", "x", "--level", "7", "--format", "yaml", "-m", "foo")
    code, _, err = call("conventions", files[0], "none", *words)
    assert code == 2
    assert len(err.splitlines()) == 7
