"""A user's own parts: by module, by file, by entry point, with parameters, inside a measure, and broken."""

import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import laws
import numpy as np
import pytest

from ndcgstudy import Judgments, Rankings, score, score_grades
from ndcgstudy.discounts import DISCOUNTS
from ndcgstudy.gains import GAINS
from ndcgstudy.measures import MEASURES, nDCG


@pytest.fixture(params=["module", "file", "relative file"])
def place(
    request: pytest.FixtureRequest, user_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> str:
    """What stands before the colon."""
    monkeypatch.chdir(user_folder)
    places = {
        "module": "user_parts",
        "file": f"{user_folder}/user_parts.py",
        "relative file": "./user_parts.py",
    }
    return places[request.param]


def test_function_is_a_discount(place: str) -> None:
    discount = DISCOUNTS.parse(f"{place}:half")
    assert discount(np.array([1, 2, 3])).tolist() == [1.0, 0.5, 0.25]
    assert str(discount) == f"{place}:half"


def test_class_takes_parameters_by_name_and_place(place: str) -> None:
    by_name = DISCOUNTS.parse(f"{place}:Step(page=2,rest=0.5)")
    by_place = DISCOUNTS.parse(f"{place}:Step(2,0.5)")
    assert by_name(np.array([1, 2, 3])).tolist() == by_place(np.array([1, 2, 3])).tolist()
    assert by_name(np.array([1, 2, 3])).tolist() == [1.0, 1.0, 0.5]


def test_one_part_has_one_text(place: str) -> None:
    texts = ("Step(2)", "Step( page = 2 )", "Step(page=2,rest=0.25)")
    parts = {DISCOUNTS.parse(f"{place}:{text}") for text in texts}
    assert [str(part) for part in parts] == [f"{place}:Step(page=2)"]
    assert str(DISCOUNTS.parse(f"{place}:half()")) == f"{place}:half"


def test_object_is_taken_as_it_is(place: str) -> None:
    assert DISCOUNTS.parse(f"{place}:instance")(np.array([3, 4])).tolist() == [1.0, 0.25]


@pytest.mark.parametrize("spec", ["half", "Step(page=2)", "Step(page=1,rest=0.0)", "instance"])
def test_external_part_obeys_the_laws(spec: str, place: str) -> None:
    part = DISCOUNTS.parse(f"{place}:{spec}")
    for law in (*laws.DISCOUNT_LAWS, laws.value_pickles_and_copies):
        law(part)
    again = DISCOUNTS.parse(str(part))
    assert (again, hash(again), str(again)) == (part, hash(part), str(part))
    assert part != DISCOUNTS.parse(f"{place}:Step(page=9)")


def test_external_parts_inside_a_measure(place: str) -> None:
    text = f"nDCG(gain={place}:squares,discount={place}:Step(page=1,rest=0.5))@3"
    measure = MEASURES.parse(text)
    assert str(measure) == text
    assert MEASURES.parse(str(measure)) == measure
    assert hash(MEASURES.parse(str(measure))) == hash(measure)
    assert score_grades(measure, [1, 2, 0]) == (1 + 4 / 2) / (4 + 1 / 2)
    mixed = f"nDCG(discount={place}:half)"
    assert MEASURES.parse(mixed) == nDCG(discount=DISCOUNTS.parse(f"{place}:half"))


def test_external_gain(place: str) -> None:
    assert GAINS.parse(f"{place}:squares")(np.array([0, 1, 2])).tolist() == [0.0, 1.0, 4.0]


def test_external_measure_scores_a_run(place: str) -> None:
    run = Rankings.from_dict({"q": {"a": 1.0, "b": 2.0}})
    result = score(Judgments.from_dict({"q": {"a": 1}}), run, [f"{place}:Top", f"{place}:Top()@2"])
    assert result.scores[f"{place}:Top"].values.tolist() == [[0.0]]
    assert result.scores[f"{place}:Top@2"].values.tolist() == [[0.0]]


def test_external_parts_pickle_into_a_new_process(user_folder: Path) -> None:
    specs = ["user_parts:half", f"{user_folder}/user_parts.py:Step(page=2)", "user_parts:instance"]
    parts: list[Any] = [DISCOUNTS.parse(spec) for spec in specs]
    parts.append(MEASURES.parse(f"nDCG(discount={user_folder}/user_parts.py:half)@2"))
    code = (
        "import pickle, sys, numpy; parts = pickle.load(sys.stdin.buffer); print(*parts, sep='\\n')"
    )
    code += "; print(parts[1](numpy.array([2, 3])).tolist())"
    done = subprocess.run(
        [sys.executable, "-c", code], input=pickle.dumps(parts), capture_output=True, check=True
    )
    assert done.stdout.decode().splitlines() == [*map(str, parts), "[1.0, 0.25]"]


def test_files_of_one_name_in_two_folders_are_two(tmp_path: Path) -> None:
    for name, value in (("a", 0.5), ("b", 0.25)):
        (tmp_path / name).mkdir()
        text = f"import numpy as np\ndef f(ranks): return np.full(np.shape(ranks), {value})\n"
        (tmp_path / name / "mine.py").write_text(text)
    weights = [DISCOUNTS.parse(f"{tmp_path}/{name}/mine.py:f")(np.array([1]))[0] for name in "ab"]
    assert weights == [0.5, 0.25]


def test_file_that_has_changed_is_read_again(user_folder: Path) -> None:
    spec = f"{user_folder}/user_parts.py:half"
    assert DISCOUNTS.parse(spec)(np.array([2])).tolist() == [0.5]
    (user_folder / "user_parts.py").write_text("def half(ranks): return 1 / ranks")
    os.utime(user_folder / "user_parts.py", ns=(1, 1))
    assert DISCOUNTS.parse(spec)(np.array([4])).tolist() == [0.25]


def test_relative_path_is_of_the_folder_one_stands_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("a", 0.5), ("b", 0.25)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "mine.py").write_text(f"def f(ranks): return ranks * 0 + {value}\n")
        monkeypatch.chdir(tmp_path / name)
        assert DISCOUNTS.parse("./mine.py:f")(np.array([1])).tolist() == [value]


LOOPS = """
import math
def discount(ranks):
    return [1 / math.log2(float(rank) + 1) for rank in ranks]
def gain(grades):
    return [math.sqrt(float(grade)) for grade in grades]
"""


@pytest.fixture
def loops(tmp_path: Path) -> str:
    path = tmp_path / "loops.py"
    path.write_text(LOOPS)
    return str(path)


@pytest.mark.parametrize("shape", [(), (0,), (6,), (2, 3), (0, 5), (1, 2, 3)])
def test_a_function_that_loops_does_for_arrays_of_any_shape(
    loops: str, shape: tuple[int, ...]
) -> None:
    ranks = np.arange(1, 1 + np.prod(shape, dtype=int)).reshape(shape)
    weights = DISCOUNTS.parse(f"{loops}:discount")(ranks)
    assert np.shape(weights) == shape
    np.testing.assert_allclose(weights, 1 / np.log2(ranks + 1.0), rtol=1e-14)
    np.testing.assert_allclose(GAINS.parse(f"{loops}:gain")(ranks), ranks**0.5, rtol=1e-14)


def test_a_measure_of_functions_that_loop_scores_as_one_of_arrays(loops: str) -> None:
    grades = np.random.default_rng(0).integers(0, 4, (3, 5, 7))
    mine = score_grades(f"nDCG(discount={loops}:discount,gain={loops}:gain)@5", grades)
    own = nDCG(gain=np.sqrt, cutoff=5)
    np.testing.assert_allclose(mine, score_grades(own, grades), rtol=1e-13)
