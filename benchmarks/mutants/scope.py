"""What is mutated, and the tests of each part: fast ones, run in the same process."""

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "ndcgstudy"


@dataclass(frozen=True)
class Part:
    """A part of the package: the files that are mutated, and the files whose tests may kill."""

    name: str
    mutated: tuple[str, ...]
    tests: str

    def files(self, root: Path = ROOT) -> list[Path]:
        return sorted(path for pattern in self.mutated for path in root.glob(pattern))

    def units(self, root: Path = ROOT) -> dict[str, list[Path]]:
        """Return the files of tests that are run in one process: each alone, doctests together."""
        found = {name: [root / f"tests/test_{name}.py"] for name in self.tests.split()}
        present = {name: paths for name, paths in found.items() if paths[0].exists()}
        return present | {"doctests": self.files(root)}


_SCORES = "ranking scoring lists orders discounts gains comparison missing policies falling"
_EVALUATION_TESTS = (
    "all_short_lists comparison conformance contract conventions explain external external_wrong "
    "folding inputs matrix_missing measures oracles orders orders_intervals policies ranked registry "
    "round1_gaps scans score_tables shown sides worked_examples wrong_parts"
)
_INFERENCE_TESTS = (
    "agreement_of_gaps corrections designs edges_of_gaps family_levels gap_figures gaps_command "
    "intervals intervals_of_gaps letters moments orders_intervals paired paired_levels planning "
    "power power_command power_levels ranks ranks_command ranks_levels round1_gaps smoothed "
    "standing stat_cases tukey"
)
_SEPARABILITY_TESTS = (
    "aggregated aggregated_theory exact expectation generators limits moments ranked rates "
    "samplers separability separability_cases separability_command sums synthetic theory verdict"
)


def _modules(names: str) -> tuple[str, ...]:
    return tuple(f"ndcgstudy/{name}.py" for name in names.split())


PARTS = (
    Part(
        "measures and evaluation",
        ("ndcgstudy/measures/*.py", *_modules(_SCORES)),
        _EVALUATION_TESTS,
    ),
    Part("inference", ("ndcgstudy/inference/*.py",), _INFERENCE_TESTS),
    Part("separability", ("ndcgstudy/separability/*.py",), _SEPARABILITY_TESTS),
)
