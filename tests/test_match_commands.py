"""`match` and `explain` on the command line."""

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from collections_drawn import drawn_runs, written

from ndcgstudy.cli import main

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


def test_a_match_names_the_tools(call: Call, example: list[str]) -> None:
    code, out, err = call("match", *example, "--reported", "0.6289", "--format", "json")
    first = json.loads(out)[0]
    assert code == 0
    assert first["tools"] == "gdeval, lightgbm, xgboost"
    assert first["convention"] == "ndcgstudy(gain=exponential)"
    assert (first["match"], first["nDCG@10"]) == ("rounded", pytest.approx(0.628943, abs=5e-7))
    assert "different scores match; a number at random would match with probability" in err


def test_what_matches_can_be_scored_again(call: Call, files: list[str]) -> None:
    _, out, _ = call("match", *files[:2], "--reported", "0.4", "--format", "json")
    for record in json.loads(out)[:5]:
        if record["convention"] != "-":
            words = ("--as", record["convention"], "--format", "json")
            _, scored, _ = call("score", *files[:2], *words)
            assert json.loads(scored)[0]["value"] == pytest.approx(record["nDCG@10"], abs=1e-12)


def test_no_match_is_told_with_suspects(call: Call, example: list[str]) -> None:
    words = ("--reported", "0.123456", "--misses", "2")
    code, out, err = call("match", *example, *words)
    assert code == 1
    assert len(out.splitlines()) == 5  # header, two misses, blank, note
    assert re.search(r"none of \d+ different scores match", err)
    assert "suspect a truncated run" in err


def test_several_numbers(call: Call, example: list[str]) -> None:
    words = ("--reported", "nDCG@10=0.7463,nDCG@1=0.333", "--format", "csv")
    code, out, _ = call("match", *example, *words)
    first = next(csv.DictReader(io.StringIO(out)))
    assert code == 0
    assert "trec_eval-9" in first["tools"]
    assert float(first["nDCG@1"]) == pytest.approx(1 / 3)


def test_an_option_that_is_repeated_gives_several_numbers(call: Call, example: list[str]) -> None:
    words = ("--reported", "0.7463", "--reported", "nDCG@1=0.333", "--format", "csv")
    code, out, _ = call("match", *example, *words)
    once = ("--reported", "nDCG@10=0.7463,nDCG@1=0.333", "--format", "csv")
    assert (code, out) == call("match", *example, *once)[:2]
    assert call("match", *example, "--reported", "0.1", *words)[0] == 1  # and none is forgotten


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--reported", "746.3"), "must be in [0, 1], or a percentage, got '746.3'"),
        (("--reported", "1"), "must be a number with its decimals"),
        (("--reported", "x"), "must be a number with its decimals, as 0.4213, got 'x'"),
        (("--reported", "0.5", "--misses", "-1"), "`misses` must be a whole number at least 0"),
        (("--reported", "0.5", "-m", "foo"), "unknown measure 'foo'"),
        ((), "Missing option '--reported'"),
    ],
)
def test_bad_numbers_are_told(
    call: Call, example: list[str], words: tuple[str, ...], message: str
) -> None:
    code, out, err = call("match", *example, *words)
    assert (code, out) == (2, "")
    assert message in err


# explain


def test_an_explanation(call: Call, files: list[str]) -> None:
    pair = ("--as", "trec_eval-9", "--as", "xgboost(missing=zero)")
    code, out, err = call("explain", *files[:2], *pair)
    assert (code, err) == (0, "")
    assert out.startswith("nDCG@10 of s0; A is trec_eval-9, B is xgboost(missing=zero); A 0.")
    assert "setting" in out
    assert re.search(r"share_a +share_b", out)
    assert [line.split()[1] for line in out.splitlines()[-3:]] == ["64", "32", "16"]


@pytest.mark.parametrize("show", ["settings", "topics", "documents", "ties"])
def test_each_part_of_an_explanation_as_records(call: Call, files: list[str], show: str) -> None:
    pair = ("--as", "trec_eval-9", "--as", "gdeval", "--show", show)
    _, out, err = call("explain", *files[:2], *pair, "--format", "json")
    records = json.loads(out)
    assert records
    assert "A is trec_eval-9, B is gdeval" in err
    if show in ("settings", "topics"):
        told = float(err.split("B - A ")[1])
        assert sum(r["part"] for r in records) == pytest.approx(told, abs=1e-6)


def test_one_convention_of_two_names(call: Call, files: list[str]) -> None:
    code, out, _ = call("explain", *files[:2], "--as", "mteb", "--as", "pytrec_eval")
    assert code == 0
    assert "no setting differs: the two conventions are one" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--as", "beir"), "give --as twice, the conventions to compare; got 1"),
        ((), "give --as twice, the conventions to compare; got 0"),
        (("--as", "beir", "--as", "bier"), "unknown convention 'bier'; did you mean 'beir'?"),
        (("--as", "beir", "--as", "gdeval", "-m", "AP"), "takes nDCG or DCG, not AP"),
        (("--as", "beir", "--as", "gdeval", "--show", "doc"), "unknown show 'doc'"),
    ],
)
def test_bad_pairs_are_told(
    call: Call, example: list[str], words: tuple[str, ...], message: str
) -> None:
    code, out, err = call("explain", *example, *words)
    assert (code, out) == (2, "")
    assert message in err
