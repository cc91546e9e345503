"""Parts that another installed package offers by entry points."""

import pickle
from pathlib import Path

import laws
import numpy as np
import pytest

from ndcgstudy import score_grades
from ndcgstudy.discounts import DISCOUNTS, Power
from ndcgstudy.measures import MEASURES


@pytest.fixture
def distribution(user_folder: Path) -> Path:
    """An installed package that offers parts by entry points."""
    info = user_folder / "user_parts-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: user-parts\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[ndcgstudy.discounts]\nstep = user_parts:Step\nbroken = user_parts:none\nup = user_parts:rising\n"
        "[ndcgstudy.gains]\nsquares = user_parts:squares\n[ndcgstudy.measures]\nTop = user_parts:Top\n"
    )
    return user_folder


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
    with pytest.raises(
        ValueError, match=r"discount 'broken' \(user_parts:none\) cannot be loaded: "
    ):
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
    text = "[ndcgstudy.discounts]\npower = user_parts:half\n"
    (distribution / "user_parts-1.0.dist-info" / "entry_points.txt").write_text(text)
    assert DISCOUNTS.parse("power(beta=1)") == Power(1)
