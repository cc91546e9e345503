"""What the pictures of gaps and ranks show: every pair where it belongs, and names that can be read."""

from dataclasses import replace
from itertools import pairwise

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from ranked import drawn

from ndcgstudy.data import Scores
from ndcgstudy.figures import STYLE
from ndcgstudy.inference import drawing, drawing_plan, drawing_ranks
from ndcgstudy.inference.gaps import gaps
from ndcgstudy.inference.planning import PAIRS, plan
from ndcgstudy.inference.ranks import ranks
from ndcgstudy.seeding import rng_for

FOREST = ("best", "neighbours")


def board(systems, best="", spread=3.0, topics=20):
    """Systems whose names are those of models: long, alike at the start, told apart at the end."""
    scores = drawn(np.linspace(spread, 0, systems), topics, rng_for(1))
    names = [f"organisation__embedding-model-of-size-{i}" for i in range(systems)]
    names[0] = best or names[0]
    return Scores(scores.values, tuple(names), scores.topics, "nDCG@10")


def found(systems, family="all", **how):
    return gaps(board(systems, **how), family=family, resamples=99, rng=rng_for(2))


def picture(result, size_of=drawing.size_of):
    """Draw as the commands do, and return the axes with their renderer."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(STYLE)
        figure = Figure(figsize=size_of(result), layout="constrained")
        canvas = FigureCanvasAgg(figure)
        ax = result.plot(figure.subplots())
        canvas.draw()
    return ax, canvas.get_renderer()


@pytest.mark.parametrize("family", FOREST)
def test_a_forest_has_the_interval_of_each_pair_in_its_line_and_colour(family):
    result = found(12, family, spread={"best": 3.0, "neighbours": 14.0}[family])
    assert 0 < result.separated.sum() < 11
    ax, _ = picture(result)
    lines = {}
    for group in ax.collections:
        for (low, row), (high, _) in group.get_segments():
            lines[int(row)] = low, high, tuple(group.get_colors()[0])
    assert sorted(lines) == list(range(11))
    for row, (low, high, colour) in lines.items():
        assert (low, high) == pytest.approx((result.low[row], result.high[row]))
        wanted = drawing.TOLD if result.separated[row] else drawing.UNTOLD
        assert colour == to_rgba(wanted)
    marks = {
        y: x
        for line in ax.lines[:2]
        for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)
    }
    assert [marks[row] for row in range(11)] == pytest.approx(result.gap)
    assert ax.yaxis_inverted()


def test_an_interval_without_end_crosses_the_picture():
    result = found(4, "best")
    high = np.array([np.inf, *result.high[1:]])
    low = np.array([-np.inf, *result.low[1:]])
    ax, _ = picture(replace(result, low=low, high=high))
    (across,) = ax.collections[0].get_segments()
    assert across.tolist() == [[0, 0], [1, 0]]
    assert ax.collections[0].get_transform() == ax.get_yaxis_transform()
    assert sum(len(group.get_segments()) for group in ax.collections) == 3


@pytest.mark.parametrize("family", ["all", "each"])
def test_a_map_has_each_gap_that_is_separated_and_grey_for_the_rest(family):
    result = found(9, family)
    ax, _ = picture(result)
    rest, told = (np.ma.filled(image.get_array(), np.nan) for image in ax.images)
    for first, second, gap, separated in zip(
        result.first, result.second, result.gap, result.separated, strict=True
    ):
        assert np.isnan(told[first, second]) != separated
        assert np.isnan(rest[first, second]) == separated
        assert not separated or told[first, second] == pytest.approx(gap)
    below = np.tril_indices(9)
    assert np.isnan(told[below]).all()
    assert np.isnan(rest[below]).all()
    hold = {"all": "all at once", "each": "each by itself"}[family]
    assert f"{result.share:.0%} of 36 pairs separated\n95%, {hold}; grey: not" in ax.get_title()
    assert len(ax.get_figure().axes) == 2  # with the scale of the colours


def test_a_map_without_a_separated_pair_has_no_scale():
    result = found(2, spread=0.0)
    assert not result.separated.any()
    ax, _ = picture(result)
    assert ax.get_figure().axes == [ax]
    assert "0% of 1 pair separated" in ax.get_title()


def lies_inside(ax, renderer, texts):
    """A law: all of a text can be seen."""
    width, height = ax.get_figure().bbox.size
    for text in filter(lambda text: text.get_text(), texts):
        box = text.get_window_extent(renderer)
        assert box.x0 >= 0, text.get_text()
        assert box.y0 >= 0, text.get_text()
        assert box.x1 <= width, text.get_text()
        assert box.y1 <= height, text.get_text()


def stand_apart(renderer, labels):
    """A law: no name covers the next."""
    boxes = [label.get_window_extent(renderer) for label in labels if label.get_text()]
    assert boxes
    for above, below in pairwise(boxes):
        assert below.y1 <= above.y0 + 0.5 or below.x0 >= above.x1 - 0.5


def pictures(systems):
    scores = board(systems, best="an-organisation-of-some-name__its-embedding-of-some-name")
    for family in (*FOREST, "all"):
        result = gaps(scores, family=family, resamples=99, rng=rng_for(2))
        yield result, drawing.size_of
    yield ranks(scores, resamples=99, rng=rng_for(2)), drawing_ranks.size_of


@pytest.mark.parametrize("systems", [2, 5, 200])
def test_names_and_titles_can_be_read(systems):
    for result, size_of in pictures(systems):
        ax, renderer = picture(result, size_of)
        names = [label for label in ax.get_yticklabels() if label.get_text()]
        stand_apart(renderer, names)
        lies_inside(ax, renderer, [ax.xaxis.label, ax.yaxis.label, ax.title, *names])


@pytest.mark.parametrize("systems", [5, 143, 200])
def test_every_line_of_up_to_two_hundred_has_its_name(systems):
    for family in FOREST:
        result = found(systems, family)
        names = [label.get_text() for label in result.plot(Figure().subplots()).get_yticklabels()]
        assert len(names) == systems - 1
        assert len(set(names)) == len(names)
        ends = [result.systems[i].rpartition("-")[2] for i in result.second]
        assert [name.rpartition("-")[2] for name in names] == ends


def test_of_more_lines_some_have_a_name():
    ax, renderer = picture(found(260, "neighbours"))
    assert [int(place) for place in ax.get_yticks()] == list(range(0, 259, 2))
    stand_apart(renderer, ax.get_yticklabels())


def test_a_label_in_one_line_with_a_long_name_would_not_fit():
    result = found(5, "best", best="an-organisation-of-some-name__its-embedding-of-some-name")
    ax, renderer = picture(result)
    ax.set_xlabel(f"gap in nDCG@10: {result.systems[0]} less the system, 95% of all at once")
    with pytest.raises(AssertionError):
        lies_inside(ax, renderer, [ax.xaxis.label])


def test_names_one_size_larger_would_cover_each_other():
    result = found(143, "best")
    ax, renderer = picture(result)
    ax.tick_params("y", labelsize=8)
    with pytest.raises(AssertionError):
        stand_apart(renderer, ax.get_yticklabels())


@pytest.mark.parametrize(("level", "text"), [(0.95, "95%"), (0.999, "99.9%"), (0.5, "50%")])
def test_a_level_is_written_in_full(level, text):
    assert drawing.percent(level) == text


@pytest.mark.parametrize("family", ["each", "all"])
def test_a_plan_is_drawn_through_the_gaps_and_topics_it_names(family):
    how = {"family": family, "resamples": 99, "rng": rng_for(3)}
    result = plan(board(6, topics=30), gap=0.5, topics=40, **how)
    table = drawing_plan.reach(result)
    for i, pair in enumerate(PAIRS):
        rows = table[table["pair"] == pair]
        for name in ("gap", "gap_low", "gap_high"):
            at = np.exp(np.interp(np.log(40), np.log(rows["topics"]), np.log(rows[name])))
            assert at == pytest.approx(getattr(result, name)[i], rel=0.01)  # a curve by 30 chords
        needed = np.exp(np.interp(-np.log(0.5), -np.log(rows["gap"]), np.log(rows["topics"])))
        assert needed == pytest.approx(result.topics[i], abs=1.01, rel=0.01)  # a whole number above
    ax, _ = picture(result, lambda _: (4.6, 3.2))
    drawn_lines = [line for line in ax.lines if len(line.get_xdata()) > 2]
    assert len(drawn_lines) == len(PAIRS)
    wrong = replace(result, sd=2 * result.sd)
    assert drawing_plan.reach(wrong)["gap"].min() > 1.5 * table["gap"].min()


def test_a_plan_says_what_was_asked_and_planned():
    ax, _ = picture(plan(board(6, topics=30), gap=0.5, resamples=99), lambda _: (4.6, 3.2))
    assert "30 planned" in ax.get_xlabel()
    assert "0.5 asked" in ax.get_ylabel()
    ax, _ = picture(plan(board(6, topics=30), resamples=99), lambda _: (4.6, 3.2))
    assert "asked" not in ax.get_ylabel()


def test_a_plan_between_pairs_that_never_vary_says_so_in_its_picture():
    values = np.array([[0.5], [0.4]]) + rng_for(4).random(10).round(2)
    result = plan(Scores(values, ("a", "b"), tuple("0123456789"), "AP"), gap=0.05, resamples=99)
    ax, _ = picture(result, lambda _: (4.6, 3.2))
    assert [text.get_text() for text in ax.texts] == ["no pair varies: any gap is found"]


def test_a_plan_for_a_gap_beyond_reach_is_drawn_for_topics_one_can_have():
    result = plan(board(3, topics=10), gap=1e-9, resamples=99)
    assert drawing_plan.reach(result)["topics"].max() == 40
