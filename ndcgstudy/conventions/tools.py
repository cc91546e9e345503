"""The conventions of other tools, by name."""

from collections.abc import Iterator
from typing import Any

from ndcgstudy.conventions.convention import KNOWN, OWN, Convention, Tool
from ndcgstudy.discounts import JK2002
from ndcgstudy.gains import Exponential
from ndcgstudy.policies import Policy

RUN, FORMULA = "run beside it", "its published formula"


def _tool(name: str, policy: Policy, remark: str, source: str, **parts: Any) -> None:
    KNOWN[name] = Tool(Convention(policy=policy, name=name, **parts), remark, source)


def _rows(**policies: Any) -> Policy:
    """Return the policy of a library that is handed the retrieved documents alone."""
    return Policy(ideal="retrieved", missing="skip", **policies)


_tool(
    "trec_eval-9",
    Policy(missing="skip"),
    "ndcg_cut; its -c is missing=zero, its -J unjudged=condensed",
    "pytrec_eval, which holds its code, run beside it",
)
_tool(
    "trec_eval-10",
    Policy(precision="float64"),
    "ndcg_cut with -c, without which it stops at a missing topic; its -J is unjudged=condensed",
    "pytrec_eval run beside it, on scores that 32 bits hold",
)
_tool(
    "pytrec_eval",
    Policy(missing="skip"),
    "judged_docs_only_flag is unjudged=condensed; whole grades only",
    RUN,
)
_tool(
    "beir",
    Policy(missing="skip", exclude_self="run"),
    "EvaluateRetrieval.evaluate, by pytrec_eval; rounds to five decimals; its MRR is another",
    RUN,
)
_tool(
    "mteb",
    Policy(missing="skip"),
    "retrieval_metrics, by pytrec_eval; rounds to five decimals; some tasks set "
    "ignore_identical_ids, which is exclude_self=run",
    "pytrec_eval, which it calls, run beside it",
)
_tool(
    "ir_measures",
    Policy(),
    "nDCG by pytrec_eval; dcg='exp-log2' is gdeval's; judged_only=True is unjudged=condensed",
    RUN,
)
_tool(
    "sklearn",
    _rows(ties="average", precision="float64"),
    "ndcg_score on the retrieved documents of each topic, grade 0 where not judged; refuses "
    "one alone, and negative grades",
    RUN,
    only_ndcg=True,
)
_tool(
    "gdeval",
    Policy(missing="skip", no_relevant="skip", precision="float64"),
    "gdeval.pl without -c; grades to 4, topics numbered; rounds to five decimals",
    RUN,
    gain=Exponential(),
    only_ndcg=True,
)
_tool(
    "lightgbm",
    _rows(ties="input", no_relevant="one", precision="float64"),
    "metric ndcg on the retrieved documents as rows of a group; refuses negative grades",
    RUN,
    gain=Exponential(),
    only_ndcg=True,
)
_tool(
    "xgboost",
    _rows(ties="input", no_relevant="one"),
    "eval_metric ndcg on the retrieved documents as rows of a group; ndcg- is no-relevant=zero, "
    "ndcg_exp_gain=0 gain=linear",
    RUN,
    gain=Exponential(),
    only_ndcg=True,
)
_tool(
    "ranx",
    Policy(ties="input", precision="float64"),
    "ndcg with make_comparable=True; ndcg_burges is gain=exponential; its order of ties is not "
    "defined: that of the input in short lists, any in long ones; its bpref and rbp are others",
    RUN,
)
_tool(
    "torchmetrics",
    _rows(ties="average"),
    "RetrievalNormalizedDCG on the retrieved documents; empty_target_action neg; sums in 32 bits, "
    "so off by some 1e-7",
    FORMULA,
    only_ndcg=True,
)
_tool(
    "jk2002",
    Policy(),
    "Järvelin and Kekäläinen (2002) with base 2; they say nothing of ties, holes or gaps",
    FORMULA,
    discount=JK2002(),
    only_ndcg=True,
)

TOOLS = {name: tool for name, tool in KNOWN.items() if name != OWN}

HEADER = (
    *("convention", "gain", "discount", "ideal", "ties", "unjudged", "missing", "no-relevant"),
    *("precision", "doc = topic", "measures"),
)


def known() -> dict[str, Tool]:
    """Return every named convention, the defaults first."""
    return dict(KNOWN)


def rows() -> Iterator[list[str]]:
    """Yield a line of text a convention, under `HEADER`."""
    kept = {False: "kept", True: "dropped", "run": "dropped"}
    for name, tool in KNOWN.items():
        how, policy = tool.convention, tool.convention.policy
        yield [
            *(name, str(how.gain), str(how.discount), policy.ideal, policy.ties, policy.unjudged),
            *(policy.missing, policy.no_relevant, policy.precision, kept[policy.exclude_self]),
            "nDCG" if how.only_ndcg else "all",
        ]
