"""Chapter 04: the identity's figures, what breaks it, and that prose, figures and package say the same."""

import re

import numpy as np
import pytest

import grpo_lessons as gl


@pytest.fixture
def rng():
    return np.random.default_rng(44)


def test_length_is_flat_while_the_deviation_is_not(rng):
    """G = 8, unit scores in 4,000 dimensions: ‖g‖ ≈ 1/√8 = .354 for k = 1..7, σ from .331 to .5."""
    scores = rng.normal(size=(30, 1, 8, 4000))
    scores /= np.linalg.norm(scores, axis=-1, keepdims=True)
    k = np.arange(1, 8)
    norms = np.linalg.norm(gl.group_gradient(scores, (np.arange(8) < k[:, None]) * 1.0), axis=-1)
    error = norms.std(axis=0, ddof=1) / np.sqrt(30)
    assert np.all(np.abs(norms.mean(axis=0) - 8**-0.5) < 5 * error)
    assert np.all(error < 0.001)
    assert round(8**-0.5, 3) == 0.354
    deviations = gl.group_std(k, 8)
    assert (deviations.min().round(3), deviations.max()) == (0.331, 0.5)


def test_shown_lengths_are_flat(chapter):
    means = chapter.names["norms"].mean(axis=0)
    error = chapter.names["norms"].std(axis=0, ddof=1) / np.sqrt(len(chapter.names["norms"]))
    assert np.all(np.abs(means - chapter.number("flat")) < 5 * error + 5e-4)
    assert (chapter.number("std_1"), chapter.number("std_4")) == (0.331, 0.5)


@pytest.mark.parametrize("group_size", [2, 3, 4, 6])
def test_length_weight_by_hand(chapter, group_size):
    """With 1/|o|, E[g] ∝ Σ_a c_a w_a (e_a − π), c = π/p for right and −π/q for wrong actions, at every G."""
    policy, lengths, right = (
        np.array([0.3, 0.4, 0.3]),
        np.array([20, 200, 200]),
        np.array([True, True, False]),
    )
    weights = np.where(right, policy / 0.7, -policy / 0.3) / lengths
    direction = weights - weights.sum() * policy
    slope = policy * (right - 0.7)
    cosine = direction @ slope / np.linalg.norm(direction) / np.linalg.norm(slope)
    assert round(np.degrees(np.arccos(cosine))) == chapter.number("angle_grpo")
    assert direction[1] < 0 < slope[1], "the long right answer is pushed down"

    _, scores = gl.softmax_scores(np.log(policy))
    actions, chance = gl.enumerate_actions(policy, group_size)
    gradients = gl.group_gradient((scores / lengths[:, None])[actions], right[actions] * 1.0)
    mean, _ = gl.exact_moments(gradients, chance)
    np.testing.assert_allclose(mean, gl.expected_std(0.7, group_size) * direction, rtol=1e-10)


def test_one_choice_shrugs_at_truncation(rng):
    """Top-p shifts every kept score by one vector, which cancels; a temperature T divides the scores by T."""
    logits = rng.normal(size=5)
    kept = np.array([True, True, False, True, False])
    _, own = gl.softmax_scores(logits)
    _, truncated = gl.softmax_scores(logits[kept])
    rewards = np.array([1.0, 0.0, 0.0, 1.0, 0.0, 0.0])
    actions = rng.integers(3, size=6)
    np.testing.assert_allclose(
        gl.group_gradient(own[kept][actions], rewards)[kept],
        gl.group_gradient(truncated[actions], rewards),
        atol=1e-15,
    )
    _, hot = gl.softmax_scores(logits / 2)  # in the units of logits/2
    np.testing.assert_allclose(
        gl.group_gradient(own[actions], rewards), gl.group_gradient(hot[actions], rewards), atol=1e-15
    )


def test_path_dependent_truncation_does_not(chapter):
    path, score = chapter.names["path"], chapter.names["score_of"]
    np.testing.assert_allclose(path @ score["sampler's"], 0, atol=1e-15)
    assert np.abs(path @ score["own"]).max() == pytest.approx(0.2)
    assert chapter.names["angle"] > 15


def test_ddof_one_factors(chapter):
    assert chapter.number("ddof_2") == 0.7071
    assert chapter.number("ddof_3") == 1.1547


NUMBERS = re.compile(r"\d+\.\d+")


@pytest.mark.parametrize("algorithm", ["GRPO", "Dr. GRPO", "DAPO"])
@pytest.mark.parametrize(("G", "k"), [(2, 1), (8, 3), (16, 15)])
def test_explorer_says_the_identity(chapter, algorithm, G, k):
    said = chapter.explorers["identity"].value(G=G, k=k, algorithm=algorithm)
    coefficient, contrast, length = map(float, NUMBERS.findall(said))
    power = 2 if algorithm == "Dr. GRPO" else 1
    assert f"{k} of {G} right" in said
    assert coefficient == pytest.approx(gl.group_std(k, G) ** power, abs=5e-4)
    assert length == pytest.approx(coefficient * contrast, abs=3e-3)


def test_dapo_changes_no_update(chapter):
    """Same picture, same numbers; only what happens to a silent group differs."""
    explorer = chapter.explorers["identity"]
    for G, k in [(2, 0), (4, 4), (8, 3), (8, 12)]:
        both = [explorer.svg(G=G, k=k, algorithm=name) for name in ("GRPO", "DAPO")]
        assert re.sub('aria-label="[^"]*"', "", both[0]) == re.sub('aria-label="[^"]*"', "", both[1])
    assert "another prompt is sampled" in explorer.value(G=4, k=4, algorithm="DAPO")
    assert "fills a place in the batch" in explorer.value(G=4, k=0, algorithm="GRPO")
    assert "8 of 8 right" in explorer.value(G=8, k=12, algorithm="GRPO")


def test_size_explorer_runs_from_flat_to_the_coefficient(chapter):
    explorer = chapter.explorers["update-size"]
    flat, signal = explorer.value(G=8, share=0), explorer.value(G=8, share=1)
    assert flat.count(chapter.glued["flat"]) == 2
    assert "1.00 times as long" in flat
    ratio = f"{gl.group_std(4, 8) / gl.group_std(1, 8):.2f}"
    assert f"{ratio} times as long. σ is {ratio} times" in signal


def test_checked_answers_are_those_by_hand(chapter):
    by_hand = gl.group_gradient(chapter.names["hand_scores"], chapter.names["hand_rewards"])
    assert by_hand == pytest.approx(3 * 3**0.5 / 4)
    assert chapter.names["expected"] == pytest.approx(2 * 9 / 16)
