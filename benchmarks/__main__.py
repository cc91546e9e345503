"""Run all benchmarks and print each figure beside its target."""

from benchmarks import agreement, conventions, gaps, holes, runner, scoring, separability, start
from benchmarks.harness import machine

print(machine())
for benchmark in (scoring, start, runner, separability, gaps, agreement, holes, conventions):
    benchmark.run()  # a target that is missed is told in the output
