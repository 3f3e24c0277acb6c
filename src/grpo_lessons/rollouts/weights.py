"""Whether the logged advantages follow from the reward columns' plain sum."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from .log import Floats, Ints

MOST_COLUMNS = 8  # of which every choice is tried
EPS = 1e-4  # TRL's


def summed(rewards: Floats, chosen: tuple[int, ...]) -> Floats:
    """(n,) sum of the chosen columns without missing values; NaN where all are missing."""
    if len(chosen) == 1:
        return rewards[:, chosen[0]]
    part = rewards[:, list(chosen)]
    return np.where(np.isnan(part).all(axis=1), np.nan, np.nansum(part, axis=1))


def reproducing_columns(
    rewards: Floats, advantage: Floats, group: Ints, step: Ints
) -> tuple[int, ...] | None:
    """The most columns whose sum, with weight 1 each, gives the advantages by one of TRL's settings.

    A column may also be a figure that was logged beside the rewards, of which the advantages know nothing.
    """
    number = rewards.shape[1]
    sizes = range(number, 0, -1) if number <= MOST_COLUMNS else (number,)
    for size in sizes:
        for chosen in combinations(range(number), size):
            if _reproduces(summed(rewards, chosen), advantage, group, step):
                return chosen
    return None


def _reproduces(total: Floats, advantage: Floats, group: Ints, step: Ints) -> bool:
    known = ~(np.isnan(total) | np.isnan(advantage))
    if not known.any() or not np.any(np.abs(advantage[known]) > 1e-2):
        return False
    total, advantage, group, step = total[known], advantage[known], group[known], step[known]
    centred = total - _mean(total, group)
    settings: list[Floats] = [centred]
    for inside in (group, step):  # the deviation over the group, or over the batch
        deviation = _deviation(total, inside)
        settings.append(centred / (deviation + EPS))
    return any(bool(np.all(np.abs(one - advantage) < 2e-3 * (1 + np.abs(advantage)))) for one in settings)


def _mean(values: Floats, inside: Ints) -> Floats:
    _, label = np.unique(inside, return_inverse=True)
    return np.asarray((np.bincount(label, values) / np.bincount(label))[label])


def _deviation(values: Floats, inside: Ints) -> NDArray[np.float64]:
    """With ddof 1."""
    _, label = np.unique(inside, return_inverse=True)
    squares = np.bincount(label, (values - _mean(values, inside)) ** 2)
    return np.asarray(np.sqrt(squares / np.maximum(np.bincount(label) - 1, 1))[label])
