"""What another group size would give: silence, cost and fidelity for the prompts that the log asked.

For each observed (G, k) the fitted law becomes a posterior over that prompt's p, in closed form; averages are
over all groups. The intervals come from `intervals`: they hold whatever the law of difficulty is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..counts import group_std, silent_probability
from ..group_sizes import expected_std
from ..search import smallest_group_size
from .by_group import Floats
from .groups import Cells
from .intervals import GRID, Region
from .mixtures import BetaMixture, log_counts, silent_of

GROUP_SIZES = (2, 4, 8, 16, 32, 64, 128)


@dataclass(frozen=True)
class Estimate:
    """A value with the ends of its 90 % interval; None where it cannot be told."""

    value: float | None
    low: float | None = None
    high: float | None = None

    def cost_of(self, group_size: int) -> Estimate:
        """Of a silent share: rollouts per mixed group of G, None where (nearly) no group is mixed."""

        def cost(share: float | None) -> float | None:
            return None if share is None or share > 1 - 1e-9 else group_size / (1 - share)

        return Estimate(cost(self.value), cost(self.low), cost(self.high))


@dataclass(frozen=True)
class AnotherSize:
    """What groups of G would be for the observed prompts.

    Attributes
    ----------
    group_size : G
    silent : share of groups without a gradient
    cost : rollouts generated for each mixed group, G/(1 − silent)
    fidelity : E[σ]/E[√(pq)] over prompts, the share of the infinite group's gradient coefficient
    """

    group_size: int
    silent: Estimate
    cost: Estimate
    fidelity: Estimate


class Posterior:
    """The observed prompts' success probabilities, given how many of their completions were right.

    Parameters
    ----------
    mixture : the fitted law
    cells : the table it was fitted to
    """

    def __init__(self, mixture: BetaMixture, cells: Cells) -> None:
        from scipy.special import softmax

        owed = softmax(mixture.log_terms(cells), axis=1)
        self._weight = owed * (cells.count / cells.groups)[:, None]
        self._a = mixture.a + cells.k[:, None]
        self._b = mixture.b + (cells.size - cells.k)[:, None]
        self._point = np.broadcast_to(mixture.point, self._weight.shape)

    def silent(self, group_size: float) -> float:
        """Mean of p^G + (1 − p)^G."""
        share = silent_of(self._a, self._b, self._point, np.asarray(float(group_size)))
        return float(np.sum(self._weight * share))

    def fidelity(self, group_size: int) -> float | None:
        """E[σ]/E[√(pq)]; None where every prompt's p is 0 or 1."""
        full = float(np.sum(self._weight * self._limit()))
        return float(np.sum(self._weight * self._std(group_size))) / full if full > 1e-12 else None

    def smallest(self, target: float) -> int | None:
        """Smallest G with a silent share of at most `target`; None if none up to 2²⁰ has."""
        if self.silent(2**20) > target:
            return None
        found = smallest_group_size(
            lambda size: np.asarray(self.silent(float(size)) <= target), np.asarray(target)
        )
        return int(found)

    def _limit(self) -> Floats:
        """E[√(pq)] of each posterior."""
        from scipy.special import betaln

        single = ~np.isnan(self._point)
        p, a, b = (
            np.where(single, self._point, 0.5),
            np.where(single, 1, self._a),
            np.where(single, 1, self._b),
        )
        of_beta = np.exp(betaln(a + 0.5, b + 0.5) - betaln(a, b))
        return np.asarray(np.where(single, np.sqrt(p * (1 - p)), of_beta))

    def _std(self, group_size: int) -> Floats:
        """E[σ] of each posterior: a mean over its law of k."""
        total = np.zeros(self._weight.shape)
        for k, std in enumerate(group_std(np.arange(group_size + 1), group_size)):
            total += np.exp(log_counts(k, group_size, self._a, self._b, self._point)) * std
        return total


def other_sizes(
    posterior: Posterior, region: Region, group_sizes: Sequence[int] = GROUP_SIZES
) -> tuple[AnotherSize, ...]:
    """A row for each G, with 90 % intervals."""
    return tuple(_row(posterior, region, size) for size in group_sizes)


def _row(posterior: Posterior, region: Region, size: int) -> AnotherSize:
    silent = within(posterior.silent(size), *region.bounds(silent_probability(GRID, size)))
    limit = np.sqrt(GRID * (1 - GRID))
    fidelity = within(posterior.fidelity(size), *region.bounds(expected_std(GRID, size), limit))
    return AnotherSize(size, silent, silent.cost_of(size), fidelity)


def within(value: float | None, low: float, high: float) -> Estimate:
    """An estimate and an interval that holds it, cut to [0, 1]: the fitted law may lie just outside."""
    if value is None or np.isnan(low):
        return Estimate(None)
    return Estimate(value, max(min(low, value), 0.0), min(max(high, value), 1.0))
