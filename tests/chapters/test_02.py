"""Chapter 02: the factor, the expectations, and that prose, figures and package say the same."""

import numpy as np
import pytest

import grpo_lessons as gl
from grpo_lessons import symbolic
from grpo_lessons.prose import percent


@pytest.fixture
def rng():
    return np.random.default_rng(2402)


@pytest.mark.parametrize(("group_size", "factor"), [(2, "2"), (8, "1.143"), (64, "1.016")])
def test_factor(chapter, rng, group_size, factor):
    rewards = rng.normal(size=group_size)
    others = np.array([np.delete(rewards, i).mean() for i in range(group_size)])
    quotient = (rewards - others) / (rewards - rewards.mean())
    assert quotient == pytest.approx(float(symbolic.rloo_factor(group_size)))
    assert chapter.glued[f"factor_{group_size}"] == f"{quotient[0]:.4g}" == factor


@pytest.mark.parametrize("group_size", range(2, 9))
@pytest.mark.parametrize("rewards", [[1, 0, 0], [1, -1, 1], [1, 0.25, 0]])
def test_own_reward_only_shrinks(group_size, rewards):
    policy, scores = gl.softmax_scores([0.3, -0.4, 1.0])
    actions, chance = gl.enumerate_actions(policy, group_size)
    gradient = (policy * rewards) @ scores
    for method, factor in (("dr_grpo", 1 - 1 / group_size), ("rloo", 1)):
        each = gl.group_gradient(scores[actions], np.array(rewards)[actions], method)
        np.testing.assert_allclose(
            gl.exact_moments(each, chance)[0], factor * gradient, rtol=1e-11, atol=1e-15
        )


def test_factor_with_the_deviation_depends_on_the_prompt(chapter):
    weights = {size: gl.objective_weight([0.05, 0.2, 0.5], size) for size in (2, 3, 8)}
    assert weights[2] == pytest.approx(1)
    assert weights[3] == pytest.approx(2**0.5)
    assert [chapter.number("weight_hard"), chapter.number("weight_even")] == pytest.approx(
        weights[8][[0, 2]], abs=5e-4
    )
    assert weights[8][0] > 1.3 * weights[8][2]


def test_prose_says_what_is_kept(chapter):
    for size in (2, 8, 64):
        assert chapter.number(f"kept_{size}") == pytest.approx(1 - 1 / size, abs=5e-4)


@pytest.mark.parametrize("group_size", [2, 3, 8, 64])
def test_baseline_curve_says_what_the_package_says(chapter, group_size):
    said = chapter.explorers["baseline-curve"].value(G=group_size)
    assert f"{float(symbolic.rloo_factor(group_size)):.3f} times" in said
    assert percent(1 - 1 / group_size) in said
    assert f"{group_size**-0.5:.3f} deviations" in said


def test_baseline_curve_agrees_with_the_prose(chapter):
    for size in (2, 8, 64):
        said = chapter.explorers["baseline-curve"].value(G=size)
        assert chapter.glued[f"kept_{size}"] in said
        assert f"{float(chapter.glued[f'factor_{size}']):.3f} times" in said


@pytest.mark.parametrize("rewards", [(1, 0.4, 0.1), (0.6, 0.5, 0.4), (0, 1, 1)])
def test_three_rewards_stretch_by_the_factor_and_by_the_deviation(chapter, rewards):
    said = chapter.explorers["three-rewards"].value(**dict(zip(("r1", "r2", "r3"), rewards, strict=True)))
    assert "Leave-one-out: 1.50 times" in said
    assert f"Divided by σ: {1 / np.std(rewards):.2f} times" in said
    assert f"{rewards[0] - np.mean(rewards):+.2f}".replace("-", "−") in said


def test_three_equal_rewards_say_nothing(chapter):
    said = chapter.explorers["three-rewards"].value(r1=0.3, r2=0.3, r3=0.3)
    assert "every advantage is 0" in said


def test_checked_answer_is_that_of_the_exercise(chapter):
    assert chapter.names["expected"] == pytest.approx([0.05 * 0.75, 0.75])
