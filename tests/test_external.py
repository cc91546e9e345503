"""A user's own parts: by module, by file, by entry point, with parameters, inside a measure, and broken."""

import os
import pickle
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import laws
import numpy as np
import pytest

from ndcgstudy import Judgments, Rankings, score, score_grades
from ndcgstudy.discounts import DISCOUNTS, Power
from ndcgstudy.gains import GAINS
from ndcgstudy.measures import MEASURES, nDCG

SOURCE = '''
"""Parts of a user."""

from dataclasses import dataclass

import numpy as np


def half(ranks):
    """Weigh rank r by 2^(1 - r)."""
    return 0.5 ** (np.asarray(ranks) - 1.0)


@dataclass(frozen=True)
class Step:
    """Weigh the first page fully and later ranks by a fixed share."""

    page: int
    rest: float = 0.25

    def __post_init__(self):
        if not 0 <= self.rest <= 1:
            raise ValueError(f"`rest` must be in [0, 1], got {self.rest!r}")

    def __call__(self, ranks):
        return np.where(np.asarray(ranks) <= self.page, 1.0, self.rest)


class Fragile:
    def __init__(self):
        raise KeyError("no such thing")


def squares(grades):
    return np.asarray(grades, dtype=float) ** 2


@dataclass(frozen=True)
class Top:
    """1 where the first document is relevant."""

    cutoff: int | None = 1

    def __call__(self, lists):
        return (lists.grade[..., 0] >= 1).astype(float)


def rising(ranks):
    return np.asarray(ranks, dtype=float)


def scalar_only(ranks):
    return 1.0 if ranks < 10 else 0.5


def raises(ranks):
    raise RuntimeError("out of order")


instance = Step(page=3)
number = 7
text = "log2"
'''


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that holds the user's file, and from which modules are imported."""
    (tmp_path / "my_parts.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.delitem(sys.modules, "my_parts", raising=False)
    return tmp_path


@pytest.fixture(params=["module", "file", "relative file"])
def place(request: pytest.FixtureRequest, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """What stands before the colon."""
    monkeypatch.chdir(folder)
    places = {
        "module": "my_parts",
        "file": f"{folder}/my_parts.py",
        "relative file": "./my_parts.py",
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


def test_external_parts_pickle_into_a_new_process(folder: Path) -> None:
    specs = ["my_parts:half", f"{folder}/my_parts.py:Step(page=2)", "my_parts:instance"]
    parts: list[Any] = [DISCOUNTS.parse(spec) for spec in specs]
    parts.append(MEASURES.parse(f"nDCG(discount={folder}/my_parts.py:half)@2"))
    code = (
        "import pickle, sys, numpy; parts = pickle.load(sys.stdin.buffer); print(*parts, sep='\\n')"
    )
    code += "; print(parts[1](numpy.array([2, 3])).tolist())"
    done = subprocess.run(
        [sys.executable, "-c", code], input=pickle.dumps(parts), capture_output=True, check=True
    )
    assert done.stdout.decode().splitlines() == [*map(str, parts), "[1.0, 0.25]"]


WRONG = [
    ("no_such_module:half", "cannot import no_such_module: ModuleNotFoundError"),
    ("no/such/file.py:half", "cannot import no/such/file.py: FileNotFoundError: no such file"),
    ("my_parts:hlaf", "'my_parts:hlaf': my_parts has no 'hlaf'"),
    ("my_parts:number", "must be a callable or a class of callables"),
    ("my_parts:text", "must be a callable or a class of callables"),
    ("my_parts:half(p=1)", "unknown parameter 'p' in 'my_parts:half(p=1)'"),
    ("my_parts:half(1)", "'my_parts:half(1)' has too many arguments; it takes none"),
    ("my_parts:Step", "discount 'my_parts:Step' needs page"),
    (
        "my_parts:Step(pgae=1)",
        "unknown parameter 'pgae' in 'my_parts:Step(pgae=1)'; did you mean 'page'?",
    ),
    (
        "my_parts:Step(page=1,rest=2)",
        "discount 'my_parts:Step(page=1,rest=2)': `rest` must be in [0, 1], got 2",
    ),
    ("my_parts:Fragile", "discount 'my_parts:Fragile': 'no such thing'"),
    ("my_parts:rising", "discount my_parts:rising must never rise, but from rank 1 to 2"),
    ("my_parts:scalar_only", "discount my_parts:scalar_only fails on an array of ranks"),
    ("my_parts:raises", "discount my_parts:raises fails on an array of ranks: out of order"),
    ("my_parts:", "cannot read discount 'my_parts:'"),
    (":half", "cannot read discount ':half'"),
    ("my_parts:half.other", "cannot read discount"),
]


@pytest.mark.parametrize(("spec", "message"), WRONG)
def test_what_is_wrong_with_a_users_part_is_said(spec: str, message: str, folder: Path) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        DISCOUNTS.parse(spec)
    with pytest.raises(ValueError, match="discount|measure") as error:
        MEASURES.parse(f"nDCG(discount={spec})@10")
    assert "_external_" not in str(error.value)


def test_messages_show_what_the_user_wrote(folder: Path) -> None:
    for text in ("nDCG(discount=my_parts:Step)", "nDCG(discount=power(beta=my_parts:half))"):
        with pytest.raises(ValueError, match="my_parts:") as error:
            MEASURES.parse(text)
        assert "_external_" not in str(error.value)


@pytest.mark.parametrize(
    "body", ["def f(:", "import no_such_module", "1 / 0", "raise SystemExit(3)", "\0"]
)
def test_broken_file_is_named(body: str, tmp_path: Path) -> None:
    path = tmp_path / "broken.py"
    path.write_text(f"{body}\nhalf = 1\n")
    with pytest.raises(
        ValueError, match=f"discount '{path}:half': cannot import {path}: "
    ) as error:
        DISCOUNTS.parse(f"{path}:half")
    assert "\n" not in str(error.value)


def test_files_of_one_name_in_two_folders_are_two(tmp_path: Path) -> None:
    for name, value in (("a", 0.5), ("b", 0.25)):
        (tmp_path / name).mkdir()
        text = f"import numpy as np\ndef f(ranks): return np.full(np.shape(ranks), {value})\n"
        (tmp_path / name / "mine.py").write_text(text)
    weights = [DISCOUNTS.parse(f"{tmp_path}/{name}/mine.py:f")(np.array([1]))[0] for name in "ab"]
    assert weights == [0.5, 0.25]


def test_file_that_has_changed_is_read_again(folder: Path) -> None:
    spec = f"{folder}/my_parts.py:half"
    assert DISCOUNTS.parse(spec)(np.array([2])).tolist() == [0.5]
    (folder / "my_parts.py").write_text("def half(ranks): return 1 / ranks")
    os.utime(folder / "my_parts.py", ns=(1, 1))
    assert DISCOUNTS.parse(spec)(np.array([4])).tolist() == [0.25]


def test_relative_path_is_of_the_folder_one_stands_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("a", 0.5), ("b", 0.25)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "mine.py").write_text(f"def f(ranks): return ranks * 0 + {value}\n")
        monkeypatch.chdir(tmp_path / name)
        assert DISCOUNTS.parse("./mine.py:f")(np.array([1])).tolist() == [value]


WRONG_GAINS = [
    ("def g(grades): return 1.0 + grades", "must be 0 at grade 0"),
    ("def g(grades): return -grades", "never falling"),
    ("def g(grades): raise RuntimeError('no')", "fails on an array of grades: no"),
]


@pytest.mark.parametrize(("body", "message"), WRONG_GAINS)
def test_wrong_gain_of_a_user_is_refused(body: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "gain.py").write_text(body)
    with pytest.raises(ValueError, match=f"gain {tmp_path}/gain.py:g .*{message}"):
        GAINS.parse(f"{tmp_path}/gain.py:g")


WRONG_MEASURES = [
    "def m(lists): return lists.grade[..., 0]",  # no cutoff
    "def m(lists): return 0.5\nm.cutoff = None",  # one number for all lists
    "def m(lists): raise RuntimeError('no')\nm.cutoff = None",
    "def m(lists): return lists.retrieved * 1.0\nm.cutoff = 'ten'",
]


@pytest.mark.parametrize("body", WRONG_MEASURES)
def test_wrong_measure_of_a_user_is_refused(body: str, tmp_path: Path) -> None:
    (tmp_path / "measure.py").write_text(body)
    with pytest.raises(ValueError, match=f"measure {tmp_path}/measure.py:m "):
        MEASURES.parse(f"{tmp_path}/measure.py:m")


@pytest.fixture
def distribution(folder: Path) -> Path:
    """An installed package that offers parts by entry points."""
    info = folder / "my_parts-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-parts\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[ndcgstudy.discounts]\nstep = my_parts:Step\nbroken = my_parts:none\nup = my_parts:rising\n"
        "[ndcgstudy.gains]\nsquares = my_parts:squares\n[ndcgstudy.measures]\nTop = my_parts:Top\n"
    )
    return folder


def test_entry_point_offers_a_part(distribution: Path) -> None:
    part = DISCOUNTS.parse("step(page=2)")
    assert part(np.array([2, 3])).tolist() == [1.0, 0.25]
    assert "step" in DISCOUNTS.names()
    for law in (*laws.DISCOUNT_LAWS, laws.value_pickles_and_copies):
        law(part)
    measure = MEASURES.parse("nDCG(gain=squares,discount=step(page=2))@5")
    assert str(measure) == "nDCG(gain=squares,discount=step(page=2))@5"
    assert MEASURES.parse(str(measure)) == measure
    assert pickle.loads(pickle.dumps(measure)) == measure
    assert score_grades("Top@1", [1, 0]) == 1.0


def test_entry_points_that_are_wrong(distribution: Path) -> None:
    with pytest.raises(ValueError, match=r"discount 'broken' \(my_parts:none\) cannot be loaded: "):
        DISCOUNTS.parse("broken")
    with pytest.raises(ValueError, match="discount up must never rise"):
        DISCOUNTS.parse("up")
    with pytest.raises(ValueError, match="discount 'step' needs page"):
        DISCOUNTS.parse("step")
    with pytest.raises(ValueError, match="did you mean 'step'"):
        DISCOUNTS.parse("stepp")


def test_listing_survives_a_broken_entry_point(distribution: Path) -> None:
    described = DISCOUNTS.describe()
    assert "Weigh the first page fully" in described["step"]
    assert "cannot be loaded" in described["broken"]


def test_entry_point_does_not_replace_a_part(distribution: Path) -> None:
    text = "[ndcgstudy.discounts]\npower = my_parts:half\n"
    (distribution / "my_parts-1.0.dist-info" / "entry_points.txt").write_text(text)
    assert DISCOUNTS.parse("power(beta=1)") == Power(1)
