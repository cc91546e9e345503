"""The choices on which two tools may differ for one run: how ties, holes and gaps are treated."""

from dataclasses import dataclass, fields
from typing import Any

from ndcgstudy.checks import nearest

CHOICES: dict[str, tuple[str, ...]] = {
    "ties": ("trec", "average", "input", "error"),
    "unjudged": ("nonrelevant", "condensed", "optimistic"),
    "missing": ("zero", "skip"),
    "no_relevant": ("zero", "one", "skip"),
    "negative": ("zero", "unjudged", "judged"),
    "ideal": ("cut", "all", "retrieved", "top", "hits"),
    "precision": ("float32", "float64"),
}


@dataclass(frozen=True)
class Policy:
    """How a run is scored. The defaults are trec_eval's, with missing topics counted as 0.

    Parameters
    ----------
    ties
        Documents of equal score: "trec" puts the larger id first (byte order, as trec_eval); "average"
        takes the expectation over all their orders (McSherry and Najork 2008); "input" keeps the
        order of the source; "error" refuses them.
    unjudged
        Retrieved documents without a judgment: "nonrelevant" gives them grade 0; "condensed" takes
        them out of the list; "optimistic" gives them the topic's highest grade, in the ideal too.
    missing
        Judged topics that the run lacks: "zero" counts them as 0; "skip" leaves them out of the mean.
    no_relevant
        Topics where a measure is 0/0 since nothing is relevant: "zero", "one", or "skip", which
        leaves topics without any relevant document out of every mean.
    negative
        Grades below 0 never earn a gain. "zero" is trec_eval's way: they keep their rank, but condensed
        lists and Bpref leave them out; "unjudged" reads the file without them; "judged" takes them for
        judgments of non-relevance everywhere.
    ideal
        "cut" ends the ideal list at the measure's cutoff; "all" holds every judged document;
        "retrieved" holds the retrieved documents alone, cut too: what tools compute that are handed
        the ranked documents and no judgments of others; "top" the first k retrieved documents alone;
        "hits" cuts the judged documents at k and at the number of documents retrieved.
    precision
        The precision in which scores are compared: "float32" as trec_eval 9 and pytrec_eval, or "float64".
    exclude_self
        Whether a document whose id is the topic's id is taken out of run and judgments; "run" takes
        it out of the run alone, as BEIR does.

    Raises
    ------
    ValueError
        With a line for every choice that is none.

    Examples
    --------
    >>> Policy(ties="averag")
    Traceback (most recent call last):
        ...
    ValueError: unknown ties 'averag'; did you mean 'average'? known: average, error, input, trec
    """

    ties: str = "trec"
    unjudged: str = "nonrelevant"
    missing: str = "zero"
    no_relevant: str = "zero"
    negative: str = "zero"
    ideal: str = "cut"
    precision: str = "float32"
    exclude_self: bool | str = False

    def __post_init__(self) -> None:
        wrong = [
            f"unknown {name.replace('_', '-')} {value!r}{nearest(str(value), [*CHOICES[name]])}"
            for name, value in self.choices().items()
            if value not in CHOICES[name]
        ]
        if self.exclude_self not in (False, True, "run"):
            wrong.append(f"`exclude_self` must be True, False or 'run', got {self.exclude_self!r}")
        if self.ideal == "top" and self.ties == "average":
            wrong.append("ideal top needs one order of the documents: ties trec, input or error")
        if wrong:
            raise ValueError("\n".join(wrong))

    def choices(self) -> dict[str, Any]:
        """Return the choices by name, without the switches."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name in CHOICES}

    def describe(self) -> str:
        """Say in words what was chosen."""
        ideal = {
            "cut": "judged documents cut at k",
            "all": "all judged documents",
            "retrieved": "retrieved documents cut at k",
            "top": "the top k retrieved documents",
            "hits": "judged documents cut at k and at the number retrieved",
        }[self.ideal]
        ties = {
            "trec": "larger id first",
            "average": "mean over all orders",
            "input": "in the order of the input",
            "error": "refused",
        }[self.ties]
        negative = f"negative grades {self.negative}; " if self.negative != "zero" else ""
        where = " of the run" if self.exclude_self == "run" else ""
        own = f"document = topic left out{where}; " if self.exclude_self else ""
        return (
            f"ideal {ideal}; ties {ties}; scores {self.precision}; unjudged {self.unjudged}; "
            f"{negative}{own}missing topics {self.missing}; no relevant {self.no_relevant}"
        )
