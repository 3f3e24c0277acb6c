"""What the ledger of claims says and no chapter's or module's test holds already: one fact a test."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

import grpo_lessons as gl
from grpo_lessons.family import FAMILY
from grpo_lessons.published import FIGURES, SETTINGS
from grpo_lessons.training import beta_population, record, train_prompts

REWARDS = np.array([1.0, 0.0, 0.0, 1.0])
POLICY, SCORES = gl.softmax_scores([0.4, -1.0, 0.3, 0.8])
SLOPE = (POLICY * REWARDS) @ SCORES


def angle(one, other):
    cosine = one @ other / np.linalg.norm(one) / np.linalg.norm(other)
    return np.degrees(np.arccos(np.clip(cosine, -1, 1)))


def test_published_sizes_differ_by_a_factor_of_32():
    sizes = [setting.group_size for setting in SETTINGS.values()]
    assert (min(sizes), max(sizes), max(sizes) / min(sizes)) == (2, 64, 32)
    assert SETTINGS["two_grpo"].group_size == min(sizes)
    assert SETTINGS["deepseekmath"].group_size == max(sizes)


def test_deepseekmath_does_not_say_what_its_batch_counts():
    batch = FIGURES["deepseekmath_batch"]
    assert (batch.value, batch.value / SETTINGS["deepseekmath"].group_size) == (1024, 16)
    assert "not stated" in batch.note
    assert SETTINGS["deepseekmath"].prompts is None


def test_rlhf_book_uses_eight_in_its_group_methods():
    assert SETTINGS["rlhf_book"].group_size == 8
    assert "reinforce and ppo use 1" in SETTINGS["rlhf_book"].note


def test_doubling_the_group_doubles_rollouts_or_halves_prompts():
    """Counted in steps of the lab; and the two published arms spend the same."""

    def rollouts(prompts, group_size):
        settings = {"group_size": group_size, "learning_rate": 0.1, "steps": 1, "batch": prompts}
        return sum(step.rollouts for step in train_prompts(beta_population(100), FAMILY["GRPO"], **settings))

    assert rollouts(32, 16) == 2 * rollouts(32, 8) == rollouts(64, 8)
    two, sixteen = SETTINGS["two_grpo"], SETTINGS["sixteen_grpo"]
    assert two.prompts / sixteen.prompts == sixteen.group_size / two.group_size == 8


def test_time_that_rollouts_may_have_taken():
    """time = 1 − share + share × rollouts, for the one published pair."""
    share = (1 - FIGURES["two_grpo_time"].value) / (1 - FIGURES["two_grpo_rollouts"].value)
    assert 1 - share + share * FIGURES["two_grpo_rollouts"].value == pytest.approx(
        FIGURES["two_grpo_time"].value
    )
    assert round(100 * share) == 90


def test_which_baselines_may_depend_on_the_action():
    """Mean updates over all groups of three, each with a baseline that depends on the completion."""
    graded = np.array([1.0, 0.2, 0.0, 0.7])
    slope = (POLICY * graded) @ SCORES
    actions, chance = gl.enumerate_actions(POLICY, 3)
    rewards = graded[actions]
    turned = []
    for baseline in (rewards.mean(axis=1, keepdims=True), rewards.max(axis=1, keepdims=True)):
        each = np.mean((rewards - baseline)[..., None] * SCORES[actions], axis=1)
        turned.append(angle(gl.exact_moments(each, chance)[0], slope))
    assert turned[0] < 1e-4 < 1 < turned[1]


def test_a_pair_s_advantages_half_equal_or_smaller():
    for pair, ratio in (([1, 0], 1), ([1, -1], 0.5), ([0.75, 0.25], 2)):  # GRPO's over the left-out one
        left_out = gl.advantages(pair, baseline="leave_one_out", scale="none")
        np.testing.assert_allclose(gl.advantages(pair, scale="none"), left_out / 2)
        np.testing.assert_allclose(gl.advantages(pair), ratio * left_out)


def test_one_scale_for_all_prompts_only_without_the_deviation():
    """From all groups of eight, one logit: the mean update in units of the slope p(1 − p)."""
    for p, with_it in ((0.05, 2.473), (0.5, 1.856)):
        rewards, chance = gl.enumerate_groups(p, 8)
        scores, slope = (rewards - p)[..., None], p * (1 - p)
        scale = {
            method: gl.exact_moments(gl.group_gradient(scores, rewards, method), chance)[0][0] / slope
            for method in ("dr_grpo", "grpo")
        }
        assert scale["dr_grpo"] == pytest.approx(7 / 8)
        assert scale["grpo"] == pytest.approx(with_it, abs=5e-4)
        assert scale["grpo"] == pytest.approx(float(gl.objective_weight(p, 8)))


def test_who_sees_a_constant_factor():
    """A pair's gradient, centred and left out: twice it. SGD at half the rate, Adam and clipping."""
    centred = gl.group_gradient(SCORES[[0, 1]], [1, 0], "dr_grpo")
    left_out = gl.group_gradient(SCORES[[0, 1]], [1, 0], "rloo")
    np.testing.assert_allclose(1.0 * centred, 0.5 * left_out)

    def adam(gradient):  # its first step, bias corrected
        return gradient / (np.abs(gradient) + 1e-8)

    np.testing.assert_allclose(adam(centred), adam(left_out), rtol=1e-6)

    def clipped(gradient, norm):
        return gradient * min(1, norm / np.linalg.norm(gradient))

    between = 1.5 * np.linalg.norm(centred)
    assert np.linalg.norm(clipped(left_out, between)) == pytest.approx(between)
    assert np.linalg.norm(clipped(centred, between)) < between


@pytest.mark.parametrize("group_size", [2, 3, 6])
def test_the_factor_shrinks_signal_and_noise_alike(group_size):
    actions, chance = gl.enumerate_actions(POLICY, group_size)
    lengths, noises = [], []
    for method in ("dr_grpo", "rloo"):
        each = gl.group_gradient(SCORES[actions], REWARDS[actions], method)
        mean, covariance = gl.exact_moments(each, chance)
        lengths.append(np.linalg.norm(mean))
        noises.append(np.sqrt(np.trace(covariance)))
    assert lengths[0] / lengths[1] == pytest.approx(1 - 1 / group_size)
    assert noises[0] / noises[1] == pytest.approx(1 - 1 / group_size)


def test_training_brings_success_and_silence():
    for name in ("GRPO", "Dr. GRPO", "RLOO"):
        for seed in range(3):
            steps = train_prompts(
                beta_population(400), FAMILY[name], group_size=8, learning_rate=1.0, steps=40, seed=seed
            )
            run = record(steps)
            assert run.success[-1] > run.success[0] + 0.2
            assert run.silent_expected[-1] > run.silent_expected[0] + 0.1


@pytest.mark.parametrize("group_size", [2, 3, 8, 64])
def test_every_mixed_group_speaks(group_size):
    k = np.arange(1, group_size)
    groups = (np.arange(group_size) < k[:, None]).astype(float)
    assert np.all(gl.advantages(groups) != 0)
    assert np.all(groups.std(axis=1) > np.sqrt(group_size - 1) / group_size - 1e-12)


def test_small_deviations_by_prompt_and_group_size():
    """P(σ < limit | mixed) from the binomial: falls with G at a coin flip, rises at a hard prompt."""

    def below(limit, p, group_size):
        k = np.arange(1, group_size)
        chance = binom.pmf(k, group_size, p)
        return chance[np.sqrt(k * (group_size - k)) / group_size < limit].sum() / chance.sum()

    even = [below(0.45, 0.5, size) for size in (2, 4, 8, 64)]
    assert even == pytest.approx([0, 4 / 7, 36 / 127, 0.0006], abs=1e-4)
    np.testing.assert_allclose(even, gl.extreme_advantage_probability(0.5, [2, 4, 8, 64], 1.596))
    hard = [below(0.25, 0.05, size) for size in (2, 8, 64)]
    assert hard == pytest.approx([0, 0, 0.776], abs=5e-4)
    np.testing.assert_allclose(hard, gl.extreme_advantage_probability(0.05, [2, 8, 64], 3.73))
    assert np.all(np.diff([gl.group_std(1, size) for size in range(2, 65)]) < 0)


def test_all_wrong_is_not_the_same_as_silent():
    p = np.array([0.1, 0.3, 0.6])[:, None]
    wrong = 1 - gl.positive_probability(p, np.arange(2, 12))
    np.testing.assert_allclose(wrong[:, 1:] / wrong[:, :-1], np.broadcast_to(1 - p, (3, 9)))
    assert gl.silent_probability(0.95, 8) > 0.66
    assert 1 - gl.positive_probability(0.95, 8) < 1e-9


def test_boundary_prompts_still_gain_from_doubling():
    still = gl.silent_probability(0.99, [64, 128])
    np.testing.assert_allclose(still, [0.99**64, 0.99**128], rtol=1e-12)
    assert still[0] - still[1] > 0.2
    assert gl.silent_probability(0.5, 8) < 0.01


@pytest.mark.parametrize(("prompts", "best"), [([0.05, 0.5], 4), ([0.2, 0.3, 0.5], 9), ([0.3, 0.31], 155)])
def test_best_size_depends_on_the_prompts(prompts, best):
    """RLOO's update of one logit, from the binomial: the least variance of a budget of N, times N."""

    def variance(group_size):
        share = np.arange(group_size + 1) / group_size
        update = group_size / (group_size - 1) * share * (1 - share)
        chance = np.mean([binom.pmf(np.arange(group_size + 1), group_size, p) for p in prompts], axis=0)
        return group_size * (chance @ update**2 - (chance @ update) ** 2)

    assert min(range(2, 400), key=variance) == best == gl.best_group_size(gl.one_logit_moments(prompts))


@pytest.mark.parametrize("p", [0.001, 0.01])
def test_limits_of_more_answers_and_of_filtering(p):
    """Past 1/p answers pass@G has little left to gain; at small Gp a kept group costs 1/p whatever G is."""
    enough = round(1 / p)
    reached = gl.positive_probability(p, [enough, 2 * enough, 4 * enough])
    assert reached[0] > 0.63
    assert reached[1] - reached[0] < 0.24 < 0.37 * reached[0] + 0.01
    assert reached[2] - reached[1] < 0.12
    few = np.array([2, 4, round(0.1 / p)])
    np.testing.assert_allclose(gl.rollouts_per_mixed_group(p, few) * p, 1, rtol=0.06)


def test_two_are_the_least_that_contrast():
    alone = np.array([1.0])
    assert (alone - alone.mean() == 0).all()
    with pytest.raises(ValueError, match="at least 2"):
        gl.advantages(alone)
    np.testing.assert_array_equal(gl.advantages([1, 0]), [1, -1])


def test_most_pairs_of_a_boundary_prompt_are_silent():
    assert gl.silent_probability(0.95, 2) == pytest.approx(0.905)
    np.testing.assert_allclose(gl.objective_weight([0.95, 0.5], 2), 1)


def test_deviation_sees_correctness_only():
    """A thousand answers, each once: what they say differs as much as it can; σ asks how many are right."""
    answers = np.arange(1000)
    for right in (answers < 0, answers >= 0):
        assert right.astype(float).std() == 0
        assert gl.group_std(right.sum(), 1000) == 0
    assert gl.group_std(500, 1000) == 0.5


def test_dr_grpo_is_sigma_times_grpo_in_a_group_and_no_constant_on_average():
    scores = np.random.default_rng(6).normal(size=(8, 5))
    for k in range(9):
        rewards = (np.arange(8) < k) * 1.0
        np.testing.assert_allclose(
            gl.group_gradient(scores, rewards, "dr_grpo"),
            gl.group_std(k, 8) * gl.group_gradient(scores, rewards),
            atol=1e-15,
        )
    rate = (1 - 1 / 8) / gl.objective_weight([0.05, 0.5], 8)  # what GRPO's rate must be multiplied by
    assert rate[1] > 1.3 * rate[0]


@pytest.mark.parametrize("baseline", [0.0, 0.5, 1.0])
def test_another_baseline_leaves_the_mean_score_in_the_update(baseline):
    scores = np.random.default_rng(10).normal(size=(8, 3))
    k, rewards = 3, (np.arange(8) < 3) * 1.0
    sigma = gl.group_std(k, 8)
    update = np.mean((rewards - baseline)[:, None] / sigma * scores, axis=0)
    left = update - gl.group_gradient(scores, rewards)
    np.testing.assert_allclose(left, (k / 8 - baseline) * scores.mean(axis=0) / sigma)
    assert np.linalg.norm(left) > 0.01
