"""Reference values in 40-digit arithmetic, of the exact numbers that floats are."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import mpmath as mp

P = [1e-12, 3e-9, 1e-6, 1.7e-4, 0.001, 0.013, 0.1, 0.3, 0.4999, 0.5]
PROBABILITIES = [*P, *(1 - p for p in reversed(P[:-1]))]
GROUP_SIZES = [2, 3, 4, 7, 8, 64, 257, 1000, 4097]
LARGE = [(1e-12, 10**6), (1e-6, 10**6), (1 - 1e-6, 10**6), (0.001, 10**6), (0.5, 10**6), (1 - 1e-9, 10**9)]


def binomial(p: float, n: int) -> Iterator[tuple[int, mp.mpf]]:
    """k and P(K = k) wherever it matters to 40 digits: each from the one before, the first from log Γ."""
    x = mp.mpf(p)
    reach = 14 * mp.sqrt(n * x * (1 - x)) + 60
    low, high = max(0, int(n * x - reach)), min(n, int(n * x + reach))
    log_first = mp.loggamma(n + 1) - mp.loggamma(low + 1) - mp.loggamma(n - low + 1)
    weight = mp.exp(log_first) * x**low * (1 - x) ** (n - low)
    for k in range(low, high + 1):
        yield k, weight
        weight *= (n - k) * x / ((k + 1) * (1 - x))


def binomial_mean(function: Callable[[int], mp.mpf], p: float, n: int) -> mp.mpf:
    return mp.fsum(weight * function(k) for k, weight in binomial(p, n))


def expected_std(p: float, group_size: int) -> mp.mpf:
    return binomial_mean(lambda k: mp.sqrt(k * (group_size - k)), p, group_size) / group_size


def relative_error(value: float, exact: mp.mpf) -> float:
    return float(abs(mp.mpf(float(value)) / exact - 1))


def shown(value: float, printed: str) -> bool:
    """Whether `value`, rounded to as many decimals as `printed` has, is `printed`."""
    return f"{value:.{len(printed.partition('.')[2])}f}" == printed
