"""RLOO's variance against lists of all groups and simulation; the best split of a budget against a search."""

from __future__ import annotations

import numpy as np
import pytest

from grpo_lessons import (
    PromptMoments,
    best_group_size,
    enumerate_actions,
    enumerate_groups,
    error_terms,
    exact_moments,
    group_gradient,
    one_logit_moments,
    optimal_group_size,
    prompt_moments,
    rloo_variance,
    scaled_error,
    softmax_scores,
)

RNG = np.random.default_rng(14)
POLICIES = [(*softmax_scores(RNG.normal(size=4)), RNG.normal(size=4)) for _ in range(3)]
"""Random four-action policies with their scores and real rewards."""


@pytest.mark.parametrize("group_size", [2, 3, 5])
@pytest.mark.parametrize("case", range(3))
def test_variance_is_that_of_all_groups(case, group_size):
    policy, scores, rewards = POLICIES[case]
    actions, chance = enumerate_actions(policy, group_size)
    mean, covariance = exact_moments(group_gradient(scores[actions], rewards[actions], "rloo"), chance)
    moments = prompt_moments(policy, scores, rewards)
    np.testing.assert_allclose(rloo_variance(moments, group_size), np.trace(covariance), rtol=1e-12)
    np.testing.assert_allclose(moments.gradient, mean, rtol=1e-10, atol=1e-14)


def test_variance_of_a_simulation():
    policy, scores, rewards = POLICIES[0]
    drawn = np.random.default_rng(5).choice(4, size=(40_000, 16), p=policy)
    squares = np.sum(
        (group_gradient(scores[drawn], rewards[drawn], "rloo") - (policy * rewards) @ scores) ** 2, axis=1
    )
    exact = rloo_variance(prompt_moments(policy, scores, rewards), 16)
    assert abs(squares.mean() - exact) < 4 * squares.std() / np.sqrt(squares.size)


@pytest.mark.parametrize("p", [0.01, 0.1, 0.5])
@pytest.mark.parametrize("group_size", [2, 3, 8])
def test_one_logit_variance_is_that_of_all_groups(p, group_size):
    rewards, chance = enumerate_groups(p, group_size)
    _, covariance = exact_moments(group_gradient((rewards - p)[..., None], rewards, "rloo"), chance)
    v = p * (1 - p)
    classical = (v * (1 - 3 * v) - (group_size - 3) / (group_size - 1) * v**2) / group_size
    np.testing.assert_allclose(rloo_variance(one_logit_moments(p), group_size), covariance[0, 0], rtol=1e-11)
    np.testing.assert_allclose(classical, covariance[0, 0], rtol=1e-11)


def test_one_logit_is_a_policy_of_two_actions():
    p = np.array([[0.05, 0.5], [0.9, 1.0]])
    scores = np.stack([1 - p, -p], axis=-1)[..., None]
    listed = prompt_moments(np.stack([p, 1 - p], axis=-1), scores, [1, 0])
    for found, expected in zip(one_logit_moments(p), listed, strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-16)


def test_recorded_values():
    assert rloo_variance(one_logit_moments(0.1), 8) == pytest.approx(0.0074893, abs=5e-8)
    assert optimal_group_size(one_logit_moments([0.05, 0.5])) == pytest.approx(3.51, abs=5e-3)
    assert best_group_size(one_logit_moments([0.05, 0.5])) == 4
    assert optimal_group_size(one_logit_moments([0.2, 0.3, 0.5])) == pytest.approx(9.06, abs=5e-3)
    assert best_group_size(one_logit_moments([0.2, 0.3, 0.5])) == 9


def test_error_is_that_of_a_simulated_budget():
    """512 rollouts on prompts drawn at random from three, many times over."""
    p, rng = np.array([0.05, 0.3, 0.5]), np.random.default_rng(8)
    target = np.mean(p * (1 - p))
    for group_size in (2, 8):
        drawn = rng.choice(p, size=(4000, 512 // group_size))
        share = rng.binomial(group_size, drawn) / group_size
        estimates = group_size / (group_size - 1) * np.mean(share * (1 - share), axis=1)  # RLOO, one logit
        squares = 512 * (estimates - target) ** 2
        exact = scaled_error(one_logit_moments(p), group_size)
        assert abs(squares.mean() - exact) < 4 * squares.std() / np.sqrt(squares.size)


def test_best_size_is_what_a_search_finds():
    sizes = np.arange(2, 2000)
    for prompts in RNG.uniform(0.02, 0.98, size=(50, 4)):
        moments = one_logit_moments(prompts)
        errors = scaled_error(moments, sizes)
        assert best_group_size(moments) == sizes[np.argmin(errors)]
        assert scaled_error(moments, best_group_size(moments)) == errors.min()


def test_terms_of_gradients_in_several_dimensions():
    stacked = prompt_moments(*map(np.stack, zip(*POLICIES, strict=True)))
    terms, apart = error_terms(stacked), np.stack([(pi * r) @ s for pi, s, r in POLICIES])
    assert terms.between == pytest.approx(np.trace(np.cov(apart.T, bias=True)))
    each = [rloo_variance(prompt_moments(*case), 5) for case in POLICIES]
    assert scaled_error(stacked, 5) == pytest.approx(5 * (terms.between + np.mean(each)))


def test_never_below_two():
    worst = PromptMoments(np.ones(2), np.zeros(2), np.array([[1.0], [-1.0]]))  # opposite, S = 0
    assert optimal_group_size(worst) == 2
    assert best_group_size(worst) == 2
    spread = one_logit_moments(RNG.uniform(0, 1, size=(500, 3)))
    for own, crossed, gradient in zip(*spread, strict=True):
        assert optimal_group_size(PromptMoments(own, crossed, gradient)) >= 2


def test_equal_prompts_have_no_best_size():
    equal = one_logit_moments([0.1, 0.1, 0.1])
    assert error_terms(equal).between == 0
    assert optimal_group_size(equal) == np.inf
    with pytest.raises(ValueError, match="moments must differ in gradient"):
        best_group_size(equal)
    assert optimal_group_size(one_logit_moments([0.0, 1.0])) == 2  # nothing is random


def test_shapes():
    moments = one_logit_moments([0.1, 0.2, 0.5])
    assert rloo_variance(moments, [[2], [8]]).shape == (2, 3)
    assert scaled_error(moments, [[2], [8]]).shape == (2, 1)
    assert isinstance(rloo_variance(one_logit_moments(0.1), 2), np.float64)
    assert isinstance(scaled_error(moments, 2), np.float64)


@pytest.mark.parametrize(
    "function",
    [
        lambda moments: rloo_variance(moments, 8),
        lambda moments: scaled_error(moments, 8),
        error_terms,
        optimal_group_size,
        best_group_size,
    ],
)
@pytest.mark.parametrize("other", [0.3, [0.1, 0.2], None, (0.1, 0.2, [0.3])])
def test_takes_moments_only(function, other):
    with pytest.raises(ValueError, match="moments must be PromptMoments, got "):
        function(other)


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        (lambda: one_logit_moments(1.2), "p must be in"),
        (lambda: rloo_variance(one_logit_moments(0.1), 1), "group_size must be a whole number"),
        (lambda: scaled_error(one_logit_moments([0.1, 0.2]), 2.5), "group_size must be a whole number"),
        (
            lambda: rloo_variance(one_logit_moments([0.1, 0.2]), [2, 4, 8]),
            r"^moments and group_size must broadcast, got shapes \(2,\) and \(3,\)$",
        ),
        (
            lambda: error_terms(one_logit_moments(0.1)),
            r"moments must have one axis, of prompts, got shape \(\)",
        ),
        (lambda: prompt_moments([0.5, 0.5], [[1.0], [1.0]], [1, 0]), "scores must average to 0"),
        (lambda: prompt_moments([0.5, 0.4], [[1.0], [-1.25]], [1, 0]), "policy must sum to 1"),
        (lambda: prompt_moments([0.5, 0.5], [[1.0], [-1.0]], [1, 0, 0]), "must have shapes"),
        (lambda: prompt_moments([0.5, 0.5], [1.0, -1.0], [1, 0]), "must have shapes"),
        (lambda: prompt_moments([0.5, 0.5], [[1.0], [-1.0]], [1, np.nan]), "rewards must be a number"),
    ],
)
def test_refuses(call, complaint):
    with pytest.raises(ValueError, match=complaint):
        call()
