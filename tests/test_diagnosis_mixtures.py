"""The law of difficulty: its likelihood against scipy's beta-binomial, and what a fit finds again."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import betabinom, binom

from grpo_lessons import beta_silent_probability, silent_probability
from grpo_lessons.diagnosis import BetaMixture, count_cells, fit_difficulty
from grpo_lessons.diagnosis.mixtures import _likelihood

INF, NAN = np.inf, np.nan
LAW = BetaMixture(
    np.array([0.5, 0.3, 0.2]), np.array([2.0, 0.5, INF]), np.array([5.0, 0.7, INF]), np.array([NAN, NAN, 0.0])
)


def draw(rng, law, groups):
    """Success probabilities from a mixture."""
    part = rng.choice(len(law.weight), groups, p=law.weight)
    beta = np.isnan(law.point)
    p = rng.beta(np.where(beta, law.a, 1)[part], np.where(beta, law.b, 1)[part])
    return np.where(beta[part], p, law.point[part])


def test_likelihood():
    k, size = np.array([0, 3, 8, 5]), np.array([8, 8, 8, 5])
    cells = count_cells(np.append(k, k), np.append(size, size))
    by_hand = sum(
        2 * np.log(0.5 * betabinom.pmf(k, n, 2, 5) + 0.3 * betabinom.pmf(k, n, 0.5, 0.7) + 0.2 * (k == 0))
        for k, n in zip(k, size, strict=True)
    )
    assert LAW.log_likelihood(cells) == pytest.approx(by_hand, rel=1e-12)


def test_slope():
    cells = count_cells([0, 0, 1, 4, 7, 8, 8, 2], 8)
    x = np.array([0.3, -0.4, 0.1, 0.9, 0.5, -0.2])  # two logits, log a of two Betas, log b of them
    value, slope = _likelihood(x, cells, 2, (0.0,))
    for i, step in enumerate(1e-6 * np.eye(6)):
        up, down = (_likelihood(x + sign * step, cells, 2, (0.0,))[0] for sign in (1, -1))
        assert slope[i] == pytest.approx((up - down) / 2e-6, rel=1e-5, abs=1e-6)
    assert np.isfinite(value)


def test_silent_share_of_a_mixture():
    size = np.array([2, 8, 33])
    by_hand = 0.5 * beta_silent_probability(2, 5, size) + 0.3 * beta_silent_probability(0.5, 0.7, size) + 0.2
    np.testing.assert_allclose(LAW.silent(size), by_hand, rtol=1e-13)


@pytest.mark.parametrize(
    ("law", "groups"),
    [
        (BetaMixture(np.ones(1), np.array([0.5]), np.array([1.5]), np.array([NAN])), 4000),
        (
            BetaMixture(np.array([0.7, 0.3]), np.array([3, INF]), np.array([2, INF]), np.array([NAN, 0.0])),
            4000,
        ),
        (
            BetaMixture(np.array([0.7, 0.3]), np.array([3, INF]), np.array([2, INF]), np.array([NAN, 1.0])),
            4000,
        ),
        (BetaMixture(np.array([0.5, 0.5]), np.array([9.0, 2]), np.array([2.0, 9]), np.full(2, NAN)), 4000),
        (BetaMixture(np.ones(1), np.array([INF]), np.array([INF]), np.array([0.2])), 1000),
    ],
    ids=["beta", "never", "always", "two", "one p"],
)
def test_a_fit_finds_the_kind_of_law_again(law, groups):
    rng = np.random.default_rng(7)
    cells = count_cells(rng.binomial(8, draw(rng, law, groups)), 8)
    fit = fit_difficulty(cells)
    assert fit.log_likelihood > law.log_likelihood(cells)
    assert sorted(np.isnan(fit.mixture.point)) == sorted(np.isnan(law.point))
    assert set(fit.mixture.point[np.isin(fit.mixture.point, [0, 1])]) == set(
        law.point[np.isin(law.point, [0, 1])]
    )
    for size in (4, 8, 16):
        assert float(fit.mixture.silent(size)) == pytest.approx(float(law.silent(size)), abs=0.02)


def test_degenerate_tables_say_so():
    assert "wrong" in fit_difficulty(count_cells([0, 0, 0], 8)).remark
    assert "right" in fit_difficulty(count_cells([8], 8)).remark
    assert "No spread" in fit_difficulty(count_cells([1], 2)).remark
    assert "p = 0 or p = 1" in fit_difficulty(count_cells([0] * 50 + [8] * 50, 8)).remark
    with pytest.raises(ValueError, match="at least one group"):
        fit_difficulty(count_cells([0], 8).__class__(*(np.zeros(0, np.int64),) * 3))


def test_no_more_parameters_than_the_size():
    assert fit_difficulty(count_cells([0, 1, 2] * 100, 2)).parameters <= 2


def test_ragged_groups():
    rng = np.random.default_rng(3)
    size = rng.integers(2, 12, 3000)
    p = rng.beta(2, 3, 3000)
    fit = fit_difficulty(count_cells(rng.binomial(size, p), size))
    assert float(fit.mixture.silent(6)) == pytest.approx(float(beta_silent_probability(2, 3, 6)), abs=0.01)


def test_plug_in_is_what_this_is_not():
    """E[(k/G)^G + (1 − k/G)^G] over the binomial law is .317 where the silent share is .168."""
    k = np.arange(9)
    assert binom.pmf(k, 8, 0.2) @ ((k / 8) ** 8 + (1 - k / 8) ** 8) == pytest.approx(0.317, abs=5e-4)
    assert silent_probability(0.2, 8) == pytest.approx(0.168, abs=5e-4)
