"""Tables of every format: what is written reads back, packed or not, and what is damaged is refused."""

import builtins
import io
import json
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pytest
from gaps import refusal
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from ndcgstudy.formats.cells import Row, Table, name_of
from ndcgstudy.formats.packing import PACKINGS, packed
from ndcgstudy.formats.registry import formats, named, read_table, recognised, write_table
from ndcgstudy.formats.textfile import text_of
from ndcgstudy.formats.typed import typed

FORMS = sorted(formats())
ENDS = ("", *(p.suffix for p in PACKINGS))
FEW = settings(
    max_examples=max(settings().max_examples // 10, 5), phases=[Phase.explicit, Phase.generate]
)

WORD = st.text("abcXYZ é0.-_'\"|\\*,;=+%\t", min_size=1, max_size=8).map(str.strip).filter(bool)
NAMES = st.lists(WORD.filter(lambda w: "\t" not in w), min_size=2, max_size=4, unique=True)
NUMBER = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**6), 10**6)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """A table of a column of names and columns of numbers, some missing."""
    header = draw(NAMES)
    rows = draw(st.lists(st.lists(st.none() | NUMBER, min_size=len(header) - 1,
                                  max_size=len(header) - 1), min_size=1, max_size=4))  # fmt: skip
    labels = draw(st.lists(WORD, min_size=len(rows), max_size=len(rows)))
    made = [
        Row(i, [label, *cells]) for i, (label, cells) in enumerate(zip(labels, rows, strict=True))
    ]
    return Table("made", "csv", tuple(header), made)


def cells_of(table: Table) -> list[list[Any]]:
    """The cells of a table: names as text, the others as numbers."""
    rows = [[*row.cells] for row in table.headed().rows]
    return [
        [name_of(row[0]), *(None if c in (None, "") else float(c) for c in row[1:])] for row in rows
    ]


def bare(text: str, form: str) -> str:
    """A name as Markdown shows it: marks around it are no part of it, nor tabs."""
    from ndcgstudy.formats.kinds.markdown import cells_of as split

    return split(text.replace("|", "\\|"))[0] if form == "markdown" else text


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("form", FORMS)
@FEW
@given(table=tables())
def test_what_is_written_reads_back(
    form: str, end: str, table: Table, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("t") / f"t{named(form).suffixes[0]}{end}"
    write_table(table, path)
    back = read_table(path, form)
    assert back.form == form
    if form == "markdown" or any("\t" in name_of(row.cells[0]) for row in table.rows):
        return  # marks are no part of a cell: the next test
    assert back.headed().header == table.header
    assert cells_of(back) == cells_of(table)


@given(table=tables())
def test_markdown_reads_back_without_the_marks_around_a_cell(table: Table) -> None:
    write = named("markdown").write
    assert write is not None
    back = read_table(text_of(write(table), "t.md"), "markdown")
    expected = [[bare(str(row.cells[0]), "markdown")] for row in table.rows]
    assert [[row.cells[0]] for row in back.rows] == expected
    assert [row[1:] for row in cells_of(back)] == [row[1:] for row in cells_of(table)]


@pytest.mark.parametrize("form", FORMS)
def test_a_format_is_recognised_by_its_content(form: str) -> None:
    table = Table(
        "t", "csv", ("topic", "a", "b"), [Row(1, ["q1", 0.5, 1]), Row(2, ["q2", 0.25, 0])]
    )
    write = named(form).write
    assert write is not None
    assert recognised(text_of(write(table), "no name")).name == form


def message(data: bytes, reader: str) -> str | None:
    """Return the one line of a refusal, None where the data are read; other errors come through."""
    try:
        read_table(text_of(data, "cut"), reader)
    except ValueError as error:
        (line,) = str(error).splitlines()
        return line
    return None


@pytest.mark.parametrize("form", FORMS)
def test_a_damaged_file_is_refused_in_one_line(form: str) -> None:
    table = Table("t", "csv", ("topic", "a"), [Row(i, [f"q{i}", 0.5]) for i in range(20)])
    write = named(form).write
    assert write is not None
    data = write(table)
    for size in (len(data) // 3, len(data) // 2, len(data) - 3):
        told = message(data[:size], form)
        assert told is None or told.startswith("cut: ")


@FEW
@given(data=st.binary(max_size=200))
@pytest.mark.parametrize(
    "head", [b"", b"PAR1", b"PK\x03\x04", b"{", b"[", b"| a |\n|--|\n", b"\x28\xb5\x2f\xfd"]
)
def test_any_bytes_are_read_or_refused(head: bytes, data: bytes) -> None:
    for reader in ("", *FORMS):
        message(head + data, reader)


@pytest.mark.parametrize(
    ("module", "name", "content"),
    [
        ("pyarrow", "t.parquet", b"PAR1....PAR1"),
        ("openpyxl", "t.xlsx", b"PK\x03\x04...."),
        ("zstandard", "t.csv.zst", b"\x28\xb5\x2f\xfd...."),
    ],
)
def test_a_missing_package_is_named_with_what_installs_it(
    module: str, name: str, content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def without(wanted: str, *args: Any, **kwargs: Any) -> Any:
        if wanted.partition(".")[0] == module:
            raise ImportError(wanted)
        return real(wanted, *args, **kwargs)

    import importlib

    monkeypatch.setattr(importlib, "import_module", without)
    path = tmp_path / name
    path.write_bytes(content)
    told = refusal(read_table, path)
    assert f"takes the package {module}: pip install 'ndcgstudy[files]'" in told
    table = Table(str(path), "csv", ("a", "b"), [Row(1, [1, 2])])
    assert "pip install" in refusal(write_table, table, path)


def read(text: str, reader: str = "") -> Table:
    return read_table(text_of(text.encode(), "t"), reader)


RECORDS = [["q1", 0.5], ["q2", 0.25]]


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("topic,a\nq1,.5\nq2,.25\n", "csv"),
        ('"topic","a"\r\n"q1","0.5"\r\n\r\n"q2","0.25"', "csv"),
        ("\ufefftopic,a\nq1,.5\nq2,.25\n", "csv"),
        ("topic\ta\nq1\t.5\nq2\t.25\n", "tsv"),
        ("topic\ta\nq1\t0,5\nq2\t0,25\n", "tsv"),
        ("topic;a\nq1;0,5\nq2;0,25\n", "semicolon"),
        ("sep=;\ntopic;a\nq1;0,5\nq2;0,25\n", "semicolon"),
        ("sep=,\ntopic,a\nq1,0.5\nq2,0.25\n", "csv"),
        ("topic;a\nq1;.5\nq2;.25\n", "semicolon"),
        (
            "| topic | a |\n|---|--:|\n| q1 | **0.5** |\n| q2 | _0.25_ |\n".replace("_", "`"),
            "markdown",
        ),
        ("topic | a\n--- | ---\nq1 | .5\nq2 | .25\n", "markdown"),
        (
            "# Board\n\ntext\n\n|topic|a|\n|:-:|-|\n|[q1](x)|<b>.5</b>|\n|q2|.25|\n\nmore|\n",
            "markdown",
        ),
        ('[{"topic": "q1", "a": 0.5}, {"topic": "q2", "a": 0.25}]', "json"),
        ('{"topic": ["q1", "q2"], "a": [0.5, 0.25]}', "json"),
        ('{"topic": {"0": "q1", "1": "q2"}, "a": {"0": 0.5, "1": 0.25}}', "json"),
        (
            '{"columns": ["topic", "a"], "index": [0, 1], "data": [["q1", 0.5], ["q2", 0.25]]}',
            "json",
        ),
        ('{"schema": {}, "data": [{"topic": "q1", "a": 0.5}, {"topic": "q2", "a": 0.25}]}', "json"),
        ('{"topic": "q1", "a": 0.5}\n\n{"topic": "q2", "a": 0.25}\n', "jsonl"),
    ],
)
def test_one_table_in_many_ways(text: str, form: str) -> None:
    table = read(text)
    assert table.form == form
    assert table.headed().header == ("topic", "a")
    assert [[*row.cells] for row in typed(table).rows] == RECORDS


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("topic,a\nq1\n", "line 2: expected 2 fields, found 1"),
        (
            "t;a\nq;0,5\nr;0.5\n",
            "line 2: '0,5' has a decimal comma, '0.5' on line 3 a decimal point",
        ),
        ("|a|b|\n|-|-|\n|1|2|\n\n|c|d|\n|-|-|\n", "2 Markdown tables, on lines 1, 5: keep one"),
        ("|a|b|\n|-|-|\n|1|\n", "line 3: expected 2 fields, found 1"),
        ('[{"a": 1}, 2]', "record 2 is no object, got 2"),
        ('[{"a": 1, "a": 2}]', "the name 'a' is twice in one object"),
        ('{"a": [1, 2], "b": [1]}', "columns differ in length: 1, 2"),
        ('{"columns": ["a"], "data": [[1], [1, 2]]}', "row 2 of data is not as long as columns"),
        ('[{"a": 1},\n{"a": 1]', "line 2: not JSON"),
        ('{"a": 1}\n{"a": 2\n', "line 2: not JSON"),
        ('{"a": 1, "b": 2}', "expected records, columns or objects in an object"),
    ],
)
def test_what_is_no_table_is_refused_with_its_line(text: str, message: str) -> None:
    assert message in refusal(read, text)


def test_objects_in_objects_are_rows_of_three() -> None:
    table = read('{"q1": {"d1": 0.9, "d2": 1}, "q2": {"d1": 2}}')
    assert table.nested
    assert [[*row.cells] for row in table.rows] == [
        ["q1", "d1", 0.9],
        ["q1", "d2", 1],
        ["q2", "d1", 2],
    ]


def test_numbers_with_commas_between_tabs_may_be_thousands() -> None:
    assert read("t\ta\nq\t1,234\n").decimal == "."
    assert read("t\ta\nq\t1,234\nr\t1,5\n").decimal == ","
    assert read("t;a\nq;1,234\n").decimal == ","


def workbook(**sheets: list[list[Any]]) -> bytes:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def test_the_sheet_of_a_workbook_is_the_only_filled_one_or_the_named_one() -> None:
    one = [["topic", "a"], ["q1", 0.5], [None, None], ["q2", 0.25]]
    text = text_of(workbook(Empty=[], Scores=one), "b.xlsx")
    table = read_table(text)
    assert [[*row.cells] for row in table.headed().rows] == RECORDS
    assert [row.number for row in table.headed().rows] == [2, 4]
    text = text_of(workbook(One=one, Two=[["x", "y"], [1, 2]]), "b.xlsx")
    assert "sheets 'One', 'Two' hold something: choose with --reader xlsx:NAME" in refusal(
        read_table, text
    )
    assert read_table(text, "xlsx:Two").headed().header == ("x", "y")
    assert "no sheet 'Three'" in refusal(read_table, text, "xlsx:Three")
    assert "reader csv has no parts" in refusal(read_table, text, "csv:x")
    assert "unknown format 'xls'; did you mean 'xlsx'?" in refusal(read_table, text, "xls")


def test_a_table_may_begin_anywhere_on_a_sheet() -> None:
    text = text_of(workbook(S=[[None] * 3, [None, "topic", "a"], [None, "q1", 1]]), "b.xlsx")
    assert read_table(text).headed().header == ("topic", "a")


def test_a_formula_without_its_value_is_refused() -> None:
    text = text_of(workbook(S=[["topic", "a"], ["q1", 0.5], ["mean", "=AVERAGE(B2:B2)"]]), "b.xlsx")
    assert "row 3: the formula '=AVERAGE(B2:B2)' has no value" in refusal(read_table, text)


@pytest.mark.parametrize("ending", ["parquet", "csv", "json", "jsonl", "xlsx"])
def test_what_pandas_writes_is_read(ending: str, tmp_path: Path) -> None:
    frame = pd.DataFrame({"topic": ["q1", "q2"], "a": [0.5, None], "n": [1, 2]})
    path = tmp_path / f"t.{ending}"
    if ending == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        write: Any = {"parquet": frame.to_parquet, "csv": frame.to_csv, "json": frame.to_json}.get(
            ending, frame.to_excel
        )
        write(path, **({} if ending == "json" else {"index": False}))
    table = typed(read_table(path))
    assert table.header == ("topic", "a", "n")
    assert [[*row.cells] for row in table.rows] == [["q1", 0.5, 1], ["q2", None, 2]]


def test_the_index_of_a_frame_comes_first(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [0.5], "b": [0.25]}, index=["q1"])
    frame.to_parquet(tmp_path / "t.parquet")
    assert read_table(tmp_path / "t.parquet").header == ("", "a", "b")
    frame.rename_axis("topic").to_parquet(tmp_path / "t.parquet")
    assert set(read_table(tmp_path / "t.parquet").header or ()) == {"topic", "a", "b"}


def test_whole_numbers_of_any_size_and_text_of_any_kind_go_through_parquet(tmp_path: Path) -> None:
    rows = [Row(1, ["q", 10**30, 1, "x"]), Row(2, ["r", 7, 0.5, 2])]
    write_table(Table("t", "csv", ("t", "a", "b", "c"), rows), tmp_path / "t.parquet")
    cells = [[*row.cells] for row in read_table(tmp_path / "t.parquet").rows]
    assert cells == [["q", str(10**30), 1.0, "x"], ["r", "7", 0.5, "2"]]


def test_json_has_no_numbers_for_words(tmp_path: Path) -> None:
    write_table(typed(read("qid,a,v\n007,0.5,1.10\n1,N/A,x\n")), tmp_path / "t.json")
    found = json.loads((tmp_path / "t.json").read_text())
    assert found == [{"qid": "007", "a": 0.5, "v": "1.10"}, {"qid": "1", "a": None, "v": "x"}]


def test_a_file_is_whole_or_not_there(tmp_path: Path) -> None:
    table = Table("t", "csv", ("a",), [Row(1, [1])])
    assert "which format? the name ends with none of" in refusal(
        write_table, table, tmp_path / "t.foo"
    )
    with pytest.raises(OSError, match="No such file"):
        write_table(table, tmp_path / "no" / "t.csv")
    assert [*tmp_path.iterdir()] == []


def test_packing_follows_the_name(tmp_path: Path) -> None:
    for packing in PACKINGS:
        assert packing.fits(packed(b"x" * 100, f"t{packing.suffix.upper()}")[:16])
    assert packed(b"x", "t.csv") == b"x"
