"""`ndcgstudy report`: one page of all results, well formed, the same each time, and nothing typed."""

import json
import re
import shutil
from pathlib import Path
from urllib.parse import unquote

import pytest
from page_rules import broken, parsed
from result_files import made

from ndcgstudy.cli import main
from ndcgstudy.external import load
from ndcgstudy.read_results import find
from ndcgstudy.report import gather
from ndcgstudy.report.grid import SOME

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    return made(tmp_path_factory.mktemp("report"))


@pytest.fixture
def folder(kept, tmp_path):
    for name in ("experiments", "results"):
        shutil.copytree(kept / name, tmp_path / name)
    return tmp_path


@pytest.fixture
def call(capsys, folder):
    def run(*words):
        where = ["--results", folder / "results", "--experiments", folder / "experiments"]
        with pytest.raises(SystemExit) as end:
            main(["report", *map(str, [*where, *words])])
        out = capsys.readouterr()
        return end.value.code, out.out, out.err

    return run


@pytest.fixture(scope="module")
def page(kept, tmp_path_factory):
    """The page of the small results, as text."""
    out = tmp_path_factory.mktemp("page") / "page.html"
    where = ("--results", kept / "results", "--experiments", kept / "experiments", "--out", out)
    with pytest.raises(SystemExit):
        main(["report", *map(str, where)])
    return out.read_text(encoding="utf-8")


# the page


def test_the_page_breaks_no_rule(page):
    assert broken(page) == []


def test_the_ledger_comes_first_and_then_each_study(page):
    heads = [e.text for e in parsed(page).all("h2")]
    assert heads == ["The ledger", "means", "mixed"]


def test_a_study_shows_question_answer_claims_rerun_and_provenance(page):
    _, mixed = (e for e in parsed(page).all("section") if e.attrs.get("class") == "study")
    for words in (
        "Which <numbers> are there?",
        "The sum of 150 numbers <k> is 11,175,000.",
        "contradicted",
        "ndcgstudy reproduce mixed --scale quick",
        "numpy ",
    ):
        assert words in " ".join(mixed.text.split())


def test_a_study_without_a_sentence_gives_its_verdict(page):
    assert "Claim T1: holds. The check is met." in parsed(page).text


def test_a_long_table_shows_its_head_and_leads_to_its_file(page):
    table, some = (t for t in parsed(page).all("table") if "mixed" in t.above.attrs["aria-label"])
    assert [len(t.all("tr")) - 1 for t in (table, some)] == [SOME, 12]
    assert f"The first {SOME} of 150 rows" in table.all("caption")[0].text
    assert "All 12 rows" in some.all("caption")[0].text


def test_text_stands_as_it_is_and_numbers_with_four_digits(page):
    table = next(t for t in parsed(page).all("table") if "mixed" in t.above.attrs["aria-label"])
    cells = [[td.text for td in row.all("td")] for row in table.all("tr")[1:]]
    assert cells[1] == ["1,000", "-0.3333", "x1 <b>&amp;", "no"]
    assert [row[1] for row in cells[7:9]] == ["", "inf"]


def test_each_figure_is_named_by_what_its_function_draws(page):
    titles = [e.attrs["alt"] for e in parsed(page).all("img")]
    assert titles[1:] == [f'{name}: k <against> "itself" & more.' for name in ("first", "again")]


def test_each_link_leads_to_a_file_wherever_the_page_stands(call, folder):
    for out in (folder / "results" / "report.html", folder / "else" / "where" / "page.html"):
        assert call("--out", out)[0] == 0
        links = [e.attrs["href"] for e in parsed(out.read_text(encoding="utf-8")).all("a")]
        files = [unquote(link) for link in links if not link.startswith("#")]
        assert len(files) >= 10
        assert [name for name in files if not (out.parent / name).is_file()] == []


def test_the_same_results_give_the_same_bytes(call, folder):
    path = folder / "results" / "report.html"
    call()
    first = path.read_bytes()
    call()
    assert path.read_bytes() == first


def test_the_ledger_is_written_beside_the_results(call, folder):
    code, out, err = call("--out", folder / "page.html")
    assert (code, err) == (0, "")
    assert re.fullmatch(r"open .*page\.html \(2 studies, \d+\.\d MB\)\n", out)
    assert (folder / "results" / "claims.csv").read_text(encoding="utf-8").count("\n") == 6
    assert sorted(path.name for path in folder.iterdir()) == ["experiments", "page.html", "results"]


@pytest.mark.parametrize(
    ("right", "wrong", "words"),
    [
        ('id="means"', 'id="mixed"', "twice"),
        ("<h3", "<h5", "closes"),
        ("<h1>", "<h1></h1><h1>", "not one h1"),
        ('alt="', 'data-x="', "a figure without a name"),
        ("<figcaption>", "<svg></svg><figcaption>", "<svg> stands in the page"),
        ("<figcaption>", "<p>", "closes"),
        ('<th scope="col">', "<th>", "scope"),
        ('<th scope="row">', "<td></td><th>", "another length"),
        ('href="#ledger"', 'href="#leger"', "nothing is called 'leger'"),
        ('href="data:,"', 'href="https://example.org/icon"', "loads"),
        ('<a class="skip"', '<a href="x">x</a><a class="skip"', "skips"),
        ('<a class="skip"', '<a onclick="x()" class="skip"', "holds a script"),
        (' lang="en"', "", "lang"),
        ('tabindex="0" aria-label', "aria-label", "by key"),
    ],
)
def test_each_rule_catches_a_page_that_breaks_it(page, right, wrong, words):
    assert right in page
    assert any(words in text for text in broken(page.replace(right, wrong, 1)))


# what is wrong with the results


def test_an_answer_that_fails_is_told_and_the_verdicts_stand_in(call, folder):
    path = folder / "experiments" / "mixed.py"
    path.write_text(path.read_text().replace("tables['table']['k'].sum()", "tables['none']"))
    code, _, err = call()
    assert code == 0
    assert "mixed: its answer cannot be made from these tables (KeyError: 'none')" in err
    html = (folder / "results" / "report.html").read_text(encoding="utf-8")
    assert "Of 2 claims: holds 1, contradicted 1." in parsed(html).text
    assert "its answer cannot be made" in html


def test_a_file_that_was_changed_by_hand_is_told(call, folder):
    path = folder / "results" / "mixed" / "some.csv"
    path.write_text(path.read_text().replace("1000", "1001"))
    code, _, err = call()
    assert code == 0
    assert "mixed: some.csv was changed after the run that made it" in err


def test_results_alone_make_a_page_too(call, folder):
    shutil.rmtree(folder / "experiments")
    code, _, err = call()
    assert code == 0
    assert "no claims in" in err
    html = (folder / "results" / "report.html").read_text(encoding="utf-8")
    assert broken(html) == []
    assert "Figure first." in parsed(html).text


def _no_commit(folder):
    path = folder / "results" / "mixed" / "manifest.json"
    path.write_text(path.read_text().replace('"commit"', '"omitted"'))


def _file(name, content):
    def damage(folder):
        path = folder / name
        path.unlink(missing_ok=True)
        if content is not None:
            path.write_text(content)

    return damage


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda folder: shutil.rmtree(folder / "results"), "no results of studies in"),
        (_file("results/mixed/manifest.json", "[]"), "damaged results"),
        (_file("results/mixed/manifest.json", '{"text": {}, "files": {}}'), "damaged results"),
        (_no_commit, "damaged results"),
        (_file("results/mixed/first.svg", None), "first.svg"),
        (
            _file("results/mixed/first.svg", "no picture"),
            "mixed, first.svg: a figure is not a plain SVG",
        ),
        (_file("results/mixed/table.csv", None), "table.csv"),
        (_file("experiments/mixed.py", "1 / 0"), "ZeroDivisionError"),
    ],
)
def test_damage_is_told_in_one_line_and_nothing_is_written(call, folder, damage, words):
    damage(folder)
    code, out, err = call()
    assert (code, out) == (2, "")
    assert words in err
    assert len(set(err.splitlines())) == err.count("\n")  # nothing is said twice
    assert not (folder / "results" / "report.html").exists()


def test_a_page_that_cannot_be_written_is_told(call, folder):
    assert "is a folder" in call("--out", folder / "results")[2]
    code, _, err = call("--out", folder / "experiments" / "mixed.py" / "page.html")
    assert code == 2
    assert "mixed.py" in err


# the project's own results


@pytest.fixture(scope="module")
def studies():
    return gather(ROOT / "results", ROOT / "experiments")


def test_every_study_with_results_answers_its_question_from_its_numbers(studies):
    assert [study.name for study in studies] == [path.name for path in find(ROOT / "results")]
    for study in studies:
        assert study.notes == []
        assert re.search(r"\d", study.answer), study.name


def test_no_answer_gives_a_range_whose_ends_read_alike_or_nothing_for_a_number(studies):
    for study in studies:
        assert not re.search(r"(\b[\d.,]+%?) to \1(?![\d.])", study.answer), study.answer
        assert "nan" not in study.answer, study.answer
        assert not re.search(r"(,000){3}", study.answer), study.answer  # 1e12 is read at a glance


def test_no_number_of_an_answer_is_typed(studies):
    for study in studies:  # each has a sentence of its own: a count of verdicts answers no question
        own = load(f"{ROOT / 'experiments' / study.name}.py:__dict__", "study")["answer"]
        tables = {table.name: table.frame for table in study.tables}
        other = {
            name: frame.assign(**(frame.select_dtypes("float") * 0.97))
            for name, frame in tables.items()
        }
        numbers, changed = (re.findall(r"\d+(?:\.\d+)?", own(part)) for part in (tables, other))
        assert numbers, study.name
        assert changed != numbers, study.name


def test_every_figure_of_the_studies_says_what_it_shows(studies):
    for study in studies:
        assert study.figures
        for figure in study.figures:
            assert figure.caption.endswith("."), (study.name, figure.name)
            assert len(figure.caption.split()) >= 4, (study.name, figure.name)
            assert "partial" not in figure.caption.lower(), (study.name, figure.name)


def test_a_function_with_arguments_fixed_says_what_it_draws_and_of_what(studies):
    shown = {
        f.name: f.caption for study in studies if study.name == "conventions" for f in study.figures
    }
    assert shown["ranges"].endswith("(round 1, nDCG@10).")
    assert shown["ranges_2021"] == shown["ranges"].replace("round 1", "DL 2021")
    assert len(shown["ranges"].split()) >= 8


def test_the_page_of_all_results_breaks_no_rule_and_stays_small(tmp_path):
    where = ["--results", tmp_path / "results", "--experiments", ROOT / "experiments"]
    shutil.copytree(ROOT / "results", tmp_path / "results")
    with pytest.raises(SystemExit) as end:
        main(["report", *map(str, where)])
    assert end.value.code == 0
    html = (tmp_path / "results" / "report.html").read_text(encoding="utf-8")
    assert broken(html) == []
    assert (
        len(html.encode()) < 8_000_000
    )  # 69 figures of 53 kB, a third more in base64, and the tables
    manifest = json.loads((ROOT / "results" / "worked_examples" / "manifest.json").read_text())
    assert manifest["versions"]["numpy"] in html
