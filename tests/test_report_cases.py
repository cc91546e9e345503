"""Every file that people had in public bug reports is read correctly, or refused with the reason."""

import json
from pathlib import Path
from typing import Any

import pytest
from report_cases import run_case
from shared_data import conformance_path


def _cases() -> list[dict[str, Any]]:
    path = conformance_path() / "report_cases.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else []


CASES = _cases()


@pytest.mark.usefixtures("conformance_folder")
@pytest.mark.parametrize("case", CASES or [{"id": "absent"}], ids=lambda case: case["id"])
def test_case(case: dict[str, Any], tmp_path: Path) -> None:
    run_case(case, tmp_path)


def test_every_case_is_tried(conformance_folder: Path) -> None:
    assert conformance_folder.joinpath("report_cases.json").is_file()
    assert len({c["id"] for c in CASES}) == len(CASES) >= 44


TABLE = "topic,a,b\n1,.5,.4\n2,.6,.5\n3,.7,.1\n"
GOOD: dict[str, Any] = {
    "files": {"t.csv": TABLE},
    "args": ["gaps", "t.csv", "--family", "each"],
    "expected": {},
}


@pytest.mark.parametrize(
    ("expected", "holds"),
    [
        ({"values": {"a": 0.6, "a|b": {"gap": 0.8 / 3}, "b|a": {"gap": -0.8 / 3}}}, True),
        ({"values": {"a": 0.6001}}, False),
        ({"values": {"a": 0.6001}, "tolerance": 1e-3}, True),
        ({"systems": ["b", "a"], "order": ["a", "b"], "topics": 3}, True),
        ({"systems": ["a"]}, False),
        ({"order": ["b", "a"]}, False),
        ({"topics": 4}, False),
        ({"separated": False, "coherent": True, "exit": 0}, True),
        ({"separated": True}, False),
        ({"refused": ["a"]}, False),
        ({"warned": ["no such word"]}, False),
        ({"said": ["METHOD"], "unsaid": ["re:no such [w]ord"]}, True),
        ({"said": ["no such word"]}, False),
        ({"unsaid": ["method"]}, False),
        ({"any_of": [{"topics": 4}, {"topics": 3}]}, True),
        ({"any_of": [{"topics": 4}, {"topics": 5}]}, False),
    ],
)
def test_a_check_fails_on_what_is_not_so(
    expected: dict[str, Any], holds: bool, tmp_path: Path
) -> None:
    case = GOOD | {"expected": expected}
    if holds:
        run_case(case, tmp_path)
    else:
        with pytest.raises(AssertionError):
            run_case(case, tmp_path)


def test_an_unknown_word_fails(tmp_path: Path) -> None:
    with pytest.raises(KeyError, match="moon"):
        run_case(GOOD | {"expected": {"moon": "full"}}, tmp_path)
