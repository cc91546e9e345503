"""What is said about a user's own parts that are broken, missing, or break a law."""

import re
from pathlib import Path

import pytest

from ndcgstudy.discounts import DISCOUNTS
from ndcgstudy.gains import GAINS
from ndcgstudy.measures import MEASURES

WRONG = [
    ("no_such_module:half", "cannot import no_such_module: ModuleNotFoundError"),
    ("no/such/file.py:half", "cannot import no/such/file.py: FileNotFoundError: no such file"),
    ("user_parts:hlaf", "'user_parts:hlaf': user_parts has no 'hlaf'"),
    ("user_parts:number", "must be a callable or a class of callables"),
    ("user_parts:text", "must be a callable or a class of callables"),
    ("user_parts:half(p=1)", "unknown parameter 'p' in 'user_parts:half(p=1)'"),
    ("user_parts:half(1)", "'user_parts:half(1)' has too many arguments; it takes none"),
    ("user_parts:Step", "discount 'user_parts:Step' needs page"),
    (
        "user_parts:Step(pgae=1)",
        "unknown parameter 'pgae' in 'user_parts:Step(pgae=1)'; did you mean 'page'?",
    ),
    (
        "user_parts:Step(page=1,rest=2)",
        "discount 'user_parts:Step(page=1,rest=2)': `rest` must be in [0, 1], got 2",
    ),
    ("user_parts:Fragile", "discount 'user_parts:Fragile': 'no such thing'"),
    ("user_parts:rising", "discount user_parts:rising must never rise, but from rank 1 to 2"),
    ("user_parts:scalar_only", "discount user_parts:scalar_only fails on an array of ranks"),
    ("user_parts:raises", "discount user_parts:raises fails on an array of ranks: out of order"),
    ("user_parts:", "cannot read discount 'user_parts:'"),
    (":half", "cannot read discount ':half'"),
    ("user_parts:half.other", "cannot read discount"),
]


@pytest.mark.parametrize(("spec", "message"), WRONG)
def test_what_is_wrong_with_a_users_part_is_said(
    spec: str, message: str, user_folder: Path
) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        DISCOUNTS.parse(spec)
    with pytest.raises(ValueError, match=r"user_parts|no.such|:half") as error:
        MEASURES.parse(f"nDCG(discount={spec})@10")
    assert "_external_" not in str(error.value)


def test_messages_show_what_the_user_wrote(user_folder: Path) -> None:
    for text in ("nDCG(discount=user_parts:Step)", "nDCG(discount=power(beta=user_parts:half))"):
        with pytest.raises(ValueError, match="user_parts:") as error:
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
