"""Results folders are data: whatever they hold, commands end in one line and touch nothing outside."""

import contextlib
import io
import json
import random
import shutil
from pathlib import Path

import pytest
from result_files import made

from ndcgstudy.cli import main
from ndcgstudy.read_results import COLUMNS, read, read_table

MUTATIONS = 300
VALUES = (
    None,
    True,
    -1,
    2**80,
    1e400,
    float("nan"),
    "",
    "x",
    "../x",
    "a\nb",
    [],
    [[1]],
    {},
    {"a": 1},
)


@pytest.fixture(scope="module")
def clean(tmp_path_factory):
    return made(tmp_path_factory.mktemp("clean"))


@pytest.fixture
def folder(clean, tmp_path):
    return shutil.copytree(clean, tmp_path / "own")


def run(folder: Path, *words: str) -> tuple[int, str]:
    """Return the exit code of a command on a folder's results, and what it wrote on stderr."""
    err = io.StringIO()
    with (
        contextlib.redirect_stderr(err),
        contextlib.redirect_stdout(io.StringIO()),
        pytest.raises(SystemExit) as end,
    ):
        main([*words, f"--experiments={folder / 'experiments'}"])
    return int(end.value.code), err.getvalue()


def report(folder: Path) -> tuple[int, str]:
    return run(folder, "report", f"--results={folder / 'results'}")


def claims(folder: Path) -> tuple[int, str]:
    return run(folder, "claims", f"--results={folder / 'results'}")


def redecide(folder: Path) -> tuple[int, str]:
    return run(folder, "reproduce", "mixed", "--redecide", f"--out={folder / 'results'}")


def check(folder: Path) -> tuple[int, str]:
    where = [f"--out={folder / 'results'}", f"--cache={folder / 'cache'}", "--workers=1", "--quiet"]
    return run(folder, "reproduce", "mixed", "--check", *where)


def manifest(folder: Path, change) -> None:
    path = folder / "results" / "mixed" / "manifest.json"
    found = json.loads(path.read_text())
    change(found)
    path.write_text(json.dumps(found))


def _cut(data: bytes, rng: random.Random) -> bytes:
    at, size = rng.randrange(len(data)), rng.choice((1, 3, 40, len(data)))
    return data[:at] + data[at + size :]


def _flip(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]


def _put(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data))
    text = rng.choice(
        (b'"', b",", b"\n", b"\0", b"\xff", b"1e999", b"[" * 5000, b"{}", b"nan", b"-")
    )
    return data[:at] + text + data[at:]


def _value(data: bytes, rng: random.Random) -> bytes:
    """Replace a value of a JSON object, however deep."""
    try:
        found = json.loads(data)
    except ValueError:
        return _put(data, rng)
    at = found
    while True:
        key = rng.choice([*at])
        if not isinstance(at[key], dict) or not at[key] or rng.random() < 0.4:
            break
        at = at[key]
    if rng.random() < 0.3:
        del at[key]
    else:
        at[rng.choice((key, "../x"))] = rng.choice(VALUES)
    return json.dumps(found).encode()


FILES = ("manifest.json", "table.csv", "claims.csv")


def mutated(path: Path, count: int):
    """Write a file with one mutation after another; yield after each, and put the file back."""
    rng, whole = random.Random(0), path.read_bytes()
    for _ in range(count):
        path.write_bytes(rng.choice((_cut, _flip, _put, _value))(whole, rng))
        yield
    path.write_bytes(whole)


@pytest.mark.parametrize("file", FILES)
def test_a_damaged_file_is_read_or_refused_in_one_line(folder, file):
    place, refused = folder / "results" / "mixed", 0
    for _ in mutated(place / file, MUTATIONS):
        try:
            read(place)
        except ValueError as error:
            lines = str(error).splitlines()
            refused += 1
        else:
            lines = ["mixed/"]
        assert len(lines) == 1
        assert "mixed/" in lines[0]
        assert len(lines[0]) < 600
    assert MUTATIONS / 10 < refused < MUTATIONS


def holds(folder: Path, file: str, count: int) -> None:
    """Give damaged files to the commands; each ends in one line that names the study or goes on."""
    place, spare = folder / "results" / "mixed", folder.parent / "spare"
    for _ in mutated(place / file, count):
        shutil.copytree(place, spare)
        for command in (report, claims, redecide):
            code, err = command(folder)
            lines = err.splitlines()
            assert code in (0, 1, 2), err
            assert all(line.startswith("ndcgstudy: ") for line in lines), err
            assert code == 0 or (len(lines) == 1 and "mixed" in lines[0]), err
        shutil.rmtree(place)
        spare.rename(place)


@pytest.mark.parametrize("file", FILES)
def test_commands_end_in_one_line_on_damage(folder, file):
    holds(folder, file, 8)


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES)
def test_commands_end_in_one_line_on_any_damage(folder, file):
    holds(folder, file, MUTATIONS)


@pytest.mark.parametrize("name", ["../../outside.txt", "sub/x.svg", ".hidden.svg", "/etc/hostname"])
@pytest.mark.parametrize("command", [report, claims, redecide, check])
def test_a_name_that_leads_out_of_the_folder_is_refused(folder, command, name):
    outside = folder.parent / "outside.txt"
    outside.write_text("mine")
    manifest(folder, lambda found: found["files"].update({name: "0" * 64}))
    code, err = command(folder)
    assert code == 2
    assert "manifest.json: `files` must be" in err
    assert outside.read_text() == "mine"


def test_a_run_over_hostile_results_deletes_nothing_but_its_own_files(folder):
    place, outside = folder / "results" / "mixed", folder.parent / "outside.txt"
    notes = place / "notes.txt"
    for path in (outside, notes):
        path.write_text("mine")
    names = ("../../outside.txt", "notes.txt", "table.csv")
    manifest(folder, lambda found: found["files"].update(dict.fromkeys(names, "0" * 64)))
    where = [f"--out={folder / 'results'}", f"--cache={folder / 'cache'}", "--workers=1", "--quiet"]
    assert run(folder, "reproduce", "mixed", *where)[0] == 0
    assert (outside.read_text(), notes.read_text()) == ("mine", "mine")


@pytest.mark.parametrize("file", ["first.svg", "table.csv"])
def test_a_link_in_the_folder_is_not_followed(folder, file):
    secret = folder.parent / "secret"
    path = folder / "results" / "mixed" / file
    secret.write_bytes(path.read_bytes())
    path.unlink()
    path.symlink_to(secret)
    code, err = report(folder)
    assert (code, file in err) == (2, True)


@pytest.mark.parametrize("command", [report, claims, redecide, check])
def test_code_that_a_manifest_names_is_not_run(folder, command):
    trap, mark = folder.parent / "trap.py", folder.parent / "ran"
    trap.write_text(f"open({str(mark)!r}, 'w').close()\nhalf = lambda ranks: 1 / ranks\n")
    manifest(folder, lambda found: found["options"].update(discount=[f"{trap}:half"]))
    code, err = command(folder)
    assert code in (0, 2)
    assert not mark.exists()
    if command is check:
        assert "--discount" in err


def test_a_table_of_a_million_columns_is_refused_at_once():
    with pytest.raises(ValueError, match=f"more than {COLUMNS:,} columns"):
        read_table(b"a," * 1_000_000 + b"a\n" + b"1," * 1_000_000 + b"1\n", [])


def test_a_text_in_a_column_of_numbers_is_named():
    with pytest.raises(ValueError, match="column 'n': must hold numbers, got 'x'"):
        read_table(b"n,s\n1,a\nx,b\n", ["s"])
