"""What `ndcgstudy reproduce` is asked: its arguments read, and the cells of each study laid out."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ndcgstudy import inputs
from ndcgstudy.checks import nearest, number
from ndcgstudy.cli.app import Problems, say
from ndcgstudy.discounts import DISCOUNTS
from ndcgstudy.manifest import own_discounts, read_manifest
from ndcgstudy.read_results import Results, read
from ndcgstudy.runner import Job
from ndcgstudy.study import SCALES, Study, find_studies, load_study
from ndcgstudy.threads import cores


@dataclass(frozen=True)
class Request:
    """Where to compute, and where to put results and finished cells."""

    workers: int
    cluster: str
    out: Path
    cache: Path
    limit: float | None = None


@dataclass(frozen=True)
class Asked:
    """What cells are asked for; None stands for the default."""

    scale: str | None
    seed: int | None
    discounts: tuple[str, ...] | None


@dataclass(frozen=True)
class Plan:
    """The cells of a study, the discounts added to it, and the results they are compared with."""

    job: Job
    discounts: tuple[str, ...]
    before: Results | None = None


def request(
    problems: Problems, workers: str, cluster: str, out: Path, cache: Path, limit: float | None
) -> Request:
    """Read where to compute, and look whether results can go where they should."""
    for folder in (out, cache):
        if folder.exists() and not folder.is_dir():
            problems.messages.append(f"{folder}: not a folder")
    if workers and cluster:
        problems.messages.append("--workers is for local processes; leave it out with --cluster")
    count = problems.attempt(_whole, "workers", workers or str(cores()), 1)
    if limit is not None:
        problems.attempt(number, "cell-limit", limit, above=0)
        if cluster:
            problems.messages.append(
                "--cell-limit is for local processes; leave it out with --cluster"
            )
    return Request(count or 1, cluster, out, cache, limit)


def asked(problems: Problems, scale: str, seed: str, discounts: list[str] | None) -> Asked:
    """Read which cells are asked for."""
    root = problems.attempt(_whole, "seed", seed, 0) if seed else None
    if scale and scale not in SCALES:
        problems.messages.append(f"unknown scale {scale!r}{nearest(scale, [*SCALES])}")
    for text in discounts or ():
        problems.attempt(DISCOUNTS.parse, text)
    return Asked(scale or None, root, tuple(discounts) if discounts else None)


def _whole(name: str, text: str, at_least: int) -> int:
    value: Any = int(text) if text.strip().lstrip("+-").isdecimal() else text
    number(name, value, at_least=at_least, whole=True)
    return int(value)


def chosen(problems: Problems, folder: Path, names: list[str]) -> list[Study]:
    """Load the named studies, or all whose input files are there, in the order of their names."""
    found = problems.attempt(find_studies, folder) or {}
    if found:
        unknown = [name for name in dict.fromkeys(names) if name not in found]
        problems.messages += [
            f"unknown study {name!r}{nearest(name, [*found])}" for name in unknown
        ]
    wanted = [path for name, path in found.items() if name in names or not names]
    loaded = [study for path in wanted if (study := problems.attempt(load_study, path))]
    ready = [study for study in loaded if _has_inputs(problems, study, named=bool(names))]
    if loaded and not ready and not names:
        problems.messages.append(f"no study in {folder} has its input files")
    return ready


def _has_inputs(problems: Problems, study: Study, *, named: bool) -> bool:
    try:
        inputs.listed(study.inputs)
    except ValueError as error:
        if named:
            problems.messages.append(f"study {study.name}: {error}")
        else:
            say(f"study {study.name} is left out: {error}")
        return False
    return True


def plans(
    problems: Problems, studies: list[Study], asked: Asked, results: Path | None
) -> list[Plan]:
    """Lay out the cells of all studies; where results are given, as theirs were by default."""
    if asked.discounts and studies and not any("discount" in s.options for s in studies):
        names = ", ".join(study.name for study in studies)
        problems.messages.append(f"--discount is of no use to the chosen studies: {names}")
    if problems.messages:
        return []
    laid = [problems.attempt(_plan, study, asked, results) for study in studies]
    return [plan for plan in laid if plan]


def _plan(study: Study, asked: Asked, results: Path | None) -> Plan:
    before = _before(results / study.name) if results else None
    facts = before.manifest if before else {}
    scale = asked.scale or facts.get("scale", "quick")
    seed = facts.get("seed", 0) if asked.seed is None else asked.seed
    discounts = _discounts(facts) if asked.discounts is None else asked.discounts
    job = Job(study, study.cells(scale, discount=discounts), seed, scale)
    return Plan(job, discounts, before)


def spare(problems: Problems, plans: list[Plan], out: Path) -> None:
    """Refuse to let a quick run take the place of results at full scale."""
    for plan in plans:
        name, scale = plan.job.study.name, plan.job.scale
        if scale != "full" and _scale(out / name) == "full":
            problems.messages.append(
                f"{out / name} holds results at full scale, which a {scale} run would replace; "
                "name another folder with --out"
            )


def _scale(folder: Path) -> str:
    """Return the scale of the results in a folder, none where they cannot be read."""
    try:
        return str(read_manifest(folder)["scale"])
    except (OSError, ValueError):
        return ""


def _discounts(facts: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the discounts added to an earlier run; code that only its manifest names is not run."""
    if not facts:
        return ()
    if own := own_discounts(facts):
        options = " ".join(f"--discount {text!r}" for text in own)
        raise ValueError(
            f"study {facts['study']}: its results were made with a discount from a file or module; "
            f"add {options} to import it"
        )
    return tuple(facts["options"]["discount"])


def _before(folder: Path) -> Results:
    try:
        return read(folder)
    except OSError as error:
        raise ValueError(f"no results in {folder}: {error.strerror or error}") from None
    except ValueError as error:
        raise ValueError(f"damaged results: {error}") from None
