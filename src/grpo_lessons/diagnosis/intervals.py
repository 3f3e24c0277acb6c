"""What the counts allow, whatever the law of difficulty: likelihood intervals that assume no family.

A `Region` holds every law of p (on a fine grid) whose log-likelihood is within χ²₁/2 of the best one's. The
bounds of a share over it, such as the silent share at another G, are its profile-likelihood interval: where
the counts say little, as about a G far above the one observed, it is wide. One fitted law would hide that.

On simulated logs of 500 groups at G = 8 (one p for all, Beta laws, two kinds of prompts, impossible ones) the
90 % intervals held the truth in 90 to 95 % of logs at G = 4 and 8, and in 88 to 100 % at 16 and 32.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import validation as check
from .groups import Cells

Floats = NDArray[np.float64]

GRID = np.sin(np.linspace(0, np.pi / 2, 121)) ** 2
"""(m,) values of p, evenly spaced in arcsin √p: finer than a group of several hundred can tell apart."""

_CLOSE = 0.05  # over √groups: bounds are outer ones, too wide by at most this share of the range of values
_PLANES = 25  # each costs milliseconds; fewer leave a bound wider, never too narrow


class Region:
    """All laws of p on `GRID` that a table of (G, k) does not contradict.

    Parameters
    ----------
    cells : the table, not empty
    level : strictly between 0 and 1, the coverage of each interval
    """

    def __init__(self, cells: Cells, level: float = 0.9) -> None:
        from scipy.stats import binom, chi2

        share = float(check.single(check.open_unit(level, "level"), "level"))
        if cells.groups == 0:
            raise ValueError("cells must hold at least one group, got none")
        self._chance = binom.pmf(cells.k[:, None], cells.size[:, None], GRID)
        self._count = cells.count.astype(float)
        self._best = most_likely(self._chance, self._count)
        self._floor = self._log_likelihood(self._best) - chi2.ppf(share, 1) / 2
        self._cuts: list[Floats] = []

    def bounds(self, numerator: ArrayLike, denominator: ArrayLike | None = None) -> tuple[float, float]:
        """The least and the largest E[numerator(p)], or E[numerator]/E[denominator], over the region.

        Parameters
        ----------
        numerator, denominator : (m,) values on `GRID`; denominators of at least 0

        Returns
        -------
        low, high : outer bounds, too wide by at most 0.05/√groups (but 0.0002) of the range of values, where
            `_PLANES` cuts get that near; NaN where the denominator may vanish
        """
        top = np.asarray(numerator, np.float64)
        below = np.ones_like(top) if denominator is None else np.asarray(denominator, np.float64)
        if denominator is not None and not self._low(below, np.ones_like(below)) > 1e-6:
            return np.nan, np.nan
        return self._low(top, below), -self._low(-top, below)

    def _low(self, top: Floats, below: Floats) -> float:
        """Minimise top·w/below·w over the region, by planes that cut off what lies outside of it.

        With t = 1/(below·w) and v = t w this is linear: minimise top·v with below·v = 1 and cuts through 0.
        """
        from scipy.optimize import linprog

        value = float(top @ self._best / (below @ self._best))
        spread = max(_CLOSE / np.sqrt(self._count.sum()), 2e-4) * max(float(np.ptp(top)), 1e-12)
        for _ in range(_PLANES):
            cuts: dict[str, Any] = {}
            if self._cuts:
                cuts = {"A_ub": -np.array(self._cuts), "b_ub": np.zeros(len(self._cuts))}
            found = linprog(top, A_eq=below[None], b_eq=[1.0], bounds=(0, None), method="highs-ds", **cuts)
            if found.x is None:  # beyond the solver's precision
                return value
            outer, law = float(found.fun), found.x / found.x.sum()
            edge = self._edge(law)
            if edge is None:
                return outer
            value = min(value, float(top @ edge / (below @ edge)))
            if value - outer <= spread:
                return outer
            self._cut(edge)
        return outer

    def _log_likelihood(self, law: Floats) -> float:
        with np.errstate(divide="ignore"):
            return float(self._count @ np.log(self._chance @ law))

    def _edge(self, law: Floats) -> Floats | None:
        """Where the way from the best law to `law` leaves the region; None if it does not."""
        if self._log_likelihood(law) >= self._floor - 1e-3:
            return None
        inside, outside = 0.0, 1.0
        for _ in range(30):
            middle = (inside + outside) / 2
            good = self._log_likelihood((1 - middle) * self._best + middle * law) >= self._floor
            inside, outside = (middle, outside) if good else (inside, middle)
        return (1 - inside) * self._best + inside * law

    def _cut(self, edge: Floats) -> None:
        """The plane that touches the region at `edge`, slope·(w − edge) ≥ 0, through 0 by Σw = 1."""
        slope = (self._count / (self._chance @ edge)) @ self._chance
        cut = slope - slope @ edge
        self._cuts.append(cut / np.abs(cut).max())


def most_likely(chance: Floats, count: Floats) -> Floats:
    """The law on the grid with the highest likelihood, by constrained Newton steps (Wang 2007).

    Parameters
    ----------
    chance : (c, m) P(cell at each p)
    count : (c,) groups in each cell

    Returns
    -------
    (m,) weights, adding up to 1: within 0.001 of the highest log-likelihood
    """
    from scipy.optimize import lsq_linear  # nnls of scipy 1.14 does not end where columns are collinear

    law, total = np.full(chance.shape[1], 1 / chance.shape[1]), count.sum()
    root = np.sqrt(count / total)[:, None]

    def likelihood(w: Floats) -> float:
        with np.errstate(divide="ignore"):
            return float(count @ np.log(chance @ w))

    for _ in range(100):
        now = chance @ law
        ratio = chance / now[:, None]
        if (count @ ratio).max() - total < 1e-3:  # no law is more than this above
            break
        heavy = 1e3 * np.ones((1, len(law)))
        wanted = np.append(2 * root[:, 0], 1e3)
        step = lsq_linear(np.vstack([root * ratio, heavy]), wanted, (0, np.inf), method="bvls").x
        step = step / step.sum()
        reach, before = 1.0, likelihood(law)
        while reach > 1e-6 and not likelihood(law + reach * (step - law)) > before:
            reach /= 2
        law = law + reach * (step - law)
    return law
