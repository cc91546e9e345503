"""`ndcgstudy ranks`: where each system stands, the ranks it may truly have, and who may be first."""

from itertools import combinations
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ndcgstudy.cli import matrix
from ndcgstudy.cli.app import Problems, app, emit, say
from ndcgstudy.cli.figure import FigureOption, check_figure, write_figure
from ndcgstudy.cli.options import (
    DesignOption,
    FormatOption,
    LevelOption,
    ResamplesOption,
    SeedOption,
)
from ndcgstudy.cli.tables import as_data, as_table, check_format

if TYPE_CHECKING:
    from ndcgstudy.inference.agreement_of_orders import OrderAgreement
    from ndcgstudy.inference.ranks import Ranks


@app.command("ranks")
@matrix.reads_scores
def ranks_command(
    problems: Problems,
    loaded: matrix.Loaded | None,
    *,
    family: Annotated[
        str, typer.Option(help="Sets: simultaneous (all hold at once), marginal (each by itself)")
    ] = "simultaneous",
    method: Annotated[
        str, typer.Option(help="shrunken, or another for all pairs: docs/gaps.md")
    ] = "",
    design: DesignOption = "",
    level: LevelOption = 0.95,
    resamples: ResamplesOption = 10_000,
    seed: SeedOption = 0,
    output: FormatOption = "table",
    figure: FigureOption = "",
) -> None:
    """Rank systems: the ranks each may truly have, and which may be first.

    With several measures each has its ranks, and the agreement of their orders is told.
    """
    from ndcgstudy.seeding import rng_for

    problems.attempt(check_format, output)
    problems.attempt(check_figure, figure)
    problems.attempt(rng_for, seed)
    if loaded and figure and len(loaded.scores) > 1:
        problems.messages.append("--figure draws one measure at a time")
    problems.stop_if_any()
    if not loaded:
        return
    how: dict[str, Any] = {"level": level, "resamples": resamples, "design": design or None}
    found, agreed = _found(
        problems, loaded, how, {"family": family, "method": method or None}, seed
    )
    problems.stop_if_any()
    for note in loaded.notes:
        say(note)
    _print(found, agreed, output, loaded.convention)
    if figure:
        from ndcgstudy.inference.drawing_ranks import size_of

        write_figure(figure, size_of(found[0]), found[0].plot)


def _found(
    problems: Problems,
    loaded: matrix.Loaded,
    how: dict[str, Any],
    sets: dict[str, Any],
    seed: int,
) -> "tuple[list[Ranks], list[OrderAgreement]]":
    """Return the ranks by each measure and the agreement of every two; all share their resamples."""
    from ndcgstudy.inference.agreement_of_orders import agreement_of_orders
    from ndcgstudy.inference.ranks import ranks
    from ndcgstudy.seeding import rng_for

    found: list[Ranks] = []
    agreed: list[OrderAgreement] = []
    for scores in loaded.scores:
        if one := problems.attempt(ranks, scores, **how, **sets, rng=rng_for(seed, "ranks")):
            found.append(one)
        else:
            return [], []
    for pair in combinations(loaded.scores, 2):
        rng = rng_for(seed, "ranks")
        if both := problems.attempt(agreement_of_orders, *pair, **how, rng=rng):
            agreed.append(both)
    return found, agreed


def _print(
    found: "list[Ranks]", agreed: "list[OrderAgreement]", output: str, convention: str
) -> None:
    """Write the records on stdout; how they were computed below a table, else on stderr."""
    from ndcgstudy.inference.letters import shortened

    for one in found:
        for note in one.notes:
            say(f"{one.gaps.measure}: {note}" if len(found) > 1 else note)
    for both in agreed:
        say(f"{both.measures[0]} and {both.measures[1]}: tau {both.tau}, tau_AP {both.tau_ap}")
    if agreed:
        say(agreed[0].convention)
    records = _records(found)
    names = ", ".join(one.gaps.measure for one in found)
    lines = f"{names}, {found[0].how}; {convention}"
    if output in ("csv", "json"):
        say(lines)
        emit(as_data(records, output), nl=False)
        return
    rows = [list({**record, "group": shortened(record["group"])}.values()) for record in records]
    emit(as_table(list(records[0]), rows, output, lines), nl=False)


def _records(found: "list[Ranks]") -> list[dict[str, Any]]:
    """Return a record a system, led by the measure where there are several."""
    records: list[dict[str, Any]] = []
    for one in found:
        lead = {"measure": one.gaps.measure} if len(found) > 1 else {}
        records += [{**lead, **dict(r)} for r in one.table().to_dict("records")]  # type: ignore[arg-type]
    return records
