"""The ledger: every claim with what the studies of a results folder say of it."""

import csv
import dataclasses
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ndcgstudy import read_results
from ndcgstudy.disk import put_whole
from ndcgstudy.ledger import Claim, Ruling, Verdict, read_claims
from ndcgstudy.manifest import read_manifest

OPEN = "not decided yet"
"""What the ledger says of a claim that no study has decided, and that is no fact of history."""

FILE = "claims.csv"


@dataclass(frozen=True)
class Entry:
    """A line of the ledger.

    Parameters
    ----------
    verdict
        A `Ruling`, or `OPEN`.
    figure
        What was measured, with its interval where it has one; empty where no study decides.
    why
        One sentence, or the source of what is only cited.
    study, scale
        The study that decides, and the scale it ran at.
    file
        Where the verdict stands, relative to the results folder.
    """

    id: str
    claim: str
    verdict: str
    figure: str = ""
    why: str = ""
    study: str = ""
    scale: str = ""
    file: str = ""


COLUMNS = tuple(field.name for field in dataclasses.fields(Entry))


def ledger(folder: Path, known: Mapping[str, Claim], cited: Mapping[str, str]) -> list[Entry]:
    """Return every known claim in its order, then those that only the studies know.

    A claim that several studies decide has a line for each of them. Where none does it is cited only
    if `cited` names its source, and not decided yet otherwise: a verdict comes from a study alone.

    Parameters
    ----------
    folder
        The results folder.
    known, cited
        Claims by id, and sources by id, as from `known_claims`.

    Raises
    ------
    OSError
        If a study's files cannot be read.
    ValueError
        If the folder holds no results, or a study's are damaged.
    """
    decided: dict[str, list[Entry]] = {key: [] for key in known}
    for place in read_results.find(folder):
        for entry in _of_study(place):
            text = known[entry.id].text if entry.id in known else entry.claim
            decided.setdefault(entry.id, []).append(dataclasses.replace(entry, claim=text))
    return [
        entry
        for key, entries in decided.items()
        for entry in entries or [_undecided(known[key], cited.get(key, ""))]
    ]


def _undecided(claim: Claim, source: str) -> Entry:
    return Entry(claim.id, claim.text, Ruling.CITED.value if source else OPEN, why=source)


def _of_study(place: Path) -> Iterator[Entry]:
    try:
        scale, found = read_manifest(place)["scale"], read_results.read_verdicts(place)
    except ValueError as error:
        raise ValueError(f"damaged results: {error}") from None
    for claim, verdict in found:
        yield _decided(claim, verdict, place.name, scale)


def _decided(claim: Claim, verdict: Verdict, study: str, scale: str) -> Entry:
    return Entry(
        claim.id,
        claim.text,
        verdict.ruling.value,
        verdict.measured,
        verdict.why,
        study,
        scale,
        f"{study}/{FILE}",
    )


def known_claims(experiments: Path) -> tuple[dict[str, Claim], dict[str, str]]:
    """Read ``claims.csv`` of a folder of studies: the claims, and the sources of cited ones.

    The file has the columns id and claim and may have a third, cited: the source of a fact of
    history that no computation here can test. Without the file there are no known claims.

    Raises
    ------
    OSError
        If the file is there and cannot be read.
    ValueError
        If it lacks the column id or claim.
    """
    path = experiments / FILE
    if not path.is_file():
        return {}, {}
    try:
        with path.open(encoding="utf-8", newline="") as file:
            cited = {row["id"]: row.get("cited") or "" for row in csv.DictReader(file)}
        return read_claims(path), {key: source for key, source in cited.items() if source}
    except KeyError as error:
        raise ValueError(f"{path}: no column {error}") from None
    except (csv.Error, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: {error}") from None


def counted(rulings: Iterable[str]) -> str:
    """Count verdicts in words.

    Examples
    --------
    >>> counted(["holds", "contradicted", "holds"])
    '3 claims: holds 2, contradicted 1'
    """
    count = Counter(map(str, rulings))
    order = [*(ruling.value for ruling in Ruling), OPEN]
    parts = ", ".join(f"{name} {count[name]}" for name in order if count[name])
    total = count.total()
    return f"{total} claim{'' if total == 1 else 's'}{': ' if parts else ''}{parts}"


def ledger_bytes(entries: Sequence[Entry]) -> bytes:
    """Write the ledger as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(dataclasses.astuple(entry) for entry in entries)
    return text.getvalue().encode()


def write_ledger(folder: Path, entries: Sequence[Entry]) -> Path:
    """Write the ledger to ``claims.csv`` of a folder, whole or not at all, and return the file.

    Raises
    ------
    OSError
        If the folder cannot be written to.
    """
    return put_whole(folder / FILE, ledger_bytes(entries))
