"""The lists themselves: complete, weighted right, and refused when too long."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from grpo_lessons import (
    enumerate_actions,
    enumerate_groups,
    exact_moments,
    optimal_baseline,
    reinforce_variance,
    softmax_scores,
)

LOGITS = np.array([0.3, -1.2, 0.8, 0.1])
REWARDS = np.array([1.0, -0.4, 0.2, 2.5])


def test_scores_are_the_derivative_of_log_softmax():
    policy, scores = softmax_scores(LOGITS)
    step = 1e-6

    def log_policy(logits):
        return logits - np.log(np.sum(np.exp(logits)))

    for j in range(4):
        shift = step * np.eye(4)[j]
        numeric = (log_policy(LOGITS + shift) - log_policy(LOGITS - shift)) / (2 * step)
        np.testing.assert_allclose(scores[:, j], numeric, atol=1e-9)
    np.testing.assert_allclose(policy, np.exp(log_policy(LOGITS)), rtol=1e-14)
    np.testing.assert_allclose(policy @ scores, 0, atol=1e-16)
    np.testing.assert_allclose(policy @ np.sum(scores**2, axis=1), 1 - np.sum(policy**2), rtol=1e-13)


def test_softmax_survives_large_logits():
    policy, _ = softmax_scores([1000.0, 0.0])
    np.testing.assert_array_equal(policy, [1, 0])


@pytest.mark.parametrize("group_size", [1, 2, 8])
@pytest.mark.parametrize("p", [0.0, 1e-12, 0.3, 1.0])
def test_groups_count_binomially(p, group_size):
    rewards, probability = enumerate_groups(p, group_size)
    assert rewards.shape == (2**group_size, group_size)
    assert len(np.unique(rewards, axis=0)) == 2**group_size
    right = np.bincount(rewards.sum(axis=1).astype(int), weights=probability)
    np.testing.assert_allclose(right, stats.binom.pmf(np.arange(group_size + 1), group_size, p), rtol=1e-12)


def test_groups_broadcast_over_p():
    p = np.array([[0.1], [0.5]])
    rewards, probability = enumerate_groups(p, 3)
    assert probability.shape == (2, 1, 8)
    np.testing.assert_allclose(probability @ rewards.mean(axis=1), p, rtol=1e-14)


def test_actions_are_every_group_once():
    policy, _ = softmax_scores(LOGITS)
    actions, probability = enumerate_actions(policy, 3)
    assert len(np.unique(actions, axis=0)) == 4**3
    for row, weight in zip(actions[::7], probability[::7], strict=True):
        assert weight == pytest.approx(policy[row[0]] * policy[row[1]] * policy[row[2]])
    assert probability.sum() == pytest.approx(1, abs=1e-14)


def test_moments_of_a_multinomial():
    policy, _ = softmax_scores(LOGITS)
    actions, probability = enumerate_actions(policy, 5)
    counts = np.sum(actions[..., None] == np.arange(4), axis=1)
    law = stats.multinomial(5, policy)
    mean, covariance = exact_moments(counts, probability)
    np.testing.assert_allclose(mean, law.mean(), rtol=1e-12)
    np.testing.assert_allclose(covariance, law.cov(), rtol=1e-12, atol=1e-14)


class TestBaseline:
    policy, scores = softmax_scores(LOGITS)

    def test_variance_is_the_trace_of_the_exact_covariance(self):
        levels = np.linspace(-1, 2, 7)
        expected = [
            np.trace(exact_moments((REWARDS - b)[:, None] * self.scores, self.policy)[1]) for b in levels
        ]
        np.testing.assert_allclose(reinforce_variance(self.policy, self.scores, REWARDS, levels), expected)

    def test_best_baseline_is_the_bottom_of_the_parabola(self):
        levels = np.array([-1.0, 0.0, 1.0])
        parabola = np.polyfit(levels, reinforce_variance(self.policy, self.scores, REWARDS, levels), 2)
        best = optimal_baseline(self.policy, self.scores, REWARDS)
        assert best == pytest.approx(-parabola[1] / (2 * parabola[0]))
        assert abs(best - self.policy @ REWARDS) > 0.01  # not the mean reward

    def test_each_component_has_its_own(self):
        for j in range(4):
            column = self.scores[:, j : j + 1]
            squares = self.policy * column[:, 0] ** 2
            best = optimal_baseline(self.policy, column, REWARDS)
            assert best == pytest.approx(squares @ REWARDS / squares.sum())

    def test_refuses(self):
        with pytest.raises(ValueError, match="must have shapes"):
            optimal_baseline(self.policy, self.scores, REWARDS[:3])
        with pytest.raises(ValueError, match="scores must not all be 0"):
            optimal_baseline(self.policy, np.zeros((4, 2)), REWARDS)
        with pytest.raises(ValueError, match="baseline must be a number, not NaN"):
            reinforce_variance(self.policy, self.scores, REWARDS, np.nan)


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        (lambda: enumerate_groups(1.2, 3), "p must be in"),
        (lambda: enumerate_groups(0.5, 17), r"group_size must give at most 65536 groups, got 2\^17"),
        (lambda: enumerate_groups(0.5, 2**50), r"group_size must give at most 65536 groups, got 2\^1125899"),
        (lambda: enumerate_groups(0.5, 2.5), "group_size must be a whole number"),
        (lambda: enumerate_groups(0.5, [2, 3]), "group_size must be one number"),
        (lambda: enumerate_actions([0.5, 0.4], 3), "policy must sum to 1"),
        (lambda: enumerate_actions(1.0, 3), "policy must sum to 1"),
        (lambda: enumerate_actions([0.25] * 4, 9), "group_size must give at most"),
        (lambda: exact_moments(np.ones((3, 2)), [0.5, 0.5]), "values must have shape"),
        (lambda: softmax_scores([1.0]), "logits must be a vector of at least 2"),
        (lambda: softmax_scores([1.0, np.inf]), "logits must be finite"),
    ],
)
def test_refuses(call, complaint):
    with pytest.raises(ValueError, match=complaint):
        call()
