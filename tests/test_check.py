"""The validator: each rule breaks on what it is for, says where, and keeps silent beside it."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ndcgstudy.check import Problem, check
from ndcgstudy.cli import main

QRELS = "q1 0 d1 1\nq1 0 d2 0\nq2 0 d3 2\nq2 0 d4 0\n"
RUN = "q1 Q0 d1 1 3.0 s\nq1 Q0 d9 2 2.0 s\nq2 Q0 d4 1 1.5 s\n"
Cases = list[tuple[str, str, str, list[str]]]  # name, qrels, run, what is told


@pytest.fixture
def checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[Problem]]:
    """Return a function that checks texts of qrels and runs, in files called qrels, run1, run2."""
    monkeypatch.chdir(tmp_path)

    def problems(qrels: str, *runs: str, **given: str) -> list[Problem]:
        names = [f"run{i}" for i in range(1, len(runs) + 1)]
        for name, text in zip(["qrels", *names], [qrels, *runs], strict=True):
            Path(name).write_bytes(text.encode())
        return check("qrels", names, **given)

    return problems


def told(problems: list[Problem]) -> list[str]:
    """Return file, line, column, rule and the other line of each problem, as `file:3:7 rule (1)`."""
    places = [f"{p.file}:{p.line}:{p.column} {p.rule}" for p in problems]
    others = [f" ({p.other_line})" * (p.other_line > 0) for p in problems]
    return [place + other for place, other in zip(places, others, strict=True)]


def test_nothing_is_said_of_clean_files(checked: Callable[..., list[Problem]]) -> None:
    assert checked(QRELS, RUN, RUN) == []


def topic(grades: str, name: str = "q3") -> str:
    return "".join(f"{name} 0 x{i} {grade}\n" for i, grade in enumerate(grades.split()))


ERRORS: Cases = [
    ("too few fields", QRELS + "q3 0 d1\n", RUN, ["qrels:5:1 fields"]),
    ("a grade that is none", QRELS + "q2 0  d7 x\n", RUN, ["qrels:5:10 grade"]),
    ("an infinite grade", QRELS + "q2 0 d7 inf\n", RUN, ["qrels:5:9 grade"]),
    ("half a grade", QRELS + "q2 0 d7 0.5\n", RUN, ["qrels:5:9 grade"]),
    ("a repeated line", QRELS + "q1 0 d1 1\n", RUN, ["qrels:5:6 duplicate (1)"]),
    ("two grades", QRELS + "q1 0 d1 0\n", RUN, ["qrels:5:6 conflict (1)"]),
    ("BEIR's header", "query-id corpus-id score\n" + QRELS, RUN, ["qrels:1:1 fields"]),
    ("another header", "x it y rel\n" + QRELS, RUN, ["qrels:1:8 grade"]),
    ("an empty file of judgments", "", RUN, ["qrels:0:0 empty"]),
    ("blanks only", " \n", RUN, ["qrels:0:0 empty", "qrels:1:1 blank-line"]),
    ("an empty run", QRELS, "", ["run1:0:0 empty"]),
    ("a score that is none", QRELS, RUN + "q2 Q0 d5 2 1,5 s", ["run1:4:12 score"]),
    ("NaN", QRELS, RUN + "q2 Q0 d5 2 NaN s", ["run1:4:12 score"]),
    ("an infinite score", QRELS, RUN + "q2 Q0 d5 2 -inf s", ["run1:4:12 infinite"]),
    ("a score beyond doubles", QRELS, "q2 Q0 d5 0 1e999 s\n" + RUN, ["run1:1:12 infinite"]),
    ("a document twice", QRELS, RUN + "q1 Q0 d1 3 1 s", ["run1:4:7 duplicate (1)"]),
    ("a topic the run lacks", QRELS, RUN[:34], ["run1:0:0 missing-topic (3)"]),
    ("no topic in common", QRELS, "z Q0 d1 1 1 s", ["run1:1:1 no-common-topic (1)"]),
    ("a topic in capitals", QRELS, RUN.replace("q2", "Q2"), ["run1:3:1 topic-id (3)"]),
    (
        "leading zeros of all topics",
        QRELS,
        RUN.replace("q", "q0"),
        [
            "run1:1:1 topic-id (1)",
            "run1:1:1 no-common-topic (1)",
            "run1:3:1 topic-id (3)",
        ],
    ),
    ("a document in capitals", QRELS, RUN.replace("d1", "D1"), ["run1:1:7 document-id (1)"]),
    (
        "a zero before a document",
        QRELS + "q1 0 7 1\n",
        RUN + "q1 Q0 007 3 1 s",
        ["run1:4:7 document-id (5)"],
    ),
]

WARNINGS: Cases = [
    ("a negative grade", QRELS + "q2 0 d7 -2\nq2 0 d8 -2\n", RUN, ["qrels:5:9 negative-grade"]),
    ("a grade above 10", QRELS + "q2 0 d7 11\nq2 0 d8 22\n", RUN, ["qrels:6:9 high-grade"]),
    ("a grade far from the rest", QRELS + "q2 0 d7 9\n", RUN, ["qrels:5:9 high-grade"]),
    ("nothing relevant", QRELS + topic("0 0"), RUN + "q3 Q0 x0 1 1 s", ["qrels:5:1 no-relevant"]),
    ("one grade", QRELS + topic("1 1"), RUN + "q3 Q0 x0 1 1 s", ["qrels:5:1 one-grade"]),
    (
        "one grade in most topics",
        topic("1") + topic("2 2", "q4"),
        "q3 Q0 x0 1 1 s\nq4 Q0 x0 1 1 s",
        ["qrels:1:1 one-grade"],
    ),
    ("a byte order mark", "\ufeff" + QRELS, RUN, ["qrels:1:1 byte-order-mark"]),
    (
        "blank lines",
        QRELS.replace("q2", "\nq2"),
        RUN + "\r\n",
        ["qrels:3:1 blank-line", "run1:4:1 blank-line"],
    ),
    ("an odd blank", QRELS + "q2 0 d\u00a07 0\n", RUN, ["qrels:5:7 odd-blank"]),
    ("a sign no one sees", QRELS, RUN + "q2 Q0 d7\u200b 2 1 s", ["run1:4:9 odd-blank"]),
    (
        "a topic with #",
        QRELS,
        RUN + "#3 Q0 d 1 1 s",
        ["run1:4:1 hash-topic", "run1:4:1 unjudged-topic"],
    ),
    (
        "topics but for zeros",
        QRELS + topic("0 1", "q01"),
        RUN + "q01 Q0 d 1 1 s",
        ["qrels:5:1 twin-topic (1)", "run1:4:1 twin-topic (1)"],
    ),
    ("both documents", QRELS, RUN + "q1 Q0 D1 3 1 s", ["run1:4:7 twin-document (1)"]),
    ("an unjudged topic", QRELS, RUN + "q3 Q0 d1 1 1 s", ["run1:4:1 unjudged-topic"]),
    ("no judged document", QRELS, RUN.replace("d", "e"), ["run1:0:0 all-unjudged"]),
    ("a tie", QRELS, RUN.replace("2.0", "3"), ["run1:2:12 tie (1)"]),
    (
        "a tie of zeros",
        QRELS,
        RUN.replace("2.0", "-0.0").replace("3.0", "0"),
        ["run1:2:12 tie (1)"],
    ),
    ("a tie in 32 bits", QRELS, RUN.replace("2.0", "2.9999999999"), ["run1:2:12 tie-32bit (1)"]),
    (
        "a tie beyond 32 bits",
        QRELS,
        RUN.replace("2.0", "1e39").replace("3.0", "1e40"),
        ["run1:2:12 tie-32bit (1)"],
    ),
    (
        "ranks against the scores",
        QRELS,
        RUN.replace("d9 2 2.0", "d9 2 4.0"),
        ["run1:1:10 rank (2)"],
    ),
    ("one rank for all", QRELS, RUN.replace("d9 2", "d9 1"), ["run1:2:10 rank (1)"]),
    ("a rank that is none", QRELS, RUN.replace("d9 2", "d9 -"), ["run1:2:10 rank"]),
    ("two tags", QRELS, RUN.replace("1.5 s", "1.5 t"), ["run1:3:16 tags (1)"]),
]


def named(cases: Cases) -> Any:
    values = [pytest.param(*case[1:], id=case[0].replace(" ", "-")) for case in cases]
    return pytest.mark.parametrize(("qrels", "run", "expected"), values)


@named(ERRORS)
def test_errors(
    qrels: str, run: str, expected: list[str], checked: Callable[..., list[Problem]]
) -> None:
    problems = checked(qrels, run)
    assert told(problems) == expected
    assert "error" in {p.severity for p in problems}


@named(WARNINGS)
def test_warnings(
    qrels: str, run: str, expected: list[str], checked: Callable[..., list[Problem]]
) -> None:
    problems = checked(qrels, run)
    assert told(problems) == expected
    assert {p.severity for p in problems} == {"warning"}


SILENT = {
    "usual grades": (QRELS + topic("3 1 0 4"), RUN + "q3 Q0 x0 1 1 s"),
    "two grades far apart, as a scale may have": (topic("0 7"), "q3 Q0 x0 1 1 s"),
    "a high grade that is common": (topic("0 1 9 9 9"), "q3 Q0 x0 1 1 s"),
    "equal scores on two topics": (QRELS, RUN.replace("1.5", "3.0")),
    "ranks from 0 and with gaps": (QRELS, RUN.replace("d1 1", "d1 0").replace("d9 2", "d9 50")),
    "tied documents in reverse ranks": (
        QRELS,
        "q1 Q0 d1 2 3.0 s\nq1 Q0 d9 3 2.0 s\nq2 Q0 d4 1 1.5 s\n",
    ),
    "capitals in an id that is judged as it is": (QRELS + "q1 0 D2 0\n", RUN + "q1 Q0 D2 3 1 s"),
    "nearly a document judged for another topic": (QRELS, RUN + "q2 Q0 D1 2 1 s"),
    "letters beyond ASCII": (QRELS + "q2 0 é 0\n", RUN + "q2 Q0 é 2 1 s"),
    "CRLF and tabs": (QRELS.replace("\n", "\r\n"), RUN.replace(" ", "\t")),
    "lines of topics mixed": (
        QRELS,
        "q2 Q0 d4 1 1.5 s\nq1 Q0 d9 2 2.0 s\nq2 Q0 d3 2 1 s\nq1 Q0 d1 1 3 s\n",
    ),
    "BEIR's form": ("query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t0\n", "q1 Q0 d1 1 1 s"),
}


@pytest.mark.parametrize("case", SILENT)
def test_silence(case: str, checked: Callable[..., list[Problem]]) -> None:
    assert checked(*SILENT[case]) == []


def test_real_grades_are_allowed_when_asked_for(checked: Callable[..., list[Problem]]) -> None:
    half = QRELS + "q2 0 d7 0.5\n"
    assert told(checked(half, grades="int")) == ["qrels:5:9 grade"]
    assert checked(half, grades="float") == []
    with pytest.raises(ValueError, match=r"unknown grades 'real'.*known: float, int"):
        checked(half, grades="real")


def reversed_run(documents: int) -> str:
    return "".join(f"q1 Q0 d{i} {i} {i} s\n" for i in range(1, documents + 1))


def test_many_ranks_in_reverse_are_an_error_and_few_a_warning(
    checked: Callable[..., list[Problem]],
) -> None:
    few, many = checked(QRELS[:20], reversed_run(4), reversed_run(5))
    assert (few.rule, few.severity) == ("rank", "warning")
    assert (many.rule, many.severity, many.line, many.other_line) == ("reversed", "error", 4, 5)


def test_a_problem_shows_both_lines_and_the_other_file(
    checked: Callable[..., list[Problem]],
) -> None:
    (problem,) = checked(QRELS, RUN.replace("d1", "D1"))
    assert (problem.text, problem.other_text) == ("q1 Q0 D1 1 3.0 s", "q1 0 d1 1")
    assert (problem.file, problem.other_file) == ("run1", "qrels")
    assert "'D1' of the run and the judged 'd1' differ only in case" in problem.message


def test_counts_of_ties_are_those_of_pairs(checked: Callable[..., list[Problem]]) -> None:
    scores = ["5", "5.00000000001", "5", "4", "4.0"]
    run = "".join(f"q1 Q0 d{i} 1 {score} s\n" for i, score in enumerate(scores))
    found = {p.rule: p.message for p in checked(QRELS[:20], run)}
    assert "ties in score: 2 in 1 topic" in found["tie"]
    assert "32 bits, as trec_eval 9 does: 1 in 1 topic" in found["tie-32bit"]


def test_documents_are_compared_in_blocks(
    checked: Callable[..., list[Problem]], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = "".join(f"q1 Q0 D{i} {i} {9 - i} s\n" for i in range(1, 9)) + RUN[34:]
    whole = checked(QRELS, run)
    assert told(whole) == ["run1:1:7 document-id (1)", "run1:2:7 document-id (2)"]
    monkeypatch.setattr("ndcgstudy.check.pairs._BLOCK", 1)
    assert checked(QRELS, run) == whole


def test_all_problems_of_a_file_come_in_the_order_of_its_lines(
    checked: Callable[..., list[Problem]],
) -> None:
    qrels = "q1 0 d1 1\nq1 0 d1\nq1 0 d1 1\nq1 0 d2 x\nq1 0 d1 0\nq1 0 d3 0 0\n"
    assert [(p.rule, p.line) for p in checked(qrels)] == [
        ("fields", 2),
        ("duplicate", 3),
        ("grade", 4),
        ("conflict", 5),
        ("fields", 6),
    ]


def test_topics_explained_by_their_ids_are_not_told_again(
    checked: Callable[..., list[Problem]],
) -> None:
    problems = checked(QRELS + topic("0 1"), RUN.replace("q2", "q02") + "q7 Q0 d 1 1 s")
    assert [p.rule for p in problems] == ["missing-topic", "topic-id", "unjudged-topic"]
    assert [p.message.split()[1] for p in problems] == ["q3", "'q02'", "q7"]


def test_every_rule_is_documented(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["check", "--help"])
    text = " ".join(capsys.readouterr().out.split())
    errors, warnings = text.split("Errors: ")[1].split("Warnings: ")
    known = [
        {told.split()[1] for case in cases for told in case[3]} for cases in (ERRORS, WARNINGS)
    ]
    assert known[0] - {"blank-line"} | {"reversed"} <= set(re.findall(r"[\w-]+", errors))
    assert known[1] <= set(re.findall(r"[\w-]+", warnings))
