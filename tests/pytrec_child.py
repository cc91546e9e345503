"""Run pytrec_eval on pickled jobs, each in a process of its own: state that it keeps can hang the next.

Reads a list of (qrels, run, measures, judged documents only) from standard input, and writes the list
of results to standard output. Whoever calls it sets a time limit.
"""

import os
import pickle
import sys
from typing import Any

import pytrec_eval

Job = tuple[dict[str, dict[str, int]], dict[str, dict[str, float]], list[str], bool]


def evaluate(job: Job) -> Any:
    """Evaluate one run."""
    qrels, run, measures, judged_only = job
    evaluator = pytrec_eval.RelevanceEvaluator(
        qrels, set(measures), judged_docs_only_flag=judged_only
    )
    return evaluator.evaluate(run)


def apart(job: Job) -> Any:
    """Evaluate one run in a copy of this process; None if that dies."""
    reading, writing = os.pipe()
    if os.fork() == 0:
        with os.fdopen(writing, "wb") as file:
            pickle.dump(evaluate(job), file)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as file:
        answer = file.read()
    _, status = os.wait()
    return None if status else pickle.loads(answer)


def safely(job: Job) -> Any:
    """Evaluate one run, one measure at a time where it dies of several.

    It does so (0.5.11, signal 11) on a topic all of whose judgments are negative.
    """
    qrels, run, measures, judged_only = job
    whole = apart(job)
    if whole is not None:
        return whole
    merged: dict[str, dict[str, float]] = {topic: {} for topic in qrels}
    for measure in measures:
        for topic, values in apart((qrels, run, [measure], judged_only)).items():
            merged[topic] |= values
    return merged


if __name__ == "__main__":
    jobs = pickle.load(sys.stdin.buffer)
    sys.stdout.buffer.write(pickle.dumps([safely(job) for job in jobs]))
