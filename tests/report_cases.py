"""Runs a case of report_cases.json: writes its files, calls the command, compares what must come out."""

import base64
import contextlib
import io
import itertools
import json
import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ndcgstudy.cli import main

Case = Mapping[str, Any]
Record = dict[str, Any]


@dataclass(frozen=True)
class Done:
    """What a call gave."""

    code: int
    out: str
    err: str


def write_files(files: Mapping[str, Any], folder: Path) -> None:
    """Write the files of a case, text or bytes, into a folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = isinstance(content, str)
        path.write_bytes(content.encode() if text else base64.b64decode(content["b64"]))


def call(args: Iterable[str], folder: Path) -> Done:
    """Call the command line in a folder."""
    out, err = io.StringIO(), io.StringIO()
    code: Any = 0
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main([*args])
        except SystemExit as stop:
            code = stop.code or 0
    return Done(int(code), out.getvalue(), err.getvalue())


def with_format(args: Iterable[str], form: str) -> list[str]:
    """Return the words of a call that writes another format."""
    words = [*args]
    while "--format" in words:
        at = words.index("--format")
        del words[at : at + 2]
    return [*words, "--format", form]


class Outcome:
    """The output of a case's command, as it is and as records."""

    def __init__(self, case: Case, folder: Path) -> None:
        self.command = case["args"][0]
        self.plain = call(case["args"], folder)
        self._case, self._folder = case, folder
        self._pure: Done | None = None

    @property
    def pure(self) -> Done:
        """The same call with --format json."""
        if self._pure is None:
            self._pure = call(with_format(self._case["args"], "json"), self._folder)
        return self._pure

    @property
    def records(self) -> list[Record]:
        assert self.pure.code in (0, 1), self.pure.err
        found: list[Record] = json.loads(self.pure.out)
        return found

    @property
    def means(self) -> dict[str, float]:
        """The mean of each system, best first."""
        if self.command == "ranks":
            return {r["system"]: r["mean"] for r in sorted(self.records, key=lambda r: r["rank"])}
        sides = [(r[f"system_{s}"], r[f"mean_{s}"]) for r in self.records for s in "ab"]
        return dict(sorted(sides, key=lambda side: -side[1]))

    @property
    def topics(self) -> int:
        """How many topics or data sets are compared, as the convention says."""
        found = re.search(r"\bon (\d+) (?:topics|data sets)|, (\d+) columns", self.pure.err)
        assert found, self.pure.err
        return int(found[1] or found[2])


def check(expected: Mapping[str, Any], outcome: Outcome) -> None:
    """Check all that is expected, else `AssertionError`; an unknown key is an error."""
    for key, value in expected.items():
        if key != "tolerance":
            CHECKS[key](value, outcome, expected)


def _any_of(options: list[Mapping[str, Any]], outcome: Outcome, _: Case) -> None:
    failures = []
    for option in options:
        try:
            return check(option, outcome)
        except AssertionError as failure:
            failures.append(str(failure))
    raise AssertionError("\n".join(failures))


def contains(text: str, word: Any) -> bool:
    """Return whether a word is part of a text, in any case of letters."""
    if isinstance(word, list):
        return any(contains(text, one) for one in word)
    if word.startswith("re:"):
        return re.search(word[3:], text, re.IGNORECASE) is not None
    return word.lower() in text.lower()


def _refused(words: list[Any], outcome: Outcome, _: Case) -> None:
    done = outcome.plain
    endings = {Path(name).suffix for name in outcome._case["files"]} - {""}
    said = done.err
    for ending in endings:
        said = said.replace(ending, "")
    assert done.code == 2, done
    assert done.out == ""
    assert "Traceback" not in said
    for word in words:
        assert contains(said, word), (word, said)


def _warned(words: list[Any], outcome: Outcome, _: Case) -> None:
    done = outcome.plain
    said = "\n".join(line for line in done.err.splitlines() if "convention:" not in line)
    assert done.code == 0, done
    for word in words:
        assert contains(said, word), (word, said)


def _values(values: Mapping[str, Any], outcome: Outcome, expected: Case) -> None:
    found, tolerance = VALUES[outcome.command](outcome), expected.get("tolerance", 1e-6)
    for name, value in _flat(values):
        number = found[name]
        assert math.isclose(number, value, rel_tol=0, abs_tol=tolerance), (name, number, value)


def _flat(values: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    for name, value in values.items():
        if isinstance(value, dict):
            yield from ((f"{name} {inner}", number) for inner, number in value.items())
        else:
            yield name, value


class _Named(dict[str, float]):
    """Values by name; ``*`` is the only one."""

    def __missing__(self, name: str) -> float:
        assert name == "*", (name, dict(self))
        (value,) = {*self.values()}
        return value


def _score_values(outcome: Outcome) -> dict[str, float]:
    found = _Named()
    runs = {r["run"] for r in outcome.records}
    for record in outcome.records:
        found[record["run" if len(runs) > 1 else "measure"]] = record["value"]
        if len({r["measure"] for r in outcome.records}) == 1:
            found[record["run"]] = record["value"]
    return found


def _gap_values(outcome: Outcome) -> dict[str, float]:
    found = dict(outcome.means)
    for r in outcome.records:
        pair = f"{r['system_a']}|{r['system_b']}"
        own = {name: math.nan if r[name] is None else r[name] for name in GAP}
        found |= {f"{pair} {name}": own[name] for name in GAP}
        back = {"gap": -own["gap"], "low": -own["high"], "high": -own["low"], "p": own["p"]}
        found |= {f"{r['system_b']}|{r['system_a']} {name}": back[name] for name in GAP}
    if len(outcome.records) == 1:
        found |= own
    return found


GAP = ("gap", "low", "high", "p")
VALUES = {
    "score": _score_values,
    "gaps": _gap_values,
    "ranks": lambda outcome: dict(outcome.means),
    "flip": lambda outcome: outcome.records[0],
    "agree": lambda outcome: outcome.records[0],
}


def _systems(names: list[str], outcome: Outcome, _: Case) -> None:
    assert sorted(outcome.means) == sorted(names)


def _order(names: list[str], outcome: Outcome, _: Case) -> None:
    assert [*outcome.means] == names


def _topics(count: int, outcome: Outcome, _: Case) -> None:
    assert outcome.topics == count


def _separated(value: bool, outcome: Outcome, _: Case) -> None:
    assert outcome.records
    assert all(r["separated"] is value for r in outcome.records)


def _coherent(value: bool, outcome: Outcome, _: Case) -> None:
    assert value
    assert all(not (r["separated"] and r["p"] >= 0.05) for r in outcome.records)


def _first(names: list[str], outcome: Outcome, _: Case) -> None:
    tied = {r["system"]: r["tied_for_first"] for r in outcome.records}
    for better, worse in itertools.pairwise(names):
        assert tied[better] or not tied[worse], tied


def _exit(code: int, outcome: Outcome, _: Case) -> None:
    assert outcome.plain.code == code, outcome.plain


def _said(words: list[Any], outcome: Outcome, _: Case) -> None:
    text = outcome.plain.out + outcome.plain.err
    for word in words:
        assert contains(text, word), (word, text)


def _unsaid(words: list[Any], outcome: Outcome, _: Case) -> None:
    for word in words:
        assert not contains(outcome.plain.out + outcome.plain.err, word), word


def _matched(name: str, outcome: Outcome, _: Case) -> None:
    assert outcome.plain.code == 0, outcome.plain
    matches = [r for r in outcome.records if r["match"] != "no"]
    assert any(name in r["tools"] or name in r["convention"] for r in matches), matches


CHECKS = {
    "any_of": _any_of,
    "refused": _refused,
    "warned": _warned,
    "values": _values,
    "systems": _systems,
    "order": _order,
    "topics": _topics,
    "separated": _separated,
    "coherent": _coherent,
    "first": _first,
    "exit": _exit,
    "said": _said,
    "unsaid": _unsaid,
    "matched": _matched,
}


def run_case(case: Case, folder: Path) -> None:
    """Write, call, check."""
    write_files(case["files"], folder)
    assert os.path.isdir(folder)
    check(case["expected"], Outcome(case, folder))
