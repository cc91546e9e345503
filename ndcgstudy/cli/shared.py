"""Arguments and options that several commands share, and what is read from them."""

import functools
import inspect
from collections.abc import Callable
from typing import Any

from ndcgstudy.cli.app import Problems


def reads(read: Callable[..., Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the arguments and options of `read`, which takes `problems` before these.

    The command takes `problems` and what was read first, then its own options.
    """
    shared = list(inspect.signature(read).parameters.values())[1:]

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = list(inspect.signature(command).parameters.values())[2:]

        @functools.wraps(command)
        def whole(**given: Any) -> None:
            problems = Problems(command.__name__.removesuffix("_command"))
            found = read(problems, **{option.name: given.pop(option.name) for option in shared})
            command(problems, found, **given)

        whole.__signature__ = inspect.Signature([*shared, *own])  # type: ignore[attr-defined]
        whole.__annotations__ = {option.name: option.annotation for option in [*shared, *own]}
        return whole

    return decorate
