"""Run a random sample of mutants and write how many the tests killed."""

import argparse
import json
import os
from pathlib import Path

os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MPLBACKEND": "agg"}

from benchmarks.mutants import report
from benchmarks.mutants.forking import Job, load, run, stamp
from benchmarks.mutants.reaching import Reached, digest, reached
from benchmarks.mutants.sampling import Mutant, population, sample
from benchmarks.mutants.scope import PARTS, ROOT
from benchmarks.mutants.trying import outcome, tried

FOLDER = ROOT / "build" / "mutants"
LEAST, TIMES = 15.0, 5.0  # a mutant's processor seconds: 15, and 5 times those of its tests


def _job(mutant: Mutant, reached: Reached, note: Path) -> Job:
    tests = reached.tests(mutant)
    limit = LEAST + TIMES * sum(reached.seconds[name] for name in tests)
    return Job(
        mutant.name, lambda tree: tried(mutant, tests, tree, note), limit, 20 * limit, mutant.file
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutants", description=__doc__)
    parser.add_argument("--count", type=int, default=420, help="how many mutants")
    parser.add_argument("--seed", type=int, default=13, help="the sample's seed")
    parser.add_argument("--part", help="mutants of one part alone; nothing is written")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    asked = parser.parse_args()
    os.environ.setdefault("NDCGSTUDY_DATA", str((ROOT / ".." / "shared" / "data").resolve()))
    FOLDER.mkdir(parents=True, exist_ok=True)
    load()
    everything = [m for m in population() if asked.part in (None, m.part)]
    chosen = sample(everything, asked.count, asked.seed)
    results = _run(chosen, asked.workers)
    text = report.text(report.judged(chosen, results), len(everything), asked.seed)
    if asked.part is None:
        (ROOT / "benchmarks" / "mutants.txt").write_text(text, encoding="utf-8")
    print(text)


def _run(chosen: list[Mutant], workers: int) -> dict[str, dict[str, str]]:
    """Run the mutants whose results are not yet known, and note each at once."""
    notes = FOLDER / "results.jsonl"
    known = _known(notes)
    by_part = {
        part.name: reached(part, FOLDER, workers)
        for part in PARTS
        if any(m.part == part.name for m in chosen)
    }
    tests = {p.name: digest(f for fs in p.units().values() for f in fs) for p in PARTS}
    parts = {mutant.name: mutant.part for mutant in chosen}
    jobs, keys, found = [], {}, {}
    for mutant in chosen:
        key = f"{mutant.name}:{digest([ROOT / mutant.file])}"
        keys[mutant.name] = key
        old = known.get(key)
        if old and (old["outcome"] != "survived" or old["tests"] == tests[mutant.part]):
            found[mutant.name] = old
        else:
            jobs.append(_job(mutant, by_part[mutant.part], FOLDER / "killers"))
    (FOLDER / "killers").mkdir(exist_ok=True)
    for done, ended in enumerate(run(jobs, FOLDER, workers), 1):
        result = outcome(ended, FOLDER / "killers") | {
            "key": keys[ended.name],
            "tests": tests[parts[ended.name]],
        }
        found[ended.name] = result
        with notes.open("a", encoding="utf-8") as file:
            file.write(json.dumps(result) + "\n")
        print(
            f"{stamp()} {done}/{len(jobs)} {result['outcome']:9} {ended.seconds:6.1f} s  "
            f"{ended.name} {result['killer']}",
            flush=True,
        )
    return found


def _known(notes: Path) -> dict[str, dict[str, str]]:
    if not notes.exists():
        return {}
    read = [json.loads(line) for line in notes.read_text(encoding="utf-8").splitlines()]
    return {result["key"]: result for result in read}


if __name__ == "__main__":
    main()
