"""Preferences as arenas publish them: model_a, model_b, winner, in any format of tables."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from ndcgstudy import Judgments, Rankings
from ndcgstudy.formats.answers import read_word
from ndcgstudy.formats.preferences import read_preferences

QRELS = Judgments.from_dict({f"{t}": {"a": 2, "b": 1, "c": 0} for t in range(1, 7)})
RUNS = [
    Rankings.from_dict({t: dict.fromkeys(docs, s) for t in QRELS.topics}, name=name)
    for name, docs, s in (("alpha", "a", 1.0), ("beta", "b", 1.0), ("gamma", "c", 1.0))
]
ROWS = [
    ("1", "alpha", "beta", "model_a"),
    ("2", "alpha", "beta", "model_b"),
    ("3", "gamma", "alpha", "model_b"),
    ("4", "beta", "gamma", "tie"),
    ("5", "beta", "gamma", "tie (bothbad)"),
    ("6", "alpha", "gamma", "model_a"),
]
NAMES = ["question_id", "model_a", "model_b", "winner"]
FRAME = pd.DataFrame(ROWS, columns=NAMES)
SIGNS, WORDS = [1, -1, -1, 0, 0, 1], ["A", "B", "B", "tie", "tie_bad", "A"]
FORMS = {
    "csv": FRAME.to_csv(index=False).encode(),
    "csv with an index": FRAME.to_csv().encode(),
    "tsv": FRAME.to_csv(index=False, sep="\t").encode(),
    "semicolons": FRAME.to_csv(index=False, sep=";").encode(),
    "json": FRAME.to_json(orient="records").encode(),
    "json lines": FRAME.to_json(orient="records", lines=True).encode(),
    "parquet": FRAME.to_parquet(index=False),
    "qid as a number": FRAME.astype({"question_id": int}).to_json(orient="records").encode(),
    "other names": FRAME.rename(columns={"question_id": "qid", "model_a": "run_a", "model_b": "run_b"})
    .to_csv(index=False)
    .encode(),
}  # fmt: skip


def read(tmp_path: Path, data: bytes | str) -> Any:
    path = tmp_path / "arena"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return read_preferences(path, QRELS, RUNS)


@pytest.mark.parametrize("form", FORMS)
def test_arena_files(form: str, tmp_path: Path) -> None:
    found = read(tmp_path, FORMS[form])
    assert found.preference.tolist() == SIGNS
    assert list(found.columns["preference"]) == WORDS
    (gaps,) = found.differences(["P@1"])
    assert [int(x > 0) - int(x < 0) for x in gaps] == [0, 0, -1, 1, 1, 1]


@pytest.mark.parametrize(
    ("word", "kept"),
    [
        ("model_a", (1, "A")),
        ("Model B", (-1, "B")),
        ("model_b", (-1, "B")),
        ("alpha", (1, "A")),
        ("beta", (-1, "B")),
        ("tie", (0, "tie")),
        ("tie (bothbad)", (0, "tie_bad")),
        ("tie(bothbad)", (0, "tie_bad")),
        ("both_bad", (0, "tie_bad")),
        ("Tie (both bad)", (0, "tie_bad")),
        ("tie_bad", (0, "tie_bad")),
        ("bothgood", (0, "tie_good")),
    ],
)
def test_the_words_of_arenas(word: str, kept: tuple[int, str]) -> None:
    assert read_word(word, "alpha", "beta") == kept


def test_a_run_may_have_the_name_of_a_side() -> None:
    assert read_word("model_b", "model_b", "x") == (1, "A")
    with pytest.raises(ValueError, match="unknown preference 'model_c'"):
        read_word("model_c", "x", "y")


def test_three_columns_of_winners(tmp_path: Path) -> None:
    header = "id,question_id,model_a,model_b,winner_model_a,winner_model_b,winner_tie\n"
    rows = ["7,1,alpha,beta,1,0,0", "8,2,alpha,beta,0,1,0", "9,3,beta,gamma,0,0,1"]
    assert read(tmp_path, header + "\n".join(rows)).preference.tolist() == [1, -1, 0]
    with pytest.raises(ValueError, match="line 2: one of the three winners must be 1, got 1, 1, 0"):
        read(tmp_path, header + "7,1,alpha,beta,1,1,0")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("question_id,model_a,model_b,winner\n1,alpha,beta,\n", "line 2: unknown preference ''"),
        ("question_id,model_a,model_b,winner\n1,alpha,delta,model_a\n", "line 2: no run 'delta'"),
        ("question_id,model_a,winner\n1,alpha,model_a\n", "line 1: no column 'run_b'"),
        ("model_a,model_b,winner\nalpha,beta,model_a\n", "line 1: no column 'topic'"),
        ("question_id,model_a,model_b,winner\n", "the preferences hold no answer"),
        ("1 0 a 2\n1 0 b 1\n", "line 1: it looks like a qrels file: PAIRS go first"),
        ("query-id\tcorpus-id\tscore\n1\ta\t1\n", "it looks like a qrels file: PAIRS go first"),
        ("1 Q0 a 1 2.5 x\n", "line 1: it looks like a run: PAIRS go first"),
    ],
)
def test_what_is_no_arena(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r".") as error:
        read(tmp_path, text)
    assert message in str(error.value)


def test_pairs_of_lists_are_still_told_by_their_keys(tmp_path: Path) -> None:
    pair = {"query": "1", "A_docs": ["a"], "B_docs": ["b"], "A_grades": [1], "B_grades": [0]}
    path = tmp_path / "pairs"
    path.write_text(json.dumps(pair | {"pref": "A"}))
    assert read_preferences(path).preference.tolist() == [1]
