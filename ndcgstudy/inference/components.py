"""Variance components of a matrix: how much systems, topics and their interplay scatter."""

from dataclasses import dataclass

import numpy as np

from ndcgstudy.checks import number
from ndcgstudy.data import Floats


@dataclass(frozen=True)
class Components:
    """Variances of systems, of topics, and of what remains (systems x topics, and noise).

    The mean variance of a difference of two systems on a topic is twice what remains.
    """

    system: float
    topic: float
    rest: float

    def reliability(self, topics: int) -> float:
        """Return the share of the variance of means over topics that is the systems' own.

        system / (system + rest/T), the generalisability coefficient.
        """
        total = self.system + self.rest / topics
        return self.system / total if total > 0 else 0.0

    def topics_for(self, reliability: float) -> float:
        """Return the topics, whole, that give a reliability; infinite where systems do not differ."""
        number("reliability", reliability, above=0, below=1)
        if self.system == 0:
            return float("inf")
        return float(np.ceil(reliability / (1 - reliability) * self.rest / self.system - 1e-9))

    def __str__(self) -> str:
        total = (self.system + self.topic + self.rest) or 1.0
        parts = {"systems": self.system, "topics": self.topic, "systems x topics": self.rest}
        return ", ".join(f"{name} {part / total:.0%}" for name, part in parts.items())


def components(values: Floats) -> Components:
    """Estimate the components from the mean squares of a two-way layout, one score a cell.

    Parameters
    ----------
    values
        Shape (systems, topics), two or more of each. Estimates below 0 become 0.

    References
    ----------
    Brennan 2001, Generalizability theory; Urbano, Marrero and Martin 2013, On the measurement of
    test collection reliability.

    Examples
    --------
    >>> components(np.array([[0.0, 0.5], [0.5, 1.0]]))
    Components(system=0.125, topic=0.125, rest=0.0)
    """
    systems, topics = values.shape
    by_system, by_topic = values.mean(axis=1), values.mean(axis=0)
    rest = values - by_system[:, None] - by_topic + values.mean()
    square = float((rest**2).sum()) / ((systems - 1) * (topics - 1))
    system = float(by_system.var(ddof=1)) - square / topics
    topic = float(by_topic.var(ddof=1)) - square / systems
    return Components(max(system, 0.0), max(topic, 0.0), square)
