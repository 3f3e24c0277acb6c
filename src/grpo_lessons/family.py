"""The family map: what each named algorithm changes, as data, and the one surrogate that they share.

>>> FAMILY["DAPO"].high
0.28
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import estimators, losses
from . import validation as check

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Algorithm:
    """One algorithm as a set of choices.

    Attributes
    ----------
    source : where it was published
    advantage : "grpo" (centred, over the group's deviation), "dr_grpo" (centred), "rloo", "reinforce" (the
        reward minus a running mean of earlier rewards)
    surrogate : "clip" (PPO), "detach" (CISPO), "pairs" (DPO)
    ratio : "token" or "sequence" (GSPO)
    low, high : the clip range, [1 − low, 1 + high]
    lengths : "sum", "sequence", "token" or "constant", as `losses.length_weights`
    silent : "keep" silent groups, "refill" the batch from new prompts (DAPO), or "retry" the same prompt
    cap : C of truncated importance sampling; None for no correction of the sampler
    """

    source: str
    advantage: Literal["grpo", "dr_grpo", "rloo", "reinforce"] = "grpo"
    surrogate: Literal["clip", "detach", "pairs"] = "clip"
    ratio: Literal["token", "sequence"] = "token"
    low: float = 0.2
    high: float = 0.2
    lengths: Literal["sum", "sequence", "token", "constant"] = "sequence"
    silent: Literal["keep", "refill", "retry"] = "keep"
    cap: float | None = None


FAMILY: Mapping[str, Algorithm] = MappingProxyType(
    {
        "GRPO": Algorithm("arXiv:2402.03300"),
        "Dr. GRPO": Algorithm("arXiv:2503.20783", advantage="dr_grpo", lengths="constant"),
        "RLOO": Algorithm("arXiv:2402.14740", advantage="rloo", lengths="sum"),
        "REINFORCE": Algorithm("Williams 1992", advantage="reinforce", lengths="sum"),
        "DAPO": Algorithm("arXiv:2503.14476", high=0.28, lengths="token", silent="refill"),
        "DAPO, retry": Algorithm("arXiv:2503.14476", high=0.28, lengths="token", silent="retry"),
        "GSPO": Algorithm("arXiv:2507.18071", ratio="sequence", low=3e-4, high=4e-4),
        "CISPO": Algorithm("arXiv:2506.13585", surrogate="detach", low=1.0, high=1.0, lengths="token"),
        "GRPO + TIS": Algorithm("Yao et al. 2025", cap=2.0),
        "DPO on pairs": Algorithm("arXiv:2305.18290", surrogate="pairs", lengths="sum"),
    }
)
"""The algorithms by name, with the clip ranges of their papers. CISPO's gives no upper bound for its weight
(here it is 2), and none of them draws the same prompt again as "DAPO, retry" does."""


class Batch(NamedTuple):
    """Completions as a loss sees them: (..., K, T) log-probabilities of K kinds of completion, T tokens."""

    log_prob: Floats
    """Now, of each token; 0 where nothing is said."""
    old: Floats
    """Before the first update on these completions."""
    said: Mask
    advantages: Floats
    """(..., K)"""
    counts: Floats
    """(..., K), how often each kind occurs in its group."""
    reference: Floats
    """Under the policy of the KL term and of DPO."""
    sampler: Floats
    """Under the policy that drew them."""


class Objective(NamedTuple):
    """A group's objective (...), its slope in every token's log π (..., K, T), and what was clipped (...)."""

    value: Floats
    slope: Floats
    clipped: Floats
    """Share of the group's tokens on which the clip holds; NaN without any advantage."""


def objective(algorithm: Algorithm, batch: Batch, kl: float = 0.0) -> Objective:
    """What `algorithm` maximises on each group, less `kl` times the k3 penalty.

    Parameters
    ----------
    algorithm : an entry of `FAMILY`, or one changed by `dataclasses.replace`
    batch : the groups
    kl : weight of the penalty

    Returns
    -------
    Objective
        The gradient of `value` is Σ slope × ∇log π(token), for all but CISPO, whose slope leaves its weight
        undifferentiated. DPO takes kl as its β and has no other penalty.

    Raises
    ------
    ValueError
        For DPO without a positive kl.

    Notes
    -----
    Equation ``eq-family``.
    """
    if algorithm.surrogate == "pairs":
        beta = float(check.positive(kl, "kl"))
        change = np.sum(batch.log_prob - batch.reference, axis=-1)
        value, slope = losses.preference(change, batch.advantages, batch.counts, beta)
        return Objective(value, slope[..., None] * batch.said, np.zeros_like(value))

    advantage, change = batch.advantages[..., None], batch.log_prob - batch.old
    if algorithm.ratio == "token":
        ratio = losses.token_ratio(change)
    else:
        ratio = losses.sequence_ratio(change, batch.said)
    held = (ratio < 1 - algorithm.low) | (ratio > 1 + algorithm.high)
    if algorithm.surrogate == "clip":
        each = losses.clipped(ratio, advantage, algorithm.low, algorithm.high)
        held &= each.slope == 0  # outside on the side that gains, the other side is let back
    else:
        each = losses.detached(ratio, advantage, batch.log_prob, algorithm.low, algorithm.high)
    heard = batch.counts[..., None] * (batch.said & (advantage != 0))
    with np.errstate(invalid="ignore"):  # 0/0: a silent group
        share = np.sum(heard * held, axis=(-2, -1)) / np.sum(heard, axis=(-2, -1))

    weights = losses.length_weights(batch.said, batch.counts, algorithm.lengths)
    mend = 1.0 if algorithm.cap is None else losses.truncated_weight(batch.old - batch.sampler, algorithm.cap)
    value, slope = weights * mend * each.value, weights * mend * each.slope
    if kl:
        penalty = losses.k3_penalty(batch.reference - batch.log_prob)
        value, slope = value - kl * weights * penalty.value, slope - kl * weights * penalty.slope
    return Objective(np.sum(value, axis=(-2, -1)), slope, share)


def group_advantages(rewards: ArrayLike, method: str, baseline: ArrayLike = 0.0) -> Floats:
    """Advantages (..., G) of each group under an `Algorithm.advantage`.

    Parameters
    ----------
    rewards : (..., G) array
    method : "grpo", "dr_grpo", "rloo" or "reinforce"
    baseline : (...) array, what "reinforce" subtracts; it must not come from these rewards

    Raises
    ------
    ValueError
        As `advantages`, and for another method.
    """
    check.one_of(method, ("grpo", "dr_grpo", "rloo", "reinforce"), "method")
    if method == "reinforce":
        return np.asarray(check.finite(rewards, "rewards") - np.asarray(baseline)[..., None])
    result = estimators.advantages(
        rewards,
        baseline="leave_one_out" if method == "rloo" else "mean",
        scale="group" if method == "grpo" else "none",
    )
    return result.astype(np.float64)
