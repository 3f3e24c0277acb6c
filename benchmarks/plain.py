"""What one writes first: the binomial sums over every k."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats


def expected_std(p, group_size):
    """E[σ] for an array of p and one G, with scipy's binomial probabilities."""
    k = np.arange(group_size + 1)
    return stats.binom.pmf(k, group_size, np.expand_dims(p, -1)) @ np.sqrt(k * (group_size - k)) / group_size


def expected_std_comb(p, group_size):
    """E[σ] for one p and one G, with exact binomial coefficients."""
    return sum(
        math.comb(group_size, k) * p**k * (1 - p) ** (group_size - k) * math.sqrt(k * (group_size - k))
        for k in range(group_size + 1)
    ) / group_size  # fmt: skip


def objective_weight(p, group_size):
    return expected_std(p, group_size) / (p * (1 - p))


def min_group_size(p, epsilon):
    """Bisection, as in the package, on the plain sum."""
    target = (1 - epsilon) * math.sqrt(p * (1 - p))
    high = 2
    while expected_std(p, high) < target:
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if expected_std(p, middle) >= target else (middle, high)
    return high
