"""Means over the windowed sums, against exact moments, full sums and 40-digit arithmetic."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
import reference
from scipy import stats

from grpo_lessons.binomial import binomial_mean, poisson_mean


@pytest.mark.parametrize("n", [0, 1, 5, 80, 1000, 10**6, 10**9])
@pytest.mark.parametrize("p", [0, 1e-12, 1e-9, 1e-4, 0.03, 0.5])
def test_has_the_moments_of_a_binomial(p, n):
    mean, variance = n * p, n * p * (1 - p)
    assert binomial_mean(lambda k: k, p, n) == pytest.approx(mean, rel=1e-12, abs=0)
    spread = binomial_mean(lambda k, mean: (k - mean) ** 2, p, n, mean)
    assert spread == pytest.approx(variance, rel=1e-10, abs=0)


@pytest.mark.parametrize("rate", [1e-9, 0.3, 8, 130, 1e7])
def test_has_the_moments_of_a_poisson(rate):
    assert poisson_mean(lambda k: k, rate) == pytest.approx(rate, rel=1e-13, abs=0)
    assert poisson_mean(lambda k, rate: (k - rate) ** 2, rate, rate) == pytest.approx(rate, rel=1e-12, abs=0)


def test_poisson_is_the_limit_of_the_binomial():
    assert binomial_mean(np.sqrt, 3e-12, 10**12) == pytest.approx(
        poisson_mean(np.sqrt, 3.0), rel=1e-11, abs=0
    )


@pytest.mark.parametrize(("p", "n"), [(1e-3, 50), (0.2, 300), (0.5, 2000), (0.01, 10**5)])
def test_is_the_sum_over_all_counts(p, n):
    k = np.arange(n + 1)
    plain = (stats.binom.pmf(k, n, p) * np.cos(k / n)).sum()
    assert binomial_mean(lambda k, n: np.cos(k / n), p, n, n) == pytest.approx(plain, rel=1e-12, abs=0)


def test_tails_left_out_do_not_show():
    """A function that weighs a tail by e^(k/10) would miss what the window leaves out."""
    for p, n in [(1e-3, 1000), (0.1, 1000), (0.5, 400)]:
        exact = (1 - mp.mpf(p) + mp.mpf(p) * mp.exp(mp.mpf(1) / 10)) ** n
        assert reference.relative_error(binomial_mean(lambda k: np.exp(k / 10), p, n), exact) < 1e-13


def test_rows_of_very_different_width_keep_their_place_and_their_shape():
    p = np.array([[0.5], [1e-9], [0.3]])
    n = np.array([10**7, 2, 0, 10**4, 8])
    mean = binomial_mean(lambda k: k, p, n)
    assert mean.shape == (3, 5)
    np.testing.assert_allclose(mean, n * p, rtol=1e-12)


def test_many_rows_are_summed_in_blocks():
    p = np.linspace(0, 0.5, 2001)
    np.testing.assert_allclose(binomial_mean(lambda k: k, p, 1024), 1024 * p, rtol=1e-12)


def test_rows_of_different_width_share_no_block():
    """One row of 9,000 terms beside 3,000 of 28 must not make a block of 3,000 × 9,000."""
    summed = []

    def function(k):
        summed.append(k.size)
        return k

    binomial_mean(function, [0.5] + 3000 * [1e-9], 10**6)
    assert sum(summed) < 1e6


def test_counts_come_in_steps_of_one_and_stay_in_range():
    def function(k, n):
        assert np.all((k >= 0) & (k <= n))
        steps = np.diff(k, axis=1)
        assert np.all((steps == 1) | (k[:, 1:] == n))
        return k

    binomial_mean(function, [0.5, 0.01, 0.2], [40, 10**5, 7], [40, 10**5, 7])


def test_refuses_a_sum_of_millions_of_terms():
    with pytest.raises(
        ValueError, match=r"group_size must keep .* at or below 1e\+10, got 1e\+12 at p = 0.5"
    ):
        binomial_mean(np.sqrt, [0.1, 0.5], [8, 10**12])
