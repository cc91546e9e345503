"""The scores of one file or folder: a score table of any format, or MTEB's results."""

import os
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ndcgstudy.cli.app import Problems

if TYPE_CHECKING:
    from ndcgstudy.data import Scores
    from ndcgstudy.formats.cells import Table
    from ndcgstudy.formats.matrix import Raw
    from ndcgstudy.missing import Matrix

Options = dict[str, Any]
TABLES = ("--measure", "--dataset", "--systems", "--column", "--keep", "--drop")
"""Options of a score table that do not go with MTEB's results."""
RESULTS = ("--split", "--subset")
"""Options of MTEB's results that do not go with a score table."""


def table_scores(
    problems: Problems, path: str, options: Options, missing: str
) -> "tuple[list[Matrix], str] | None":
    """Read the matrices that a call asks of one file, and what this was recognised as.

    Every mistake is noted; where scores are missing and the call does not say what they mean, complete
    blocks are suggested, each with its command line.
    """
    from ndcgstudy.cli.reading import topics_of

    before = len(problems.messages)
    source = problems.attempt(_source, path, options["--reader"])
    topics = problems.attempt(topics_of, options["--topics"]) if options["--topics"] else None
    if source is None:
        return None
    raws = _raws(problems, source, options, topics)
    if len(problems.messages) > before:
        return None
    done = [_completed(problems, path, options, raw, topics, missing) for raw in raws]
    whole = [matrix for matrix in done if matrix]
    return (whole, raws[0].form) if len(whole) == len(raws) else None


def _source(path: str, reader: str) -> "Path | Table":
    """Return a folder of results, or a table with its columns named."""
    from ndcgstudy.formats.registry import read_table

    if os.path.isdir(path):
        if reader:
            raise ValueError(f"{path}: --reader does not go with a folder")
        return Path(path)
    table = read_table(path, reader)
    return table if table.nested else table.headed()


def _raws(
    problems: Problems, source: "Path | Table", options: Options, topics: list[str] | None
) -> "list[Raw]":
    """Read the scores of each measure that is asked for; note the options that mean nothing here."""
    from ndcgstudy.formats.mteb_files import is_results

    results = isinstance(source, Path) or is_results(source)
    kind = "MTEB's results" if results else "a score table"
    unused = [name for name in (TABLES if results else RESULTS) if options[name]]
    problems.messages += [f"{name} does not go with {kind}" for name in unused]
    read = _results(source, options, topics) if results else _scores(source, options)
    wanted = [*dict.fromkeys(options["--value"] or [])] or [None]
    measures = [*dict.fromkeys(options["--measure"] or [])] or [None]
    found = [problems.attempt(read, v, m) for v in wanted for m in measures] if not unused else []
    return [raw for raw in found if raw]


def _scores(source: "Any", options: Options) -> "Callable[[str | None, str | None], Raw]":
    from ndcgstudy.formats.asked import Asked
    from ndcgstudy.formats.matrix import raw_scores

    def read(value: str | None, measure: str | None) -> "Raw":
        given = _columns(options["--column"] or [])
        given |= {"value": value} if value else {}
        given |= {"dataset": options["--dataset"]} if options["--dataset"] else {}
        keep, drop = (tuple(options[name] or ()) for name in ("--keep", "--drop"))
        side = options["--systems"] or None
        return raw_scores(source, Asked(side, given, measure, keep, drop))

    return read


def _results(
    source: "Path | Table", options: Options, topics: list[str] | None
) -> "Callable[[str | None, str | None], Raw]":
    from ndcgstudy.formats.mteb import raw_mteb

    def read(value: str | None, _: str | None) -> "Raw":
        splits, subset = _splits(options["--split"]), options["--subset"] or None
        return raw_mteb(source, tasks=topics, value=value, splits=splits, subset=subset)

    return read


def _columns(words: Sequence[str]) -> dict[str, str]:
    """Read ROLE=NAME of each word."""
    found: dict[str, str] = {}
    for word in words:
        role, sign, name = word.partition("=")
        if not (sign and role and name) or role in found:
            raise ValueError(f"`column` must be ROLE=NAME, a role once, got {word!r}")
        found[role] = name
    return found


def _splits(text: str) -> dict[str, str]:
    """Read TASK=SPLIT,..."""
    pairs = [part.strip().partition("=") for part in text.split(",") if part.strip()]
    for task, sign, split in pairs:
        if not (task and sign and split):
            raise ValueError(f"`split` must be TASK=SPLIT,..., got {text!r}")
    return {task.strip(): split.strip() for task, _, split in pairs}


def _completed(
    problems: Problems,
    path: str,
    options: Options,
    raw: "Raw",
    topics: list[str] | None,
    missing: str,
) -> "Matrix | None":
    """Do with missing scores what is asked; suggest complete blocks where nothing is."""
    from ndcgstudy.formats.matrix import LONGEST, completed
    from ndcgstudy.formats.problem import shortened

    try:
        return completed(raw, topics, missing)
    except ValueError as error:
        problems.messages.append(f"{path}: {shortened(str(error), LONGEST)}")
    if missing == "error" and {*(topics or ())} <= {*raw.scores.topics}:
        problems.messages += _suggestions(problems.command, path, options, raw.scores, topics)
    return None


def _suggestions(
    command: str, path: str, options: Options, scores: "Scores", topics: list[str] | None
) -> list[str]:
    """Return a line for each complete block, with the command line that takes it."""
    from ndcgstudy.blocks import complete_blocks
    from ndcgstudy.missing import select_topics

    sets = scores.datasets not in (None, scores.topics)
    if sets or any("," in name for name in scores.topics):
        return []  # a list of topics would not name a block
    own = select_topics(scores, topics) if topics else scores
    words = ["ndcgstudy", command, path, *_repeated(options)]
    return [
        f"complete block with the {block}: "
        f"{shlex.join([*words, '--topics', ','.join(block.topics), '--missing', 'drop-systems'])}"
        for block in complete_blocks(own)
    ]


def _repeated(options: Options) -> list[str]:
    """Write the options of a call again, but for its topics."""
    words: list[str] = []
    for name, value in options.items():
        for one in [value] if isinstance(value, str) else value or []:
            words += [name, one] if one and name != "--topics" else []
    return words
