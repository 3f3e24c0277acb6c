"""The small language is complete, its probabilities sum to 1, and its gradients are derivatives."""

import numpy as np
import pytest

from grpo_lessons import enumerate_actions, exact_moments, group_gradient, policies


@pytest.fixture
def language():
    return policies.all_sequences(vocabulary=3, longest=3)


@pytest.fixture
def logits():
    return np.random.default_rng(15).normal(size=(3, 3))


def test_every_sequence_once(language):
    """1 + 2 + 4 × 3 sequences: each ends with its first 0, or is cut."""
    assert len(language.tokens) == 15
    assert sorted(language.lengths) == [1, 2, 2] + [3] * 12
    for tokens, length in zip(language.tokens, language.lengths, strict=True):
        assert np.all(tokens[: length - 1] != 0)
        assert np.all(tokens[length:] == 0)


def test_probabilities_sum_to_one_and_are_products(language, logits):
    chance = policies.sequence_probabilities(logits, language)
    assert chance.sum() == pytest.approx(1)
    softmax = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    (one,) = np.flatnonzero((language.tokens == [2, 0, 0]).all(axis=1))
    assert chance[one] == pytest.approx(softmax[0, 2] * softmax[1, 0])


def test_scores_are_derivatives_and_average_to_zero(language, logits):
    scores, h = policies.token_scores(logits, language), 1e-6
    for i in range(9):
        step = h * np.eye(9)[i].reshape(3, 3)
        up, down = (policies.token_log_probs(logits + s, language) for s in (step, -step))
        np.testing.assert_allclose(scores[..., i], (up - down) / (2 * h), atol=1e-8)
    chance = policies.sequence_probabilities(logits, language)
    np.testing.assert_allclose(chance @ scores.sum(axis=1), 0, atol=1e-15)


def test_exact_gradient_is_the_derivative_of_p(language, logits):
    rewards, h = np.random.default_rng(1).integers(0, 2, 15), 1e-6
    p, gradient = policies.success_and_gradient(logits, language, rewards)
    assert p == pytest.approx(policies.sequence_probabilities(logits, language) @ rewards)
    for i in range(9):
        step = h * np.eye(9)[i].reshape(3, 3)
        up, down = (policies.success_and_gradient(logits + s, language, rewards)[0] for s in (step, -step))
        assert gradient[i] == pytest.approx((up - down) / (2 * h), abs=1e-8)


def test_exact_gradient_is_the_mean_of_rloo(language, logits):
    rewards = np.random.default_rng(2).normal(size=15)
    actions, chance = enumerate_actions(policies.sequence_probabilities(logits, language), 2)
    scores = policies.token_scores(logits, language).sum(axis=1)
    mean, _ = exact_moments(group_gradient(scores[actions], rewards[actions], "rloo"), chance)
    np.testing.assert_allclose(mean, policies.success_and_gradient(logits, language, rewards)[1], atol=1e-14)


def test_odd_language_has_right_and_wrong_of_many_lengths():
    logits, sequences, rewards = policies.odd_language()
    assert rewards.tolist() == [float(list(tokens).count(1) % 2) for tokens in sequences.tokens]
    assert set(sequences.lengths[rewards == 1]) == {2, 3, 4}
    assert set(sequences.lengths[rewards == 0]) == {1, 2, 3, 4}
    assert policies.success_and_gradient(logits, sequences, rewards)[0] == pytest.approx(0.3, abs=0.01)


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: policies.all_sequences(1, 3), "vocabulary must be"),
        (lambda: policies.all_sequences(3, 0), "longest must be"),
        (lambda: policies.all_sequences(10, 4), r"longest must leave at most 4096 strings, got 10\^4"),
        (
            lambda: policies.token_scores(np.zeros((2, 3)), policies.all_sequences(3, 3)),
            r"logits must have shape \(3, 3\), places by tokens, got \(2, 3\)",
        ),
    ],
)
def test_refusals(call, match):
    with pytest.raises(ValueError, match=match):
        call()
