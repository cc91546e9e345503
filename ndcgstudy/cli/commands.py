"""All commands: importing this file hangs each family of them on the application."""

from ndcgstudy.cli import (
    agree,
    cache,
    check,
    fit_discount,
    flip,
    gaps,
    holes,
    parts,
    plan,
    power,
    ranks,
    reproduce,
    score,
    separability,
)

__all__ = [
    "agree",
    "cache",
    "check",
    "fit_discount",
    "flip",
    "gaps",
    "holes",
    "parts",
    "plan",
    "power",
    "ranks",
    "reproduce",
    "score",
    "separability",
]
