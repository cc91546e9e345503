"""The random stream of a call, and whether anything was drawn from it."""

from typing import TYPE_CHECKING, Any

from ndcgstudy.cli.app import Problems, say

if TYPE_CHECKING:
    import numpy as np


class Stream:
    """The stream that a seed gives to a command.

    Parameters
    ----------
    seed, name
        The root, and the command's own name.
    """

    def __init__(self, problems: Problems, seed: int, name: str) -> None:
        from ndcgstudy.seeding import rng_for

        self.seed = seed
        self.rng: np.random.Generator | None = problems.attempt(rng_for, seed, name)
        self._before = self._state()

    def _state(self) -> Any:
        if self.rng is None:
            return None
        source = self.rng.bit_generator
        return repr(source.state), getattr(source.seed_seq, "n_children_spawned", 0)

    def say_if_idle(self, resamples: int, default: int) -> None:
        """Say that the options of resampling changed nothing, where some were given and nothing drawn."""
        given = ["--seed"] * (self.seed != 0) + ["--resamples"] * (resamples != default)
        if given and self._state() == self._before:
            say(f"{' and '.join(given)} changed nothing: this method draws no resamples")
