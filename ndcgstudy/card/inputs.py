"""Find and read the real data of a card: judgments, runs, and preference pairs."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ndcgstudy.card.board import Board
from ndcgstudy.data import Rankings
from ndcgstudy.preferences import Preferences

RUNS = "runs"


@dataclass(frozen=True)
class Inputs:
    """Where real data are; None where there are none.

    Parameters
    ----------
    qrels, runs
        The file of judgments and the folder of runs: a board has both.
    pairs
        A file of preferences as `read_preferences` takes it.
    """

    qrels: Path | None = None
    runs: Path | None = None
    pairs: Path | None = None

    def board(self) -> Board | None:
        """Read the judgments, and the runs one at a time as they are asked for.

        Raises
        ------
        ValueError
            If a file cannot be read.
        """
        from ndcgstudy.formats import read_qrels

        if self.qrels is None or self.runs is None:
            return None
        return Board(read_qrels(str(self.qrels)), _Runs(self.runs), f"{self.qrels}, {self.runs}")

    def preferences(self, cutoff: int) -> Preferences | None:
        """Read the answers; pairs of runs, and lists without grades, need the board's files too.

        Raises
        ------
        ValueError
            If the file cannot be read, or needs what is not there.
        """
        from dataclasses import replace

        from ndcgstudy.formats import read_qrels
        from ndcgstudy.formats.preferences import read_preferences

        if self.pairs is None:
            return None
        csv = ".csv" in self.pairs.suffixes
        judged = self.qrels is not None and (csv or not _graded(self.pairs))
        judgments = read_qrels(str(self.qrels)) if judged else None
        runs = [*_Runs(self.runs)] if csv and self.runs else []
        found = read_preferences(self.pairs, judgments, runs, depth=cutoff)
        return replace(found.answers("each"), source=str(self.pairs))


@dataclass(frozen=True)
class _Runs:
    """The runs of a folder, read anew each time they are gone through."""

    folder: Path

    def __iter__(self) -> Iterator[Rankings]:
        from ndcgstudy.formats import read_run

        return (read_run(str(path)) for path in _files(self.folder))


def find_inputs(data: str = "", qrels: str = "", runs: str = "", pairs: str = "") -> Inputs:
    """Find the data that a call names: a folder with all of it, or its parts one by one.

    Parameters
    ----------
    data
        A folder that holds a file with "qrels" in its name and a folder `runs`, or a file
        ``*.jsonl`` or ``preferences*.csv`` (or compressed), or both.
    qrels, runs, pairs
        Files and a folder of runs; each goes before what is in `data`.

    Raises
    ------
    ValueError
        Naming what is missing, or several files of which one must be named.
    """
    folder = Path(data)
    if data and not folder.is_dir():
        raise ValueError(f"--data {data}: there is no such folder")
    for option, text in (("qrels", qrels), ("pairs", pairs)):
        if text and not Path(text).is_file():
            raise ValueError(f"--{option} {text}: there is no such file")
    if runs and not Path(runs).is_dir():
        raise ValueError(f"--runs {runs}: there is no such folder")
    inside = folder / RUNS if data and (folder / RUNS).is_dir() else None
    place = Path(runs) if runs else inside
    judged = Path(qrels) if qrels else _one(folder, "qrels") if data and place else None
    asked = Path(pairs) if pairs else _one(folder, "pairs") if data else None
    _check(data, Inputs(judged, place, asked))
    return Inputs(judged, place, asked)


def _check(data: str, found: Inputs) -> None:
    """Check that the data named are enough for a board or for answers."""
    if found.runs and not found.qrels:
        raise ValueError(f"runs in {found.runs} need judgments: give --qrels")
    if found.qrels and not found.runs and not found.pairs:
        raise ValueError(f"judgments {found.qrels} need runs: give --runs")
    if found.qrels and not found.runs and found.pairs:
        own = ".csv" not in found.pairs.suffixes and _graded(found.pairs)
        if own and not data:
            raise ValueError(f"--qrels {found.qrels}: the lists in {found.pairs} have own grades")
    if data and not found.runs and not found.pairs:
        raise ValueError(
            f"--data {data}: holds neither judgments (*qrels*) with a folder {RUNS}, nor "
            "preferences (*.jsonl, preferences*.csv)"
        )
    if found.runs and not _files(found.runs):
        raise ValueError(f"{found.runs}: the folder holds no run")


def _one(folder: Path, kind: str) -> Path | None:
    """Return the one file of a kind in a folder."""
    found = [path for path in _files(folder) if _is_of(kind, path.name)]
    if len(found) > 1:
        names = ", ".join(path.name for path in found)
        raise ValueError(f"{folder}: several files of {kind} ({names}): name one by --{kind}")
    return found[0] if found else None


def _is_of(kind: str, name: str) -> bool:
    if kind == "qrels":
        return "qrels" in name
    return ".jsonl" in name or (name.startswith("preferences") and ".csv" in name)


def _files(folder: Path) -> list[Path]:
    """Return the files of a folder in order, hidden ones left out."""
    inside = (path for path in folder.iterdir() if path.is_file())
    return sorted(path for path in inside if not path.name.startswith("."))


def _graded(path: Path) -> bool:
    """Say whether lists hold grades of their own."""
    from ndcgstudy.formats.listpairs import read_records
    from ndcgstudy.formats.textfile import read_text

    return any(record.graded for record in read_records(read_text(path)))
