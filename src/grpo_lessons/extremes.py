"""How far a single advantage can go, how often it has the wrong sign, how noisy the deviation under it is.

0/1 rewards and ddof 0 unless said. With k right the two advantages are √((G − k)/k) and −√(k/(G − k)) and the
deviation is √(k(G − k))/G: functions of k, so that their laws in a mixed group are binomial sums.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import validation as check

Floats = NDArray[np.float64]
Law = Callable[[Floats, Floats, float, float], Any]
"""(k, weight, G, p) → a number."""


def advantage_bound(group_size: ArrayLike, ddof: int = 0) -> Floats:
    """Samuelson's bound on |A| in a group of any rewards: √(G − 1), or (G − 1)/√G with ddof 1.

    Parameters
    ----------
    group_size : (...) whole numbers of at least 2
    ddof : 0 or 1

    Returns
    -------
    (...) array; reached by one reward that differs from G − 1 equal ones

    Raises
    ------
    ValueError
        For a group size or ddof other than that.

    Notes
    -----
    Equation ``eq-samuelson``.
    """
    size = check.group_size(group_size)
    return np.asarray(np.sqrt(size - 1) * np.sqrt((size - check.ddof(ddof)) / size))[()]


def sign_flip_probability(group_size: ArrayLike) -> Floats:
    """Chance that a completion's advantage has the wrong sign, for independent Gaussian rewards.

    The wrong sign is that of r − mean against r − E[r]; 0/1 rewards never have it.

    Parameters
    ----------
    group_size : (...) whole numbers of at least 2

    Returns
    -------
    (...) array, arcsin(1/√G)/π: from 1/4 at G = 2 down to 0

    Raises
    ------
    ValueError
        For a group size other than that.

    Notes
    -----
    Equation ``eq-sign-flip``: the orthant probability of two normals with correlation √((G − 1)/G).
    """
    size = check.group_size(group_size)
    return np.asarray(np.arcsin(1 / np.sqrt(size)) / np.pi)[()]


def sign_flip_weight(group_size: ArrayLike) -> Floats:
    """Share of the push that has the wrong sign, for independent Gaussian rewards.

    As `sign_flip_probability`, but each completion counts as much as |r − mean| is large, which is little for
    those that flip.

    Parameters
    ----------
    group_size : (...) whole numbers of at least 2

    Returns
    -------
    (...) array, (1 − √((G − 1)/G))/2, about 1/(4G): E[|r − mean|; flip] / E|r − mean|

    Raises
    ------
    ValueError
        For a group size other than that.

    Notes
    -----
    Equation ``eq-flip-weight``. Undivided advantages; a group's deviation would weigh its completions anew.
    """
    size = check.group_size(group_size)
    return np.asarray(0.5 / size / (1 + np.sqrt((size - 1) / size)))[()]  # no digits lost as G grows


def expected_max_advantage(p: ArrayLike, group_size: ArrayLike) -> Floats:
    """E[max|A| given mixed]: how large the largest advantage of a group that speaks is.

    Parameters
    ----------
    p : (...) success probabilities
    group_size : (...) whole numbers of at least 2

    Returns
    -------
    (...) array of the broadcast shape, from 1 at G = 2 to max(√(q/p), √(p/q)) as G grows; at p = 0 and 1
    its limit √(G − 1)

    Raises
    ------
    ValueError
        For p outside [0, 1] and other group sizes.

    Notes
    -----
    Equation ``eq-max-advantage``.
    """

    def one(k: Floats, weight: Floats, size: float, p: float) -> Any:
        return np.average(_largest(k, size), weights=weight)

    return _in_mixed_groups(one, p, group_size)


def extreme_advantage_probability(p: ArrayLike, group_size: ArrayLike, threshold: float) -> Floats:
    """P(some |A| > threshold given mixed).

    Parameters
    ----------
    p : (...) success probabilities
    group_size : (...) whole numbers of at least 2
    threshold : one finite number; √(G − 1) and more give 0

    Returns
    -------
    (...) array of the broadcast shape; at p = 0 and 1 its limit, that of k = 1 (or G − 1)

    Raises
    ------
    ValueError
        For p outside [0, 1], other group sizes and a threshold that is no finite number.

    Notes
    -----
    Equation ``eq-extreme-advantage``.
    """
    limit = check.single(check.finite(threshold, "threshold"), "threshold")

    def one(k: Floats, weight: Floats, size: float, p: float) -> Any:
        return np.average(_largest(k, size) > limit, weights=weight)

    return _in_mixed_groups(one, p, group_size)


def std_relative_error(p: ArrayLike, group_size: ArrayLike) -> Floats:
    """Relative root mean square error of σ as an estimate of √(pq), given mixed.

    Parameters
    ----------
    p : (...) success probabilities strictly between 0 and 1
    group_size : (...) whole numbers of at least 2

    Returns
    -------
    (...) array of the broadcast shape, √E[(σ − √(pq))² | mixed] / √(pq)

    Raises
    ------
    ValueError
        For other p and group sizes.

    Notes
    -----
    Equation ``eq-std-noise``, first of its two measures.
    """

    def one(k: Floats, weight: Floats, size: float, p: float) -> Any:
        true = np.sqrt(p * (1 - p))
        return np.sqrt(np.average((_std(k, size) / true - 1) ** 2, weights=weight))

    return _in_mixed_groups(one, check.open_unit(p, "p"), group_size)


def std_variation(p: ArrayLike, group_size: ArrayLike) -> Floats:
    """Coefficient of variation of σ given mixed: its spread around its own mean, √Var/E.

    Parameters
    ----------
    p : (...) success probabilities
    group_size : (...) whole numbers of at least 2

    Returns
    -------
    (...) array of the broadcast shape; 0 at G = 2 and 3, where σ has one value, and in the limits p = 0 and 1

    Raises
    ------
    ValueError
        For p outside [0, 1] and other group sizes.

    Notes
    -----
    Equation ``eq-std-noise``, second of its two measures.
    """

    def one(k: Floats, weight: Floats, size: float, p: float) -> Any:
        relative = _std(k, size) / np.average(_std(k, size), weights=weight)
        return np.sqrt(np.average((relative - 1) ** 2, weights=weight))

    return _in_mixed_groups(one, p, group_size)


def _largest(k: Floats, size: float) -> Floats:
    few = np.minimum(k, size - k)
    return np.sqrt((size - few) / few)


def _std(k: Floats, size: float) -> Floats:
    return np.sqrt(k * (size - k)) / size


def _in_mixed_groups(of: Law, p: ArrayLike, group_size: ArrayLike) -> Floats:
    """`of(k, weight, G, p)` for each p and G, with the law of k given mixed, listed where the mass is."""

    def one(p: float, size: float) -> float:
        p = min(p, 1 - p)  # neither |A| nor σ tells right from wrong
        reach = 12 * np.sqrt(size * p * (1 - p)) + 40  # leaves less than 1e-30 of the mass outside
        k = np.arange(max(1, np.ceil(size * p - reach)), min(size - 1, np.floor(size * p + reach)) + 1)
        # only ratios of the weights count; at p = 0 they are those of the limit, where k = 1
        weight = np.cumprod(np.append(1.0, (size - k[:-1]) / k[1:] * (p / (1 - p))))
        return float(of(k, weight, size, p))

    chance, size = check.together(p=check.probability(p), group_size=check.group_size(group_size))
    return np.asarray(np.vectorize(one, otypes=[float])(chance, size))[()]
