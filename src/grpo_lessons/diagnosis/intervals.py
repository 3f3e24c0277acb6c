"""What the counts allow, whatever the law of difficulty: likelihood intervals that assume no family.

A `Region` holds every law of p (on a fine grid) whose log-likelihood is within χ²₁/2 of the best one's. The
bounds of a share over it, such as the silent share at another G, are its profile-likelihood interval: where
the counts say little, as about a G far above the one observed, it is wide. One fitted law would hide that.

On simulated logs of 400 groups at G = 8 (one p of ½, one of .2, Beta(.5, 1.2), half .1 and half .9; 100 logs
each) the 90 % intervals held the silent share in 88 to 95 % at G = 4 and 8, and in 90 to 100 % at 16.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import validation as check
from .groups import Cells

Floats = NDArray[np.float64]
Term = Callable[[float], tuple[float, float, float]]
"""A convex, falling function of the log-likelihood: its value and first two derivatives, inf outside."""

GRID = np.sin(np.linspace(0, np.pi / 2, 121)) ** 2
"""(m,) values of p, evenly spaced in arcsin √p: finer than a group of several hundred can tell apart."""

_CLOSE = 0.05  # over √groups: bounds are outer ones, too wide by about this share of the range of values


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
        self._floor = log_likelihood(self._chance, self._count, self._best) - chi2.ppf(share, 1) / 2

    def bounds(self, numerator: ArrayLike, denominator: ArrayLike | None = None) -> tuple[float, float]:
        """The least and the largest E[numerator(p)], or E[numerator]/E[denominator], over the region.

        Parameters
        ----------
        numerator, denominator : (m,) values on `GRID`; denominators of at least 0

        Returns
        -------
        low, high : outer bounds, too wide by about 0.05/√groups (but 0.0002) of the range of values; NaN
            where the denominator may vanish
        """
        top = np.asarray(numerator, np.float64)
        below, least = np.ones_like(top), 1.0
        if denominator is not None:
            least = self._low(np.asarray(denominator, np.float64), below, 1.0)
            below = np.asarray(denominator, np.float64)
        if not least > 1e-6:
            return np.nan, np.nan
        return self._low(top, below, least), -self._low(-top, below, least)

    def _low(self, top: Floats, below: Floats, least: float) -> float:
        """Minimise top·w/below·w over the region, where below·w is at least `least`.

        An interior-point method: centres of sharper and sharper barriers, each for the linear cost
        (top − value × below)·w, whose least is 0 when value is the least ratio (Dinkelbach 1967).
        """
        law, floor = self._best, min(float(top.min()), 0.0) / least
        value, bound = float(top @ law / (below @ law)), floor
        spread = max(_CLOSE / np.sqrt(self._count.sum()), 2e-4) * max(float(np.ptp(top)), 1e-12)
        sharp = 1 / float(np.ptp(top) + 1e-12)
        while value - bound > spread and sharp * spread < 1e6:
            law = centre(self._chance, self._count, law, self._barrier, sharp * (top - value * below))
            value = float(top @ law / (below @ law))
            bound = max(bound, value + self._least(law, top - value * below, sharp) / least)
            sharp *= 8
        return float(max(min(bound, value - spread), floor))

    def _barrier(self, likelihood: float) -> tuple[float, float, float]:
        """−log of the distance to the region's edge."""
        room = likelihood - self._floor
        return (-float(np.log(room)), -1 / room, room**-2) if room > 0 else (np.inf, np.nan, np.nan)

    def _least(self, law: Floats, cost: Floats, sharp: float) -> float:
        """A lower bound of cost·w over the region, by duality: ℓ(w) ≤ ℓ(law) + slope·(w − law)."""
        chance = self._chance @ law
        room = log_likelihood(self._chance, self._count, law) - self._floor
        slope = (self._count / chance) @ self._chance
        price = 1 / (sharp * room)
        return float(np.min(cost - price * slope) + price * (self._count.sum() - room))


def log_likelihood(chance: Floats, count: Floats, law: Floats) -> float:
    """Of all groups under a law on the grid; arguments as for `most_likely`."""
    with np.errstate(divide="ignore"):
        return float(count @ np.log(chance @ law))


def most_likely(chance: Floats, count: Floats) -> Floats:
    """The law on the grid with the highest likelihood.

    Parameters
    ----------
    chance : (c, m) P(cell at each p)
    count : (c,) groups in each cell

    Returns
    -------
    (m,) weights above 0, adding up to 1: within 0.001 of the highest log-likelihood
    """
    law = np.full(chance.shape[1], 1 / chance.shape[1])
    for sharp in 8.0 ** np.arange(8):

        def praise(likelihood: float, sharp: float = sharp) -> tuple[float, float, float]:
            return -sharp * likelihood, -sharp, 0.0

        law = centre(chance, count, law, praise)
        if ((count / (chance @ law)) @ chance).max() - count.sum() < 1e-3:  # no law is more than this above
            break
    return law


def centre(chance: Floats, count: Floats, law: Floats, term: Term, cost: Floats | float = 0.0) -> Floats:
    """Minimise cost·w + term(log-likelihood) − Σ log w over laws w, by Newton steps from a law inside."""

    def height(w: Floats) -> float:
        return float(np.sum(cost * w)) + term(log_likelihood(chance, count, w))[0] - float(np.log(w).sum())

    now = height(law)
    for _ in range(100):
        _, first, second = term(log_likelihood(chance, count, law))
        ratio = chance * law / (chance @ law)[:, None] - law  # the law as unit makes steps well scaled
        slope = count @ ratio
        down = 1 - cost * law - first * slope
        root = np.vstack([np.sqrt(-first * count)[:, None] * ratio, np.sqrt(second) * slope])
        if len(root) > len(law):  # many sizes of groups
            root = np.asarray(np.linalg.qr(root, mode="r"))
        both = np.column_stack([down, law])
        small = np.linalg.solve(root @ root.T + np.eye(len(root)), root @ both)
        free, along = (both - root.T @ small).T  # of (1 + root' root) x = both, by Woodbury's identity
        step = free - along * (law @ free) / (law @ along)  # Σw stays 1
        gain, reach = float(down @ step), min(1.0, 0.99 / max(float(-step.min()), 1e-9))
        if gain < 1e-8:
            break
        while (after := height(next_law := _moved(law, reach * step))) > now - 0.1 * reach * gain:
            reach /= 2
            if reach < 1e-9:  # rounding hides what is left to gain
                return law
        law, now = next_law, after
    return law


def _moved(law: Floats, step: Floats) -> Floats:
    """A law changed by these shares of itself."""
    moved = law * (1 + step)
    return np.asarray(moved / moved.sum())
