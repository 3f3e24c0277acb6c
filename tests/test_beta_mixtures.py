"""Silence over Beta-distributed prompts, against 40-digit arithmetic, quadrature and simulation."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
from reference import relative_error

from grpo_lessons import beta_silent_probability, silent_probability


@pytest.fixture(autouse=True)
def forty_digits():
    with mp.workdps(40):
        yield


@pytest.mark.parametrize("group_size", [2, 3, 24, 25, 64, 1000, 10**6, 10**9])
@pytest.mark.parametrize("b", [0.01, 1, 3.2, 50.5, 700])
@pytest.mark.parametrize("a", [0.01, 0.5, 2.5, 30.1, 60, 1000])
def test_is_exact(a, b, group_size):
    x, y = mp.mpf(a), mp.mpf(b)
    exact = (mp.beta(x + group_size, y) + mp.beta(x, y + group_size)) / mp.beta(x, y)
    if exact > 1e-290:
        assert relative_error(beta_silent_probability(a, b, group_size), exact) < 1e-13


@pytest.mark.parametrize(
    ("a", "b", "group_size"),
    [(101.77, 145.27, 97_538), (79.54, 195.06, 972_223), (1742.06, 819.04, 1242)],
)
def test_tiny_values_keep_their_digits(a, b, group_size):
    """One rounding of the logarithm of 1e-276 already costs 6e-14."""
    x, y = mp.mpf(a), mp.mpf(b)
    exact = (mp.beta(x + group_size, y) + mp.beta(x, y + group_size)) / mp.beta(x, y)
    assert relative_error(beta_silent_probability(a, b, group_size), exact) < 1e-13


def test_is_the_mean_over_prompts():
    for a, b, group_size in [(1, 1, 8), (0.5, 2, 4), (4, 3, 64)]:
        density = lambda p, a=a, b=b: p ** (a - 1) * (1 - p) ** (b - 1) / mp.beta(a, b)  # noqa: E731
        mean = mp.quad(
            lambda p, g=group_size, density=density: density(p) * (p**g + (1 - p) ** g), [0, 0.5, 1]
        )
        assert beta_silent_probability(a, b, group_size) == pytest.approx(float(mean), rel=1e-9)


def test_uniform_prompts():
    group_size = np.array([2, 8, 64, 10**6])
    np.testing.assert_allclose(beta_silent_probability(1, 1, group_size), 2 / (group_size + 1), rtol=1e-14)


def test_concentrated_prompts_are_one_prompt():
    assert beta_silent_probability(3e9, 7e9, 4) == pytest.approx(silent_probability(0.3, 4), rel=1e-8)


def test_simulated():
    rng, groups = np.random.default_rng(9), 200_000
    k = rng.binomial(8, rng.beta(0.5, 0.8, groups))
    share = beta_silent_probability(0.5, 0.8, 8)
    assert abs(np.mean((k == 0) | (k == 8)) - share) < 4 * np.sqrt(share * (1 - share) / groups)
