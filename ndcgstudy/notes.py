"""What is said beside the numbers: how they were computed, and what the policies changed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ndcgstudy.data import Floats, Judgments
from ndcgstudy.measures import Measure
from ndcgstudy.oddities import Oddities
from ndcgstudy.policies import Policy
from ndcgstudy.words import many

NONE_ODD = Oddities()
MOST = 10
"""So many warnings of a kind are shown."""


@dataclass(frozen=True)
class Count:
    """What was counted in scoring one run.

    Parameters
    ----------
    run, topics
        Its name, and how many topics are scored.
    missing, ignored
        Judged topics it lacks; its topics that are not judged.
    rounded
        Ties made by rounding scores to 32 bits.
    dropped
        Duplicate documents dropped in reading.
    unjudged, seen
        Of the `seen` documents looked up, those without a judgment.
    depth
        How many documents a topic were looked up; None for all.
    flat
        Topics on which every order of the documents scores the same.
    odd
        What is odd in the run.
    topic_ids
        How a topic of the run and a judged one differ, where one may stand for the other.
    read, form
        What reading the run found worth a warning, and worth a note.
    """

    run: str
    topics: int
    missing: int = 0
    ignored: int = 0
    rounded: int = 0
    dropped: int = 0
    unjudged: int = 0
    seen: int = 0
    depth: int | None = None
    flat: int = 0
    odd: Oddities = NONE_ODD
    topic_ids: str = ""
    read: tuple[str, ...] = ()
    form: tuple[str, ...] = ()

    def called(self, name: str) -> "Count":
        """Return the same counts under another name."""
        return replace(self, run=name)


@dataclass(frozen=True)
class Remark:
    """Something worth a line: of which kind, how often, in words; warnings are never summed up."""

    kind: str
    count: int
    text: str
    warning: bool = False


def remarks_on_run(count: Count, policy: Policy) -> list[Remark]:
    """Say what the policies changed in one run."""
    run = f"run {count.run}"
    how = "counted as 0" if policy.missing == "zero" else "left out of its mean"
    topics = many(count.topics, "topic")
    ways = {"condensed": "taken out of the list", "optimistic": "given the topic's highest grade"}
    way = ways.get(policy.unjudged)
    remarks = [
        Remark("missing", count.missing, f"{count.missing} of {topics} missing from {run}, {how}"),
        Remark(
            "ignored", count.ignored, f"{many(count.ignored, 'topic')} of {run} not judged, ignored"
        ),
        Remark(
            "rounded",
            count.rounded,
            f"{many(count.rounded, 'tie')} made by 32-bit rounding in {run}",
        ),
        Remark(
            "dropped",
            count.dropped,
            f"{many(count.dropped, 'duplicate document')} dropped from {run}",
        ),
        Remark(
            "unjudged",
            count.unjudged if way else 0,
            f"{many(count.unjudged, 'unjudged document')} of {run} {way}",
        ),
        Remark(
            "flat",
            count.flat,
            f"{many(count.flat, 'non-discriminating topic')} in {run}: all retrieved and judged "
            "documents have one grade, so every order scores the same",
        ),
    ]
    remarks += [Remark("form", 1, f"{run}: {line}") for line in count.form]
    return [*(remark for remark in remarks if remark.count), *warnings_on_run(count, policy)]


def warnings_on_run(count: Count, policy: Policy) -> list[Remark]:
    """Warn of what makes the scores of one run doubtful."""
    run, odd = f"run {count.run}", count.odd
    top = f"the top {count.depth}" if count.depth else "all it retrieved"
    broken = {"trec": "larger document ids first", "input": "in the order of the input"}
    ties = broken.get(policy.ties, "averaged")
    share = odd.judged / max(odd.seen, 1)
    near = f"; {odd.ids}" if odd.ids else ""
    found = [
        (
            odd.seen,
            "judged",
            f"only {odd.judged} of {odd.seen} documents in {top} of {run} are judged ({share:.1%})"
            f"{near}; its scores say little",
        ),
        (
            odd.tied,
            "equal",
            f"all scores of {run} are equal on {odd.tied} of {many(odd.lists, 'topic')} "
            f"({odd.tied / max(odd.lists, 1):.0%}): ties, {ties}",
        ),
        (
            bool(odd.ids) and not odd.seen,
            "ids",
            f"document ids of {run} differ from the judged ones: {odd.ids}",
        ),
        (bool(count.topic_ids), "topics", f"topics of {run}: {count.topic_ids}"),
        *((1, "read", f"{run}: {line}") for line in count.read),
    ]
    return [
        Remark(kind, int(number), f"warning: {text}", warning=True)
        for number, kind, text in found
        if number
    ]


def remarks_on_key(judgments: Judgments, ideal: Floats, policy: Policy) -> list[Remark]:
    """Say what the policies changed in the judgments, whose ideal lists are (topics, judged)."""
    without = int(np.count_nonzero(ideal[:, 0] <= 0))
    negative = int(np.count_nonzero(judgments.grade < 0))
    ways = {"zero": "counted as 0", "one": "counted as 1 where 0/0", "skip": "left out"}
    way = ways[policy.no_relevant]
    dropped = judgments.dropped
    remarks = [
        Remark("judgements", dropped, f"{many(dropped, 'duplicate judgement')} dropped"),
        Remark("without", without, f"{many(without, 'topic')} without a relevant document, {way}"),
        Remark(
            "negative", negative, f"{many(negative, 'negative grade')}, policy {policy.negative}"
        ),
    ]
    remarks += [Remark("read", 1, line) for line in judgments.notes]
    return [remark for remark in remarks if remark.count]


def told(remarks: Iterable[Remark]) -> tuple[str, ...]:
    """Tell each kind of remark once: up to three as they are, more by the largest of them.

    Warnings are told run by run, ten of a kind, and how many more there are.

    Examples
    --------
    >>> told([Remark("rounded", n, f"{n} ties in run {n}") for n in (1, 5, 2, 3)])
    ('5 ties in run 5 (the most; likewise in 3 other runs, 11 in all)',)
    """
    kinds: dict[str, list[Remark]] = {}
    for remark in remarks:
        kinds.setdefault(remark.kind, []).append(remark)
    lines: list[str] = []
    for same in kinds.values():
        if same[0].warning:
            lines += [remark.text for remark in same[:MOST]]
            lines += [f"warning: likewise {len(same) - MOST} other runs"] * (len(same) > MOST)
            continue
        if len(same) <= 3:
            lines += [remark.text for remark in same]
            continue
        most = max(same, key=lambda remark: remark.count)
        total = sum(remark.count for remark in same)
        others = f"likewise in {len(same) - 1} other runs, {total} in all"
        lines.append(f"{most.text} (the most; {others})")
    return tuple(lines)


def convention(
    measures: Sequence[Measure], policy: Policy, ideal: Floats, counts: Sequence[Count]
) -> str:
    """Say in one line how the numbers were computed and on what."""
    gains = dict.fromkeys(str(m.gain) for m in measures if hasattr(m, "gain"))
    discounts = dict.fromkeys(str(m.discount) for m in measures if hasattr(m, "discount"))
    parts = [f"gain {', '.join(gains)}"] * bool(gains)
    parts += [f"discount {', '.join(discounts)}"] * bool(discounts)
    skipped = int(np.count_nonzero(ideal[:, 0] <= 0)) if policy.no_relevant == "skip" else 0
    missing = sorted({count.missing for count in counts}) or [0]
    span = f"{missing[0]} to {missing[-1]} a run" if len(missing) > 1 else str(missing[0])
    share = sum(c.unjudged for c in counts) / max(sum(c.seen for c in counts), 1)
    depth = counts[0].depth if counts else None
    where = f"the top {depth}" if depth else "all retrieved"
    return (
        f"{'; '.join([*parts, policy.describe()])}; topics evaluated {len(ideal) - skipped}, "
        f"missing {span}; unjudged share {share:.1%} of {where}"
    )
