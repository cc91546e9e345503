"""Matrices with gaps, results as MTEB writes them, and what a reader says in refusing."""

import json

import numpy as np
import pytest
from hypothesis import strategies as st

from ndcgstudy.data import Scores
from ndcgstudy.formats import read_mteb

HASH = "a" * 40


def made(values, datasets=None, topics=None):
    """A matrix whose systems are s1, s2, ... and whose topics are q1, q2, ..."""
    values = np.array(values, dtype=float)
    systems = tuple(f"s{i}" for i in range(1, values.shape[0] + 1))
    topics = topics or tuple(f"q{j}" for j in range(1, values.shape[1] + 1))
    return Scores(values, systems, tuple(topics), "AP", datasets)


@st.composite
def holed(draw):
    shape = draw(st.integers(2, 6)), draw(st.integers(2, 6))
    size = shape[0] * shape[1]
    cells = draw(st.lists(st.just(np.nan) | st.floats(0, 1), min_size=size, max_size=size))
    return made(np.reshape(cells, shape))


def refusal(action, *args, **kwargs):
    with pytest.raises(ValueError, match=r".") as error:
        action(*args, **kwargs)
    assert "\n" not in str(error.value)
    return str(error.value)


class Folder:
    """Writes results as MTEB does."""

    def __init__(self, root):
        self.root = root

    def put(self, model, task, score=0.5, *, revision=HASH, version="1.18.0", **how):
        """Write a result; `how` names its splits: a score or rows."""
        path = self.root / model / revision / f"{task}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        splits = {k: v if isinstance(v, list) else [row(v)] for k, v in how.items()}
        scores = splits or {"test": [row(score)]}
        result = {"task_name": task, "mteb_version": version, "scores": scores}
        path.write_text(json.dumps(result))
        return path

    def read(self, **how):
        return read_mteb(self.root, **how)

    def scores(self, **how):
        """Return {model: [score a task]}."""
        scores = self.read(**how).scores
        return dict(zip(scores.systems, scores.values.tolist(), strict=True))


def row(score, subset="default", **more):
    return {"hf_subset": subset, "languages": ["eng-Latn"], "main_score": score, **more}


def two_models(root):
    """A folder of two models on two tasks."""
    made = Folder(root)
    for model, score in (("m1", 0.5), ("m2", 0.25)):
        made.put(model, "NQ", score)
        made.put(model, "FiQA2018", score / 2)
    return made
