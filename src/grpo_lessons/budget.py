"""What a budget of N rollouts buys: RLOO's exact variance, and the best split into prompts and completions.

Three moments of each prompt's policy are enough. One logit shared by a hard prompt and a coin flip:

>>> moments = one_logit_moments([0.05, 0.5])
>>> optimal_group_size(moments).round(2), best_group_size(moments)
(np.float64(3.51), 4)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import validation as check

Floats = NDArray[np.float64]


class PromptMoments(NamedTuple):
    """What RLOO's variance depends on, for each prompt; s is a completion's score, r its reward."""

    own: Floats
    """T = E[‖s‖²(r − E r)²], shape (...)."""
    crossed: Floats
    """S = E‖s‖² Var(r), shape (...)."""
    gradient: Floats
    """∇J = E[r s], shape (..., d)."""

    @property
    def squared_gradient(self) -> Floats:
        """‖∇J‖², shape (...)."""
        return np.asarray(np.sum(self.gradient**2, axis=-1))


class ErrorTerms(NamedTuple):
    """N · MSE at group size G is G · between + single + pairs/(G − 1)."""

    between: np.float64
    """The variance of ∇J over prompts, E‖∇J − E∇J‖²: what asking fewer prompts costs."""
    single: np.float64
    """The average of T − ‖∇J‖²: noise that N completions leave, however they are grouped."""
    pairs: np.float64
    """The average of S + ‖∇J‖²: noise from comparing with few others."""


def prompt_moments(policy: ArrayLike, scores: ArrayLike, rewards: ArrayLike) -> PromptMoments:
    """Exact moments of finite policies.

    Parameters
    ----------
    policy : (..., n) probabilities of n completions, summing to 1 over the last axis
    scores : (..., n, d) array, ∇log π of each, with Σ π s = 0
    rewards : (..., n) array of finite numbers

    Returns
    -------
    PromptMoments
        `own` and `crossed` (...), `gradient` (..., d)

    Raises
    ------
    ValueError
        For a policy that does not sum to 1, scores whose mean is not 0 (to 1e-9 of the largest), numbers that
        are not finite, and shapes that do not fit.

    Notes
    -----
    Equation ``eq-three-moments``.
    """
    chances, each = check.probability(policy, "policy"), check.finite(scores, "scores")
    values = check.finite(rewards, "rewards")
    try:
        if each.shape[-2] != chances.shape[-1] or values.shape[-1] != chances.shape[-1]:
            raise ValueError
        np.broadcast_shapes(chances.shape[:-1], each.shape[:-2], values.shape[:-1])
    except (ValueError, IndexError):
        raise ValueError(
            "policy, scores and rewards must have shapes (..., n), (..., n, d) and (..., n), "
            f"got {chances.shape}, {each.shape} and {values.shape}"
        ) from None
    if not np.allclose(chances.sum(axis=-1), 1, rtol=0, atol=1e-9):
        raise ValueError(f"policy must sum to 1 over its last axis, got {policy!r}")
    drift = np.einsum("...n,...nd->...d", chances, each)
    if np.any(np.abs(drift) > 1e-9 * np.abs(each).max()):
        raise ValueError(f"scores must average to 0 under policy, got {np.abs(drift).max():g}")

    centred = values - np.sum(chances * values, axis=-1, keepdims=True)
    squares = np.sum(each**2, axis=-1)
    return PromptMoments(
        own=np.asarray(np.sum(chances * squares * centred**2, axis=-1)),
        crossed=np.asarray(np.sum(chances * squares, axis=-1) * np.sum(chances * centred**2, axis=-1)),
        gradient=np.asarray(np.einsum("...n,...nd->...d", chances * centred, each)),
    )


def one_logit_moments(p: ArrayLike) -> PromptMoments:
    """Moments of the policy with one logit, p = 1/(1 + e^(−θ)), and 0/1 rewards.

    Parameters
    ----------
    p : (...) success probabilities in [0, 1]

    Returns
    -------
    PromptMoments
        `own` = v(1 − 3v), `crossed` = v², `gradient` = v with one component, v = p(1 − p)

    Raises
    ------
    ValueError
        For p outside [0, 1].

    Notes
    -----
    Equation ``eq-one-logit-variance``.
    """
    chance = check.probability(p)
    v = np.asarray(chance * (1 - chance))
    return PromptMoments(own=v * (1 - 3 * v), crossed=v**2, gradient=v[..., None])


def rloo_variance(moments: PromptMoments, group_size: ArrayLike) -> Floats:
    """Total variance of RLOO's gradient for one group: [T − ‖∇J‖² + (S + ‖∇J‖²)/(G − 1)]/G, exactly.

    Parameters
    ----------
    moments : PromptMoments of shape (...)
    group_size : (...) whole numbers of at least 2

    Returns
    -------
    (...) array of the broadcast shape

    Raises
    ------
    ValueError
        For another group size, and for moments that are none.

    Notes
    -----
    Equation ``eq-rloo-variance``: Hoeffding's decomposition of the mean over pairs ``eq-u-statistic``
    (Hoeffding 1948). Any policy and any rewards; on-policy, full-sequence scores.

    Examples
    --------
    >>> rloo_variance(one_logit_moments(0.1), 8).round(7)
    np.float64(0.0074893)
    """
    size, squared = check.group_size(group_size), _checked(moments).squared_gradient
    check.together(moments=moments.own, group_size=size)
    return np.asarray((moments.own - squared + (moments.crossed + squared) / (size - 1)) / size)[()]


def error_terms(moments: PromptMoments) -> ErrorTerms:
    """The three averages over prompts that decide how N rollouts are best spent.

    Parameters
    ----------
    moments : PromptMoments of shape (m,), m prompts that are equally likely to be drawn

    Returns
    -------
    ErrorTerms

    Raises
    ------
    ValueError
        For moments that are none, or without exactly one axis of prompts.

    Notes
    -----
    Equation ``eq-scaled-error``. `between` is exactly 0 for prompts of equal gradient.
    """
    if np.ndim(_checked(moments).own) != 1:
        raise ValueError(f"moments must have one axis, of prompts, got shape {np.shape(moments.own)}")
    apart = moments.gradient - moments.gradient[:1]
    apart = apart - apart.mean(axis=0)
    squared = moments.squared_gradient
    return ErrorTerms(
        between=np.float64(np.mean(np.sum(apart**2, axis=-1))),
        single=np.float64(np.mean(moments.own - squared)),
        pairs=np.float64(np.mean(moments.crossed + squared)),
    )


def scaled_error(moments: PromptMoments, group_size: ArrayLike) -> Floats:
    """N · MSE of the average gradient from N rollouts: N/G prompts drawn at random, RLOO in each group.

    Parameters
    ----------
    moments : PromptMoments of shape (m,), m prompts that are equally likely to be drawn
    group_size : (...) whole numbers of at least 2

    Returns
    -------
    (...) array: G · between + single + pairs/(G − 1), in squared units of the gradient

    Raises
    ------
    ValueError
        As `error_terms`, and for another group size.

    Notes
    -----
    Equation ``eq-scaled-error``. Prompts are drawn independently, with replacement.
    """
    size, (between, single, pairs) = check.group_size(group_size), error_terms(moments)
    return np.asarray(size * between + single + pairs / (size - 1))[()]


def optimal_group_size(moments: PromptMoments) -> np.float64:
    """The G of least `scaled_error`, not rounded: G* = 1 + √(pairs/between).

    Parameters
    ----------
    moments : PromptMoments of shape (m,)

    Returns
    -------
    float64, never below 2; math.inf where all prompts have the same gradient, 2 where nothing is random

    Raises
    ------
    ValueError
        As `error_terms`.

    Notes
    -----
    Equation ``eq-optimal-group-size``. Not the G* of arXiv:2603.01162, which minimises an upper bound.
    """
    between, _, pairs = error_terms(moments)
    if pairs == 0:
        return np.float64(2)
    if between == 0:
        return np.float64(np.inf)
    return np.float64(max(2.0, 1 + np.sqrt(pairs / between)))  # 2 by theory, save for rounding


def best_group_size(moments: PromptMoments) -> int:
    """The whole G of least `scaled_error`: one of the two next to `optimal_group_size`.

    Parameters
    ----------
    moments : PromptMoments of shape (m,)

    Returns
    -------
    int, at least 2; of two equally good sizes the smaller

    Raises
    ------
    ValueError
        As `error_terms`, and where all prompts have the same gradient: then larger is always better.

    Notes
    -----
    Equation ``eq-optimal-group-size``. `scaled_error` is convex in G: no whole number further off is better.
    """
    ideal = optimal_group_size(moments)
    if np.isinf(ideal):
        raise ValueError(
            "moments must differ in gradient between prompts for a best group size, got equal ones"
        )
    nearest = np.array([np.floor(ideal), np.ceil(ideal)])
    return int(nearest[np.argmin(scaled_error(moments, nearest))])


def _checked(moments: PromptMoments) -> PromptMoments:
    if not isinstance(moments, PromptMoments):
        raise ValueError(f"moments must be PromptMoments, got {moments!r}")
    return moments
