"""Draw the weights of ranks under fitted discounts beside named ones."""

from typing import TYPE_CHECKING

from ndcgstudy.agreement.families import TABLE
from ndcgstudy.figures import BLACK, GREY, end_labels, look

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


def draw_weights(table: "pd.DataFrame", ax: "Axes") -> "Axes":
    """Draw the weights of `by_rank`: a table as points with intervals, all else as lines."""
    ax.set_xlabel("rank")
    ax.set_ylabel("weight, that of rank 1 = 1")
    least = float(table[["weight", "low"]].min().min())
    ax.set_ylim(
        least - 0.03 if least < 0 else 0,
        max(1.05, float(table[["weight", "high"]].max().max()) * 1.05),
    )
    ticks = sorted(set(table["rank"]))
    ax.set_xticks(ticks if len(ticks) <= 10 else ticks[:: len(ticks) // 5])
    ends = []
    for place, (name, rows) in enumerate(table.groupby("name", sort=False)):
        fitted = bool(rows["fitted"].iloc[0])
        style = look(place) if fitted else {**look(place), "color": GREY, "marker": ""}
        if name == TABLE:
            style = {**style, "color": BLACK, "linestyle": "none"}
            bars = [rows["weight"] - rows["low"], rows["high"] - rows["weight"]]
            ax.errorbar(rows["rank"], rows["weight"], yerr=bars, capsize=2, **style)
        else:
            dashes = "-" if fitted else (0, (1 + place, 2))
            ax.plot(rows["rank"], rows["weight"], **{**style, "linestyle": dashes})
            band = {"color": style["color"], "alpha": 0.12, "lw": 0}
            ax.fill_between(rows["rank"], rows["low"], rows["high"], **band)
        last = rows.iloc[-1]
        label = f"{name}, fitted" if fitted else str(name)
        ends.append((label, float(last["rank"]), float(last["weight"]), style["color"]))
    end_labels(ax, ends)
    return ax
