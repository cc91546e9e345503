"""Streams depend on their labels and on nothing else."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndcgstudy.seeding import rng_for

LABELS = st.lists(
    st.one_of(
        st.integers(),
        st.floats(allow_nan=False),
        st.text(st.characters(codec="utf-8")),
    ),
    max_size=4,
).map(tuple)

DRAW = "from ndcgstudy.seeding import rng_for; print(rng_for(5, 'a', 1, 2.5).integers(2**62))"


@given(st.integers(0, 2**70), LABELS)
def test_the_same_labels_give_the_same_stream(root, labels):
    again = rng_for(root, *labels).random(3)
    assert rng_for(root, *labels).random(3).tolist() == again.tolist()


@given(LABELS, LABELS)
def test_two_paths_give_two_streams(one, other):
    def typed(path):
        return [(type(label), str(label)) for label in path]

    same = rng_for(0, *one).integers(2**62) == rng_for(0, *other).integers(2**62)
    assert same == (typed(one) == typed(other))


@pytest.mark.parametrize("other", [("1",), (1.0,), (1, 1), (), (11,)])
def test_a_label_of_another_type_or_number_is_another_stream(other):
    assert rng_for(0, 1).random() != rng_for(0, *other).random()


def test_the_root_is_part_of_the_path():
    assert rng_for(0, "a").random() != rng_for(1, "a").random()


def test_numpy_scalars_are_the_numbers_they_hold():
    assert rng_for(np.int64(3), np.int32(4)).random() == rng_for(3, 4).random()


def test_a_stream_does_not_depend_on_the_process():
    runs = [
        subprocess.run(
            [sys.executable, "-c", DRAW],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert runs == [f"{rng_for(5, 'a', 1, 2.5).integers(2**62)}\n"] * 2


@pytest.mark.parametrize("root", [-1, 1.0, "1", None, True])
def test_a_root_that_is_no_count_is_refused(root):
    with pytest.raises(ValueError, match="`root` must be an integer at or above 0"):
        rng_for(root)


def _correlation(one, other, n=40_000):
    return float(np.corrcoef(one.random(n), other.random(n))[0, 1]) * n**0.5


def test_neighbouring_streams_are_not_correlated():
    # 30 correlations in units of their standard error 1/sqrt(n).
    values = [_correlation(rng_for(0, "s", i), rng_for(0, "s", i + 1)) for i in range(30)]
    assert max(map(abs, values)) < 4


def test_the_check_of_correlation_finds_a_shared_stream():
    assert abs(_correlation(rng_for(0, "s", 1), rng_for(0, "s", 1))) > 4
