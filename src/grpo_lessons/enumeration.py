"""Exact expectations by listing every group: the check that needs no formula.

A finite policy over n actions makes n^G different groups of G. Listed with their probabilities, they turn any
estimator's mean and covariance into a sum:

>>> from grpo_lessons import group_gradient
>>> policy, scores = softmax_scores([0.0, 1.0, -1.0])
>>> actions, weights = enumerate_actions(policy, 4)
>>> rewards = np.array([1.0, 0.0, 0.5])
>>> gradients = group_gradient(scores[actions], rewards[actions], "rloo")
>>> mean, covariance = exact_moments(gradients, weights)
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import validation as check

Floats = NDArray[np.float64]

MOST_GROUPS = 2**16
"""Longest list that is made; beyond it simulate, or use a closed form."""


def softmax_scores(logits: ArrayLike) -> tuple[Floats, Floats]:
    """A softmax policy and its scores: π = softmax(logits) and ∇log π(a) = e_a − π in the logits.

    Parameters
    ----------
    logits : (n,) array of finite numbers, n at least 2

    Returns
    -------
    policy : (n,) probabilities
    scores : (n, n) array, row a is the score of action a; Σ_a π(a) scores[a] = 0

    Raises
    ------
    ValueError
        For logits that are not a finite vector of at least two.

    Notes
    -----
    Equation ``eq-softmax-score``.
    """
    values = check.finite(logits, "logits")
    if values.ndim != 1 or values.size < 2:
        raise ValueError(f"logits must be a vector of at least 2, got shape {values.shape}")
    weights = np.exp(values - values.max())
    policy = weights / weights.sum()
    return policy, np.eye(values.size) - policy


def enumerate_groups(p: ArrayLike, group_size: int) -> tuple[Floats, Floats]:
    """Every group of 0/1 rewards with its probability under success probability `p`.

    Parameters
    ----------
    p : (...) success probabilities
    group_size : int, from 1 to 16

    Returns
    -------
    rewards : (2**G, G) array of zeros and ones
    probability : (..., 2**G) array, p^k (1 − p)^(G − k), summing to 1 over the last axis

    Raises
    ------
    ValueError
        For p outside [0, 1], and a group size that is no whole number from 1 to 16.

    Notes
    -----
    By definition: `enumerate_actions` of the policy (1 − p, p), whose action numbers are the rewards.
    """
    chance = check.probability(p)
    actions, probability = enumerate_actions(np.stack([1 - chance, chance], axis=-1), group_size)
    return actions.astype(np.float64), probability


def enumerate_actions(policy: ArrayLike, group_size: int) -> tuple[NDArray[np.intp], Floats]:
    """Every group of actions with its probability under a finite policy.

    Parameters
    ----------
    policy : (..., n) probabilities of the n actions, summing to 1 over the last axis
    group_size : int, at least 1

    Returns
    -------
    actions : (n**G, G) array of action numbers, to index scores and rewards with
    probability : (..., n**G) array, summing to 1 over the last axis

    Raises
    ------
    ValueError
        For a policy that is none, a group size that is no whole number of at least 1, and more than
        `MOST_GROUPS` groups.

    Notes
    -----
    By definition: completions are drawn independently, so that a group has the product of their chances.
    """
    chances = check.probability(policy, "policy")
    if chances.ndim == 0 or not np.allclose(chances.sum(axis=-1), 1, rtol=0, atol=1e-9):
        raise ValueError(f"policy must sum to 1 over its last axis, got {policy!r}")
    size = int(check.single(check.group_size(group_size, least=1), "group_size"))
    number = chances.shape[-1]
    if number ** min(size, 17) > MOST_GROUPS:  # a power of a huge size would never end
        raise ValueError(f"group_size must give at most {MOST_GROUPS} groups, got {number}^{size}")
    actions = np.array(list(product(range(number), repeat=size)), dtype=np.intp)
    return actions, np.prod(chances[..., actions], axis=-1)


def exact_moments(values: ArrayLike, probability: ArrayLike) -> tuple[Floats, Floats]:
    """Mean vector and covariance matrix of a finite random vector.

    Parameters
    ----------
    values : (m, d) array, the vector in each of the m cases
    probability : (m,) array, summing to 1

    Returns
    -------
    mean : (d,) array
    covariance : (d, d) array

    Raises
    ------
    ValueError
        For values that are not finite, and shapes that do not fit.

    Notes
    -----
    By definition: E[x] and E[(x − E x)(x − E x)ᵀ], sums over the cases.
    """
    cases, weights = check.finite(values, "values"), check.probability(probability, "probability")
    if cases.ndim != 2 or weights.shape != cases.shape[:1]:
        raise ValueError(
            f"values must have shape (m, d) for probability (m,), got {cases.shape} for {weights.shape}"
        )
    mean = weights @ cases
    deviations = cases - mean
    return mean, (weights[:, None] * deviations).T @ deviations


def reinforce_variance(
    policy: ArrayLike, scores: ArrayLike, rewards: ArrayLike, baseline: ArrayLike
) -> Floats:
    """Total variance (trace of the covariance) of (r − b) s for one completion of a finite policy.

    Parameters
    ----------
    policy : (n,) probabilities
    scores : (n, d) array with Σ π s = 0
    rewards : (n,) array
    baseline : (...) array of baselines b

    Returns
    -------
    (...) array: E[(r − b)²‖s‖²] − ‖∇J‖², a parabola in b with its minimum at `optimal_baseline`

    Raises
    ------
    ValueError
        For shapes that do not fit or numbers that are not finite.

    Notes
    -----
    Equation ``eq-baseline-variance``.
    """
    chances, each, values = _finite_policy(policy, scores, rewards)
    level = check.finite(baseline, "baseline")
    gradient = (chances * values) @ each
    squares = (values - level[..., None]) ** 2 @ (chances * np.sum(each**2, axis=-1))
    return np.asarray(squares - gradient @ gradient)[()]


def optimal_baseline(policy: ArrayLike, scores: ArrayLike, rewards: ArrayLike) -> np.float64:
    """The constant baseline of least total variance, b* = E[r‖s‖²] / E[‖s‖²].

    Parameters
    ----------
    policy : (n,) probabilities
    scores : (n, d) array; a single column (n, 1) gives that component's own best baseline
    rewards : (n,) array

    Returns
    -------
    float64, in general not the mean reward E[r]

    Raises
    ------
    ValueError
        For shapes that do not fit, numbers that are not finite, and scores that are all 0.

    Notes
    -----
    Equation ``eq-best-baseline``.
    """
    chances, each, values = _finite_policy(policy, scores, rewards)
    weights = chances * np.sum(each**2, axis=-1)
    if weights.sum() == 0:
        raise ValueError("scores must not all be 0 where the policy has mass, got E‖s‖² = 0")
    return np.float64(weights @ values / weights.sum())


def _finite_policy(policy: ArrayLike, scores: ArrayLike, rewards: ArrayLike) -> tuple[Floats, Floats, Floats]:
    chances, each = check.probability(policy, "policy"), check.finite(scores, "scores")
    values = check.finite(rewards, "rewards")
    if chances.ndim != 1 or each.ndim != 2 or not chances.shape == each.shape[:1] == values.shape:
        raise ValueError(
            "policy, scores and rewards must have shapes (n,), (n, d) and (n,), "
            f"got {chances.shape}, {each.shape} and {values.shape}"
        )
    return chances, each, values
