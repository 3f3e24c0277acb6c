"""Chapter 01: what a baseline leaves alone and what not, and that prose, figures and package say the same."""

import numpy as np
import pytest

import grpo_lessons as gl

SPLIT = np.array([0.7, 0.3])
REWARDS = np.array([1.0, 0.0, 0.0])


def three(p):
    return gl.softmax_scores(np.log([p, *(1 - p) * SPLIT]))


def trace(p, b):
    """Total variance of (r − b) s from the outcomes, in coordinates of its own."""
    policy = np.array([p, *(1 - p) * SPLIT])
    pushes = (REWARDS - b)[:, None] * (np.eye(3) - policy)
    return policy @ np.sum(pushes**2, axis=1) - np.sum((policy @ pushes) ** 2)


@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
def test_baseline_moves_the_variance_and_not_the_mean(p):
    policy, scores = three(p)
    for b in (-3, 0, 0.4, 1, 100):
        mean, _ = gl.exact_moments((REWARDS - b)[:, None] * scores, policy)
        assert mean == pytest.approx((policy * REWARDS) @ scores, abs=1e-13)
        assert gl.reinforce_variance(policy, scores, REWARDS, b) == pytest.approx(trace(p, b), rel=1e-9)


@pytest.mark.parametrize("p", [0.05, 0.3, 0.9])
def test_coin_is_best_with_its_failure_probability(p):
    policy, scores = np.array([p, 1 - p]), np.array([[1 - p], [-p]])
    assert gl.optimal_baseline(policy, scores, [1, 0]) == pytest.approx(1 - p)
    assert gl.reinforce_variance(policy, scores, [1, 0], 1 - p) == pytest.approx(0, abs=1e-15)
    helps = gl.reinforce_variance(policy, scores, [1, 0], p) < gl.reinforce_variance(
        policy, scores, [1, 0], 0
    )
    assert helps == (p < 2 / 3)


@pytest.mark.parametrize("ways", [1, 2, 16])
def test_wordings_bring_the_best_baseline_to_the_mean(chapter, ways):
    p = 0.8
    policy, scores = gl.softmax_scores(np.log(np.repeat([p / ways, (1 - p) / ways], ways)))
    best = gl.optimal_baseline(policy, scores, np.repeat([1, 0], ways))
    assert best == pytest.approx(chapter.names["height"](p, ways))
    assert abs(best - p) < 0.65 / ways


def test_prose_says_what_the_outcomes_say(chapter):
    assert chapter.number("shift_ratio") == pytest.approx(trace(0.6, -100) / trace(0.6, 0) / 1000, abs=0.5)
    assert chapter.number("coin_ratio") == 64
    assert chapter.number("common") == pytest.approx(gl.optimal_baseline(*three(0.6), REWARDS), abs=5e-4)


def test_mean_can_be_worse_than_nothing(chapter):
    noises = chapter.names["noises"]
    easy, worded = noises["$p=0.9$, three answers"], noises["$p=0.9$, two wordings each"]
    slope = 0.9 * (np.array([1, 0, 0]) - np.array([0.9, 0.07, 0.03]))
    assert easy[0] == pytest.approx(trace(0.9, 0) / 8 / (slope @ slope))
    assert chapter.number("mean_worse") == pytest.approx(easy[3] / easy[0], abs=0.5)
    assert min(easy[3:]) > easy[0]
    assert max(worded[3:]) < worded[0]
    for row in noises.values():
        assert row[1] < row[3], "a perfect critic is less noisy than the mean of eight"
        assert row[2] == min(row)


def test_weighted_scores_climb_their_mean(chapter):
    """E[(r − b)/|o| s] is the gradient of E[(r − b)/|o|], by differences in the logits."""
    weight = (np.array([1.0, 1, 0]) - 0.7) / np.array([1, 10, 10])
    logits = np.log([0.3, 0.4, 0.3])
    nudges = 1e-6 * np.eye(3)
    slope = [
        (gl.softmax_scores(logits + d)[0] - gl.softmax_scores(logits - d)[0]) @ weight / 2e-6 for d in nudges
    ]
    np.testing.assert_allclose(chapter.names["direction"](0.7, 10), slope / np.linalg.norm(slope), atol=1e-7)


def test_parabola_explorer_says_what_the_outcomes_say(chapter):
    said = chapter.explorers["baseline-parabola"].value(b=0.3, p=0.9)
    best = gl.optimal_baseline(*three(0.9), REWARDS)
    for text, b in (("total variance ", 0.3), ("Without a baseline it is ", 0), ("mean reward ", 0.9)):
        assert f"{text}{trace(0.9, b):.4f}" in said
    assert f"{best:.2f}, it is {trace(0.9, best):.4f}." in said


def test_per_token_explorer_says_which_way_the_right_answer_goes(chapter):
    say = chapter.explorers["per-token-baseline"].value
    assert "52° off, and the long right answer is pushed down" in say(b=0.7, ratio=10)
    assert "pushed up" in say(b=0.95, ratio=10)
    assert " 0° off" in say(b=0.7, ratio=1)
    assert " 0° off" in say(b=1, ratio=10)
    assert "neither up nor down" in say(b=0, ratio=2)


def test_steps_of_one_length_and_what_the_short_answer_gains(chapter):
    """With 1/|o|, long answers twice as long, in coordinates of its own: the update is c − (Σc) π."""
    gains = []
    for b in (0.7, 0):
        pulls = np.array([0.3, 0.4, 0.3]) * (np.array([1, 1, 0]) - b) / np.array([1, 2, 2])
        update = pulls - pulls.sum() * np.array([0.3, 0.4, 0.3])
        gains.append((update[0] - update[1]) / np.linalg.norm(update))
    assert chapter.number("short_gain") == pytest.approx(gains[1] / gains[0], abs=0.05)


def test_which_prompts_are_noisier_with_the_group_mean(chapter):
    assert [row[3] > row[0] for row in chapter.names["noises"].values()] == [False, False, True, False]
    assert [row[4] > row[0] for row in chapter.names["noises"].values()] == [False, False, True, False]


def test_checked_answer_is_that_of_the_exercise(chapter):
    assert chapter.names["expected"] == pytest.approx(0.5 / (0.5 + 1.5))  # wrong ones three times as long
