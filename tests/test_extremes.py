"""Bounds, laws of the largest advantage and of σ, against enumeration, simulation and the printed digits."""

from __future__ import annotations

import numpy as np
import pytest

from grpo_lessons import (
    advantage_bound,
    advantages,
    enumerate_groups,
    expected_max_advantage,
    extreme_advantage_probability,
    sign_flip_probability,
    sign_flip_weight,
    std_relative_error,
    std_variation,
)


def mixed_groups(p, group_size):
    """All mixed groups of 0/1 rewards with their conditional probabilities."""
    rewards, probability = enumerate_groups(p, group_size)
    mixed = rewards.std(axis=1) > 0
    return rewards[mixed], probability[mixed] / probability[mixed].sum()


class TestAdvantageBound:
    @pytest.mark.parametrize(("group_size", "bound"), [(2, 1), (4, 1.73), (8, 2.65), (16, 3.87), (64, 7.94)])
    def test_grows_with_the_group(self, group_size, bound):
        assert round(advantage_bound(group_size), 2) == bound
        assert advantage_bound(group_size, ddof=1) == pytest.approx((group_size - 1) / group_size**0.5)

    @pytest.mark.parametrize("ddof", [0, 1])
    def test_is_reached_by_one_against_all_and_never_passed(self, ddof):
        rng = np.random.default_rng(6)
        for group_size in (2, 3, 8, 64):
            bound = advantage_bound(group_size, ddof)
            lonely = advantages(np.arange(group_size) == 0, ddof=ddof)
            np.testing.assert_allclose(np.abs(lonely).max(), bound, rtol=1e-13)
            heavy_tailed = rng.standard_cauchy((2000, group_size))
            assert np.abs(advantages(heavy_tailed, ddof=ddof)).max() <= bound * (1 + 1e-12)

    def test_refuses(self):
        with pytest.raises(ValueError, match="group_size must be a whole number"):
            advantage_bound(1)
        with pytest.raises(ValueError, match="ddof must be 0 or 1, got 2"):
            advantage_bound(4, ddof=2)


class TestSignFlip:
    def test_printed_digits(self):
        percent = 100 * sign_flip_probability([2, 4, 8, 16, 64])
        np.testing.assert_array_equal(np.round(percent, 1), [25, 16.7, 11.5, 8.0, 4.0])

    def test_arccos_form(self):
        size = np.array([2.0, 3, 8, 1000])
        np.testing.assert_allclose(sign_flip_probability(size), np.arccos(np.sqrt((size - 1) / size)) / np.pi)

    @pytest.mark.parametrize("group_size", [2, 8])
    def test_simulation(self, group_size):
        rewards = np.random.default_rng(3).normal(size=(100_000, group_size))
        flipped = np.mean(rewards[:, 0] * advantages(rewards)[:, 0] < 0)
        exact = sign_flip_probability(group_size)
        assert abs(flipped - exact) < 4 * np.sqrt(exact * (1 - exact) / 100_000)

    @pytest.mark.parametrize("group_size", [2, 8])
    def test_weight_in_simulation(self, group_size):
        rewards = np.random.default_rng(4).normal(size=(100_000, group_size))
        advantage = advantages(rewards, scale="none")[:, 0]
        wrong = np.where(rewards[:, 0] * advantage < 0, np.abs(advantage), 0)
        exact = sign_flip_weight(group_size)
        excess = wrong - exact * np.abs(advantage)  # mean zero: a quotient of means, without its bias
        assert abs(excess.mean()) < 4 * excess.std() / np.sqrt(100_000)

    def test_weight_of_large_groups(self):
        np.testing.assert_allclose(4e9 * sign_flip_weight(1e9), 1, rtol=1e-9)


class TestExpectedMaxAdvantage:
    @pytest.mark.parametrize(
        ("p", "sizes", "digits", "values"),
        [
            (0.5, [2, 4, 8, 16, 64], 3, [1, 1.418, 1.393, 1.249, 1.109]),
            (0.5, [5], 3, [1.483]),
            (0.1, [16, 32, 64, 1024], 3, [2.961, 3.291, 3.213, 3.011]),
            (0.05, [2, 4, 8, 16, 64, 128, 256], 2, [1.00, 1.68, 2.48, 3.41, 4.78, 4.67, 4.50]),
        ],
    )
    def test_printed_digits(self, p, sizes, digits, values):
        np.testing.assert_array_equal(np.round(expected_max_advantage(p, sizes), digits), values)

    @pytest.mark.parametrize("p", [1e-12, 0.05, 0.5, 0.7, 1 - 1e-9])
    @pytest.mark.parametrize("group_size", [2, 3, 8])
    def test_enumeration(self, p, group_size):
        rewards, weight = mixed_groups(p, group_size)
        exact = weight @ np.abs(advantages(rewards)).max(axis=1)
        np.testing.assert_allclose(expected_max_advantage(p, group_size), exact, rtol=1e-13)

    def test_forty_digits(self):
        """Computed once with mpmath at 40 digits."""
        assert expected_max_advantage(0.05, 128) == pytest.approx(4.674818699085766596, rel=1e-13)

    def test_peaks_at_five_for_a_coin_and_near_four_right_for_rare_prompts(self):
        assert np.argmax(expected_max_advantage(0.5, np.arange(2, 65))) + 2 == 5
        for p in (0.01, 0.05):
            peak = np.argmax(expected_max_advantage(p, np.arange(2, 600))) + 2
            assert 3.7 < peak * p < 3.8

    def test_limits(self):
        assert expected_max_advantage(0.1, 10**9) == pytest.approx(3, rel=1e-7)
        np.testing.assert_allclose(expected_max_advantage([0, 1e-300, 1], 8), np.sqrt(7))
        assert isinstance(expected_max_advantage(0.1, 8), np.float64)
        assert expected_max_advantage([[0.1], [0.2]], [2, 3, 4]).shape == (2, 3)


class TestExtremeAdvantageProbability:
    def test_printed_digits(self):
        percent = 100 * extreme_advantage_probability(0.5, [2, 3, 4, 5, 6, 8, 16], 2)
        np.testing.assert_array_equal(np.round(percent, 1), [0, 0, 0, 0, 19.4, 6.3, 2.1])

    @pytest.mark.parametrize("p", [0.05, 0.4, 0.9])
    @pytest.mark.parametrize("threshold", [0.5, 1.2, 2])
    def test_enumeration(self, p, threshold):
        rewards, weight = mixed_groups(p, 7)
        exact = weight @ (np.abs(advantages(rewards)).max(axis=1) > threshold)
        np.testing.assert_allclose(extreme_advantage_probability(p, 7, threshold), exact, rtol=1e-13)

    def test_limit_and_refusals(self):
        np.testing.assert_array_equal(extreme_advantage_probability([0, 1], 8, 2), 1)
        np.testing.assert_array_equal(extreme_advantage_probability([0, 0.3, 1], 8, 7**0.5), 0)
        with pytest.raises(ValueError, match="threshold must be one number"):
            extreme_advantage_probability(0.5, 8, [1, 2])
        with pytest.raises(ValueError, match="p must be in"):
            extreme_advantage_probability(-0.1, 8, 1)


class TestNoiseOfTheDeviation:
    def test_printed_digits(self):
        sizes = [2, 8, 16, 64]
        np.testing.assert_array_equal(
            np.round(std_relative_error(0.05, sizes), 3), [1.294, 0.630, 0.362, 0.243]
        )
        np.testing.assert_array_equal(
            np.round(std_variation(0.05, [*sizes, 128, 1024]), 3), [0, 0.117, 0.188, 0.246, 0.192, 0.065]
        )

    @pytest.mark.parametrize("p", [1e-9, 0.05, 0.5, 0.8])
    @pytest.mark.parametrize("group_size", [2, 3, 8])
    def test_enumeration(self, p, group_size):
        rewards, weight = mixed_groups(p, group_size)
        std = rewards.std(axis=1)
        true = np.sqrt(p * (1 - p))
        error = np.sqrt(weight @ (std - true) ** 2) / true
        np.testing.assert_allclose(std_relative_error(p, group_size), error, rtol=1e-12)
        variation = np.sqrt(weight @ (std - weight @ std) ** 2) / (weight @ std)
        np.testing.assert_allclose(std_variation(p, group_size), variation, rtol=1e-7, atol=1e-15)

    def test_one_value_has_no_variation(self):
        np.testing.assert_allclose(std_variation([0, 0.3, 1], [[2], [3]]), 0, atol=1e-15)

    def test_error_needs_a_true_value(self):
        with pytest.raises(ValueError, match="p must be strictly between 0 and 1"):
            std_relative_error(0, 8)
