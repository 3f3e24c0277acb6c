"""Advantages, gradients and the identity, against their textbook definitions and against enumeration."""

from __future__ import annotations

import numpy as np
import pytest

from grpo_lessons import (
    advantages,
    enumerate_actions,
    exact_moments,
    expected_squared_norm,
    group_gradient,
    identity_terms,
    softmax_scores,
)

LEAVE_ONE_OUT = {"baseline": "leave_one_out", "scale": "none"}


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20402)


@pytest.fixture
def policy_case(rng):
    """A four-action softmax policy, graded rewards, and its exact ∇J = Σ π r s."""
    policy, scores = softmax_scores(rng.normal(size=4))
    rewards = rng.normal(size=4)
    return policy, scores, rewards, (policy * rewards) @ scores


class TestAdvantages:
    @pytest.mark.parametrize("ddof", [0, 1])
    @pytest.mark.parametrize("shape", [(2,), (7,), (3, 5), (2, 3, 64)])
    def test_are_the_textbook_formula(self, rng, shape, ddof):
        rewards = rng.normal(size=shape)
        centred = rewards - rewards.mean(axis=-1, keepdims=True)
        std = rewards.std(axis=-1, keepdims=True, ddof=ddof)
        np.testing.assert_allclose(advantages(rewards, ddof=ddof), centred / std, rtol=1e-12)
        np.testing.assert_allclose(advantages(rewards, ddof=ddof, eps=0.1), centred / (std + 0.1), rtol=1e-12)
        np.testing.assert_allclose(advantages(rewards, scale="none"), centred, rtol=1e-12, atol=1e-15)

    @pytest.mark.parametrize("scale", ["group", "none"])
    def test_leave_one_out_subtracts_the_mean_of_the_others(self, rng, scale):
        rewards = rng.normal(size=6)
        others = np.array([np.delete(rewards, i).mean() for i in range(6)])
        std = rewards.std() if scale == "group" else 1.0  # the std of all G, not of the others
        result = advantages(rewards, baseline="leave_one_out", scale=scale)
        np.testing.assert_allclose(result, (rewards - others) / std, rtol=1e-12)

    def test_two_completions(self):
        """At G = 2: ±1 with ddof 0, ±.7071 with ddof 1; leave-one-out gives ±1, ±2 or r₁ − r₂."""
        np.testing.assert_allclose(advantages([1, 0]), [1, -1])
        np.testing.assert_allclose(advantages([1, 0], ddof=1), [0.5**0.5, -(0.5**0.5)])
        for rewards, first in (([1, 0], 1), ([1, -1], 2), ([0.7, 0.4], 0.3)):
            result = advantages(rewards, baseline="leave_one_out", scale="none")
            np.testing.assert_allclose(result, [first, -first])

    def test_squares_sum_to_the_group_size(self, rng):
        """Σ A² = G in every mixed group, so ‖g‖ ≈ ‖s‖/√G for near-orthogonal scores."""
        rewards = (np.arange(8) < np.arange(1, 8)[:, None]).astype(float)
        np.testing.assert_allclose(np.sum(advantages(rewards) ** 2, axis=-1), 8)

    @pytest.mark.parametrize(
        ("group_size", "ratio"), [(2, 0.707), (4, 0.866), (8, 0.935), (16, 0.968), (64, 0.992)]
    )
    def test_ddof_ratio(self, rng, group_size, ratio):
        rewards = rng.normal(size=group_size)
        np.testing.assert_allclose(
            advantages(rewards, ddof=1) / advantages(rewards), np.sqrt((group_size - 1) / group_size)
        )
        assert round(np.sqrt((group_size - 1) / group_size), 3) == ratio

    def test_plus_minus_one_rewards(self, rng):
        """±1 against 0/1: the same after the std division, exactly twice without it."""
        rewards = (rng.random((50, 8)) < 0.4).astype(float)
        np.testing.assert_allclose(advantages(2 * rewards - 1), advantages(rewards), rtol=1e-14)
        np.testing.assert_array_equal(
            advantages(2 * rewards - 1, scale="none"), 2 * advantages(rewards, scale="none")
        )

    def test_right_completion_is_never_below_zero_for_binary_rewards(self):
        for wrong in (0, -1):
            rewards = np.where(np.arange(8) < np.arange(9)[:, None], 1, wrong)
            assert np.all(advantages(rewards)[rewards == 1] >= 0)
        assert advantages([1.0, 0.9, 0.0, 1.0, 1.0])[1] > 0 > advantages([1.0, 0.7, 0.6, 1.0, 1.0])[1]

    @pytest.mark.parametrize(
        "dtype", [np.float16, np.float32, np.float64, np.longdouble, np.int64, np.uint8, bool]
    )
    @pytest.mark.parametrize("group_size", [2, 3, 7, 8, 12, 64])
    def test_equal_rewards_are_silent_in_any_dtype(self, dtype, group_size):
        for constant in [*np.arange(1, 101) / 100, 0, 1, 1e4 + 0.1 if dtype != np.float16 else 5]:
            rewards = np.full(group_size, constant).astype(dtype)
            for options in ({}, {"ddof": 1}, {"scale": "none"}, {"baseline": "leave_one_out"}, {"eps": 1e-4}):
                result = advantages(rewards, **options)
                np.testing.assert_array_equal(result, np.zeros(group_size))

    def test_silence_is_decided_group_by_group(self):
        result = advantages([[0.3, 0.3, 0.3], [1, 0, 0]])
        np.testing.assert_array_equal(result[0], 0)
        np.testing.assert_allclose(result[1], advantages([1, 0, 0]))

    @pytest.mark.parametrize("unit", [1e-320, 1e-200, 1e-30, 1e30, 1e200, 8e307])
    def test_units_cost_no_digits(self, unit):
        """(r − mean)/std has no unit, even where r² under- or overflows."""
        np.testing.assert_allclose(
            advantages(np.array([2, 1, 0, 0]) * unit), advantages([2, 1, 0, 0]), rtol=1e-3
        )
        if unit > 1e-300:
            np.testing.assert_allclose(
                advantages(np.array([2, 1, 0, 0]) * unit), advantages([2, 1, 0, 0]), rtol=1e-14
            )

    def test_offset_costs_no_digits(self):
        rewards = np.array([1.0, 0.0, 0.0, 1.0, 0.0])
        np.testing.assert_array_equal(advantages(1e8 + rewards), advantages(rewards))

    def test_output_type(self):
        assert advantages(np.array([1, 0], dtype=np.float32)).dtype == np.float32
        for dtype in (np.float16, np.float64, np.int8, bool, np.longdouble):
            assert advantages(np.array([1, 0], dtype=dtype)).dtype == np.float64

    def test_float32_is_the_rounded_float64(self, rng):
        rewards = rng.random((20, 9)).astype(np.float32)
        np.testing.assert_array_equal(
            advantages(rewards), advantages(rewards.astype(float)).astype(np.float32)
        )

    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    def test_the_largest_range_gives_finite_advantages(self, dtype):
        most = float(np.finfo(dtype).max) * (1 - 1e-6)
        for size in range(2, 32):
            result = advantages(np.array([most, *[0] * (size - 1)], dtype=dtype), **LEAVE_ONE_OUT)
            np.testing.assert_allclose(result[0], most, rtol=1e-6)

    @pytest.mark.parametrize(
        ("rewards", "options", "complaint"),
        [
            ([1, np.nan], {}, "rewards must be a number, not NaN"),
            ([1, np.inf], {}, "rewards must be finite, got inf"),
            ([1e308, -1e308], {}, "rewards must have a finite range"),
            ([np.finfo(float).max, 0, 0], LEAVE_ONE_OUT, "rewards must have a finite range in float64"),
            (
                np.array([3e38, -3e38], np.float32),
                {"scale": "none"},
                r"rewards must have a finite range in float32, got -3e\+38 to 3e\+38",
            ),
            ([], {}, "rewards must not be empty"),
            (np.zeros((0, 4)), {}, "rewards must not be empty"),
            ([1], {}, r"rewards must have at least 2 completions on the last axis, got shape \(1,\)"),
            (1.0, {}, r"rewards must have at least 2 completions on the last axis, got shape \(\)"),
            (["a", "b"], {}, "rewards must be a real number"),
            ([1j, 0], {}, "rewards must be a real number"),
            ([[1, 0], [1]], {}, "rewards must be .* rectangular"),
            ([1, 0], {"ddof": 2}, "ddof must be 0 or 1, got 2"),
            ([1, 0], {"ddof": 2, "scale": "none"}, "ddof must be 0 or 1, got 2"),
            ([1, 0], {"ddof": 0.5}, "ddof must be 0 or 1, got 0.5"),
            ([1, 0], {"ddof": np.array([0, 1])}, "ddof must be 0 or 1"),
            ([1, 0], {"eps": -1e-6}, "eps must be at least 0, got -1e-06"),
            ([1, 0], {"eps": np.nan}, "eps must be a number, not NaN"),
            ([1, 0], {"eps": [0.1, 0.2]}, "eps must be one number"),
            ([1, 0], {"baseline": "median"}, "baseline must be one of 'mean', 'leave_one_out', got 'median'"),
            ([1, 0], {"scale": "batch"}, "scale must be one of 'group', 'none', got 'batch'"),
            ([1, 0], {"scale": None}, "scale must be one of 'group', 'none', got None"),
        ],
    )
    def test_refuses(self, rewards, options, complaint):
        with pytest.raises(ValueError, match=complaint):
            advantages(rewards, **options)


class TestGroupGradient:
    @pytest.mark.parametrize("method", ["grpo", "dr_grpo", "rloo", "reinforce"])
    def test_is_the_mean_of_advantage_times_score(self, rng, method):
        scores, rewards = rng.normal(size=(5, 8, 3)), rng.normal(size=(5, 8))
        mean, std = rewards.mean(axis=-1, keepdims=True), rewards.std(axis=-1, keepdims=True)
        weights = {
            "grpo": (rewards - mean) / std,
            "dr_grpo": rewards - mean,
            "rloo": rewards - (rewards.sum(axis=-1, keepdims=True) - rewards) / 7,
            "reinforce": rewards,
        }[method]
        expected = sum(weights[:, i, None] * scores[:, i] for i in range(8)) / 8
        np.testing.assert_allclose(group_gradient(scores, rewards, method), expected, rtol=1e-12, atol=1e-15)

    @pytest.mark.parametrize(("group_size", "factor"), [(2, 2), (8, 1.143), (64, 1.016)])
    def test_rloo_is_dr_grpo_times_a_constant(self, rng, group_size, factor):
        scores, rewards = rng.normal(size=(group_size, 3)), rng.normal(size=group_size)
        rloo, dr_grpo = (group_gradient(scores, rewards, method) for method in ("rloo", "dr_grpo"))
        np.testing.assert_allclose(rloo, group_size / (group_size - 1) * dr_grpo, rtol=1e-12)
        assert round(group_size / (group_size - 1), 3) == factor

    def test_rloo_is_a_u_statistic(self, rng):
        """The mean over pairs of ½ (s_i − s_j)(r_i − r_j)."""
        scores, rewards = rng.normal(size=(6, 3)), rng.normal(size=6)
        pairs = [
            0.5 * (scores[i] - scores[j]) * (rewards[i] - rewards[j]) for i in range(6) for j in range(i)
        ]
        np.testing.assert_allclose(
            group_gradient(scores, rewards, "rloo"), np.mean(pairs, axis=0), rtol=1e-12
        )

    @pytest.mark.parametrize("group_size", [2, 3, 5])
    def test_expectations_for_any_policy_and_rewards(self, policy_case, group_size):
        """By enumeration: E[REINFORCE] = E[RLOO] = ∇J and E[Dr. GRPO] = (1 − 1/G) ∇J."""
        policy, scores, rewards, gradient = policy_case
        actions, weights = enumerate_actions(policy, group_size)
        factors = {"reinforce": 1, "rloo": 1, "dr_grpo": 1 - 1 / group_size}
        for method, factor in factors.items():
            mean, _ = exact_moments(group_gradient(scores[actions], rewards[actions], method), weights)
            np.testing.assert_allclose(mean, factor * gradient, rtol=1e-12, atol=1e-15)

    @pytest.mark.parametrize(("group_size", "factor"), [(2, 1.0), (3, 2**0.5)])
    @pytest.mark.parametrize("right", [1, 2, 3])
    def test_no_difficulty_bias_at_two_and_three(self, policy_case, group_size, factor, right):
        """E[GRPO] is ∇p at G = 2 and √2 ∇p at G = 3, for any policy and whichever actions are right."""
        policy, scores, *_ = policy_case
        rewards = (np.arange(4) < right).astype(float)
        actions, weights = enumerate_actions(policy, group_size)
        mean, _ = exact_moments(group_gradient(scores[actions], rewards[actions]), weights)
        np.testing.assert_allclose(mean, factor * (policy * rewards) @ scores, rtol=1e-12, atol=1e-15)

    @pytest.mark.parametrize(("group_size", "factor"), [(2, 0.7071), (3, 1.1547)])
    def test_ddof_one_rescales_the_expectation(self, policy_case, group_size, factor):
        policy, scores, *_ = policy_case
        rewards = np.array([1.0, 0.0, 0.0, 1.0])
        actions, weights = enumerate_actions(policy, group_size)
        each = advantages(rewards[actions], ddof=1)[..., None] * scores[actions]
        mean, _ = exact_moments(each.mean(axis=1), weights)
        np.testing.assert_allclose(mean, factor * (policy * rewards) @ scores, rtol=1e-4)

    def test_mixed_pair_moves_the_logit(self, policy_case):
        """Given a mixed pair E[g] = ½ ∇ logit p = ½ ∇p/(p(1 − p))."""
        policy, scores, *_ = policy_case
        rewards = np.array([1.0, 0.0, 0.0, 1.0])
        p = policy @ rewards
        actions, weights = enumerate_actions(policy, 2)
        mixed = rewards[actions].sum(axis=1) == 1
        gradients = group_gradient(scores[actions[mixed]], rewards[actions[mixed]])
        mean, _ = exact_moments(gradients, weights[mixed] / weights[mixed].sum())
        np.testing.assert_allclose(mean, 0.5 * (policy * rewards) @ scores / (p * (1 - p)), rtol=1e-12)

    def test_simulation_agrees_with_enumeration(self, policy_case, rng):
        policy, scores, rewards, _ = policy_case
        every, weights = enumerate_actions(policy, 4)
        mean, covariance = exact_moments(group_gradient(scores[every], rewards[every]), weights)
        drawn = rng.choice(4, size=(40_000, 4), p=policy)
        simulated = group_gradient(scores[drawn], rewards[drawn]).mean(axis=0)
        standard_error = np.sqrt(np.diag(covariance) / 40_000)
        assert np.all(np.abs(simulated - mean) < 4 * standard_error)

    def test_silent_groups_give_exactly_nothing(self, rng):
        scores = rng.normal(size=(8, 3))
        for method in ("grpo", "dr_grpo", "rloo"):
            np.testing.assert_array_equal(group_gradient(scores, np.full(8, 0.3), method), 0)
        np.testing.assert_allclose(
            group_gradient(scores, np.full(8, 0.3), "reinforce"), 0.3 * scores.mean(axis=0)
        )

    def test_norm_is_flat_in_k_for_near_orthogonal_scores(self, rng):
        """G = 8 unit scores in dimension 4000: ‖g‖ ≈ 1/√8 for k = 1..7 while σ runs from .331 to .5."""
        scores = rng.normal(size=(8, 4000))
        scores /= np.linalg.norm(scores, axis=-1, keepdims=True)
        rewards = (np.arange(8) < np.arange(1, 8)[:, None]).astype(float)
        norms = np.linalg.norm(group_gradient(scores, rewards), axis=-1)
        # E‖g‖² is within 1/G · 1/√d of 1/G; 4 of those
        np.testing.assert_allclose(norms**2, 1 / 8, rtol=4 * np.sqrt(2 / 4000))
        std = identity_terms(scores, rewards).std
        assert (round(std.min(), 3), round(std.max(), 3)) == (0.331, 0.5)

    def test_leading_axes_broadcast(self, rng):
        scores, rewards = rng.normal(size=(4, 3)), rng.normal(size=(5, 1, 4))
        result = group_gradient(scores, rewards)
        assert result.shape == (5, 1, 3)
        np.testing.assert_allclose(result[2, 0], group_gradient(scores, rewards[2, 0]))

    def test_output_type(self):
        scores, rewards = np.ones((2, 1), np.float32), np.array([1, 0], np.float32)
        assert group_gradient(scores, rewards).dtype == np.float32
        assert group_gradient(scores.astype(float), rewards).dtype == np.float64

    @pytest.mark.parametrize(
        ("scores", "rewards", "method", "complaint"),
        [
            (np.ones((3, 2)), [1, 0], "grpo", r"scores must have shape .*got \(3, 2\) for \(2,\)"),
            (np.ones(2), [1, 0], "grpo", "scores must have shape"),
            (np.ones((4, 2, 3)), np.ones((5, 2)), "grpo", "scores must have shape"),
            ([[np.nan], [1]], [1, 0], "grpo", "scores must be a number, not NaN"),
            ([[np.inf], [1]], [1, 0], "grpo", "scores must be finite"),
            ([[1.0], [1]], [np.nan, 0], "reinforce", "rewards must be a number, not NaN"),
            ([[1.0]], [1], "reinforce", "rewards must have at least 2"),
            ([[1.0], [1]], [1, 0], "ppo", "method must be one of 'grpo', .* got 'ppo'"),
        ],
    )
    def test_refuses(self, scores, rewards, method, complaint):
        with pytest.raises(ValueError, match=complaint):
            group_gradient(scores, rewards, method)


class TestIdentityTerms:
    @pytest.mark.parametrize(("group_size", "dimension"), [(2, 1), (3, 4), (8, 3), (16, 2)])
    def test_identity(self, rng, group_size, dimension):
        """g = σ (s̄₊ − s̄₋), Dr. GRPO σ² (s̄₊ − s̄₋), for every k and any scores."""
        scores = rng.normal(size=(group_size - 1, group_size, dimension))
        rewards = rng.permuted(np.arange(group_size) < np.arange(1, group_size)[:, None], axis=-1)
        std, right, wrong = identity_terms(scores, rewards)
        contrast = right - wrong
        np.testing.assert_allclose(group_gradient(scores, rewards), std[:, None] * contrast, rtol=1e-11)
        np.testing.assert_allclose(
            group_gradient(scores, rewards, "dr_grpo"), std[:, None] ** 2 * contrast, rtol=1e-11
        )

    def test_means_and_deviation(self, rng):
        scores = rng.normal(size=(4, 3))
        std, right, wrong = identity_terms(scores, [1, 0, 0, 1])
        np.testing.assert_allclose(right, scores[[0, 3]].mean(axis=0))
        np.testing.assert_allclose(wrong, scores[[1, 2]].mean(axis=0))
        assert std == np.std([1, 0, 0, 1])

    def test_leading_axes_broadcast(self, rng):
        """Every part has the leading axes of both arguments together."""
        scores, rewards = rng.normal(size=(5, 4, 3)), np.array([1, 0, 0, 1])
        for args in ((scores, rewards), (scores, rewards[None]), (scores[0], np.tile(rewards, (5, 1)))):
            terms = identity_terms(*args)
            assert [part.shape for part in terms] == [(5,), (5, 3), (5, 3)]
            expected = terms.std[:, None] * (terms.mean_right - terms.mean_wrong)
            np.testing.assert_allclose(group_gradient(*args), expected, rtol=1e-11)

    def test_mean_over_nobody(self):
        terms = identity_terms(np.ones((2, 3, 2)), [[0, 0, 0], [1, 1, 1]])
        np.testing.assert_array_equal(terms.std, 0)
        np.testing.assert_array_equal(terms.mean_right, [[np.nan] * 2, [1, 1]])
        np.testing.assert_array_equal(terms.mean_wrong, [[1, 1], [np.nan] * 2])

    def test_output_type(self):
        terms = identity_terms(np.ones((2, 1), np.float32), np.array([1, 0], np.float32))
        assert {part.dtype for part in terms} == {np.dtype(np.float32)}
        assert isinstance(identity_terms(np.ones((2, 1)), [1, 0]).std, np.float64)

    @pytest.mark.parametrize("rewards", [[1, -1], [0.5, 0], [2, 0]])
    def test_refuses_rewards_other_than_zero_and_one(self, rewards):
        with pytest.raises(ValueError, match="rewards must be 0 or 1, got"):
            identity_terms(np.ones((2, 1)), rewards)


class TestExpectedSquaredNorm:
    @pytest.mark.parametrize("group_size", [2, 3, 5])
    def test_against_every_group(self, policy_case, group_size):
        policy, scores, *_ = policy_case
        right = np.array([1.0, 0.0, 1.0, 0.0])
        means, spreads = [], []
        for chance in (policy * right, policy * (1 - right)):
            chance = chance / chance.sum()
            mean, covariance = exact_moments(scores, chance)
            means.append(mean)
            spreads.append(np.trace(covariance))
        k = np.arange(group_size + 1)
        formula = expected_squared_norm(k, group_size, np.linalg.norm(means[0] - means[1]), *spreads)

        actions, weights = enumerate_actions(policy, group_size)
        rewards = right[actions]
        squares = np.sum(group_gradient(scores[actions], rewards) ** 2, axis=-1)
        listed = [
            np.average(squares[of_k], weights=weights[of_k]) for of_k in rewards.sum(axis=1) == k[:, None]
        ]
        np.testing.assert_allclose(formula, listed, rtol=1e-12, atol=1e-15)

    def test_coefficient_or_flat(self):
        """All signal: σ² times the contrast squared. All noise of one size: ‖s‖²/G, whatever k."""
        k = np.arange(1, 8)
        np.testing.assert_allclose(expected_squared_norm(k, 8, 3, 0, 0), 9 * k * (8 - k) / 64)
        np.testing.assert_allclose(expected_squared_norm(k, 8, 0, 2, 2), 2 / 8)

    def test_shape(self):
        assert isinstance(expected_squared_norm(1, 2, 0, 1, 1), np.float64)
        assert expected_squared_norm([[1], [2]], [4, 5, 6], 1, 0, 0).shape == (2, 3)

    @pytest.mark.parametrize(
        ("arguments", "complaint"),
        [
            ((1, 1, 0, 1, 1), "group_size must be a whole number of at least 2"),
            ((5, 4, 0, 1, 1), "k must be a whole number from 0 to group_size"),
            ((1, 4, -1, 1, 1), "contrast must be"),
            ((1, 4, 0, -1, 1), "spread_right must be"),
            ((1, 4, 0, 1, np.nan), "spread_wrong must be"),
            (
                (1, 4, [0, 1], 1, [1, 2, 3]),
                r"^k, group_size, contrast, spread_right and spread_wrong must broadcast, "
                r"got shapes \(\), \(\), \(2,\), \(\) and \(3,\)$",
            ),
        ],
    )
    def test_refuses(self, arguments, complaint):
        with pytest.raises(ValueError, match=complaint):
            expected_squared_norm(*arguments)
