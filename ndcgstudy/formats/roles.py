"""What the names of columns and rows say: system, topic, data set, measure, score, id, or summary."""

import re
from collections.abc import Sequence

SYSTEM = (
    *("system", "system_name", "system_id", "model", "model_name", "model_id", "run", "run_id"),
    *("run_name", "run_tag", "tag", "method", "method_name", "retriever", "ranker", "reranker"),
    *("algorithm", "approach", "recommender", "embedder", "encoder", "engine", "name"),
)
TOPIC = (
    *(
        "topic_id",
        "topic",
        "topic_number",
        "qid",
        "q_id",
        "query_id",
        "query_number",
        "query",
        "queries",
    ),
    *("question_id", "question", "user_id", "user", "session_id", "session", "instance_id"),
    *("example_id", "sample_id"),
)
DATASET = (
    *("dataset", "dataset_name", "data_set", "collection", "collection_name", "corpus"),
    *("task", "task_name", "benchmark", "test_collection"),
)
MEASURE = ("measure", "measure_name", "metric", "metric_name")
VALUE = ("value", "score", "main_score")
ROLES = {
    "system": SYSTEM,
    "topic": TOPIC,
    "dataset": DATASET,
    "measure": MEASURE,
    "value": VALUE,
}

_IDS = re.compile(
    r"id|ids|qid|docid|idx|index|unnamed_\d+|level_\d+|row|row_(id|number|index)|rank|ranking|seed|fold|"
    r"no|nr|number|line|position|count|year|votes|params|parameters|dims?|dimensions?|size|zero_shot|"
    r"(model|embedding|vector|vocab)_(size|params|parameters|dims?|dimensions?)|memory(_usage)?|"
    r"max_(tokens|length|seq_length|sequence_length)|(n|num|number_of|count_of)_.*|"
    r".*_(id|idx|seed|params|count|dims?|dimensions?)"
)
_SUMMARY = {
    *("mean", "average", "avg", "averages", "overall", "total", "all", "macro", "micro", "median"),
    "sum",
}
_FILLER = {
    *(
        "score",
        "scores",
        "of",
        "over",
        "across",
        "the",
        "data",
        "set",
        "sets",
        "dataset",
        "datasets",
    ),
    *("task", "tasks", "topic", "topics", "query", "queries", "row", "column", "weighted", "type"),
    *("tasktype", "arithmetic", "result", "results", "performance", "model", "models", "systems"),
    *("ndcg", "map", "mrr", "ap", "rr", "recall", "precision", "beir", "mteb", "averaged", "by"),
    *("retrieval", "tasktypes", "system", "run", "runs", "k", "p", "r", "f"),
}
_MEASURES = re.compile(
    r"(?:mean_?)?(?:n?dcg|m?ap|m?rr|map|mrr|recip_?rank|bpref|err|rbp|recall|precision|success|hits?|"
    r"judged|hole|f1|hit_?rate|acc|accuracy|p|r|rprec|infap)"
    r"(?:[_@. ]?(?:at|cut)?[_@. ]?\d+)?(?:\(.*\))?(?:[_@. ]?\d+)?"
)


def normal(name: str) -> str:
    """Return a name in lower case, its words joined by underscores.

    Examples
    --------
    >>> normal("Model Name"), normal("query-id"), normal("taskName"), normal("#")
    ('model_name', 'query_id', 'task_name', '#')
    """
    spaced = re.sub(r"(?<=[a-z]{2})(?=[A-Z])", "_", name.strip())
    return re.sub(r"[\W_]+", "_", spaced).strip("_").lower() or name.strip()


def role_of(name: str) -> str | None:
    """Return the role that a name has, also in the plural; None where it has none.

    Examples
    --------
    >>> [role_of(name) for name in ("Model", "Tasks", "queryId", "bm25")]
    ['system', 'dataset', 'topic', None]
    """
    plain = normal(name)
    for role, names in ROLES.items():
        if plain in names or plain.removesuffix("s") in names:
            return role
    return None


def place(name: str, role: str) -> int:
    """Return how far behind a name stands among those of its role."""
    plain, names = normal(name), ROLES[role]
    return names.index(plain if plain in names else plain.removesuffix("s"))


def is_id(name: str) -> bool:
    """Return whether a name is one of ids, counts, ranks, seeds and the like.

    Examples
    --------
    >>> names = ("#", "Unnamed: 0", "row_id", "n_topics", "# docs", "idf", "model_a")
    >>> [is_id(name) for name in names]
    [True, True, True, True, True, False, False]
    """
    bare = re.sub(r"\(.*?\)", "", name)
    return name.strip().startswith("#") or bool(_IDS.fullmatch(normal(bare)))


def is_summary(name: str) -> bool:
    """Return whether a name is that of a mean or total: its words are no others.

    Examples
    --------
    >>> [is_summary(n) for n in ("Average (15)", "macro-avg.", "Mean (Task)", "all", "all-nli")]
    [True, True, True, True, False]
    """
    words = [word for word in re.split(r"[^a-z]+", name.lower()) if word]
    return bool(_SUMMARY & {*words}) and {*words} <= _SUMMARY | _FILLER


def is_measure(name: str) -> bool:
    """Return whether a name is that of a measure, as the common tools write them.

    Examples
    --------
    >>> [is_measure(n) for n in ("nDCG@10", "ndcg_cut_10", "recip_rank", "P@5", "AP", "NQ")]
    [True, True, True, True, True, False]
    """
    return bool(_MEASURES.fullmatch(name.strip().lower()))


def listed(names: Sequence[str], count: int = 3) -> str:
    """Write the first few names, and how many more there are.

    Examples
    --------
    >>> listed(["a", "b", "c", "d"])
    'a, b, c and 1 more'
    """
    more = f" and {len(names) - count} more" if len(names) > count else ""
    return ", ".join(names[:count]) + more
