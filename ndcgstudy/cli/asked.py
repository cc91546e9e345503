"""What a call says of people's answers: the file, judgments and runs, and how they are read."""

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ndcgstudy.cli.app import Problems

if TYPE_CHECKING:
    from ndcgstudy.policies import Policy
    from ndcgstudy.preferences import Preferences

_PAIRS = "JSON lines of list pairs, or CSV: topic,run_a,run_b,preference / topic,doc_a,doc_b,winner"

PairsArgument = Annotated[str, typer.Argument(metavar="PAIRS", help=_PAIRS)]
FilesArgument = Annotated[
    list[str] | None, typer.Argument(metavar="[QRELS RUN...]", help="Judgments, then TREC runs")
]
AnswersOption = Annotated[str, typer.Option(help="Several answers on a pair: each, majority")]
UnjudgedOption = Annotated[
    str, typer.Option(help="Documents not judged: nonrelevant, condensed, optimistic")
]
TiesOption = Annotated[
    str, typer.Option(help="Equal scores in a run: trec (larger id first), input, error")
]


@dataclass(frozen=True)
class Asked:
    """Answers that a call names, to be read once it is known how deep they were seen."""

    problems: Problems
    pairs: str
    files: list[str]
    answers: str
    policy: "Policy | None"

    def read(self, depth: int | None) -> "Preferences | None":
        """Read judgments, runs down to a depth, and answers; None where something was wrong."""
        from ndcgstudy.formats import read_qrels, read_run
        from ndcgstudy.formats.preferences import read_preferences

        attempt, before = self.problems.attempt, len(self.problems.messages)
        judgments = attempt(read_qrels, self.files[0]) if self.files else None
        runs = [run for path in self.files[1:] if (run := attempt(read_run, path))]
        if len(self.problems.messages) > before:
            return None
        found = attempt(read_preferences, self.pairs, judgments, runs, self.policy, depth=depth)
        return attempt(found.answers, self.answers) if found else None


def reads_answers(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the arguments and options that say what people answered.

    The command takes `problems` and `asked` first, then its own options.
    """
    shared = list(inspect.signature(_asked).parameters.values())[1:]
    own = list(inspect.signature(command).parameters.values())[2:]

    @functools.wraps(command)
    def whole(**given: Any) -> None:
        problems = Problems()
        asked = _asked(problems, **{option.name: given.pop(option.name) for option in shared})
        command(problems, asked, **given)

    whole.__signature__ = inspect.Signature([*shared, *own])  # type: ignore[attr-defined]
    whole.__annotations__ = {option.name: option.annotation for option in [*shared, *own]}
    return whole


def _asked(
    problems: Problems,
    pairs: PairsArgument,
    files: FilesArgument = None,
    answers: AnswersOption = "each",
    unjudged: UnjudgedOption = "nonrelevant",
    ties: TiesOption = "trec",
) -> Asked:
    from ndcgstudy.policies import Policy

    policy = problems.attempt(Policy, ties, unjudged)
    return Asked(problems, pairs, list(files or ()), answers, policy)
