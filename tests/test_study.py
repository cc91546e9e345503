"""A study is a value: its cells are checked, it is found by path, and it pickles as its file."""

import pickle
from dataclasses import replace

import pytest
from study_files import TINY, put

from ndcgstudy.decision import Decision
from ndcgstudy.ledger import Claim, check
from ndcgstudy.study import Study, find_studies, load_study


def study_of(cells, **fields):
    return Study("?", lambda scale: cells, lambda parameters, rng: [], lambda rows: {}, **fields)


def decision(key):
    return Decision(Claim(key, "One."), lambda tables: [check("one", 1, 1)])


# cells


def test_a_study_gets_the_options_that_it_takes_and_no_others():
    seen = []

    def grid(scale, discount=()):
        seen.append((scale, discount))
        return [{"n": 1}]

    study = replace(study_of([]), grid=grid, options=("discount",))
    study.cells("full", discount=("zipf",), pairs=3)
    assert seen == [("full", ("zipf",))]


def test_an_unknown_scale_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match="unknown scale 'ful'; did you mean 'full'"):
        study_of([]).cells("ful")


@pytest.mark.parametrize("twin", [{"a": 1, "b": 2}, {"b": 2, "a": 1}])
def test_two_equal_cells_are_refused_in_whatever_order_they_are_written(twin):
    with pytest.raises(ValueError, match="two cells of the grid are equal"):
        study_of([{"a": 1, "b": 2}, twin]).cells("quick")


def test_a_cell_without_a_stream_label_is_refused():
    with pytest.raises(ValueError, match="lacks `block`"):
        study_of([{"n": 1}], stream=("block",)).cells("quick")


@pytest.mark.parametrize("value", [[1], None, {"a": 1}, (1, None)])
def test_parameters_are_scalars_or_tuples_of_scalars(value):
    with pytest.raises(ValueError, match="`n` of a cell must be a scalar"):
        study_of([{"n": value}]).cells("quick")


# claims


def test_verdicts_come_in_the_order_of_the_claims():
    study = study_of([], decisions=(decision("A2"), decision("A1")))
    assert [claim.id for claim in study.claims] == ["A2", "A1"]
    assert [found.id for found in study.verdicts({})] == ["A2", "A1"]


def test_no_claim_is_decided_twice():
    study = study_of([], decisions=tuple(map(decision, ("A2", "A1", "A2"))))
    with pytest.raises(ValueError, match="decides A2 twice"):
        study.verdicts({})


def test_a_study_without_claims_decides_nothing():
    assert study_of([]).verdicts({}) == []


# files


def test_studies_are_found_by_path_and_sorted(tmp_path):
    put(tmp_path, b=TINY, a=TINY, _helper="")
    (tmp_path / "notes.txt").touch()
    assert list(find_studies(tmp_path)) == ["a", "b"]


def test_a_folder_without_studies_is_named(tmp_path):
    with pytest.raises(ValueError, match="no studies in"):
        find_studies(tmp_path)
    with pytest.raises(ValueError, match=r"no folder .*missing with studies; name one with --exp"):
        find_studies(tmp_path / "missing")


def test_a_study_is_named_by_its_file(tmp_path):
    assert load_study(put(tmp_path, means=TINY) / "means.py").name == "means"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no 'STUDY'"),
        ("STUDY = 3", "STUDY is no Study but a int"),
        ("raise RuntimeError('no luck')", "RuntimeError: no luck"),
        ("def broken(:", "SyntaxError"),
    ],
)
def test_a_file_that_holds_no_study_is_reported(tmp_path, text, message):
    with pytest.raises(ValueError, match=message):
        load_study(put(tmp_path, wrong=text) / "wrong.py")


def test_a_study_from_a_file_pickles_as_its_path(tmp_path):
    study = load_study(put(tmp_path, means=TINY) / "means.py")
    data = pickle.dumps(study)
    again = pickle.loads(data)
    assert len(data) < 500
    assert (again.name, again.cells("quick")) == ("means", study.cells("quick"))


def test_a_study_from_no_file_pickles_by_its_fields():
    study = Study("?", print, print, print, name="plain")
    assert pickle.loads(pickle.dumps(study)) == study
