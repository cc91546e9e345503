"""Warnings of runs that are not what they should be; none for sound ones."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ndcgstudy import Judgments, Policy, Rankings, read_run, score
from ndcgstudy.formats.preferences import read_preferences

Nested = dict[str, dict[str, float]]
Change = Callable[[str], str]


def collection(seed: int = 0, topics: int = 12, judged: int = 30) -> tuple[Nested, Nested]:
    rng = np.random.default_rng(seed)
    ids = [f"doc-{i:06d}-AbC" for i in rng.choice(10**6, 60, replace=False)]
    qrels = {f"q{t:02d}": {d: float(rng.integers(0, 3)) for d in rng.choice(ids, judged, False)}
             for t in range(topics)}  # fmt: skip
    run = {t: {str(d): float(s) for d, s in zip(rng.permutation(ids)[:20], rng.normal(size=20), strict=True)}
           for t in qrels}  # fmt: skip
    return qrels, run


def warnings(qrels: Any, *runs: Any, measure: str = "nDCG@10", **policy: Any) -> list[str]:
    named = [Rankings.from_dict(run, name=f"r{i}") for i, run in enumerate(runs)]
    notes = score(Judgments.from_dict(qrels), named, measure, Policy(**policy)).notes
    return [note for note in notes if note.startswith("warning:")]


def renamed(run: Nested, change: Change) -> Nested:
    return {t: {change(d): s for d, s in docs.items()} for t, docs in run.items()}


def test_a_sound_run_is_not_warned_of() -> None:
    for seed in range(5):
        qrels, run = collection(seed)
        for measure in ("nDCG@10", "AP", "RR@10"):
            assert warnings(qrels, run, measure=measure) == []


def test_a_run_whose_top_is_not_judged() -> None:
    qrels, run = collection()
    (line,) = warnings(qrels, run, renamed(run, lambda d: f"x{d[::-1]}"))
    assert "only 0 of 120 documents in the top 10 of run r1 are judged (0.0%)" in line


@pytest.mark.parametrize(("judged", "warned"), [(0, True), (5, True), (6, False), (60, False)])
def test_under_five_percent_is_few(judged: int, warned: bool) -> None:
    docs = {f"d{i}": 1.0 for i in range(60)}
    qrels = {f"q{t}": docs for t in range(12)}
    names = [
        [f"d{t * 10 + i}" if t * 10 + i < judged else f"x{i}" for i in range(10)] for t in range(12)
    ]
    run = {f"q{t}": {d: -float(i) for i, d in enumerate(own)} for t, own in enumerate(names)}
    assert bool(warnings(qrels, run)) == warned


def test_sparse_judgments_leave_no_run_more() -> None:
    # One judged document a topic, as in passage ranking: a run that finds 3 of 10 is sound.
    qrels: Nested = {f"q{t}": {"a": 1.0} for t in range(100)}
    found = {f"q{t}": {("a" if t < 30 and i == 4 else f"x{i}"): -float(i) for i in range(10)}
             for t in range(100)}  # fmt: skip
    assert warnings(qrels, found) == []
    lost = {f"q{t}": {("a" if t < 2 and i == 4 else f"x{i}"): -float(i) for i in range(10)}
            for t in range(100)}  # fmt: skip
    (line,) = warnings(qrels, lost)
    assert "only 2 of 1000" in line


@pytest.mark.parametrize(
    ("change", "how"),
    [
        (str.lower, "case"),
        (str.upper, "case"),
        (lambda d: f"00{d}", "leading zeros"),
        (lambda d: d[:9], "cut off"),
        (lambda d: f"{d}\u200b", "odd blanks"),
    ],
)
def test_ids_that_programs_change(change: Change, how: str) -> None:
    qrels, run = collection(1)
    (line,) = warnings(qrels, renamed(run, change))
    assert "run r0" in line
    assert how in line
    assert "of the run and the judged 'doc-" in line
    cut = warnings(renamed(qrels, change), run)
    assert len(cut) == 1
    assert how in cut[0]


def test_ids_that_became_numbers() -> None:
    qrels = {f"{t}": {f"{100 + i}": float(i % 2) for i in range(20)} for t in range(6)}
    run = {f"{t}": {f"{100 + i}.0": float(i) for i in range(20)} for t in range(6)}
    (line,) = warnings(qrels, run)
    assert "trailing '.0'" in line
    half = {t: {(d if i % 2 else d[:-2]): s for i, (d, s) in enumerate(docs.items())}
            for t, docs in run.items()}  # fmt: skip
    (line,) = warnings(qrels, half)
    assert line.startswith("warning: document ids of run r0 differ from the judged ones")


def test_topics_under_other_ids() -> None:
    qrels, run = collection()
    some = {(t.upper() if i % 2 else t): docs for i, (t, docs) in enumerate(run.items())}
    (line,) = warnings(qrels, some)
    assert "'Q01' of the run and 'q01' of the qrels differ only in case" in line
    with pytest.raises(ValueError, match="no topic of the run is in the qrels; 'Q00' of the run"):
        warnings(qrels, {t.upper(): docs for t, docs in run.items()})


@pytest.mark.parametrize("value", [0.0, 1.0, -3.5])
def test_a_run_of_one_score(value: float) -> None:
    qrels, run = collection()
    tied = {t: dict.fromkeys(docs, value) for t, docs in run.items()}
    (line,) = warnings(qrels, tied)
    assert "all scores of run r0 are equal on 12 of 12 topics (100%)" in line
    half = {
        t: (dict.fromkeys(docs, value) if i % 2 else docs)
        for i, (t, docs) in enumerate(run.items())
    }
    assert warnings(qrels, half) == []
    for ties, words in (("average", "averaged"), ("input", "in the order of the input")):
        assert words in warnings(qrels, tied, ties=ties)[0]


def test_scores_that_32_bits_make_equal() -> None:
    qrels, run = collection()
    near = {t: {d: 1 + s * 1e-12 for d, s in docs.items()} for t, docs in run.items()}
    assert len(warnings(qrels, near)) == 1
    assert warnings(qrels, near, precision="float64") == []


def test_each_run_is_named_up_to_ten() -> None:
    qrels, run = collection(topics=3)
    told = warnings(qrels, *[renamed(run, lambda d: f"x{d[::-1]}")] * 13)
    assert len(told) == 11
    assert told[-1] == "warning: likewise 3 other runs"


# the order of a file


def write(path: Path, lines: list[str]) -> str:
    path.write_text("".join(f"{line}\n" for line in lines))
    return str(path)


def rows(run: Nested, line: Callable[[int, str, float], str]) -> list[str]:
    """Return lines of a run, best first; `line` writes rank, document and score."""
    best = {t: sorted(docs.items(), key=lambda x: -x[1]) for t, docs in run.items()}
    return [
        f"{t} Q0 {line(r, d, s)} x" for t, docs in best.items() for r, (d, s) in enumerate(docs, 1)
    ]


FORMS = {
    "sound": (lambda r, d, s: f"{d} {r} {s:.6f}", ""),
    "ranks from 0": (lambda r, d, s: f"{d} {r - 1} {s:.6f}", ""),
    "no ranks": (lambda r, d, s: f"{d} 1 {s:.6f}", ""),
    "ranks as decimals": (lambda r, d, s: f"{d} {r}.0 {s:.6f}", ""),
    "scores of ranks": (lambda r, d, s: f"{d} {r} {100 - r}", ""),
    "ranks and scores alike": (lambda r, d, s: f"{d} 0 {1 / r:.6f}", ""),
    "distances": (lambda r, d, s: f"{d} {r} {10 - s:.6f}", "reversed"),
    "ranks as scores": (lambda r, d, s: f"{d} {r} {r}", "reversed"),
    "exchanged": (lambda r, d, s: f"{d} {s:.6f} {r}", "exchanged"),
    "exchanged, whole": (lambda r, d, s: f"{d} {1000 - 3 * r} {r}", "exchanged"),
}


@pytest.mark.parametrize("form", FORMS)
def test_the_rank_column_against_the_scores(form: str, tmp_path: Path) -> None:
    line, word = FORMS[form]
    qrels, run = collection()
    path = write(tmp_path / "run", rows(run, line))
    result = score(Judgments.from_dict(qrels), read_run(path))
    told = [note for note in result.notes if note.startswith("warning:")]
    assert [word in note for note in told] == ([True] if word else [])
    write(
        tmp_path / "qrels",
        [f"{t} 0 {d} {g:g}" for t, docs in qrels.items() for d, g in docs.items()],
    )
    done = subprocess.run(
        [sys.executable, "-m", "ndcgstudy", "check", "qrels", "run"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == bool(word), done.stdout
    assert ("error: " in done.stdout and f"[{word}]" in done.stdout) == bool(word)


def test_a_file_sorted_from_the_last_rank_up_is_sound(tmp_path: Path) -> None:
    _, run = collection()
    path = write(tmp_path / "run", rows(run, lambda r, d, s: f"{d} {r} {s:.6f}")[::-1])
    assert read_run(path).warnings == ()


def test_people_who_compare_runs_are_warned_too(tmp_path: Path) -> None:
    qrels, run = collection()
    answers = write(tmp_path / "a.csv", ["topic,run_a,run_b,preference", "q00,a,b,A", "q01,a,b,B"])
    other = renamed(run, lambda d: f"x{d[::-1]}")
    runs = [Rankings.from_dict(run, name="a"), Rankings.from_dict(other, name="b")]
    found = read_preferences(answers, Judgments.from_dict(qrels), runs, depth=5)
    assert any("documents in the top 5 of run b are judged" in note for note in found.notes)
    assert not any("run a are judged" in note for note in found.notes)


def test_data_sets_of_one_topic_are_pointed_to_their_means() -> None:
    from ndcgstudy.data import Scores
    from ndcgstudy.inference.gaps import gaps

    values = np.array([[0.1, 0.4, 0.3], [0.5, 0.6, 0.9]])
    scores = Scores(values, ("a", "b"), ("q1", "q2", "q3"), "nDCG@10", ("x", "x", "y"))
    with pytest.raises(ValueError, match=r"'y' has 1; `--design means`"):
        gaps(scores)


@pytest.mark.parametrize("side", ["run", "qrels"])
def test_check_names_ids_that_are_cut_off(side: str, tmp_path: Path) -> None:
    from ndcgstudy.check import check

    qrels, run = collection()
    qrels, run = (
        renamed(x, lambda d: d[:9]) if side == s else x for x, s in ((qrels, "qrels"), (run, "run"))
    )
    judged = [f"{t} 0 {d} {g:g}" for t, docs in qrels.items() for d, g in docs.items()]
    paths = write(tmp_path / "qrels", judged), write(tmp_path / "run", rows(run, FORMS["sound"][0]))
    found = [problem for problem in check(paths[0], [paths[1]]) if problem.rule == "document-id"]
    assert len(found) > 50
    assert "begin alike: one is cut off" in found[0].message
