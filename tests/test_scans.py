"""Scans of qrels and runs: the rows of a plain reader, whatever the pieces, and problems with hints."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain import lines, pieces_of, plain_float, rows

from ndcgstudy import read_qrels
from ndcgstudy.formats.problem import problems
from ndcgstudy.formats.textfile import text_of
from ndcgstudy.formats.trec import Scan, duplicate_findings, scan_qrels, scan_run


def everything(scan: Scan[Any]) -> tuple[Any, ...]:
    """Return all that a scan found, as plain values."""
    told = list(problems([*scan.findings, *duplicate_findings(scan)]))
    pairs = scan.later.tolist(), scan.earlier.tolist()
    columns = [column.strings() for column in scan.columns]
    return rows(scan.data), scan.data.topics, scan.line.tolist(), pairs, columns, told


ID = st.sampled_from(["t1", "t2", "01", "é", "a-longer-identifier", "b"])
NUMBER = st.sampled_from(["0", "1", "2.0", "-1", "1.5", "x", "nan", "inf", "1e3"])


def row(*parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.tuples(*parts).map(" ".join)


QRELS_TEXT = st.lists(st.one_of(row(ID, ID, ID, NUMBER), lines(4)), max_size=12).map("\n".join)
RUN_TEXT = st.lists(st.one_of(row(ID, ID, ID, ID, NUMBER, ID), lines(6)), max_size=12).map(
    "\n".join
)


@given(QRELS_TEXT, RUN_TEXT, st.integers(1, 60), st.booleans())
def test_what_is_found_does_not_depend_on_the_pieces(
    qrels: str, run: str, piece: int, header: bool
) -> None:
    first = text_of(("query-id corpus-id score\n" * header + qrels).encode(), "qrels")
    second = text_of(run.encode(), "run")
    whole = everything(scan_qrels(first, whole=True)), everything(scan_run(second, whole=True))
    with pieces_of(piece):
        assert everything(scan_qrels(first, whole=True)) == whole[0]
        assert everything(scan_run(second, whole=True)) == whole[1]


def read_plainly(text: str) -> tuple[list[tuple[str, str, float]], list[int]]:
    """Return the good rows of qrels and the numbers of all other lines that are not blank."""
    good, bad = [], []
    for number, line in enumerate(text.split("\n"), 1):
        words = re.findall(r"[^ \t\r]+", line)
        grade = plain_float(words[3]) if len(words) == 4 else None
        if grade is not None and grade % 1 == 0:
            good.append((words[0], words[2], grade))
        elif words:
            bad.append(number)
    return good, bad


@given(QRELS_TEXT, st.integers(1, 60))
def test_scanned_qrels_are_those_of_a_plain_reader(text: str, piece: int) -> None:
    with pieces_of(piece):
        scan = scan_qrels(text_of(text.encode(), "qrels"))
    assert (rows(scan.data), sorted(p.line for p in problems(scan.findings))) == read_plainly(text)


def test_a_repeated_line_is_told_from_a_conflict() -> None:
    text = text_of(b"t 0 a 1\nt 0 a 1.0\nt 0 a 2\nt 0 b 0\n", "qrels")
    told = [(p.rule, p.line, p.other_line) for p in problems(duplicate_findings(scan_qrels(text)))]
    assert told == [("duplicate", 2, 1), ("conflict", 3, 1)]


@pytest.mark.parametrize("duplicates", ["first", "max"])
@given(scores=st.lists(st.tuples(ID, st.integers(0, 3)), min_size=1, max_size=20))
def test_duplicates_are_dropped_as_a_dictionary_would(
    duplicates: str, tmp_path_factory: pytest.TempPathFactory, scores: list[tuple[str, int]]
) -> None:
    path = tmp_path_factory.getbasetemp() / f"duplicates-{duplicates}"
    path.write_text("".join(f"t 0 {doc} {grade}\n" for doc, grade in scores))
    kept: dict[str, int] = {}
    for doc, grade in scores:
        kept[doc] = (
            max(grade, kept.get(doc, grade)) if duplicates == "max" else kept.get(doc, grade)
        )
    judged = read_qrels(path, duplicates=duplicates)
    assert {doc: grade for _, doc, grade in rows(judged)} == kept
    assert judged.dropped == len(scores) - len(kept)


@pytest.mark.parametrize(
    "header", ["query-id\tcorpus-id\tscore", "qid docid rel", "Query Doc Grade"]
)
def test_beirs_header_is_told_by_its_content(header: str) -> None:
    scan = scan_qrels(text_of(f"{header}\nq1\td1\t1\nq1\td2\t0\n".encode(), "qrels"))
    assert (rows(scan.data), scan.line.tolist()) == ([("q1", "d1", 1), ("q1", "d2", 0)], [2, 3])
    assert not list(problems(scan.findings))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("query-id corpus-id score\nq1 0 d1 1\n", "the header is BEIR's, but the line below it"),
        ("q1 d1 1\n", "3 are read only below BEIR's header"),
        ("q1 Q0 d1 1 2.5 tag\n", "6 are a run's; are QRELS and RUN in this order"),
        ("q1 0 d1 relevance\n", "grade 'relevance' is not an integer (a header?)"),
        ("q1 0 d1 0,5\n", "grade '0,5' is not an integer (a comma in place of the point?)"),
    ],
)
def test_a_message_hints_at_the_likely_cause(text: str, message: str) -> None:
    (problem,) = problems(scan_qrels(text_of(text.encode(), "qrels")).findings)
    assert message in problem.message
    assert problem.line == 1


def test_a_column_counts_characters() -> None:
    (problem,) = problems(scan_qrels(text_of("té 0 é x\n".encode(), "qrels")).findings)
    assert (problem.column, problem.text) == (8, "té 0 é x")


def test_a_problem_shows_itself_on_one_short_line() -> None:
    scan = scan_qrels(text_of(f"t\u2028 0 d\u0085 x\u2028{'y' * 5000}\n".encode(), "qrels"))
    (problem,) = problems(scan.findings)
    assert len(str(problem).splitlines()) == 1
    assert len(str(problem)) < 1000
    assert len(problem.text) > 5000
