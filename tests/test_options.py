"""No option is ignored: each one changes what a command says, or is refused, in every mode of it."""

import contextlib
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import typer

from ndcgstudy.cli import commands, main  # noqa: F401 - the commands hang themselves on the app
from ndcgstudy.cli.app import app

TOPICS = [f"t{i}" for i in range(8)]
RUNS = ["qrels", "A.run", "B.run", "C.run"]
QUICK = ["--replicates", "20", "--resamples", "60"]

MODES: dict[str, list[str]] = {
    "score": ["score", *RUNS],
    "score collections": ["score", "--collections", "all.csv"],
    "score as a tool": ["score", *RUNS[:3], "--as", "trec_eval-9"],
    "gaps runs": ["gaps", *RUNS, "--missing", "zero", "--resamples", "100"],
    "gaps table": ["gaps", "wide.csv", "--resamples", "100"],
    "gaps each": ["gaps", "wide.csv", "--family", "each"],
    "gaps long": ["gaps", "long.csv", "--value", "ndcg", "--resamples", "100"],
    "gaps collections": ["gaps", "--collections", "all.csv", "--resamples", "100"],
    "ranks": ["ranks", "wide.csv", "--resamples", "100"],
    "power": ["power", "long.csv", "--value", "ndcg", "--value", "err", "--resamples", "100"],
    "plan": ["plan", "wide.csv", "--resamples", "100"],
    "match": ["match", *RUNS[:2], "--reported", "0.4213"],
    "match named": ["match", *RUNS[:2], "--reported", "nDCG@10=0.4213"],
    "explain": ["explain", *RUNS[:2], "--as", "trec_eval-9", "--as", "gdeval"],
    "conventions": ["conventions", *RUNS, "--vary", "unjudged=nonrelevant"],
    "conventions of one": ["conventions", *RUNS[:2], "--vary", "unjudged=nonrelevant"],
    "holes": ["holes", *RUNS],
    "holes after": ["holes", *RUNS[:3], "--after", "later"],
    "flip": ["flip", "qrels", "B.run", "C.run", "--draws", "50"],
    "flip documents": ["flip", *RUNS[:3], "--documents"],
    "check": ["check", *RUNS[:2]],
    "agree runs": ["agree", "answers.csv", *RUNS, "--resamples", "100"],
    "agree lists": ["agree", "lists.jsonl", "--resamples", "100"],
    "fit-discount": ["fit-discount", "lists.jsonl", "--folds", "2", "--family", "power"],
    "discount": ["discount", "power(beta=0.7)", *QUICK],
    "discount pairs": ["discount", "power(beta=0.7)", *QUICK, "--pairs", "lists.jsonl"],
    "separability": ["separability", "--discount", "log2", "--n", "1e2", "--replicates", "20"],
} | {f"conventions {show}": ["conventions", *RUNS[:3], "--show", show,
                             "--vary", "unjudged=nonrelevant"]
     for show in ("runs", "choices", "pairs", "conventions", "ties")}  # fmt: skip
MODES["conventions tools"] = ["conventions", *RUNS[:3], "--show", "tools"]

VALUES: dict[str, list[str | None]] = {
    "--after": ["later"],
    "--against": ["zipf"],
    "--answers": ["majority"],
    "--as": ["gdeval"],
    "--average": ["micro"],
    "--by": ["group"],
    "--collections": ["all.csv"],
    "--column": ["system=x"],
    "--cutoff": ["3"],
    "--data": ["nowhere"],
    "--dataset": ["system"],
    "--design": ["means", "topics", "random"],
    "--discount": ["zipf"],
    "--documents": [None],
    "--draws": ["50"],
    "--drop": ["p", "nobody"],
    "--exclude-self": [None],
    "--family": ["each", "marginal", "all", "geometric"],
    "--figure": ["figure.svg"],
    "--folds": ["3"],
    "--format": ["json"],
    "--gain": ["exponential"],
    "--gap": ["0.3"],
    "--ideal": ["all"],
    "--k": ["4"],
    "--keep": ["nobody"],
    "--level": ["0.8"],
    "--max-grade": ["5"],
    "--measure": ["nDCG@3", "P@3"],
    "--method": ["bootstrap", "holm", "t", "bonferroni"],
    "--misses": ["2"],
    "--missing": ["skip", "zero", "drop-topics"],
    "--mix": ["tie=0.5"],
    "--n": ["1e3"],
    "--negative": ["unjudged", "judged"],
    "--no-relevant": ["one"],
    "--pair": ["swap", "decay"],
    "--pairs": ["lists.jsonl"],
    "--per-topic": [None],
    "--position": [None],
    "--power": ["0.6"],
    "--precision": ["float64"],
    "--qrels": ["qrels"],
    "--reader": ["json"],
    "--replicates": ["30"],
    "--reported": ["0.3"],
    "--resamples": ["77"],
    "--runs": ["runs"],
    "--seed": ["5", "6", "7"],
    "--show": ["settings", "runs", "pairs"],
    "--split": ["a=b"],
    "--stake": ["all"],
    "--stratum": ["difference"],
    "--strict": [None],
    "--subset": ["x"],
    "--systems": ["rows"],
    "--ties": ["average", "input"],
    "--topics": ["t0,t1,t2"],
    "--topics-planned": ["20"],
    "--undecided": ["dropped"],
    "--unjudged": ["condensed"],
    "--value": ["err"],
    "--vary": ["ties=trec"],
}
"""For each option values of which one must change something."""

READING = ("--duplicates", "--grades")
"""What they change shows in files that need them; see below."""

SAME: dict[tuple[str, str], str] = {
    ("separability", "--gain"): "grades of the reference pair are 0 and 1",
    ("check", "--strict"): "the files break no rule but warnings: only the exit code would change",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files on which every option matters: ties, holes, self matches, missing topics, real ids."""
    path = tmp_path_factory.mktemp("options")
    rng = np.random.default_rng(1)
    qrels = [
        f"{t} 0 d{i} {0 if t == 't7' else int(rng.integers(-1, 4))}"
        for t in TOPICS
        for i in range(12)
    ] + [f"{t} 0 {t} {int(t != 't7')}" for t in TOPICS]
    (path / "qrels").write_text("\n".join(qrels))
    (path / "later").write_text("\n".join([*qrels, *(f"{t} 0 d12 2" for t in TOPICS)]))
    (path / "few").write_text("\n".join(line for line in qrels if line < "t3"))
    for seed, name in enumerate("ABC"):
        (path / f"{name}.run").write_text("\n".join(run_lines(seed, name)))
    (path / "runs").mkdir()
    rows = [(c, q, f"{n}.run") for c, q in (("x", "qrels"), ("y", "few")) for n in "AC"]
    pd.DataFrame(rows, columns=["collection", "qrels", "run"]).to_csv(path / "all.csv", index=False)
    write_tables(path, rng)
    write_answers(path)
    return path


def run_lines(seed: int, name: str) -> list[str]:
    rng, lines = np.random.default_rng(seed), []
    for topic in TOPICS[:-1] if name == "B" else TOPICS:
        docs = [f"d{i}" for i in rng.permutation(14)[:10]]
        docs[3] = topic
        scores = np.sort(rng.integers(1, 8, 10))[::-1] + np.where(rng.random(10) < 0.3, 1e-9, 0)
        lines += [
            f"{topic} Q0 {d} 1 {float(s)!r} {name}" for d, s in zip(docs, scores, strict=True)
        ]
    return lines


def write_tables(path: Path, rng: Any) -> None:
    wide = pd.DataFrame(rng.random((9, 4)) + np.arange(4) / 6, columns=list("pqrs"))
    wide.insert(0, "topic", [f"t{i}" for i in range(9)])
    wide.to_csv(path / "wide.csv", index=False)
    long = wide.melt("topic", var_name="system", value_name="ndcg")
    long["err"] = rng.random(len(long))
    long.to_csv(path / "long.csv", index=False)


def write_answers(path: Path) -> None:
    signs = ["run_a", "run_b", "run_b", "run_a", "tie"]
    pairs = [("A", "C"), ("C", "A"), ("A", "B"), ("B", "C")]
    rows = [
        (f"t{i % 6}", *pairs[i % 4], signs[(i * i + i // 3) % 5], "gh"[i % 2], "")
        for i in range(30)
    ] + [("t1", "C", "A", "run_a", "g", ""), ("t1", "C", "A", "run_a", "g", "")]
    header = ["topic", "run_a", "run_b", "preference", "group", "note"]
    pd.DataFrame(rows, columns=header).to_csv(path / "answers.csv", index=False)
    rng, records = np.random.default_rng(2), []
    for i in range(40):
        a, b = rng.integers(0, 3, (2, 4)).tolist()
        better = sum(x / (r + 1) for r, x in enumerate(a)) - sum(
            x / (r + 1) for r, x in enumerate(b)
        )
        pref = "tie" if abs(better) < 0.3 else "A" if better + rng.normal() > 0 else "B"
        docs = {"A_docs": [f"a{k}" for k in range(4)], "B_docs": [f"b{k}" for k in range(4)]}
        graded = {"A_grades": [a[0], None, *a[2:]], "B_grades": b}
        own = {"query": f"q{i // 2 * 2}", "pref": pref, "group": "gh"[i % 2]}
        records.append({**own, **docs, **graded})
    records += [{**records[0], "pref": p} for p in ("B", "B", "A")]
    (path / "lists.jsonl").write_text("\n".join(map(json.dumps, records)))


def call(words: list[str]) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(words)
        except SystemExit as end:
            return int(end.code or 0), out.getvalue(), err.getvalue()
    raise AssertionError


def options(command: str) -> Iterator[str]:
    for part in typer.main.get_command(app).commands[command].params:  # type: ignore[attr-defined]
        yield from [name for name in part.opts if name.startswith("--")][:1]


SLOW = ("discount", "discount pairs", "match named", "plan", "ranks", "power", "holes after")


def _param(mode: str) -> Any:
    return pytest.param(mode, marks=pytest.mark.slow if mode in SLOW else ())


@pytest.mark.parametrize("mode", [*map(_param, MODES)])
def test_no_option_is_ignored(mode: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    words = MODES[mode]
    base = call(words)
    assert base[0] in (0, 1), base[2]
    ignored = []
    for option in options(words[0]):
        if option in READING or option in words or (mode, option) in SAME:
            continue
        for value in VALUES[option]:
            figure = folder / "figure.svg"
            found = call([*words, option, *([] if value is None else [value])])
            if found != base or figure.exists():
                figure.unlink(missing_ok=True)
                break
        else:
            ignored.append(option)
    assert not ignored


def test_every_command_that_reads_files_has_a_mode() -> None:
    known = {words[0] for words in MODES.values()}
    own = {"list", "cache", "claims", "report", "reproduce", "convert"}  # they read no such files
    assert set(typer.main.get_command(app).commands) - known <= own  # type: ignore[attr-defined]


@pytest.mark.parametrize("mode", [m for m in MODES if "--duplicates" in [*options(MODES[m][0])]])
def test_how_files_are_read_is_heeded(
    mode: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Judgments that need both options are refused without either.
    monkeypatch.chdir(folder)
    clean = (folder / "qrels").read_text()
    try:
        (folder / "qrels").write_text(f"{clean}\nt0 0 d0 2.5\n")
        both = ["--duplicates", "first", "--grades", "float"]
        assert call([*MODES[mode], *both])[0] in (0, 1)
        for kept in (both[:2], both[2:]):
            assert call([*MODES[mode], *kept])[0] == 2
    finally:
        (folder / "qrels").write_text(clean)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["score", *RUNS, "--average", "micro"], "--average micro needs --collections"),
        (["score", "--collections", "all.csv", "--topics", "t0"], "--topics does not go with"),
        (["score", *RUNS, "-m", "AP", "--ideal", "all"], "--ideal all concerns nDCG alone"),
        (["explain", *RUNS[:2]], "give --as twice"),
        (["explain", *RUNS[:2], "--as", "beir"], "give --as twice"),
        (["agree", *RUNS], "looks like a qrels file: PAIRS go first"),
        (["fit-discount", *RUNS], "looks like a qrels file: PAIRS go first"),
        (["agree", "A.run", "qrels", "B.run"], "looks like a run: PAIRS go first"),
        (["agree", "lists.jsonl", "--ties", "input"], "--ties is for runs"),
        (["flip", *RUNS[:3], "--documents", "--draws", "9"], "do not go with --documents"),
        (["conventions", *RUNS[:2], "--level", "0.1"], "--level is for the tests of pairs"),
        (["match", *RUNS[:2], "--reported", "AP=0.3", "-m", "P@5"], "has a measure of its own"),
        (["reproduce", "--redecide", "--workers", "2"], "--workers: not with --redecide"),
        (["reproduce", "--dry-run", "--check"], "--check: not with --dry-run"),
    ],
)
def test_what_would_change_nothing_is_refused(
    words: list[str], message: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    code, out, err = call(words)
    assert (code, out) == (2, "")
    assert message in err
