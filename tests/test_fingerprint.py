"""A cell's key changes with what its rows depend on, and with nothing else."""

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from ndcgstudy.fingerprint import cell_key, fingerprint, outside, reach
from ndcgstudy.fingerprint import code as module
from ndcgstudy.runner import Job
from ndcgstudy.study import Study, load_study

SOURCE = '''
"""A study."""
import functools
import numpy as np
from ndcgstudy.discounts import DISCOUNTS
from ndcgstudy.figures import lines
from ndcgstudy.study import Drawing, Study
FACTOR = 3
UNUSED = 5
TABLE = {"a": 1}
TABLE["b"] = 2
CHECKS = {}

def registered(function):
    CHECKS[function.__name__] = function
    return function

@registered
def first():
    return 1

def helper(x):
    """Say what it does."""
    return FACTOR * x + TABLE["b"]

def cell(parameters, rng):
    # a comment
    weights = DISCOUNTS.parse(parameters["discount"])(np.arange(1, 4))
    return [{"x": helper(weights.sum()) + CHECKS["first"]()}]

def analysis(rows):
    return {"table": rows.assign(y=1)}

def draw(table, ax):
    return lines(table, ax, x="x", y="x", by="x")

STUDY = Study("Why?", lambda scale: [{"discount": "log2"}], cell, analysis,
              figures={"x": Drawing(draw)})
'''
MINE = "import numpy as np\nDEPTH = 2\ndef half(ranks):\n    return 0.5 ** np.log10(ranks)\n"


def loaded(folder, text=SOURCE):
    path = folder / "sample.py"
    path.write_text(text)
    os.utime(path, ns=(0, hash(text) & (2**60 - 1)))  # each text has its own time
    return load_study(path)


def of(folder, text=SOURCE):
    return fingerprint(loaded(folder, text)).hash


CONCERNED = {
    "the cell function": ('CHECKS["first"]()}', 'CHECKS["first"]() + 1}'),
    "a function that it calls": ("FACTOR * x", "FACTOR + x"),
    "a constant": ("FACTOR = 3", "FACTOR = 4"),
    "a statement that changes one": ('TABLE["b"] = 2', 'TABLE["b"] = 3'),
    "what a decorator registers": ("return 1", "return 2"),
    "the decorator": ("CHECKS[function.__name__] =", "CHECKS['first'] ="),
}
UNCONCERNED = {
    "a comment": ("# a comment", "# another"),
    "a docstring": ("Say what it does.", "Say more."),
    "an annotation": ("def helper(x):", "def helper(x: float) -> float:"),
    "a constant that is not used": ("UNUSED = 5", "UNUSED = 6"),
    "the analysis": ("assign(y=1)", "assign(y=2)"),
    "a figure": ('by="x"', 'by="y"'),
    "the question": ('"Why?"', '"Why not?"'),
    "blank lines": ("\ndef helper", "\n\n\ndef helper"),
    "the order of definitions": ("UNUSED = 5\n", ""),
}


@pytest.mark.parametrize(("old", "new"), CONCERNED.values(), ids=CONCERNED)
def test_it_changes_with(tmp_path, old, new):
    assert old in SOURCE
    assert of(tmp_path) != of(tmp_path, SOURCE.replace(old, new))


@pytest.mark.parametrize(("old", "new"), UNCONCERNED.values(), ids=UNCONCERNED)
def test_it_does_not_change_with(tmp_path, old, new):
    assert old in SOURCE
    assert of(tmp_path) == of(tmp_path, SOURCE.replace(old, new))


def test_the_variable_of_a_comprehension_is_no_name_of_the_file(tmp_path):
    """The cell has a `weights` of its own; that of the figures does not concern it."""
    looped = SOURCE.replace('{"x": Drawing(draw)}', '{weights: Drawing(draw) for weights in "x"}')
    assert looped != SOURCE
    assert of(tmp_path, looped) == of(tmp_path, looped.replace('in "x"', 'in "xy"'))
    bound = looped.replace("FACTOR = 3", "FACTOR = sum(weights for weights in (1, 2))")
    assert of(tmp_path, bound) != of(tmp_path, bound.replace("(1, 2)", "(1, 3)"))


def test_it_does_not_depend_on_where_the_file_lies(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    assert of(tmp_path / "a") == of(tmp_path / "b")


def changed(folder, monkeypatch, name, old, new):
    """Make the source of a module of the package read otherwise."""
    path = reach.module_path(name)
    text = path.read_text()
    assert old in text
    other = folder / "changed.py"
    other.write_text(text.replace(old, new))

    def source(module):
        if module != name:
            return real(module)
        return reach.path_source(other, module)

    real = reach.file_source
    monkeypatch.setattr(reach, "file_source", source)
    monkeypatch.setattr(module, "file_source", source)


PACKAGE = {
    "a part it may name": ("ndcgstudy.discounts", "/ np.log2(", "/ np.log(", True),
    "the random streams": ("ndcgstudy.seeding", "digest_size=32", "digest_size=16", True),
    "how parts are read": ("ndcgstudy.checks", "<= 2)", "<= 3)", True),
    "how a cell is run": ("ndcgstudy.runner.cells", "study.name, *(", "*(", True),
    "how figures are drawn": ("ndcgstudy.figures", "return ax", "return 3", False),
    "how a study is checked": ("ndcgstudy.study", "are equal", "are the same", False),
    "how cells are collected": ("ndcgstudy.runner.cells", "error: str =", "why: str =", False),
}


@pytest.mark.parametrize(("name", "old", "new", "concerned"), PACKAGE.values(), ids=PACKAGE)
def test_of_the_package_it_takes_what_the_cell_reaches(
    tmp_path, monkeypatch, name, old, new, concerned
):
    before = of(tmp_path)
    changed(tmp_path, monkeypatch, name, old, new)
    assert (of(tmp_path) != before) == concerned


@pytest.mark.parametrize("package", ["numpy"])
def test_it_changes_with_the_version_of_a_package(tmp_path, monkeypatch, package):
    before = of(tmp_path)
    monkeypatch.setattr(module, "_version", lambda top: "9" if top == package else "")
    assert of(tmp_path) != before


def test_a_users_part_concerns_the_cells_that_name_it(tmp_path):
    mine = tmp_path / "mine.py"
    study = loaded(tmp_path)
    cells = [{"discount": "log2"}, {"discount": f"{mine}:half"}]

    def keys(text, moment):
        mine.write_text(text)
        os.utime(mine, ns=(0, moment))
        return Job(study, cells, 0, "quick").keys

    first, second = keys(MINE, 1), keys(MINE.replace("0.5", "0.4"), 2)
    assert first[0] == second[0]
    assert first[1] != second[1]
    assert keys(MINE.replace("DEPTH = 2", "DEPTH = 3"), 3) == first


def test_a_lambda_takes_all_of_its_file(tmp_path):
    text = SOURCE.replace("}], cell, analysis", "}], lambda p, rng: cell(p, rng), analysis")
    assert of(tmp_path, text) != of(tmp_path, text.replace("FACTOR = 3", "FACTOR = 4"))


def test_names_from_a_star_and_through_the_package_are_followed(tmp_path, monkeypatch):
    text = SOURCE.replace(
        "import functools\n", "from ndcgstudy.seeding import *\nimport ndcgstudy as nd\n"
    )
    text = text.replace("    # a comment", "    nd.score_grades; rng_for")
    before = of(tmp_path, text)
    changed(
        tmp_path,
        monkeypatch,
        "ndcgstudy.measures.base",
        "def score_grades(",
        "def score_grades(_, ",
    )
    assert of(tmp_path, text) != before


def test_inputs_count_by_their_content(tmp_path, monkeypatch):
    monkeypatch.setenv("NDCGSTUDY_DATA", str(tmp_path))
    (tmp_path / "a.txt").write_text("1")
    study = replace(loaded(tmp_path), inputs=("a.txt",))
    before = fingerprint(study).hash
    (tmp_path / "a.txt").write_text("22")
    assert fingerprint(study).hash != before


def test_a_key_does_not_depend_on_the_order_in_which_things_are_written(tmp_path):
    study = loaded(tmp_path)
    one = Job(study, [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}], 0, "quick").keys
    two = Job(study, [{"b": "y", "a": 2}, {"b": "x", "a": 1}], 0, "quick").keys
    assert one == two[::-1]


def test_added_discounts_have_keys_whatever_their_order(tmp_path):
    study = load_study(Path(__file__).parents[1] / "experiments" / "separability.py")

    def keys(*discounts):
        return set(Job(study, study.cells("quick", discount=discounts), 0, "quick").keys)

    both = keys("power(beta=0.9)", "power(0.3)")
    assert both == keys("power(beta=0.3)", "power(0.9)")
    assert keys() < both
    assert len(keys()) == len(study.cells("quick"))


@pytest.mark.parametrize(
    "other",
    [
        {"seed": 1},
        {"scale": "full"},
        {"code": "b"},
        {"parameters": {"n": 2}},
        {"parameters": {"n": 1.0}},
        {"parameters": {"n": "1"}},
        {"parameters": {"n": True}},
        {"parameters": {"n": (1,)}},
        {"study": Study("?", print, print, print, name="other")},
        {"study": Study("?", print, print, print, stream=("n",))},
    ],
)
def test_a_key_changes_with_each_of_its_parts(other):
    plain = {"seed": 0, "scale": "quick", "code": "a", "parameters": {"n": 1}}
    plain["study"] = Study("?", print, print, print)

    def key(study, parameters, **rest):
        return cell_key(study, parameters, **rest)

    assert key(**plain) != key(**(plain | other))


def test_parts_from_outside_are_found_in_parameters():
    found = outside(
        {"m": "nDCG(discount=a/mine.py:half)@10", "d": ("pack.age:fast", "log2"), "n": 3}
    )
    assert found == (("a/mine.py", "half"), ("pack.age", "fast"))


def test_no_file_is_imported_for_it(tmp_path):
    text = SOURCE.replace("    # a comment", "    import this")
    fingerprint(loaded(tmp_path, text))
    assert "this" not in sys.modules
