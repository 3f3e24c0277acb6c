"""Where the rewards' variance is: within groups, where GRPO learns from it, or between; and who makes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from .by_group import Floats, Ints, centred, equal, means, number
from .groups import Cells, Groups, count_cells, successes


@dataclass(frozen=True)
class VarianceSplit:
    """One-way analysis of variance of the rewards, groups as classes.

    Attributes
    ----------
    within : mean square within groups, an unbiased estimate of the variance of one prompt's rewards
    between : unbiased estimate of the variance of prompts' mean rewards; by chance it can be below 0
    between_share : between/(between + within), a negative `between` taken as 0; None if there is no variance
    """

    within: float
    between: float | None
    between_share: float | None


@dataclass(frozen=True)
class Component:
    """What one reward function contributes.

    Attributes
    ----------
    name : its column
    weight : its weight in the total reward, as given or fitted
    share : of the within-group variance of the total, all adding up to 1; None where no group varies
    silent : share of groups in which it does not vary
    mean : over all completions
    histogram : groups by number right, by G; None where the component has more than two values
    """

    name: str
    weight: float
    share: float | None
    silent: float
    mean: float
    histogram: dict[int, list[int]] | None


def variance_split(reward: Floats, size: Ints) -> VarianceSplit:
    """Split the variance of rewards into its parts within and between groups.

    Parameters
    ----------
    reward : (n,) rewards, sorted by group
    size : (g,) completions of each group, at least 2; at least one group

    Notes
    -----
    E[MS_within] = σ²_within and E[MS_between] = σ²_within + n₀ σ²_between with
    n₀ = (n − Σ G²/n)/(g − 1), also for groups of different sizes.
    """
    away, mean = centred(reward, size), means(reward, size)
    n, g = len(reward), len(size)
    within = float(away @ away) / (n - g)
    if g < 2:
        return VarianceSplit(within, None, None)
    square = float(size @ (mean - reward.mean()) ** 2) / (g - 1)
    between = (square - within) / ((n - float(size @ size) / n) / (g - 1))
    total = max(between, 0.0) + within
    return VarianceSplit(within, between, max(between, 0.0) / total if total > 0 else None)


def component_shares(
    groups: Groups, components: Mapping[str, Floats], weights: Mapping[str, float]
) -> tuple[Component, ...]:
    """Each reward function's part in the within-group variance, and its own counts.

    Parameters
    ----------
    groups : the complete groups
    components : (n,) columns of the log, with no reward missing in these groups
    weights : their weights in the total
    """
    if groups.number == 0:
        return ()
    total = np.zeros(len(groups.row))
    for name, column in components.items():
        total += weights[name] * column[groups.row]
    largest = max(total.max(), -total.min())
    spread = centred(total, groups.size)
    del total  # of millions of rows
    variance = float(spread @ spread)
    varies = variance > 1e-24 * np.square(1 + largest)
    made = []
    for name, column in components.items():
        values = column[groups.row]
        share = weights[name] * float(centred(values, groups.size) @ spread) / variance if varies else None
        silent = float(equal(values, groups.size).mean())
        right, _ = successes(values)
        counts = None
        if right is not None:
            counts = histograms(count_cells(number(right, groups.size), groups.size))
        made.append(Component(name, float(weights[name]), share, silent, float(values.mean()), counts))
    return tuple(made)


def pass_at(cells: Cells) -> dict[int, float]:
    """pass@k, the chance that at least one of k completions is right, for k = 1, 2, 4, … and the largest G.

    The unbiased estimator of Chen et al. (arXiv:2107.03374), 1 − C(G − c, k)/C(G, k) with c right, averaged
    over the groups of at least k.
    """
    largest = int(cells.size.max())
    ks = sorted({2**i for i in range(largest.bit_length())} | {largest})
    result = {}
    for k in ks:
        enough = cells.size >= k
        size, wrong, count = cells.size[enough], (cells.size - cells.k)[enough], cells.count[enough]
        none = np.ones(len(size))
        for i in range(k):  # ∏ (wrong − i)/(G − i)
            none = none * np.maximum(wrong - i, 0) / (size - i)
        result[k] = float(1 - count @ none / count.sum())
    return result


def histograms(cells: Cells) -> dict[int, list[int]]:
    """Groups by number right, for each G."""
    result = {int(size): [0] * (int(size) + 1) for size in np.unique(cells.size)}
    for size, k, count in zip(cells.size, cells.k, cells.count, strict=True):
        result[int(size)][int(k)] = int(count)
    return result
