"""`ndcgstudy separability`: which discounts separate two rankers as their list grows."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ndcgstudy.cli.app import Problems, app, emit, say
from ndcgstudy.cli.tables import as_data, as_table, check_format

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

    from ndcgstudy.discounts import Discount
    from ndcgstudy.separability.verdict import Verdict

NAMED = (
    *("constant", "loglog", "log2", "power(beta=0.25)", "power(beta=0.5)", "power(beta=0.8)"),
    *("zipf", "power(beta=1.5)", "power(beta=2)", "geometric(p=0.5)"),
)
KEYS = (
    *("discount", "n", "cutoff", "replicates", "mean_a", "mean_b", "gap", "z"),
    *("p_right", "p_right_low", "p_right_high", "expected_gap", "expected_z"),
)


@app.command("separability")
def separability(
    discount: Annotated[
        list[str] | None,
        typer.Option(help="as power(beta=0.7) or path/file.py:name; repeatable; all named ones"),
    ] = None,
    pair: Annotated[str, typer.Option(help="two rankers: see `list generators`")] = "reference",
    n: Annotated[str, typer.Option(help="lengths of the list, up to 1e12")] = "1e3,1e6,1e9,1e12",
    cutoff: Annotated[str, typer.Option(help="none, 10, 0.2n, n^0.5")] = "none",
    replicates: Annotated[str, typer.Option(help="how often to draw the list")] = "200",
    gain: Annotated[str, typer.Option(help="linear, exponential, ...")] = "linear",
    seed: Annotated[str, typer.Option(help="root of the random stream, from 0")] = "0",
    output: Annotated[
        str, typer.Option("--format", help="table, csv, json, markdown, latex")
    ] = "table",
) -> None:
    """Compare two rankers on growing lists, simulated and as theory expects, and give verdicts."""
    from ndcgstudy.discounts import DISCOUNTS
    from ndcgstudy.gains import GAINS
    from ndcgstudy.seeding import rng_for
    from ndcgstudy.separability.laboratory import checked, compare
    from ndcgstudy.synthetic import GENERATORS

    problems = Problems()
    parts = [problems.attempt(DISCOUNTS.parse, text) for text in dict.fromkeys(discount or NAMED)]
    generator = problems.attempt(GENERATORS.parse, pair)
    worth = problems.attempt(GAINS.parse, gain)
    draws = problems.attempt(whole, "replicates", replicates, 2)
    root = problems.attempt(whole, "seed", seed, 0)
    problems.attempt(check_format, output)
    sizes = _sizes(problems, n)
    cut = _cutoff(problems, cutoff, sizes)
    if generator and sizes:
        problems.attempt(checked, generator, sizes)
    problems.stop_if_any()
    if generator and draws and worth:
        rng = rng_for(root or 0, "separability", str(generator))
        how: Any = {"cutoff": cut, "replicates": draws, "rng": rng, "gain": worth}
        discounts = [*dict.fromkeys(part for part in parts if part)]
        table = problems.attempt(compare, generator, discounts, sizes, **how)
        problems.stop_if_any()
        _report(table, discounts, generator, how, output)


def _report(
    table: Any, discounts: "list[Discount]", pair: Any, how: dict[str, Any], output: str
) -> None:
    """Print the figures, the error of sums, and the verdicts."""
    from ndcgstudy.separability.verdict import decide_all

    _caution(discounts)
    found = decide_all(discounts, table, pair, cutoff=how["cutoff"], gain=how["gain"])
    _print(table, found, str(pair), output)


def whole(name: str, text: str, at_least: int) -> int:
    """Read a whole number, 1e12 too."""
    from ndcgstudy.checks import number

    try:
        value: Any = int(text)
    except ValueError:
        try:
            real = float(text)
            value = int(real) if real.is_integer() else text
        except (ValueError, OverflowError):
            value = text
    number(name, value, at_least=at_least, whole=True)
    return int(value)


def _sizes(problems: Problems, text: str) -> list[int]:
    """Read the list lengths, rising."""
    found = [problems.attempt(whole, "n", part.strip(), 2) for part in text.split(",")]
    return sorted({size for size in found if size})


def _cutoff(problems: Problems, text: str, sizes: list[int]) -> Any:
    """Read the cutoff, which must lie in every list."""
    from ndcgstudy.separability.cutoffs import Cutoff

    cut = problems.attempt(Cutoff.parse, text)
    if cut and sizes:
        problems.attempt(cut.of, sizes[0])
    return cut


def _caution(discounts: "list[Discount]") -> None:
    """Show the error of sums that are but estimated."""
    from ndcgstudy.separability.sums import sums_for

    for discount in discounts:
        if told := sums_for(discount).caution:
            say(f"discount {discount}: {told}")


def _print(
    table: "pd.DataFrame", verdicts: "Mapping[str, Verdict]", pair: str, output: str
) -> None:
    """Write the records on stdout; verdicts below a table, else in each record and on stderr."""
    records: list[dict[str, Any]] = table[list(KEYS)].to_dict("records")  # type: ignore[assignment]
    if output in ("csv", "json"):
        found = [{**r, **_judged(verdicts[r["discount"]])} for r in records]
        emit(as_data(found, output), nl=False)
        say(f"pair: {pair}")
        for verdict in verdicts.values():
            say(f"verdict: {verdict}")
        return
    rows = [list(record.values()) for record in records]
    note = f"pair {pair}; A is its first ranker; nDCG; z = gap / sd of the gap"
    emit(as_table(KEYS, rows, output, note), nl=False)
    emit(_below([*verdicts.values()], output))


def _judged(verdict: "Verdict") -> dict[str, Any]:
    """Return the verdict's fields of a record, None where it has none."""
    at = verdict.resolves_at
    return {
        "verdict": str(verdict.finding),
        "why": verdict.why,
        "law": verdict.foreseen.law or None,
        "resolves_at": at if at < float("inf") else None,
    }


def _below(verdicts: "list[Verdict]", output: str) -> str:
    """Lay out the verdicts below a table: lines, a list of Markdown, or comments of LaTeX."""
    lead = {"table": "verdict: ", "markdown": "- ", "latex": "% verdict: "}[output]
    return "\n".join(["", *(f"{lead}{verdict}" for verdict in verdicts)])
