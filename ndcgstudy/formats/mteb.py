"""MTEB's results as a matrix of scores: one mean a model and task, by rules that are told."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from ndcgstudy.checks import nearest
from ndcgstudy.data import Scores
from ndcgstudy.formats.cells import Table
from ndcgstudy.formats.matrix import LONGEST, Raw, completed
from ndcgstudy.formats.mteb_files import Result, folder_results, table_results
from ndcgstudy.formats.problem import shortened
from ndcgstudy.formats.registry import read_table
from ndcgstudy.formats.textfile import TextFile
from ndcgstudy.missing import Matrix
from ndcgstudy.words import many

SPLIT = "test"
SPLITS = {"MSMARCO": "dev"}
EXTERNAL = "external"
_TRUST = {EXTERNAL: 0, "no_revision_available": 1}
Runs = dict[tuple[str, str], dict[str, list[Result]]]  # by (model, task) and revision


def read_mteb(
    path: str | Path | TextFile,
    *,
    tasks: Sequence[str] | None = None,
    value: str | None = None,
    splits: Mapping[str, str] | None = None,
    subset: str | None = None,
    missing: str = "error",
    reader: str = "",
) -> Matrix:
    """Read MTEB's results: a folder with ``MODEL/REVISION/TASK.json``, or their flattened table.

    The topics of the matrix are the tasks, the systems the models. Of several results one is taken:

    * split: dev of MSMARCO; else test; else the only one that any model has;
    * revision of the model: one that is named before ``no_revision_available`` before ``external``,
      which is self-reported; of several, the one run with the newest MTEB. Where these cannot tell
      two unequal scores apart, that is an error;
    * subsets: their mean, and no score where a model lacks one that another has.

    Parameters
    ----------
    path
        The folder or the table, or the table's text where that was read before.
    tasks
        Which tasks to keep, in this order; by default all. Models without a score on any are left out.
    value
        The metric, as ndcg_at_10; by default main_score. In 0..1.
    splits
        The split of a task, by its name, where the rule is not wanted.
    subset
        The one subset to take of tasks that have several.
    missing
        What missing scores mean, as in `complete`.
    reader
        The format of the table; by default it is recognised.

    Raises
    ------
    OSError
        If a file cannot be read.
    ValueError
        Naming file and rule.
    """
    folder = not isinstance(path, TextFile) and Path(path).is_dir()
    source = Path(path) if folder else read_table(path, reader).headed()  # type: ignore[arg-type]
    raw = raw_mteb(source, tasks=tasks, value=value, splits=splits, subset=subset)
    try:
        return completed(raw, tasks, missing)
    except ValueError as error:
        raise ValueError(f"{source_name(source)}: {shortened(str(error), LONGEST)}") from None


def source_name(source: Path | Table) -> str:
    """Return what to call a folder or table in messages."""
    return source.name if isinstance(source, Table) else str(source)


def raw_mteb(
    source: Path | Table,
    *,
    tasks: Sequence[str] | None = None,
    value: str | None = None,
    splits: Mapping[str, str] | None = None,
    subset: str | None = None,
) -> Raw:
    """Read MTEB's results as `read_mteb` does, with what is missing still missing.

    Raises
    ------
    OSError
        If a file cannot be read.
    ValueError
        Naming file and rule.
    """
    if isinstance(source, Table):
        (metric, found), form = table_results(source, value), f"{source.form}, MTEB's results"
    else:
        (metric, found), form = folder_results(source, tasks, value), "folder of MTEB's results"
    try:
        scores, notes, gaps = _matrix(found, metric, tasks, splits or {}, subset)
    except ValueError as error:
        raise ValueError(f"{source_name(source)}: {shortened(str(error), 400)}") from None
    return Raw(scores, form, tuple(notes), tuple(gaps))


def _matrix(
    found: list[Result],
    metric: str,
    tasks: Sequence[str] | None,
    splits: Mapping[str, str],
    subset: str | None,
) -> tuple[Scores, list[str], list[str]]:
    if tasks is not None and not tasks:
        raise ValueError("no task is asked for")
    known = dict.fromkeys(r.task for r in found)
    if unknown := [task for task in tasks or () if task not in known]:
        raise ValueError(f"no results on task {unknown[0]!r}{nearest(unknown[0], [*known])}")
    wanted = set(known if tasks is None else tasks)
    own = [r for r in found if r.task in wanted]
    scored = [r for r in own if not np.isnan(r.value)]
    if not scored:
        raise ValueError(f"no result has a score {metric!r}")
    chosen, notes = _one_split(scored, splits)
    chosen, told = _one_subset(chosen, subset)
    best, more = _one_revision(chosen)
    scores = _laid_out(best, metric, [task for task in known if task in wanted])
    gaps = _gaps(own, chosen, best, metric)
    return scores, [*notes, *told, *more, *_left_out(found, scores)], gaps


def _gaps(
    found: list[Result], chosen: list[Result], best: list[list[Result]], metric: str
) -> list[str]:
    """Say why a model has no score on a task of which it has results: split, subset, or null."""
    means = {(results[0].model, results[0].task): _means(results) for results in best}
    models, split = {model for model, _ in means}, {r.task: r.split for r in chosen}
    subsets = _subsets(means)
    splits: dict[tuple[str, str], set[str]] = {}
    for result in found:
        splits.setdefault((result.model, result.task), set()).add(result.split)
    gaps = []
    for (model, task), known in splits.items():
        if (model, task) in means:
            lacked = sorted(subsets[task] - means[model, task].keys())
            gaps += [f"{model} has no score on subset {', '.join(lacked)} of {task}"] * bool(lacked)
        elif model in models and split.get(task) in known:
            gaps.append(f"{model} has no {metric} on {task}: it is null")
        elif model in models:
            own = ", ".join(sorted(known))
            gaps.append(f"{model} has {task} on split {own}, not on {split.get(task)}")
    return gaps


def _subsets(means: Mapping[tuple[str, str], Mapping[str, float]]) -> dict[str, set[str]]:
    """Return the subsets of each task that any model has."""
    subsets: dict[str, set[str]] = {}
    for (_, task), own in means.items():
        subsets.setdefault(task, set()).update(own)
    return subsets


def _one_split(found: list[Result], splits: Mapping[str, str]) -> tuple[list[Result], list[str]]:
    """Keep of each task one split, the same for all models."""
    seen: dict[str, set[str]] = {}
    for result in found:
        seen.setdefault(result.task, set()).add(result.split)
    if unknown := [task for task in splits if task not in seen]:
        raise ValueError(f"split of no task: {unknown[0]!r}{nearest(unknown[0], [*seen])}")
    split = {task: _split(task, known, splits) for task, known in seen.items()}
    other = [f"{task} {name}" for task, name in split.items() if name != SPLIT]
    note = f"scores are means over split {SPLIT}" + (f", but {', '.join(other)}" if other else "")
    return [result for result in found if result.split == split[result.task]], [note]


def _split(task: str, known: set[str], splits: Mapping[str, str]) -> str:
    if task in splits:
        if splits[task] not in known:
            raise ValueError(
                f"no split {splits[task]!r} of {task}{nearest(splits[task], [*known])}"
            )
        return splits[task]
    for name in (SPLITS.get(task), SPLIT):
        if name in known:
            return str(name)
    if len(known) > 1:
        raise ValueError(f"{task} has no split {SPLIT}: say which of {', '.join(sorted(known))}")
    return next(iter(known))


def _one_subset(found: list[Result], subset: str | None) -> tuple[list[Result], list[str]]:
    """Keep the subset that is asked for, of the tasks that have several."""
    seen: dict[str, set[str]] = {}
    for result in found:
        seen.setdefault(result.task, set()).add(result.subset)
    several = {task: names for task, names in seen.items() if len(names) > 1}
    if subset is None:
        parts = [f"{task} ({len(names)})" for task, names in several.items()]
        return found, [f"means over subsets: {', '.join(parts)}"] if parts else []
    for task, names in several.items() or seen.items():
        if subset not in names:
            raise ValueError(f"no subset {subset!r} of {task}{nearest(subset, [*names])}")
    kept = [r for r in found if r.task not in several or r.subset == subset]
    return kept, [f"subset {subset} of {', '.join(several)}"] if several else []


def _one_revision(found: list[Result]) -> tuple[list[list[Result]], list[str]]:
    """Keep of each model and task the results of one revision, and say of how many it had several."""
    runs: Runs = {}
    for result in found:
        revisions = runs.setdefault((result.model, result.task), {})
        revisions.setdefault(result.revision, []).append(result)
    best = [_best(revisions) for revisions in runs.values()]
    external = sum(results[0].revision == EXTERNAL for results in best)
    several = sum(len(revisions) > 1 for revisions in runs.values())
    notes = [f"{external} of {many(len(best), 'score')} self-reported (revision {EXTERNAL})"]
    rule = f"taken: named ones before {EXTERNAL}, then the newest mteb_version"
    more = [f"{many(several, 'score')} had several revisions of the model; {rule}"]
    return best, notes * bool(external) + more * bool(several)


def _best(revisions: Mapping[str, list[Result]]) -> list[Result]:
    ordered = sorted(revisions.values(), key=_trust, reverse=True)
    first = ordered[0]
    for other in ordered[1:]:
        if _trust(other) == _trust(first) and _means(other) != _means(first):
            names = " and ".join(repr(results[0].revision) for results in (first, other))
            raise ValueError(
                f"model {first[0].model!r}, task {first[0].task!r}: revisions {names} differ and "
                f"have the same mteb_version {first[0].version!r}; keep one of them"
            )
    return first


def _trust(results: list[Result]) -> tuple[int, list[int], bool]:
    """Rank a revision by whose result it is and how new; a final version is newer than its drafts."""
    version = results[0].version
    release = re.match(r"\d+(\.\d+)*", version)
    numbers = [int(part) for part in release[0].split(".")] if release else []
    while numbers and not numbers[-1]:
        numbers.pop()
    final = release is not None and release[0] == version
    return _TRUST.get(results[0].revision, len(_TRUST)), numbers, final


def _means(results: list[Result]) -> dict[str, float]:
    return {result.subset: result.value for result in results}


def _laid_out(best: Iterable[list[Result]], metric: str, tasks: list[str]) -> Scores:
    """Lay means out as (models, tasks), NaN where a model lacks a subset that another has."""
    cells = {(results[0].model, results[0].task): _means(results) for results in best}
    models = {model: i for i, model in enumerate(dict.fromkeys(model for model, _ in cells))}
    subsets = _subsets(cells)
    places = {task: j for j, task in enumerate(tasks)}
    values = np.full((len(models), len(tasks)), np.nan)
    for (model, task), means in cells.items():
        if means.keys() == subsets[task]:
            values[models[model], places[task]] = np.mean([means[name] for name in sorted(means)])
    sets = tuple(tasks)  # each column is the mean of a data set
    return Scores(values, tuple(models), sets, metric, sets)


def _left_out(found: list[Result], scores: Scores) -> list[str]:
    gone = dict.fromkeys(r.model for r in found if r.model not in scores.systems)
    return [f"{many(len(gone), 'model')} without any of these scores left out"] if gone else []
