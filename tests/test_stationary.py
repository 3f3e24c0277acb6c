"""Stationary policies against closed forms, 40-digit roots, listed groups and gradient ascent."""

from __future__ import annotations

import math

import mpmath as mp
import numpy as np
import pytest
import reference
import sympy
from reference import relative_error

from grpo_lessons import (
    enumerate_actions,
    exact_moments,
    expected_std,
    group_gradient,
    objective_weight,
    rlhf_policy,
    softmax_scores,
    stationary_policy,
    symbolic,
)

REFERENCES = [1e-6, 0.02, 0.1, 0.5, 0.97]
BETAS = [1e-4, 0.04, 0.3, 1.0, 7.0, 1e4]
SIZES = [2, 3, 4, 8, 16, 64, math.inf]


@pytest.fixture(autouse=True)
def forty_digits():
    with mp.workdps(40):
        yield


def in_logits(p):
    return np.log(p / (1 - p))


class TestK3:
    def test_printed_probabilities(self):
        assert stationary_policy(0.1, 1, SIZES[2:6]).round(5).tolist() == [0.50398, 0.55959, 0.57725, 0.58815]
        assert stationary_policy(0.1, 0.04, SIZES[2:6]).round(5).tolist() == [
            0.97915,
            0.98615,
            0.99038,
            0.99507,
        ]
        ends = stationary_policy(0.1, [[0.04], [1]], [2, math.inf])
        assert ends.round(4).tolist() == [[0.9641, 0.9987], [0.3162, 0.5915]]

    def test_printed_failure_rates(self):
        failing = 1 - stationary_policy(0.1, 0.04, [2, 4, 8, 16, 64, math.inf])
        assert failing.round(4).tolist() == [0.0359, 0.0208, 0.0139, 0.0096, 0.0049, 0.0013]

    @pytest.mark.parametrize("beta", BETAS)
    @pytest.mark.parametrize("start", REFERENCES)
    def test_quadratics(self, start, beta):
        """β(p − p_ref) = √(G − 1) p(1 − p) at G = 2 and 3, its square root at ∞, solved as quadratics."""
        r, b = mp.mpf(start), mp.mpf(beta)
        for size in (2, 3):
            c = b / mp.sqrt(size - 1)
            exact = (1 - c + mp.sqrt((1 - c) ** 2 + 4 * c * r)) / 2
            assert relative_error(stationary_policy(start, beta, size), exact) < 3e-14
        exact = (1 + 2 * b**2 * r + mp.sqrt(1 + 4 * b**2 * r * (1 - r))) / (2 * (1 + b**2))
        assert relative_error(stationary_policy(start, beta), exact) < 3e-14

    @pytest.mark.parametrize(("start", "beta", "size"), [(0.1, 1, 4), (0.02, 0.3, 8), (0.5, 0.04, 64)])
    def test_forty_digit_root(self, start, beta, size):
        condition = lambda p: reference.expected_std(p, size) - beta * (p - mp.mpf(start))  # noqa: E731
        exact = mp.findroot(condition, (mp.mpf(start), mp.mpf("0.9999")), solver="anderson")
        assert relative_error(stationary_policy(start, beta, size), exact) < 1e-14

    @pytest.mark.parametrize("size", [4, 8, 16])
    def test_only_root_of_the_polynomial_above_the_reference(self, size):
        p = sympy.Symbol("p")
        condition = symbolic.stationary_condition(p, "1/10", "3/10", size)
        roots = [complex(root) for root in sympy.Poly(condition, p).nroots(maxsteps=200)]
        inside = [root.real for root in roots if abs(root.imag) < 1e-9 and 0.1 < root.real < 1]
        assert inside == pytest.approx([stationary_policy(0.1, 0.3, size)], rel=1e-12)

    def test_lies_between_the_closed_forms_and_rises_with_the_group(self):
        p = stationary_policy(np.array(REFERENCES)[:, None, None], np.array(BETAS)[:, None], SIZES)
        assert np.all(np.diff(p, axis=2) > 0)
        assert np.all(p[:, :, 0] >= np.array(REFERENCES)[:, None])

    def test_falls_with_beta_and_rises_with_the_reference(self):
        p = stationary_policy(np.array(REFERENCES)[:, None, None], np.array(BETAS)[:, None], SIZES)
        assert np.all(np.diff(p, axis=1) < 0)
        assert np.all(np.diff(p, axis=0) > 0)

    @pytest.mark.parametrize("size", [2, 4, 8, 64])
    def test_small_beta(self, size):
        failing = 1 - stationary_policy(0.1, 1e-7, size)
        assert failing == pytest.approx(1e-7 * 0.9 / math.sqrt(size - 1), rel=1e-5)

    def test_small_beta_in_the_limit(self):
        assert 1 - stationary_policy(0.1, 1e-3) == pytest.approx(0.81e-6, rel=1e-5)

    @pytest.mark.parametrize("size", [2, 3, 4, 6])
    def test_expected_update_of_a_softmax_policy_vanishes(self, size):
        """Two right answers of three, every group listed, the penalty (1 − π_ref/π)∇log π per completion."""
        start, right = np.array([0.02, 0.1, 0.88]), np.array([1.0, 1.0, 0.0])
        p = stationary_policy(0.12, 0.2, size)
        policy, scores = softmax_scores(
            np.log(np.where(right == 1, start * p / 0.12, start * (1 - p) / 0.88))
        )
        actions, chance = enumerate_actions(policy, size)
        pull = ((1 - start / policy)[:, None] * scores)[actions].mean(axis=1)
        mean, _ = exact_moments(group_gradient(scores[actions], right[actions]) - 0.2 * pull, chance)
        np.testing.assert_allclose(mean, 0, atol=1e-14)


class TestKl:
    def test_printed_probabilities(self):
        assert stationary_policy(0.1, 1, 2, "kl").round(5) == 0.23197
        assert stationary_policy(0.1, 1, 8, "kl").round(4) == 0.4195

    @pytest.mark.parametrize("beta", [0.04, 0.3, 1.0, 7.0, 1e4])
    def test_a_pair_is_rlhf(self, beta):
        start = np.array(REFERENCES)
        np.testing.assert_allclose(
            stationary_policy(start, beta, 2, "kl"), rlhf_policy(start, beta), rtol=1e-13
        )
        np.testing.assert_allclose(
            stationary_policy(start, beta, 3, "kl"), rlhf_policy(start, beta / math.sqrt(2)), rtol=1e-13
        )

    def test_solves_its_condition(self):
        p = stationary_policy(0.1, [1.0, 2.0, 7.0], 8, "kl")
        np.testing.assert_allclose(
            objective_weight(p, 8), np.array([1.0, 2.0, 7.0]) * (in_logits(p) - in_logits(0.1)), rtol=1e-12
        )

    @pytest.mark.parametrize(("beta", "size"), [(0.6, 64), (0.8, 64), (1.0, 256), (1.0, math.inf)])
    def test_is_where_ascent_from_the_reference_arrives(self, beta, size):
        """Also where there are two further solutions above it: .934 and .9995 at β = .8, G = 64."""
        theta = in_logits(0.1)
        for _ in range(1500):
            theta += 0.5 * (
                objective_weight(1 / (1 + np.exp(-theta)), size) - beta * (theta - in_logits(0.1))
            )
        assert stationary_policy(0.1, beta, size, "kl") == pytest.approx(1 / (1 + np.exp(-theta)), rel=1e-10)

    def test_two_resting_places(self):
        first = stationary_policy(0.1, 0.8, 64, "kl")
        logits = np.linspace(in_logits(first) + 0.01, 12, 4000)
        excess = objective_weight(1 / (1 + np.exp(-logits)), 64) - 0.8 * (logits - in_logits(0.1))
        further = 1 / (1 + np.exp(-logits[:-1][np.diff(np.sign(excess)) != 0]))
        assert first.round(3) == 0.578
        assert further.round(3).tolist() == pytest.approx([0.934, 0.9995], abs=6e-4)

    def test_nothing_holds_the_limit_at_a_small_beta(self):
        assert stationary_policy(0.1, [0.5, 0.04], math.inf, "kl").tolist() == [1, 1]


class TestRlhf:
    def test_log_odds_grow_by_one_over_beta(self):
        p = rlhf_policy(REFERENCES, 0.5)
        np.testing.assert_allclose(in_logits(p) - in_logits(np.array(REFERENCES)), 2, rtol=1e-12)
        assert rlhf_policy(0.1, 1).round(5) == 0.23197

    def test_maximises_reward_minus_penalty(self):
        p = np.linspace(0.001, 0.999, 9981)
        divergence = p * np.log(p / 0.1) + (1 - p) * np.log((1 - p) / 0.9)
        assert p[np.argmax(p - 0.7 * divergence)] == pytest.approx(rlhf_policy(0.1, 0.7), abs=1e-4)


class TestRefusals:
    @pytest.mark.parametrize("policy", [stationary_policy, rlhf_policy])
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ((0, 1), r"reference must be strictly between 0 and 1, got 0"),
            ((0.1, 0), r"beta must be finite and above 0, got 0"),
            ((0.1, math.inf), r"beta must be finite and above 0, got inf"),
        ],
    )
    def test_both(self, policy, arguments, message):
        with pytest.raises(ValueError, match=message):
            policy(*arguments)

    def test_stationary(self):
        with pytest.raises(ValueError, match=r"group_size must be a whole number of at least 2 .* got 1"):
            stationary_policy(0.1, 1, 1)
        with pytest.raises(ValueError, match="penalty must be one of 'k3', 'kl', got 'k1'"):
            stationary_policy(0.1, 1, 8, "k1")

    def test_extremes_make_no_noise(self):
        p = stationary_policy([[1e-300], [0.5], [1 - 1e-16]], [1e-9, 1, 1e9], 8)
        assert np.all((p > 0) & (p <= 1))
        assert np.all(expected_std(p, 8) >= 0)
        assert rlhf_policy(0.1, 5e-324) == 1
