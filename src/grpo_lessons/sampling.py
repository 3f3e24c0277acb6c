"""Drawing a step's groups: k right of G for many prompts at once, and what is done with silent groups.

Only the number of right completions is drawn: no completion is ever stored.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import validation as check
from .counts import mixed_probability

Floats = NDArray[np.float64]

MOST_TRIES = 100
"""How often "retry" draws a prompt's group before it gives the prompt up for this step."""

MOST_COMPLETIONS = 1000
"""The largest group that `draw_mixed` draws: beyond it (1 − p)^G may underflow."""


class Groups(NamedTuple):
    """The groups that a step learns from, and what they cost."""

    prompts: NDArray[np.intp]
    """Which prompt each group belongs to, no prompt twice."""
    k: NDArray[np.intp]
    """How many of its G completions are right."""
    drawn: int
    """Groups sampled, those thrown away included."""
    silent: int
    """How many of the groups sampled were silent."""


def draw_mixed(rng: np.random.Generator, p: ArrayLike, group_size: int) -> NDArray[np.intp]:
    """K ~ Binomial(G, p) given that 0 < K < G, for each p.

    Parameters
    ----------
    rng : source of randomness; one uniform number is used for each p
    p : (...) success probabilities, strictly between 0 and 1
    group_size : whole number from 2 to 1000

    Returns
    -------
    (...) array of whole numbers from 1 to G − 1

    Raises
    ------
    ValueError
        For arguments outside these ranges.

    Notes
    -----
    By inversion: from k = 1 on, each probability is taken off a uniform share of the mixed groups' mass until
    nothing is left of it.
    """
    chance = check.open_unit(p, "p")
    size = int(check.single(check.group_size(group_size), "group_size"))
    if size > MOST_COMPLETIONS:
        raise ValueError(f"group_size must be at most {MOST_COMPLETIONS} to draw a mixed group, got {size}")
    few = np.minimum(chance, 1 - chance)  # (1 − few)^G is at least 2^−G
    odds, term = few / (1 - few), (1 - few) ** size
    left = rng.random(few.shape) * mixed_probability(few, size)
    k = np.ones(few.shape, dtype=np.intp)
    for j in range(1, size - 1):
        term = term * odds * ((size - j + 1) / j)  # P(K = j)
        left = left - term
        k += left >= 0
    return np.where(chance > 0.5, size - k, k)


def retry_draws(p: ArrayLike, group_size: ArrayLike) -> Floats:
    """Expected number of groups that "retry" draws for one prompt, the last one included.

    Parameters
    ----------
    p : (...) success probabilities in [0, 1]
    group_size : (...) whole numbers of at least 2

    Returns
    -------
    (...) array of the broadcast shape, from 1 to `MOST_TRIES`; all of these where no group is ever mixed

    Raises
    ------
    ValueError
        For arguments other than that.

    Notes
    -----
    A geometric number of tries, cut off at the most: with m the chance of a mixed group, the mean is
    1 + (1 − m) + … = (1 − (1 − m)^MOST_TRIES)/m.
    """
    mixed = mixed_probability(p, group_size)
    found = -np.expm1(MOST_TRIES * np.log1p(-mixed))  # 1 − (1 − m)^MOST_TRIES, with its digits at small m
    return np.asarray(np.where(mixed > 0, found / np.where(mixed > 0, mixed, 1), MOST_TRIES))[()]


def draw_groups(
    rng: np.random.Generator, p: Floats, group_size: int, silent: str = "keep", batch: int | None = None
) -> Groups:
    """One step's groups from a population of prompts.

    Parameters
    ----------
    rng : source of randomness
    p : (n,) success probabilities
    group_size : whole number from 2 to 1000
    silent : "keep"; "refill", go through the prompts in random order until `batch` groups are mixed, once
        through all at most; or "retry", draw the same prompt again, `MOST_TRIES` times at most
    batch : prompts a step, chosen at random; all if None

    Raises
    ------
    ValueError
        For another word, and "refill" without a batch smaller than the population.
    """
    check.one_of(silent, ("keep", "refill", "retry"), "silent")
    if silent == "refill":
        if batch is None or batch >= p.size:
            raise ValueError(f"batch must be below the {p.size} prompts to refill from, got {batch!r}")
        order = rng.permutation(p.size)
        k = rng.binomial(group_size, p[order]).astype(np.intp)
        mixed = np.flatnonzero((k > 0) & (k < group_size))[:batch]
        drawn = int(mixed[-1]) + 1 if mixed.size == batch else p.size
        return Groups(order[mixed], k[mixed], drawn, drawn - mixed.size)

    chosen = np.arange(p.size) if batch is None else rng.permutation(p.size)[:batch]
    if silent == "keep":
        k = rng.binomial(group_size, p[chosen]).astype(np.intp)
        return Groups(chosen, k, chosen.size, int(np.sum((k == 0) | (k == group_size))))

    tries = rng.geometric(np.maximum(mixed_probability(p[chosen], group_size), 1e-300))
    found = tries <= MOST_TRIES
    k = np.zeros(chosen.size, dtype=np.intp)
    if found.any():
        k[found] = draw_mixed(rng, p[chosen[found]], group_size)
    drawn = int(np.minimum(tries, MOST_TRIES).sum())
    return Groups(chosen, k, drawn, drawn - int(found.sum()))
