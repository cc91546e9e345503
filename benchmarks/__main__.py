"""Run all benchmarks and print each figure beside its target."""

from benchmarks import gaps, runner, scoring, separability, start
from benchmarks.harness import machine

print(machine())
for benchmark in (scoring, start, runner, separability, gaps):
    benchmark.run()  # a target that is missed is told in the output
