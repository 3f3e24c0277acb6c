"""The trainer on short sequences: its mean update against enumeration, for every algorithm."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from grpo_lessons import enumerate_actions, policies, silent_probability
from grpo_lessons.family import FAMILY
from grpo_lessons.sequence_training import sequence_gradient, train_sequences
from grpo_lessons.training import record

LANGUAGE = policies.all_sequences(vocabulary=3, longest=2)
REWARDS = np.sum(LANGUAGE.tokens == 1, axis=1) % 2.0
LOGITS = np.array([[0.2, -0.4, 0.0], [0.0, 0.3, -0.2]])
SIZE, GROUPS = 3, 4000


@pytest.mark.parametrize("name", FAMILY)
def test_mean_update_is_the_exact_expectation(name):
    """One step over many groups, against all 7³ groups of three (of these the mixed, if the others go)."""
    algorithm, kl = FAMILY[name], 1.0 if name == "DPO on pairs" else 0.0
    actions, chance = enumerate_actions(policies.sequence_probabilities(LOGITS, LANGUAGE), SIZE)
    each = sequence_gradient(LOGITS, LANGUAGE, REWARDS, actions, algorithm, kl=kl).gradient
    if algorithm.silent != "keep":
        right = REWARDS[actions].sum(axis=1)
        chance = chance * ((right > 0) & (right < SIZE))
        chance = chance / chance.sum()
    expected = chance @ each
    error = np.sqrt(chance @ (each - expected) ** 2 / GROUPS)

    (step,) = train_sequences(
        LOGITS, LANGUAGE, REWARDS, algorithm,
        group_size=SIZE, groups=GROUPS, learning_rate=1.0, steps=1, kl=kl, seed=15,
    )  # fmt: skip
    z = ((step.logits - LOGITS).ravel() - expected) / np.maximum(error, 1e-12)
    assert np.abs(z).max() < 5
    assert np.abs(expected).max() > 20 * error.max()  # the test could fail
    assert step.clipped == 0
    assert len(step.k) == GROUPS


def test_minibatches_leave_the_policy_and_meet_the_clip():
    one, four = (
        record(train_sequences(LOGITS, LANGUAGE, REWARDS, steps=20, updates=updates, learning_rate=2.0))
        for updates in (1, 4)
    )
    assert not one.clipped.any()
    assert four.clipped.max() > 0


def test_a_step_of_two_minibatches_is_two_gradients():
    settings = {"group_size": 4, "groups": 2, "learning_rate": 1.5, "seed": 8, "sampler_grid": 1.0}
    algorithm, sampler = FAMILY["GRPO + TIS"], np.round(LOGITS)
    (step,) = train_sequences(LOGITS, LANGUAGE, REWARDS, algorithm, steps=1, updates=2, **settings)
    chance = policies.sequence_probabilities(sampler, LANGUAGE)
    actions = np.random.default_rng(8).choice(7, size=(2, 4), p=chance / chance.sum())
    now = LOGITS
    for group in actions:
        done = sequence_gradient(now, LANGUAGE, REWARDS, group, algorithm, old=LOGITS, sampler=sampler)
        now = now + 1.5 * done.gradient.reshape(2, 3)
    np.testing.assert_allclose(step.logits, now, atol=1e-15)
    np.testing.assert_array_equal(step.k, REWARDS[actions].sum(axis=1))


def test_success_length_and_silence_are_exact():
    logits, sequences, rewards = policies.odd_language()
    steps = list(train_sequences(logits, sequences, rewards, steps=30, groups=200))
    for before, step in pairwise(steps):
        p, _ = policies.success_and_gradient(step.logits, sequences, rewards)
        assert step.after == pytest.approx(p)
        np.testing.assert_array_equal(step.before, before.after)
        assert step.length == pytest.approx(
            policies.sequence_probabilities(step.logits, sequences) @ sequences.lengths
        )
        error = np.sqrt(step.silent_expected * (1 - step.silent_expected) / 200)
        assert step.silent_expected == pytest.approx(silent_probability(before.after[0], 8))
        assert step.silent == pytest.approx(step.silent_expected, abs=5 * error)


def test_one_over_the_length_makes_completions_longer():
    """Exact first steps: tokens gained for each unit of success gained, by length rule."""
    logits, sequences, rewards = policies.odd_language()
    chance = policies.sequence_probabilities(logits, sequences)
    scores = policies.token_scores(logits, sequences).sum(axis=1)
    to_success, to_length = (chance * rewards) @ scores, (chance * sequences.lengths) @ scores
    actions, weight = enumerate_actions(chance, 3)
    growth = {}
    for rule in ("sum", "constant", "token", "sequence"):
        algorithm = replace(FAMILY["Dr. GRPO"], lengths=rule)
        mean = weight @ sequence_gradient(logits, sequences, rewards, actions, algorithm).gradient
        growth[rule] = (to_length @ mean) / (to_success @ mean)
    assert growth["constant"] == pytest.approx(growth["sum"])
    assert growth["sequence"] > 1.04 * growth["sum"] > 1.02 * growth["token"] > 0


def test_a_coarse_sampler_draws_from_other_logits():
    (step,) = train_sequences(
        LOGITS + 0.4, LANGUAGE, REWARDS, steps=1, groups=20_000, group_size=2, sampler_grid=2.0
    )
    rounded = np.round((LOGITS + 0.4) / 2) * 2
    p, _ = policies.success_and_gradient(rounded, LANGUAGE, REWARDS)
    assert step.k.mean() / 2 == pytest.approx(p, abs=5 * np.sqrt(p * (1 - p) / 40_000))
    assert step.before[0] != pytest.approx(p, abs=0.01)


def test_refill_gives_up_where_nothing_is_right():
    (step,) = train_sequences(
        np.array([[60.0, 0, 0], [60.0, 0, 0]]), LANGUAGE, REWARDS, FAMILY["DAPO"], steps=1, groups=4
    )
    assert len(step.k) == 0
    assert step.rollouts == 100 * 4 * 8
    assert step.silent == 1


@pytest.mark.parametrize(
    ("settings", "match"),
    [
        ({"rewards": REWARDS[:-1]}, "rewards must be 0 or 1 for each of the 7 sequences"),
        ({"rewards": REWARDS / 2}, "rewards must be 0 or 1"),
        ({"logits": np.zeros((3, 3))}, r"logits must have shape \(2, 3\)"),
        ({"updates": 33}, "updates must be at most the 32 groups, got 33"),
        ({"sampler_grid": -1}, "sampler_grid must be"),
        ({"group_size": 1}, "group_size must be"),
    ],
)
def test_refusals_come_before_the_first_step(settings, match):
    with pytest.raises(ValueError, match=match):
        train_sequences(**{"logits": LOGITS, "sequences": LANGUAGE, "rewards": REWARDS, **settings})
