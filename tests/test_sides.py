"""Which list was on side A: kept as people saw it, though pairs come both ways round."""

import numpy as np
import pytest

from ndcgstudy import Judgments, Rankings
from ndcgstudy.agreement.likelihood import fit
from ndcgstudy.formats.preferences import read_preferences

PAIR = {"query": "q", "A_docs": ["a"], "B_docs": ["b"], "A_grades": [2], "B_grades": [0]}
OVER = {"query": "q", "A_docs": ["b"], "B_docs": ["a"], "A_grades": [0], "B_grades": [2]}
QRELS = Judgments.from_dict({"q": {"a": 2, "b": 0}})
RUNS = [Rankings.from_dict({"q": {doc: 1}}, name=name) for name, doc in (("r1", "a"), ("r2", "b"))]
HEADS = {"runs": "topic,run_a,run_b,preference", "documents": "topic,doc_a,doc_b,winner"}
SIDES = {"runs": ("r1,r2", "r2,r1"), "documents": ("a,b", "b,a")}


@pytest.fixture(params=["lists", "runs", "documents"])
def read(request, tmp_path):
    """Read answers, each a word and whether the better list was on side B."""

    def answers(*told):
        if request.param == "lists":
            return read_preferences([{**(PAIR, OVER)[over], "pref": word} for word, over in told])
        lines = [f"q,{SIDES[request.param][over]},{word}\n" for word, over in told]
        path = tmp_path / "answers.csv"
        path.write_text(HEADS[request.param] + "\n" + "".join(lines))
        return read_preferences(path, QRELS, RUNS)

    return answers


def test_sides_are_those_of_the_file_and_the_pair_is_one(read):
    found = read(("A", 1), ("A", 0), ("B", 1), ("tie", 1))
    assert found.preference.tolist() == [1, 1, -1, 0]
    assert found.differences(["DCG@1"])[0].tolist() == [-2, 2, -2, -2]
    assert set(found.pair.tolist()) == {0}
    (words,) = (found.columns[name] for name in ("pref", "preference") if name in found.columns)
    assert words.tolist() == ["A", "A", "B", "tie"]


def test_the_majority_counts_lists_whichever_side_they_were_on(read):
    """All prefer the list that the first answer has on side A, two of them on side B."""
    each = read(("A", 1), ("B", 0), ("B", 0))
    found = each.answers("majority")
    assert found.preference.tolist() == [1]
    assert found.differences(["DCG@1"])[0].tolist() == [-2]
    assert "2 answers with the sides changed over: those of the first" in found.notes
    assert each.preference.sum() < 0  # counted by their sides, they would elect the other


def test_a_taste_for_a_side_is_found_and_is_none_where_people_go_by_the_list(read):
    def position(found):
        lead = found.differences(["DCG@1"])[0]
        return fit(lead, found.preference, np.arange(len(lead)), position=True).position

    words = ("A", "A", "A", "tie", "B")
    assert position(read(*((word, over) for word in words for over in (0, 1)))) > 0.5
    turned = {"A": "B", "B": "A", "tie": "tie"}
    by_list = [(turned[word] if over else word, over) for word in words for over in (0, 1)]
    assert position(read(*by_list)) == pytest.approx(0, abs=1e-9)
