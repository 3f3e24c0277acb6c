"""What one group makes of its rewards: advantages, the policy gradient, and the standard-deviation identity.

Arrays carry groups in front: rewards are (..., G), scores ∇log π(o_i) are (..., G, d).
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import validation as check

AnyFloats = NDArray[np.floating[Any]]
Method = Literal["grpo", "dr_grpo", "rloo", "reinforce"]


class IdentityTerms(NamedTuple):
    """The three parts of GRPO's update for one group, g = σ (s̄₊ − s̄₋)."""

    std: AnyFloats
    """σ = √(k(G − k))/G, shape (...)."""
    mean_right: AnyFloats
    """s̄₊, the mean score of the right completions, shape (..., d); NaN where nobody is right."""
    mean_wrong: AnyFloats
    """s̄₋, the mean score of the wrong completions, shape (..., d); NaN where nobody is wrong."""


def advantages(
    rewards: ArrayLike,
    *,
    baseline: Literal["mean", "leave_one_out"] = "mean",
    scale: Literal["group", "none"] = "group",
    ddof: int = 0,
    eps: float = 0.0,
) -> AnyFloats:
    """Advantages of the completions of each group: (r − baseline) / (std + eps), or undivided.

    Parameters
    ----------
    rewards : (..., G) array of finite numbers, G at least 2
    baseline : "mean" of all G, or "leave_one_out", the mean of the other G − 1 (RLOO)
    scale : "group" divides by the standard deviation of all G (whatever the baseline), "none" does not
    ddof : 0 or 1, the deviation's divisor is G − ddof; used by scale="group" only
    eps : at least 0, in the rewards' units, added to the deviation; used by scale="group" only

    Returns
    -------
    (..., G) array, float32 for float32 rewards (computed in float64, then rounded), else float64.
    A silent group, all rewards equal, gets exactly 0: equality is tested on the rewards, because the
    deviation of equal numbers need not be 0 in floating point.

    Raises
    ------
    ValueError
        For NaN, infinite or no rewards, fewer than two in a group, a range beyond the returned type's, and
        options not named above.

    Notes
    -----
    Equation ``eq-advantages`` (arXiv:2402.03300), ``eq-rloo-factor`` for the leave-one-out baseline
    (arXiv:2402.14740).

    Examples
    --------
    >>> advantages([1, 0, 0, 0]).round(3)
    array([ 1.732, -0.577, -0.577, -0.577])
    """
    values = _groups(rewards)
    check.one_of(baseline, ("mean", "leave_one_out"), "baseline")
    check.one_of(scale, ("group", "none"), "scale")
    offset = check.single(check.finite(eps, "eps"), "eps")
    if offset < 0:
        raise ValueError(f"eps must be at least 0, got {eps!r}")

    size = values.shape[-1]
    divisor = size - check.ddof(ddof)
    lowest, highest = values.min(axis=-1, keepdims=True), values.max(axis=-1, keepdims=True)
    kind = _output_type(rewards)
    with np.errstate(over="ignore"):
        span = highest - lowest
    if not np.all(span < float(np.finfo(kind).max) * (1 - 1e-15)):  # an advantage can be the range, rounded
        reach = f"{lowest.min():g} to {highest.max():g}"
        raise ValueError(f"rewards must have a finite range in {kind.__name__}, got {reach}")
    silent = span == 0
    # rewards rescaled to [0, 1]: neither a large offset nor a tiny or huge unit costs digits
    unit = np.where(silent, 1.0, span)
    rescaled = (values - lowest) / unit
    centred = rescaled - rescaled.mean(axis=-1, keepdims=True)
    if scale == "group":
        deviation = np.sqrt(np.sum(centred**2, axis=-1, keepdims=True) / divisor)
        with np.errstate(over="ignore"):  # eps beyond any measure of the range: the advantage is 0
            result = centred / np.where(silent, 1.0, deviation + offset / unit)
    else:
        result = centred * unit
    if baseline == "leave_one_out":
        result = result * (size / (size - 1))
    return np.where(silent, 0.0, result).astype(kind)


def group_gradient(scores: ArrayLike, rewards: ArrayLike, method: Method = "grpo") -> AnyFloats:
    """The policy gradient of each group: the mean over the group of advantage × score.

    Parameters
    ----------
    scores : (..., G, d) array, ∇log π of each whole completion
    rewards : (..., G) array; leading axes broadcast against those of `scores`
    method : "grpo" (centred, divided by the group's ddof-0 deviation), "dr_grpo" (centred),
        "rloo" (leave-one-out baseline), "reinforce" (the rewards as they are)

    Returns
    -------
    (..., d) array, float32 if both arguments are, else float64. A silent group gives exactly 0,
    except under "reinforce".

    Raises
    ------
    ValueError
        As `advantages`; for scores that are not finite or do not fit the rewards; for another method.

    Notes
    -----
    Equation ``eq-group-gradient``. On-policy, no clipping, no KL term, no 1/|o| weight.
    """
    check.one_of(method, ("grpo", "dr_grpo", "rloo", "reinforce"), "method")
    each, values = _scores_and_rewards(scores, rewards)
    if method == "grpo":
        weights = advantages(values)
    elif method == "dr_grpo":
        weights = advantages(values, scale="none")
    elif method == "rloo":
        weights = advantages(values, baseline="leave_one_out", scale="none")
    else:
        weights = values
    gradient = np.einsum("...g,...gd->...d", weights, each) / values.shape[-1]
    return np.asarray(gradient, dtype=_output_type(scores, rewards))


def identity_terms(scores: ArrayLike, rewards: ArrayLike) -> IdentityTerms:
    """σ, s̄₊ and s̄₋ of each group with 0/1 rewards: GRPO's update is σ (s̄₊ − s̄₋), Dr. GRPO's σ² (s̄₊ − s̄₋).

    Parameters
    ----------
    scores : (..., G, d) array
    rewards : (..., G) array of zeros and ones; leading axes broadcast against those of `scores`

    Returns
    -------
    IdentityTerms
        `std` (...), `mean_right` and `mean_wrong` (..., d); float32 if both arguments are, else
        float64. In a silent group σ is 0 and the mean over nobody is NaN.

    Raises
    ------
    ValueError
        As `group_gradient`, and for a reward that is neither 0 nor 1.

    Notes
    -----
    Equation ``eq-identity`` (arXiv:2607.00152).
    """
    each, values = _scores_and_rewards(scores, rewards)
    if np.any(strange := (values != 0) & (values != 1)):
        raise ValueError(f"rewards must be 0 or 1, got {values[strange].flat[0]:g}")
    size = values.shape[-1]
    right = values.sum(axis=-1)
    with np.errstate(invalid="ignore"):  # 0/0: the mean over nobody
        mean_right = np.einsum("...g,...gd->...d", values, each) / right[..., None]
        mean_wrong = np.einsum("...g,...gd->...d", 1 - values, each) / (size - right)[..., None]
    kind = _output_type(scores, rewards)
    std = np.broadcast_to(np.sqrt(right * (size - right)) / size, mean_right.shape[:-1])
    return IdentityTerms(std.astype(kind)[()], mean_right.astype(kind), mean_wrong.astype(kind))


def expected_squared_norm(
    k: ArrayLike,
    group_size: ArrayLike,
    contrast: ArrayLike,
    spread_right: ArrayLike,
    spread_wrong: ArrayLike,
) -> check.Floats:
    """E‖g‖² of GRPO's update for a group with k right: σ² (‖μ₊ − μ₋‖² + tr Σ₊/k + tr Σ₋/(G − k)).

    Parameters
    ----------
    k : (...) numbers of right completions, from 0 to G
    group_size : (...) whole numbers of at least 2
    contrast : (...) ‖μ₊ − μ₋‖, the distance of the expected scores of a right and a wrong completion
    spread_right, spread_wrong : (...) tr Σ₊ and tr Σ₋, the total variances of their scores

    Returns
    -------
    (...) array of the broadcast shape, 0 in a silent group

    Raises
    ------
    ValueError
        For numbers outside these ranges.

    Notes
    -----
    Equation ``eq-update-size``. The square root exceeds E‖g‖ a little (Jensen).
    """
    size = check.group_size(group_size)
    right, size, apart, within_right, within_wrong = check.together(
        k=check.count(k, size),
        group_size=size,
        contrast=check.nonnegative(contrast, "contrast"),
        spread_right=check.nonnegative(spread_right, "spread_right"),
        spread_wrong=check.nonnegative(spread_wrong, "spread_wrong"),
    )
    noise = ((size - right) * within_right + right * within_wrong) / size**2
    mixed = (right > 0) & (right < size)
    return np.asarray(np.where(mixed, right * (size - right) / size**2 * apart**2 + noise, 0.0))[()]


def _groups(rewards: ArrayLike) -> check.Floats:
    values = check.finite(rewards, "rewards")
    if values.ndim == 0 or values.shape[-1] < 2:
        raise ValueError(
            f"rewards must have at least 2 completions on the last axis, got shape {values.shape}"
        )
    return values


def _scores_and_rewards(scores: ArrayLike, rewards: ArrayLike) -> tuple[check.Floats, check.Floats]:
    each, values = check.finite(scores, "scores"), _groups(rewards)
    try:
        if each.shape[-2] != values.shape[-1]:
            raise ValueError
        np.broadcast_shapes(each.shape[:-2], values.shape[:-1])
    except (ValueError, IndexError):
        raise ValueError(
            f"scores must have shape (..., G, d) for rewards (..., G), got {each.shape} for {values.shape}"
        ) from None
    return each, values


def _output_type(*arguments: ArrayLike) -> type[np.floating[Any]]:
    """float32 if every argument is, else float64."""
    return np.float32 if all(np.asarray(one).dtype == np.float32 for one in arguments) else np.float64
