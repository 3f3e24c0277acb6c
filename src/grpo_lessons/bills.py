"""Which bill takes most of a step's rollouts: silence, too few comparisons, or too few prompts.

>>> lost_shares([0.1] * 50 + [0.6] * 50, 8, noise=10).all_right.round(3)
np.float64(0.008)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from . import validation as check
from .budget import PromptMoments, error_terms, one_logit_moments, scaled_error


class LostShares(NamedTuple):
    """Two shares of the rollouts, and two of the gradient's squared error: what each shortage takes."""

    all_right: np.float64
    """Rollouts in groups that are all right."""
    none_right: np.float64
    """Rollouts in groups with none right."""
    comparisons: np.float64
    """The part of the error that comparing with few others makes, `pairs`/(G − 1)."""
    prompts: np.float64
    """The part of the error that asking few prompts makes, G · `between`."""


def noisy_moments(p: ArrayLike, noise: float) -> PromptMoments:
    """`one_logit_moments` plus score components that have nothing to do with the reward.

    Parameters
    ----------
    p : (...) success probabilities, in [0, 1]
    noise : η = E‖those components‖², at least 0: what moves one logit towards a network

    Returns
    -------
    PromptMoments
        with η p(1 − p) added to both T and S, and the gradient of one logit

    Raises
    ------
    ValueError
        For arguments other than that.

    Notes
    -----
    Equation ``eq-noisy-error``. E‖s‖²(r − E r)² gains η Var(r), and so does E‖s‖² Var(r).
    """
    own, crossed, gradient = one_logit_moments(p)
    extra = check.nonnegative(noise, "noise") * gradient[..., 0]
    return PromptMoments(own + extra, crossed + extra, gradient)


def lost_shares(p: ArrayLike, group_size: int, noise: float) -> LostShares:
    """What four shortages take from a step on a set of prompts.

    Parameters
    ----------
    p : (m,) success probabilities of m prompts that are equally likely to be drawn, in [0, 1]
    group_size : whole number of at least 2
    noise : as in `noisy_moments`

    Returns
    -------
    LostShares
        of which the last two are shares of `scaled_error`

    Raises
    ------
    ValueError
        For arguments other than that.

    Notes
    -----
    Equations ``eq-silent`` and ``eq-scaled-error``, for one logit shared by all prompts.
    """
    moments, rates, size = noisy_moments(p, noise), check.probability(p), check.group_size(group_size)
    between, _, pairs = error_terms(moments)
    total = scaled_error(moments, size)
    return LostShares(
        all_right=np.float64(np.mean(rates**size)),
        none_right=np.float64(np.mean((1 - rates) ** size)),
        comparisons=np.float64(pairs / (size - 1) / total),
        prompts=np.float64(size * between / total),
    )
