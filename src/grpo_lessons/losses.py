"""What each algorithm of GRPO's family does with one token: its surrogate, and that one's slope in log π.

Every surrogate is a function of the tokens' log-probabilities, so its gradient in the parameters is
Σ slope × ∇log π(token). Arrays are (..., G, T), padded to T tokens; `said` marks the tokens that are there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_expit

from . import validation as check

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


class Surrogate(NamedTuple):
    """What is maximised, and its derivative in the same token's log π (or the same completion's)."""

    value: Floats
    slope: Floats


def token_ratio(log_ratio: Floats) -> Floats:
    """π/π_old of each token: PPO's, GRPO's, DAPO's and CISPO's unit.

    Parameters
    ----------
    log_ratio : (..., G, T) array, log π − log π_old of each token

    Returns
    -------
    (..., G, T) array

    Notes
    -----
    Equation ``eq-token-ratio`` (arXiv:1707.06347).
    """
    return np.exp(log_ratio)


def sequence_ratio(log_ratio: Floats, said: Mask) -> Floats:
    """(π/π_old)^(1/|o|) of the whole completion, the tokens' geometric mean: GSPO's unit.

    Parameters
    ----------
    log_ratio : (..., G, T) array, 0 where nothing is said
    said : (..., G, T) array, at least one token in each completion

    Returns
    -------
    (..., G, 1) array: all tokens of a completion share it

    Notes
    -----
    Equation ``eq-sequence-ratio`` (arXiv:2507.18071).
    """
    mean = np.sum(log_ratio, axis=-1, keepdims=True) / np.sum(said, axis=-1, keepdims=True)
    return np.asarray(np.exp(mean))


def clipped(ratio: Floats, advantages: Floats, low: float, high: float) -> Surrogate:
    """PPO's min(ρA, clip(ρ, 1 − low, 1 + high) A): no more push once the ratio has gone far enough.

    Parameters
    ----------
    ratio, advantages : arrays that broadcast
    low, high : the clip range; equal in PPO and GRPO, .2 and .28 under DAPO's Clip-Higher

    Returns
    -------
    Surrogate
        Slope ρA, and 0 where the clip holds. It is also the slope in each token's log π when GSPO's ratio is
        shared by the tokens of a completion: |o| equal terms, with 1/|o| of the slope each.

    Notes
    -----
    Equation ``eq-clipped`` (arXiv:1707.06347, arXiv:2503.14476).
    """
    free, held = ratio * advantages, np.clip(ratio, 1 - low, 1 + high) * advantages
    return Surrogate(np.minimum(free, held), np.where(free <= held, free, 0.0))


def detached(ratio: Floats, advantages: Floats, log_prob: Floats, low: float, high: float) -> Surrogate:
    """CISPO's clip(ρ, 1 − low, 1 + high) A log π: the weight is clipped and held constant, no token dropped.

    Parameters
    ----------
    ratio, advantages, log_prob : arrays that broadcast
    low, high : the weight's range; low = 1 is no lower bound

    Returns
    -------
    Surrogate
        The slope does not differentiate the weight.

    Notes
    -----
    Equation ``eq-cispo`` (arXiv:2506.13585).
    """
    weighted = np.clip(ratio, 1 - low, 1 + high) * advantages
    return Surrogate(weighted * log_prob, weighted)


def truncated_weight(log_gap: Floats, cap: float) -> Floats:
    """min(π_learner/π_sampler, C): mends a sampler whose numbers differ a little from the learner's.

    Parameters
    ----------
    log_gap : array, log π_learner − log π_sampler of each token, both before the update
    cap : C, above 0

    Returns
    -------
    array of the same shape, a constant factor of value and slope

    Notes
    -----
    Equation ``eq-truncated`` (truncated importance sampling, Yao et al. 2025).
    """
    return np.minimum(np.exp(log_gap), cap)


def preference(log_ratio: Floats, advantages: Floats, counts: Floats, beta: float) -> Surrogate:
    """DPO's log sigmoid(β(Δ_i − Δ_j)), averaged over the pairs of a group in which i is better than j.

    Parameters
    ----------
    log_ratio : (..., G) array, Δ = log π − log π_ref of each whole completion
    advantages : (..., G) array; a pair counts where A_i > A_j
    counts : (..., G) array, how often each completion occurs in the group
    beta : above 0

    Returns
    -------
    Surrogate
        value (...), 0 in a silent group; slope (..., G) in each completion's log π, counts included

    Notes
    -----
    Equation ``eq-dpo-pairs`` (arXiv:2305.18290).
    """
    margin = beta * (log_ratio[..., :, None] - log_ratio[..., None, :])
    better = advantages[..., :, None] > advantages[..., None, :]
    pairs = better * counts[..., :, None] * counts[..., None, :]
    share = pairs / np.maximum(pairs.sum(axis=(-2, -1), keepdims=True), 1)
    pull = beta * share * expit(-margin)
    value = np.sum(share * log_expit(margin), axis=(-2, -1))
    return Surrogate(value, pull.sum(axis=-1) - pull.sum(axis=-2))


def k3_penalty(log_gap: Floats) -> Surrogate:
    """The estimate of KL(π‖π_ref) in GRPO's loss: e^x − x − 1 with x = log π_ref − log π.

    Parameters
    ----------
    log_gap : array of x, token by token

    Returns
    -------
    Surrogate
        Slope 1 − e^x in log π. With samples from π its mean gradient is that of KL(π_ref‖π).

    Notes
    -----
    Equation ``eq-lab-penalty`` (arXiv:2402.03300).
    """
    return Surrogate(np.expm1(log_gap) - log_gap, -np.expm1(log_gap))


def length_weights(said: Mask, counts: Floats, lengths: str) -> Floats:
    """What each token's surrogate is multiplied by in its group's average.

    Parameters
    ----------
    said : (..., G, T) array
    counts : (..., G) array, how often each completion occurs in the group
    lengths : "sum", 1/G, the plain policy gradient; "sequence", 1/(G|o|), GRPO and GSPO; "token", one over
        the group's number of tokens, DAPO and CISPO; "constant", 1/(G·T), Dr. GRPO

    Returns
    -------
    (..., G, T) array, counts included, 0 where nothing is said

    Raises
    ------
    ValueError
        For another name.

    Notes
    -----
    Equation ``eq-length-weights``.
    """
    check.one_of(lengths, ("sum", "sequence", "token", "constant"), "lengths")
    size, length = counts.sum(axis=-1)[..., None], said.sum(axis=-1)
    if lengths == "sequence":
        divisor = size * length
    elif lengths == "token":
        divisor = np.sum(counts * length, axis=-1, keepdims=True)
    else:
        divisor = size * (said.shape[-1] if lengths == "constant" else 1)
    return np.asarray((counts / divisor)[..., None] * said)
