"""A small simulation: do large advantages make PPO's clip cut the gradient more often?

One rollout step of a policy that is as simple as one can be whose completions are all different. A completion
is a point o of many dimensions, drawn from N(θ, I) around the policy's weights θ. Its score is o − θ,
and two scores are nearly orthogonal, as those of long texts are. It is right if its first coordinate lies
beyond a threshold that makes the success probability p at the start, where θ = 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from . import losses
from . import validation as check
from .estimators import advantages

DIMENSION = 1024
COMPLETIONS = 512
"""Of all groups together: the rollout budget of the step."""
PASSES, MINIBATCHES = 4, 4
"""Each pass visits every completion once, a quarter of them at a time, and updates after each quarter."""
CLIP = 0.2
"""The ratio's bounds are 1 − CLIP and 1 + CLIP."""


class ClipRun(NamedTuple):
    """One rollout step."""

    advantages: NDArray[np.float64]
    """(n, G): GRPO's."""
    clipped: NDArray[np.bool_]
    """(passes, n, G): whether the clip had cut the completion's gradient when it was visited."""


def simulate_clipping(p: float, group_size: int, seed: int, own_step: float = 0.05) -> ClipRun:
    """Sample groups, and climb PPO's clipped objective on them in four passes of four minibatches each.

    Parameters
    ----------
    p : one success probability strictly between 0 and 1, the same for every group
    group_size : one divisor of 512, at least 2
    seed : of the random numbers; the same arguments give the same result
    own_step : the learning rate, as what one visit adds to a completion's own log ratio for each unit of its
        advantage; above 0

    Returns
    -------
    ClipRun
        A completion counts as clipped when its ratio is above 1.2 and its advantage positive, or its ratio
        below 0.8 and its advantage negative: the two cases in which its gradient is 0.

    Raises
    ------
    ValueError
        For arguments other than that.

    Notes
    -----
    Plain gradient ascent, one ratio for each whole completion, no KL term. If scores were exactly orthogonal,
    a completion's log ratio would change at its own visits alone, by own_step × advantage × ratio each.
    """
    chance = check.single(check.open_unit(p, "p"), "p")
    size = int(check.single(check.group_size(group_size), "group_size"))
    if COMPLETIONS % size:
        raise ValueError(f"group_size must be a divisor of {COMPLETIONS}, got {size}")
    step = check.single(check.positive(own_step, "own_step"), "own_step")
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(COMPLETIONS, DIMENSION))
    right = points[:, 0] > stats.norm.isf(chance)
    gains = np.asarray(advantages(right.reshape(-1, size)), dtype=np.float64).ravel()

    theta = np.zeros(DIMENSION)
    clipped = np.zeros((PASSES, COMPLETIONS), dtype=bool)
    for cut in clipped:
        for visited in rng.permutation(COMPLETIONS).reshape(MINIBATCHES, -1):
            here, gain = points[visited], gains[visited]
            ratio = np.exp(here @ theta - theta @ theta / 2)
            slope = losses.clipped(ratio, gain, CLIP, CLIP).slope
            cut[visited] = (slope == 0) & (gain != 0)
            theta = theta + step / DIMENSION * (slope @ (here - theta))
    return ClipRun(gains.reshape(-1, size), clipped.reshape(PASSES, -1, size))
