"""Where training with a KL penalty comes to rest: the success probability at which push and pull are equal.

GRPO pushes p along ∇p with weight w_G(p), a penalty of weight β pulls it back to the reference policy:

>>> round(float(stationary_policy(0.1, beta=1, group_size=2)), 4), round(float(rlhf_policy(0.1, beta=1)), 4)
(0.3162, 0.232)
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import validation as check
from .objectives import objective_weight

Floats = NDArray[np.float64]


def stationary_policy(
    reference: ArrayLike, beta: ArrayLike, group_size: ArrayLike = math.inf, penalty: str = "k3"
) -> Floats:
    """Success probability p at which w_G(p) = β · slope of the penalty: GRPO with a KL term stands still.

    Parameters
    ----------
    reference : (...) success probabilities of the reference policy, strictly between 0 and 1
    beta : (...) weights of the penalty, finite and above 0
    group_size : (...) whole numbers of at least 2, or math.inf
    penalty : "k3", the loss term of GRPO, whose gradient is that of KL(π_ref‖π) and slope (p − reference)/
        (p(1 − p)); "kl", KL(π‖π_ref), of slope logit p − logit reference

    Returns
    -------
    (...) array of the broadcast shape, above `reference`; 1 where it rounds to 1, and where nothing holds p

    Raises
    ------
    ValueError
        For arguments other than that.

    Notes
    -----
    Equations ``eq-stationary`` and ``eq-stationary-kl``, for 0/1 rewards. With "k3" there is one solution.
    With "kl" there can be three, and for math.inf none below 1: this is the first above the reference, where
    gradient ascent from there arrives. Of two solutions nearer than .05 in the logit it may see neither. The
    error of p is below 1e-14.
    """
    check.one_of(penalty, tuple(_SLOPES), "penalty")
    start, weight, size = check.together(
        reference=_logit(check.open_unit(reference, "reference")),
        beta=check.positive(beta, "beta"),
        group_size=check.group_size(group_size, infinite=True),
    )
    slope = _SLOPES[penalty]

    def excess(theta: Floats, start: Floats, weight: Floats, size: Floats) -> Floats:
        push = objective_weight(1 / (1 + np.exp(np.abs(theta))), size)
        with np.errstate(over="ignore"):
            return np.asarray(push - weight * slope(theta, start))

    from scipy.optimize import brentq  # slow to import, and needed here only

    def root(low: float, high: float, *arguments: float) -> float:
        return (
            low if low == high else float(brentq(excess, low, high, args=arguments, xtol=1e-15, rtol=1e-15))
        )

    low, high = start, np.full_like(start, _CERTAIN)
    if penalty == "kl":
        low, high = _first_change(excess, start, weight, size)
    held = excess(high, start, weight, size) < 0
    theta = np.vectorize(root, otypes=[float])(low, np.where(held, high, low), start, weight, size)
    return np.asarray(1 / (1 + np.exp(-np.where(held, theta, _CERTAIN))))[()]


def rlhf_policy(reference: ArrayLike, beta: ArrayLike) -> Floats:
    """Success probability of π ∝ π_ref exp(r/β), the maximum of E[r] − β KL(π‖π_ref), for 0/1 rewards.

    Parameters
    ----------
    reference : (...) success probabilities of the reference policy, strictly between 0 and 1
    beta : (...) weights of the penalty, finite and above 0

    Returns
    -------
    (...) array of the broadcast shape; `stationary_policy(reference, beta, 2, "kl")` is the same

    Raises
    ------
    ValueError
        For arguments other than that.

    Notes
    -----
    Equation ``eq-rlhf``: the log-odds grow by 1/β.
    """
    start, weight = check.together(
        reference=check.open_unit(reference, "reference"), beta=check.positive(beta, "beta")
    )
    with np.errstate(over="ignore"):  # exp(−∞) is 0
        return np.asarray(1 / (1 + (1 - start) / start * np.exp(-1 / weight)))[()]


_CERTAIN = 500.0  # a logit whose p is 1, and whose exponential is still a float
_SPACING = 0.05


def _first_change(
    excess: Callable[..., Floats], start: Floats, weight: Floats, size: Floats
) -> tuple[Floats, Floats]:
    """Neighbouring logits between which the excess first becomes negative; the last two if it never does.

    For negative logits w_G falls while the pull grows, beyond log G it is flat: in between there can be more
    than one change.
    """
    flat = np.log(np.where(np.isinf(size), 1e16, size)) + 6
    between = np.linspace(0, flat, 2 + int(np.max(flat) / _SPACING))
    logits = np.stack([start, *np.maximum(between, start), np.full_like(start, _CERTAIN)])
    negative = excess(logits, start, weight, size) < 0
    first = np.where(negative.any(axis=0), negative.argmax(axis=0), len(logits) - 1)[None]
    low, high = (np.take_along_axis(logits, first - step, axis=0)[0] for step in (1, 0))
    return low, high


def _logit(p: Floats) -> Floats:
    return np.asarray(np.log(p / (1 - p)))


def _k3_slope(theta: Floats, start: Floats) -> Floats:
    """(p − p_ref)/(p(1 − p)) in logits, without a difference of probabilities."""
    return np.asarray(-np.expm1(start - theta) * (1 + np.exp(theta)) / (1 + np.exp(start)))


def _kl_slope(theta: Floats, start: Floats) -> Floats:
    return theta - start


_SLOPES = {"k3": _k3_slope, "kl": _kl_slope}
