"""Names from files: none acts on a terminal, breaks a row, or becomes a command of another program."""

import csv
import html
import io
import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndcgstudy.cli import main
from ndcgstudy.cli.tables import as_data, as_table
from ndcgstudy.formats.matrix import read_scores
from ndcgstudy.visible import HIDDEN, MESSAGE, guarded, in_latex, in_markdown, message, unguarded

NASTY = (
    "bell\x07",
    "escape\x1b[31mred",
    "csi\x9b31m",
    "right\u202eleft",
    "isolate\u2066x",
    "line\u2028separator",
    "delete\x7f",
    "zero\u200bwidth",
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-2+3",
    "@SUM(A1)",
    "a|b",
    "<script>alert(1)</script>",
    "*bold* _under_ `code` [link](x)",
    r"\input{x} $x$ 50% a_b #1 {y} ~ ^ &",
)
FORMATS = ("table", "csv", "json", "markdown", "latex")


def hidden(text: str) -> list[str]:
    """Return the characters of a text that act or hide, line breaks apart."""
    return [c for c in text if c != "\n" and unicodedata.category(c) in HIDDEN]


@pytest.fixture
def board(tmp_path):
    path = tmp_path / "board.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["system", "q1", "q2", "q3", "q4"])
        for i, name in enumerate(NASTY):
            writer.writerow(
                [name, *(round(0.1 + 0.01 * i + 0.03 * (i * k % 5), 3) for k in (1, 2, 3, 4))]
            )
    return path


def call(capsys, *words):
    with pytest.raises(SystemExit) as end:
        main([*map(str, words)])
    return end.value.code, capsys.readouterr()


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("command", ["gaps", "ranks", "power", "plan"])
def test_no_name_reaches_the_terminal_raw(board, capsys, command, form):
    more = ("--gap", ".1") if command == "plan" else ()
    code, said = call(capsys, command, board, "--format", form, "--resamples", 199, *more)
    assert code == 0, said.err
    assert hidden(said.out + said.err) == []


@pytest.mark.parametrize("form", FORMATS)
def test_no_name_breaks_a_row(board, capsys, form):
    _, said = call(capsys, "ranks", board, "--format", form, "--resamples", 199)
    if form == "csv":
        rows = list(csv.reader(io.StringIO(said.out)))
        assert {len(row) for row in rows} == {len(rows[0])}
        assert len(rows) == 1 + len(NASTY)
        assert not [cell for row in rows for cell in row if cell[:1] in "=+@" and cell]
    elif form == "json":
        assert {row["system"] for row in json.loads(said.out)} == {*NASTY}
    elif form == "markdown":
        rows = [line for line in said.out.splitlines() if line.startswith("|")]
        assert len(rows) == 2 + len(NASTY)
        assert len({row.replace(r"\|", "").count("|") for row in rows}) == 1
        assert "<script>" not in said.out
    elif form == "latex":
        rows = [line for line in said.out.splitlines() if line.endswith(r"\\")]
        assert len(rows) == 1 + len(NASTY)
        assert r"\input{" not in said.out
    else:
        assert len(said.out.split("\n\n")[0].splitlines()) == 1 + len(NASTY)


def test_json_is_given_names_as_they_are(board, capsys):
    _, said = call(capsys, "gaps", board, "--format", "json", "--resamples", 199)
    assert said.out.isascii()
    found = {row[side] for row in json.loads(said.out) for side in ("system_a", "system_b")}
    assert found == {*NASTY}


@pytest.mark.parametrize("name", ["bell\x07", "right\u202eleft", "c1\x9b"])
def test_a_message_shows_what_it_quotes(tmp_path, capsys, name):
    (tmp_path / "qrels").write_text(f"q1 0 {name} x\n", encoding="utf-8")
    (tmp_path / "run").write_text("q1 Q0 d 1 1 a\n")
    code, said = call(capsys, "score", tmp_path / "qrels", tmp_path / "run")
    assert code == 2
    assert hidden(said.err) == []
    assert said.err.count("\n") == 1


def test_a_file_name_that_is_no_text_can_be_named(tmp_path, capsys):
    path = tmp_path / "a\udcff\x07"
    code, said = call(capsys, "gaps", path)
    assert code == 2
    assert r"\udcff\x07" in said.err


@given(st.text())
def test_a_message_is_one_line_of_bounded_length(text):
    found = message(text)
    assert hidden(found) == []
    assert "\n" not in found
    assert len(found) <= MESSAGE


@given(st.text())
def test_the_guard_of_csv_is_taken_off_again(text):
    assert unguarded(guarded(text)) == text
    assert guarded(text)[:1] not in {*"=+-@\t\r"} - {""}


@given(st.lists(st.text(alphabet="'=+-@ab", max_size=4), min_size=1, max_size=4, unique=True))
def test_names_survive_our_csv(tmp_path_factory, names):
    path = tmp_path_factory.mktemp("csv") / "board.csv"
    names = list(dict.fromkeys(f"{name}x" for name in names))
    records = [
        {"system": name, "topic": topic, "value": 0.5} for name in names for topic in ("q1", "q2")
    ]
    path.write_text(as_data(records, "csv"))
    assert {*read_scores(path).scores.systems} == {*names}


@given(st.text(alphabet=st.characters(exclude_categories=HIDDEN)))
def test_markdown_shows_the_text_itself(text):
    """What a renderer would show: escapes of marks and entities undone."""
    shown, escaped = [], False
    for character in in_markdown(text):
        if character == "\\" and not escaped:
            escaped = True
            continue
        shown.append(character)
        escaped = False
    assert html.unescape("".join(shown)) == text or "&" in text
    assert "<" not in in_markdown(text).replace("\\<", "")


@given(st.text())
def test_latex_has_no_command_of_the_text(text):
    left = in_latex(text)
    for command in (r"\textbackslash{}", r"\textasciitilde{}", r"\textasciicircum{}"):
        left = left.replace(command, "")
    for mark in "&%$#_{}":
        left = left.replace(f"\\{mark}", "")
    assert not {*r"\&%$#_{}~^"} & {*left}


def test_a_header_from_a_file_is_escaped_too():
    assert r"\x07" in as_table(["a\x07"], [["b"]], "table", "note")
    assert as_table(["a|b"], [["c"]], "markdown", "n").startswith(r"| a\|b |")
