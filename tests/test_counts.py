"""Deviation, silence and its price, against enumeration, simulation, 40 digits and what the book prints."""

from __future__ import annotations

import itertools

import mpmath as mp
import numpy as np
import pytest
from reference import GROUP_SIZES, LARGE, PROBABILITIES, relative_error, shown

from grpo_lessons import (
    group_std,
    mixed_probability,
    mixed_success_rate,
    positive_probability,
    rollouts_per_mixed_group,
    silent_probability,
)

EVERYWHERE = [(p, size) for size in [*GROUP_SIZES, 10**6] for p in PROBABILITIES] + LARGE


@pytest.fixture(autouse=True)
def forty_digits():
    with mp.workdps(80):  # 40 are left where 1 − (1 − p)^G cancels
        yield


def all_groups(p, group_size):
    rewards = np.array(list(itertools.product([0, 1], repeat=group_size)))
    return rewards, np.prod(np.where(rewards == 1, p, 1 - p), axis=1)


class TestGroupStd:
    @pytest.mark.parametrize("ddof", [0, 1])
    @pytest.mark.parametrize("group_size", [2, 3, 8, 11])
    def test_is_the_deviation_of_the_rewards(self, group_size, ddof):
        k = np.arange(group_size + 1)
        rewards = np.arange(group_size) < k[:, None]
        np.testing.assert_allclose(group_std(k, group_size, ddof), rewards.std(axis=1, ddof=ddof), atol=1e-15)

    def test_printed_values(self):
        assert shown(group_std(1, 8), "0.331")
        assert group_std(4, 8) == 0.5
        np.testing.assert_allclose(group_std(1, [2, 5, 64]), np.sqrt([1, 4, 63]) / [2, 5, 64])

    @pytest.mark.parametrize(
        ("group_size", "ratio"), [(2, "0.707"), (4, "0.866"), (8, "0.935"), (16, "0.968"), (64, "0.992")]
    )
    def test_ddof_scales_it(self, group_size, ratio):
        assert shown(group_std(1, group_size) / group_std(1, group_size, ddof=1), ratio)


class TestSilence:
    @pytest.mark.parametrize(("p", "group_size"), EVERYWHERE)
    def test_is_exact(self, p, group_size):
        x = mp.mpf(p)
        silent, mixed = x**group_size + (1 - x) ** group_size, 1 - x**group_size - (1 - x) ** group_size
        if silent > 1e-290:
            assert relative_error(silent_probability(p, group_size), silent) < 1e-13
        assert relative_error(mixed_probability(p, group_size), mixed) < 1e-13
        assert relative_error(positive_probability(p, group_size), 1 - (1 - x) ** group_size) < 1e-13
        assert relative_error(rollouts_per_mixed_group(p, group_size), group_size / mixed) < 1e-13
        assert relative_error(mixed_success_rate(p, group_size), (x - x**group_size) / mixed) < 1e-13

    @pytest.mark.parametrize("group_size", [2, 3, 5, 10])
    @pytest.mark.parametrize("p", [0.03, 0.3, 0.5, 0.9])
    def test_is_what_enumeration_counts(self, p, group_size):
        rewards, probability = all_groups(p, group_size)
        mixed = rewards.min(axis=1) < rewards.max(axis=1)
        share = probability[mixed].sum()
        assert mixed_probability(p, group_size) == pytest.approx(share)
        assert silent_probability(p, group_size) == pytest.approx(1 - share)
        assert positive_probability(p, group_size) == pytest.approx(probability[rewards.any(axis=1)].sum())
        right = np.average(rewards[mixed].mean(axis=1), weights=probability[mixed])
        assert mixed_success_rate(p, group_size) == pytest.approx(right)

    @pytest.mark.parametrize(
        ("p", "at_8", "at_64"),
        [
            (0.5, "0.8", "0"),
            (0.8, "16.8", "0"),
            (0.9, "43.0", "0.1"),
            (0.95, "66.3", "3.8"),
            (0.99, "92.3", "52.6"),
        ],
    )
    def test_printed_table(self, p, at_8, at_64):
        assert shown(100 * silent_probability(p, 8), at_8)
        assert shown(100 * silent_probability(p, 64), at_64)

    def test_other_printed_values(self):
        assert shown(100 * silent_probability(0.95, 64), "3.75")
        assert shown(100 * silent_probability(0.3, 2), "58")
        assert shown(100 * silent_probability(0.3, 8), "5.8")
        assert shown(100 * silent_probability(0.3, 4), "24.82")
        assert shown(100 * (1 - positive_probability(0.3, 4)), "24.01")
        assert shown(100 * (1 - positive_probability(0.1, 2)), "81")
        assert shown(100 * (1 - positive_probability(0.1, 64)), "0.118")
        assert shown(positive_probability(0.1, 8), "0.57")
        assert shown(positive_probability(0.1, 16), "0.81")
        assert shown(silent_probability(0.95, 2) / silent_probability(0.95, 64), "24")

    def test_is_least_at_one_half_and_falls_with_the_group(self):
        p, group_size = np.linspace(0.01, 0.99, 99)[:, None], np.arange(2, 60)
        silent = silent_probability(p, group_size)
        np.testing.assert_array_equal(silent.argmin(axis=0), 49)
        np.testing.assert_array_equal(silent[49], 2.0 ** (1 - group_size))
        assert np.all(np.diff(silent, axis=1) < 0)

    def test_simulated_share(self):
        p, group_size, groups = 0.9, 8, 200_000
        k = np.random.default_rng(7).binomial(group_size, p, groups)
        silent = silent_probability(p, group_size)
        error = np.sqrt(silent * (1 - silent) / groups)
        assert abs(np.mean((k == 0) | (k == group_size)) - silent) < 4 * error

    @pytest.mark.parametrize(
        ("p", "printed"),
        [
            (0.05, ["21.1", "21.6", "23.8", "28.6", "66.5"]),
            (0.01, ["101", "101.5", "103.6", "107.7", "134.9"]),
        ],
    )
    def test_rollouts_per_mixed_group(self, p, printed):
        assert all(map(shown, rollouts_per_mixed_group(p, [2, 4, 8, 16, 64]), printed))

    def test_filtering_can_be_the_cheaper_way(self):
        assert shown(rollouts_per_mixed_group(0.95, 8), "23.8")
        assert silent_probability(0.95, 58) > 0.05 >= silent_probability(0.95, 59)

    def test_rollouts_per_mixed_group_simulated(self):
        rng = np.random.default_rng(8)
        rollouts, waiting = np.zeros(20_000), np.arange(20_000)
        while waiting.size:
            rollouts[waiting] += 4
            k = rng.binomial(4, 0.05, waiting.size)
            waiting = waiting[(k == 0) | (k == 4)]
        error = rollouts.std() / rollouts.size**0.5
        assert abs(rollouts.mean() - rollouts_per_mixed_group(0.05, 4)) < 4 * error

    def test_success_rate_of_mixed_groups_is_pulled_to_the_middle(self):
        assert all(map(shown, mixed_success_rate(0.05, [2, 4, 8, 16]), ["0.5", "0.27", "0.149", "0.089"]))
        np.testing.assert_allclose(mixed_success_rate(0.9, [2, 5, 9]), 1 - mixed_success_rate(0.1, [2, 5, 9]))
