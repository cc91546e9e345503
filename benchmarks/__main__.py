"""Run all benchmarks and print each figure beside its target."""

import sys

from benchmarks import runner, scoring, separability, start
from benchmarks.harness import machine

print(machine())
met = [benchmark.run() for benchmark in (scoring, start, runner, separability)]
sys.exit(0 if all(met) else 1)
