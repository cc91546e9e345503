"""The record of a run: rates with their intervals, and the survivors with reasons."""

import textwrap
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.mutants.sampling import Mutant
from benchmarks.mutants.scope import PARTS, ROOT
from ndcgstudy.intervals import wilson

REASONS = Path(__file__).with_name("survivors.toml")
TARGET = 0.95
INTRODUCTION = """\
A mutant is the code with one small fault: an operator, a number, a condition, a keyword argument (the
operators of cosmic-ray, and two of our own: see mutants/operators.py). It is killed if a test of its
part fails, or takes 5 times its processor time and 15 s more. Each mutant meets the fast tests of its
part that reach its statement, named in mutants/scope.py. Types, decorators, `strict=True` and texts are
not mutated. `make mutants` repeats the run.
"""
NOT_JUDGED = "not judged"


@dataclass(frozen=True)
class Judged:
    """A mutant with its outcome; for a survivor, whether it is equivalent, and why it survives."""

    mutant: Mutant
    outcome: str
    change: tuple[str, str] = ("", "")
    equivalent: bool = False
    reason: str = ""

    @property
    def survived(self) -> bool:
        return self.outcome == "survived"

    def lines(self) -> list[str]:
        before, after = self.change
        where = f"{self.mutant.file}:{self.mutant.line}  {self.mutant.operator}"
        reason = textwrap.wrap(self.reason, 96, initial_indent="    ", subsequent_indent="    ")
        return [where, f"  - {before}", f"  + {after}", *reason, ""]


def judged(chosen: Sequence[Mutant], results: dict[str, dict[str, str]]) -> list[Judged]:
    """Return the mutants with their outcomes, survivors with what was found of them by hand."""
    known = {
        (entry["file"], entry["before"], entry["after"]): entry
        for entry in tomllib.loads(REASONS.read_text(encoding="utf-8")).get("survivor", [])
    }
    found = []
    for mutant in chosen:
        result = results[mutant.name]["outcome"]
        if result != "survived":
            found.append(Judged(mutant, result))
            continue
        change = mutant.change((ROOT / mutant.file).read_text(encoding="utf-8"))
        entry = known.get((mutant.file, *change), {})
        found.append(
            Judged(
                mutant,
                result,
                change,
                bool(entry.get("equivalent")),
                entry.get("reason", NOT_JUDGED),
            )
        )
    return found


def rate(found: Sequence[Judged]) -> str:
    """Return how many were killed of those that are not equivalent, with the 95% Wilson interval."""
    counted = [one for one in found if not one.equivalent]
    killed = sum(not one.survived for one in counted)
    if not counted:
        return "no mutants"
    low, high = wilson(killed, len(counted))
    late = sum(one.outcome == "timed out" for one in found)
    return (
        f"{killed:4d} of {len(counted):4d} killed: {killed / len(counted):.3f} [{low:.3f}, {high:.3f}]"
        f"; {late} of them by time; {len(found) - len(counted)} more are equivalent"
    )


def text(found: Sequence[Judged], total: int, seed: int) -> str:
    """Return the record."""
    head = f"{len(found)} mutants, a simple random sample of all {total} (seed {seed})."
    lines = [
        INTRODUCTION,
        head,
        "Rates are of mutants that are not equivalent, with 95% Wilson intervals.",
    ]
    lines += ["", f"  {'all':<24} {rate(found)} (target {TARGET})"]
    for part in PARTS:
        own = [one for one in found if one.mutant.part == part.name]
        lines.append(f"  {part.name:<24} {rate(own)}")
    for title, equivalent in (("Survivors", False), ("Equivalent mutants", True)):
        lines += ["", f"{title}", "-" * len(title)]
        some = [one for one in found if one.survived and one.equivalent is equivalent]
        for one in sorted(some, key=lambda one: (one.mutant.file, one.mutant.line)):
            lines += one.lines()
    return "\n".join(lines).rstrip() + "\n"
