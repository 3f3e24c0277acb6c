"""From the rows of a log to its groups, and from those to a small table: how often k of G were right."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .. import validation as check
from . import by_group
from .by_group import Bools, Floats, Ints


@dataclass(frozen=True)
class Cells:
    """How often each k of G came up: all that a fit needs to know of a million groups.

    Attributes
    ----------
    size, k, count : (c,) G, number right, groups
    """

    size: Ints
    k: Ints
    count: Ints

    @property
    def groups(self) -> int:
        return int(self.count.sum())


@dataclass(frozen=True)
class Groups:
    """The complete groups of two or more completions, rows sorted by group.

    Attributes
    ----------
    row : (n,) places in the log of the rows kept
    start : (g,) place in `row` of each group's first completion
    size : (g,) completions
    step, prompt : (g,) as in the log
    reward : (n,) rewards of the rows kept
    right : (n,) whether the completion counts as right, or None where the rewards do not say
    rule : what counts as right, in words
    silent : (g,) whether all rewards are equal
    k : (g,) number right, or None
    incomplete, singletons : groups left out, for a missing reward and for being alone
    """

    row: Ints
    start: Ints
    size: Ints
    step: Ints
    prompt: Ints
    reward: Floats
    right: Bools | None
    rule: str
    silent: Bools
    k: Ints | None
    incomplete: int
    singletons: int

    @property
    def number(self) -> int:
        """(g,) → g."""
        return len(self.size)

    @property
    def label(self) -> Ints:
        """(n,) the group of each row kept."""
        return np.repeat(np.arange(self.number), self.size)

    def cells(self) -> Cells:
        """The table of (G, k), for a log whose rewards say who is right."""
        if self.k is None:
            raise ValueError(f"rewards must have two values to be counted, got {self.rule}")
        return count_cells(self.k, self.size)


def count_cells(k: ArrayLike, group_size: ArrayLike) -> Cells:
    """The table of (G, k).

    Parameters
    ----------
    k : (g,) whole numbers from 0 to group_size
    group_size : (g,) whole numbers of at least 1, or one for all

    Returns
    -------
    Cells, sorted by G, then k

    Raises
    ------
    ValueError
        For arguments other than that.

    Examples
    --------
    >>> count_cells([0, 3, 3, 8], 8).count
    array([1, 2, 1])
    """
    sizes = check.group_size(group_size, least=1)
    right, sizes = check.together(k=check.count(k, sizes), group_size=sizes)
    base = int(sizes.max()) + 1
    code, count = np.unique((sizes * base + right).astype(np.int64), return_counts=True)
    return Cells(code // base, code % base, count)


def read_groups(
    group: Ints, step: Ints, prompt: Ints, reward: Floats, threshold: float | None = None
) -> Groups:
    """Sort a log's rows into groups and count.

    Parameters
    ----------
    group : (n,) whole numbers of at least 0
    step, prompt : (n,) whole numbers
    reward : (n,) numbers, NaN or infinite where missing
    threshold : rewards of at least this count as right; without it the larger of two values does
    """
    group = np.asarray(group, np.intp)  # what numpy counts with
    order = np.argsort(group, kind="stable")
    number = np.bincount(group) if len(group) else np.zeros(0, np.intp)
    missing = np.bincount(group[~np.isfinite(reward)], minlength=len(number)) > 0
    kept = ~missing & (number > 1)
    row = order[kept[group[order]]]
    size = number[kept]
    start = by_group.starts(size) if len(size) else size
    values = reward[row]
    right, rule = successes(values, threshold)
    silent = np.zeros(0, bool)
    k = None if right is None else np.zeros(0, np.intp)
    if len(size):
        silent = by_group.equal(values, size)
        k = None if right is None else by_group.number(right, size)
    return Groups(
        row=row,
        start=start,
        size=size,
        step=step[row[start]],
        prompt=prompt[row[start]],
        reward=values,
        right=right,
        rule=rule,
        silent=silent,
        k=k,
        incomplete=int(np.sum(missing & (number > 0))),
        singletons=int(np.sum(~missing & (number == 1))),
    )


def successes(reward: Floats, threshold: float | None = None) -> tuple[Bools | None, str]:
    """(n,) who is right, None where the rewards do not say, and what counts as right, in words."""
    if threshold is not None:
        return reward >= threshold, f"right: a reward of at least {threshold:g}"
    values = np.unique(reward[: 1 << 16])  # a graded reward shows early; only then is all of it sorted
    if len(values) <= 2:
        values = np.unique(reward)
    if len(values) > 2:
        return None, f"graded rewards from {reward.min():g} to {reward.max():g}"
    if len(values) == 2:
        return reward == values[1], f"right: a reward of {values[1]:g}, wrong: {values[0]:g}"
    if len(values) == 0:
        return reward > 0, "no rewards"
    return reward > 0, f"every reward is {values[0]:g}, taken as {'right' if values[0] > 0 else 'wrong'}"
