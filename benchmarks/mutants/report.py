"""The record of a run: rates with their intervals, and the survivors with reasons."""

import tomllib
from collections import Counter
from pathlib import Path

from benchmarks.mutants.sampling import Mutant
from benchmarks.mutants.scope import PARTS, ROOT

REASONS = Path(__file__).with_name("survivors.toml")


def text(chosen: list[Mutant], results: dict[str, dict[str, str]], total: int, seed: int) -> str:
    """Return the record as text."""
    reasons = _reasons()
    left = [m for m in chosen if results[m.name]["outcome"] == "survived"]
    lines = [f"{len(chosen)} mutants, a simple random sample of {total} (seed {seed})."]
    for part in [p.name for p in PARTS]:
        lines.append(str(Counter(results[m.name]["outcome"] for m in chosen if m.part == part)))
    for mutant in left:
        before, after = mutant.change((ROOT / mutant.file).read_text(encoding="utf-8"))
        lines += [f"{mutant.file}:{mutant.line}", f"  - {before}", f"  + {after}"]
    return "\n".join(lines) + "\n"


def _reasons() -> dict[tuple[str, str, str], dict[str, str]]:
    if not REASONS.exists():
        return {}
    found = tomllib.loads(REASONS.read_text(encoding="utf-8"))["survivor"]
    return {(entry["file"], entry["before"], entry["after"]): entry for entry in found}
