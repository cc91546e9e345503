"""What a call says of people's answers: the file, judgments and runs, and how they are read."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from ndcgstudy.cli.app import Problems
from ndcgstudy.cli.shared import reads

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
        from ndcgstudy.formats.preferences import read_pairs, read_preferences

        attempt, before = self.problems.attempt, len(self.problems.messages)
        text = attempt(read_pairs, self.pairs)
        if text and len(self.files) < 2 and self.policy and self.policy.ties != "trec":
            self.problems.messages.append("--ties is for runs: pairs of lists have an order")
        if len(self.problems.messages) > before:
            return None
        judgments = attempt(read_qrels, self.files[0]) if self.files else None
        runs = [run for path in self.files[1:] if (run := attempt(read_run, path))]
        if len(self.problems.messages) > before:
            return None
        found = attempt(read_preferences, text, judgments, runs, self.policy, depth=depth)
        return attempt(found.answers, self.answers) if found else None


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


reads_answers = reads(_asked)
"""Give a command the arguments and options that say what people answered.

The command takes `problems` and `asked` first, then its own options.
"""
