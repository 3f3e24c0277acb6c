"""Chapter 10: pairs and triples climb p itself, and that prose, figures and package say the same."""

import numpy as np
import pytest

import grpo_lessons as gl
from grpo_lessons.prose import percent

RNG = np.random.default_rng(10)
RIGHT = np.array([1.0, 0.0, 0.0, 1.0])


def mean_update(policy, scores, size, given_mixed=False):
    actions, chance = gl.enumerate_actions(policy, size)
    updates = gl.group_gradient(scores[actions], RIGHT[actions])
    if given_mixed:
        k = RIGHT[actions].sum(axis=1)
        chance = chance * ((k > 0) & (k < size))
        chance = chance / chance.sum()
    return gl.exact_moments(updates, chance)[0]


@pytest.mark.parametrize("gap", [1.0, 2.0, 0.25, 1e-6])
def test_advantages_of_a_pair(gap):
    np.testing.assert_allclose(gl.advantages([gap, 0]), [1, -1], rtol=1e-12)
    np.testing.assert_allclose(gl.advantages([gap, 0], ddof=1), [0.7071068, -0.7071068], rtol=1e-6)


@pytest.mark.parametrize(("size", "factor"), [(2, 1.0), (3, 1.4142136)])
def test_two_and_three_climb_the_success_rate(size, factor):
    for logits in RNG.normal(scale=2, size=(5, 4)):
        policy, scores = gl.softmax_scores(logits)
        slope = (policy * RIGHT) @ scores
        np.testing.assert_allclose(mean_update(policy, scores, size), factor * slope, rtol=1e-6, atol=1e-15)


@pytest.mark.parametrize(("size", "factor"), [(2, 0.7071), (3, 1.1547)])
def test_with_ddof_1(size, factor, chapter):
    p = 0.2
    rewards, chance = gl.enumerate_groups(p, size)
    divided = gl.advantages(rewards, ddof=1)
    mean = chance @ np.mean(divided * (rewards - p), axis=1)  # one logit
    assert mean / (p * (1 - p)) == pytest.approx(factor, abs=5e-5)
    assert chapter.number(f"ddof1_{size}") == factor


@pytest.mark.parametrize("size", [4, 5, 8, 64])
def test_from_four_on_the_weight_bends(size):
    assert gl.objective_weight(0.5, size) < 2 * np.sqrt((size - 1) / size) <= np.sqrt(size - 1) + 1e-12


def test_given_a_mixed_pair_it_is_half_the_gradient_of_the_log_odds():
    logits = np.array([0.4, -1.0, 0.3, 0.8])
    policy, scores = gl.softmax_scores(logits)

    def log_odds(values):
        p = gl.softmax_scores(values)[0] @ RIGHT
        return np.log(p / (1 - p))

    numeric = [(log_odds(logits + h) - log_odds(logits - h)) / 2e-6 for h in 1e-6 * np.eye(4)]
    given = mean_update(policy, scores, 2, given_mixed=True)
    np.testing.assert_allclose(given, np.array(numeric) / 2, atol=1e-9)


def test_first_step_of_dpo_is_the_pair_times_beta():
    """DPO's loss on one pair by differences, at the reference."""
    logits, beta = np.array([0.4, -1.0, 0.3, 0.8]), 0.3
    policy, scores = gl.softmax_scores(logits)
    better, worse = 0, 1

    def dpo(values):
        ratio = np.log(gl.softmax_scores(values)[0] / policy)
        return -np.log1p(np.exp(-beta * (ratio[better] - ratio[worse])))

    numeric = [(dpo(logits + h) - dpo(logits - h)) / 2e-6 for h in 1e-6 * np.eye(4)]
    pair = gl.group_gradient(scores[[better, worse]], [1, 0])
    np.testing.assert_allclose(numeric, beta * pair, atol=1e-9)


def test_check_tables_agree(chapter):
    for row, expected in zip(chapter.names["weights_checked"], (1, np.sqrt(2)), strict=False):
        assert float(row[2]) == pytest.approx(expected, abs=1e-6)
        mean, error = map(float, row[4].split(" ± "))
        assert abs(mean - expected) < 5 * error


def test_explorer_says_what_the_package_says(chapter):
    say = chapter.explorers["pair-weight"].value
    assert "the expected update is 1.000 ∇p. The same at every p." in say(G=2, p=0.05, ddof=0)
    assert "the expected update is 1.414 ∇p. The same at every p." in say(G=3, p=0.9, ddof=0)
    assert "the expected update is 0.707 ∇p." in say(G=2, p=0.5, ddof=1)
    said = say(G=4, p=0.01, ddof=0)
    assert f"{gl.objective_weight(0.01, 4):.3f} ∇p. A coin flip has 1.616" in said


def test_pair_and_dpo_start_together(chapter):
    assert chapter.names["pushes"](0.3, 0.3, 0.5) == pytest.approx((1, 1))
    said = chapter.explorers["pair-and-dpo"].value(p=0.9, p0=0.3, strength=0.5)
    assert f"pushes {0.09 / 0.21:.2f} times as at the start, since {percent(0.18)}" in said
    margin = np.log(9) - np.log(3 / 7)
    assert f"DPO pushes {2 / (1 + np.exp(margin / 2)):.2f} times, since the margin is {margin:.1f}" in said


def test_quoted_and_computed_figures(chapter):
    assert chapter.glued["kept_performance"] == percent(0.976)
    assert chapter.glued["kept_rollouts"] == percent(2 / 16)
    exact = 1 / np.sqrt(2) / (np.sqrt(7 / 8) * gl.objective_weight(0.5, 8))
    assert chapter.number("thread") == pytest.approx(exact, abs=5e-3)
