"""What the number of right completions in a group says: its deviation, silence, and what silence costs.

k ~ Binomial(G, p). Powers of 1 − p are taken so that neither a small p nor a large G costs digits: relative
errors are below 1e-13 wherever the value is above 1e-290.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import validation as check

Floats = NDArray[np.float64]


def group_std(k: ArrayLike, group_size: ArrayLike, ddof: int = 0) -> Floats:
    """Standard deviation of a group of 0/1 rewards with k right: √(k(G − k))/G.

    Parameters
    ----------
    k : (...) whole numbers from 0 to group_size
    group_size : (...) whole numbers of at least 2
    ddof : 0, or 1 for the divisor G − 1 instead of G under the root

    Returns
    -------
    (...) array of the broadcast shape

    Raises
    ------
    ValueError
        For arguments other than that.

    Notes
    -----
    Equation ``eq-group-std``.

    Examples
    --------
    >>> group_std([0, 1, 4], 8).round(3)
    array([0.   , 0.331, 0.5  ])
    """
    size = check.group_size(group_size)
    right = check.count(k, size)
    return np.asarray(np.sqrt(right * (size - right)) / np.sqrt(size * (size - check.ddof(ddof))))[()]


def silent_probability(p: ArrayLike, group_size: ArrayLike) -> Floats:
    """Chance that all G completions are right or all are wrong: p^G + (1 − p)^G.

    Parameters
    ----------
    p : (...) success probabilities in [0, 1]
    group_size : (...) whole numbers of at least 2

    Returns
    -------
    (...) array of the broadcast shape, from 2^(1 − G) at p = ½ to 1 at p = 0 and 1

    Raises
    ------
    ValueError
        For arguments other than that.

    Notes
    -----
    Equation ``eq-silent``.
    """
    few, size = check.together(p=_rarer(p), group_size=check.group_size(group_size))
    many = 1 - few
    rounding = (1 - many) - few  # many + rounding is 1 − few without error
    return np.asarray(few**size + many**size * np.exp(size * rounding / many))[()]


def mixed_probability(p: ArrayLike, group_size: ArrayLike) -> Floats:
    """Chance that a group has both right and wrong completions: 1 − p^G − (1 − p)^G.

    Parameters
    ----------
    p : (...) success probabilities in [0, 1]
    group_size : (...) whole numbers of at least 2

    Returns
    -------
    (...) array of the broadcast shape, 0 at p = 0 and 1

    Raises
    ------
    ValueError
        For arguments other than that.

    Notes
    -----
    Equation ``eq-mixed``, with all its digits at small p, where the subtraction would lose them.
    """
    few, size = check.together(p=_rarer(p), group_size=check.group_size(group_size))
    return np.asarray(-np.expm1(size * np.log1p(-few)) - few**size)[()]


def positive_probability(p: ArrayLike, group_size: ArrayLike) -> Floats:
    """Chance that at least one of G completions is right, pass@G: 1 − (1 − p)^G.

    Parameters
    ----------
    p : (...) success probabilities in [0, 1]
    group_size : (...) whole numbers of at least 1

    Returns
    -------
    (...) array of the broadcast shape

    Raises
    ------
    ValueError
        For arguments other than that.

    Notes
    -----
    Equation ``eq-positive``.
    """
    chance, size = check.together(p=check.probability(p), group_size=check.group_size(group_size, least=1))
    with np.errstate(divide="ignore"):  # log 0 at p = 1 is −∞ and gives 1
        return np.asarray(-np.expm1(size * np.log1p(-chance)))[()]


def rollouts_per_mixed_group(p: ArrayLike, group_size: ArrayLike) -> Floats:
    """Completions generated for each group kept when silent ones are redrawn: G/(1 − p^G − (1 − p)^G).

    Parameters
    ----------
    p : (...) success probabilities in [0, 1]
    group_size : (...) whole numbers of at least 2

    Returns
    -------
    (...) array of the broadcast shape, ∞ at p = 0 and 1

    Raises
    ------
    ValueError
        For arguments other than that.

    Notes
    -----
    Equation ``eq-rollouts-per-mixed``.
    """
    with np.errstate(divide="ignore", over="ignore"):
        return np.asarray(check.group_size(group_size) / mixed_probability(p, group_size))[()]


def mixed_success_rate(p: ArrayLike, group_size: ArrayLike) -> Floats:
    """E[k/G given mixed], the share of right completions in mixed groups: (p − p^G)/(1 − p^G − (1 − p)^G).

    Parameters
    ----------
    p : (...) success probabilities in [0, 1]
    group_size : (...) whole numbers of at least 2

    Returns
    -------
    (...) array of the broadcast shape; its limits 1/G at p = 0 and 1 − 1/G at p = 1

    Raises
    ------
    ValueError
        For arguments other than that.

    Notes
    -----
    Equation ``eq-mixed-success-rate``.
    """
    chance, size = check.together(p=check.probability(p), group_size=check.group_size(group_size))
    mixed = mixed_probability(p, group_size)
    limit = np.where(chance < 0.5, 1 / size, 1 - 1 / size)
    with np.errstate(divide="ignore", invalid="ignore"):  # log 0, and 0/0 where nothing is mixed
        share = -chance * np.expm1((size - 1) * np.log(chance))
        return np.asarray(np.where(mixed > 0, share / mixed, limit))[()]


def _rarer(p: ArrayLike) -> Floats:
    """min(p, 1 − p), exact: 1 − p is not rounded where p is above ½."""
    chance = check.probability(p)
    return np.minimum(chance, 1 - chance)
