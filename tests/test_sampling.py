"""Drawn groups follow the binomial law, and what is thrown away is counted."""

import numpy as np
import pytest
from scipy.stats import binom, chisquare

from grpo_lessons import mixed_probability, rollouts_per_mixed_group, sampling


@pytest.fixture
def rng():
    return np.random.default_rng(3)


@pytest.mark.parametrize("group_size", [2, 5, 16])
@pytest.mark.parametrize("p", [1e-9, 0.05, 0.5, 0.9])
def test_mixed_groups_follow_the_conditional_law(rng, p, group_size):
    k = sampling.draw_mixed(rng, np.full(40_000, p), group_size)
    law = binom.pmf(np.arange(1, group_size), group_size, p)
    expected = 40_000 * law / law.sum()
    counts = np.bincount(k, minlength=group_size + 1)
    assert counts[0] == counts[group_size] == 0
    usual = expected > 5
    if usual.sum() > 1:
        kept = counts[1:-1][usual]
        assert chisquare(kept, expected[usual] * kept.sum() / expected[usual].sum()).pvalue > 1e-4
    assert counts[1:-1][~usual].sum() <= 5 * np.sqrt(expected[~usual].sum()) + 5


def test_keep_takes_a_random_batch(rng):
    groups = sampling.draw_groups(rng, np.full(1000, 0.3), 4, batch=100)
    assert len(set(groups.prompts)) == 100 == groups.drawn
    assert groups.silent == np.sum((groups.k == 0) | (groups.k == 4))
    everyone = sampling.draw_groups(rng, np.full(1000, 0.3), 4)
    assert everyone.prompts.tolist() == list(range(1000))


def test_refill_fills_the_batch_with_mixed_groups(rng):
    costs = []
    for _ in range(200):
        groups = sampling.draw_groups(rng, np.full(4000, 0.05), 8, "refill", 100)
        assert len(set(groups.prompts)) == 100
        assert np.all((groups.k > 0) & (groups.k < 8))
        assert groups.drawn - groups.silent == 100
        costs.append(groups.drawn * 8 / 100)
    error = np.std(costs) / np.sqrt(len(costs))
    assert np.mean(costs) == pytest.approx(rollouts_per_mixed_group(0.05, 8), abs=5 * error)


def test_refill_goes_once_through_the_prompts(rng):
    groups = sampling.draw_groups(rng, np.full(50, 1e-4), 8, "refill", 40)
    assert groups.drawn == 50
    assert groups.prompts.size == 50 - groups.silent


def test_retry_draws_the_same_prompt_again(rng):
    groups = sampling.draw_groups(rng, np.full(20_000, 0.05), 8, "retry")
    assert groups.prompts.tolist() == list(range(20_000))
    assert np.all((groups.k > 0) & (groups.k < 8))
    mixed = mixed_probability(0.05, 8)
    error = np.sqrt(1 - mixed) / mixed / np.sqrt(20_000)
    assert groups.drawn / 20_000 == pytest.approx(1 / mixed, abs=5 * error)


@pytest.mark.parametrize("p", [0.3, 0.02, 1e-4, 1e-14, 0.0, 1.0])
def test_retry_draws_are_a_sum_over_tries(p, rng):
    silent = [(1 - mixed_probability(p, 8)) ** tried for tried in range(sampling.MOST_TRIES)]
    assert sampling.retry_draws(p, 8) == pytest.approx(sum(silent), rel=1e-12)
    drawn = sampling.draw_groups(rng, np.full(20_000, p), 8, "retry").drawn / 20_000
    assert drawn == pytest.approx(sum(silent), rel=0.03)


def test_retry_gives_up_at_last(rng):
    groups = sampling.draw_groups(rng, np.array([1e-15, 0.5, 1.0, 0.0]), 8, "retry")
    assert groups.k[[0, 2, 3]].tolist() == [0, 0, 0]
    assert 0 < groups.k[1] < 8
    assert groups.drawn >= 3 * sampling.MOST_TRIES + 1


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda rng: sampling.draw_mixed(rng, 1.0, 8), "p must be strictly between"),
        (lambda rng: sampling.draw_mixed(rng, 0.5, 2000), "group_size must be at most 1000"),
        (lambda rng: sampling.draw_groups(rng, np.ones(4), 8, "drop"), "silent must be one of"),
        (lambda rng: sampling.draw_groups(rng, np.ones(4), 8, "refill"), "batch must be below the 4 prompts"),
        (
            lambda rng: sampling.draw_groups(rng, np.ones(4), 8, "refill", 4),
            "batch must be below the 4 prompts",
        ),
    ],
)
def test_refusals(rng, call, match):
    with pytest.raises(ValueError, match=match):
        call(rng)
