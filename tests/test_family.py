"""Each algorithm of the family map against its paper's formula in plain loops, and by finite differences."""

import math
from dataclasses import replace

import numpy as np
import pytest

from grpo_lessons import (
    enumerate_actions,
    exact_moments,
    expected_std,
    mixed_probability,
    policies,
)
from grpo_lessons.family import FAMILY, group_advantages
from grpo_lessons.sequence_training import sequence_gradient

LANGUAGE = policies.all_sequences(vocabulary=3, longest=3)
REWARDS = np.sum(LANGUAGE.tokens == 1, axis=1) % 2.0
KL = 0.3


@pytest.fixture
def policies_of_a_step():
    """Logits now, before the first update, of the sampler, and of the reference: all different."""
    rng = np.random.default_rng(15)
    old = rng.normal(size=(3, 3))
    shift = (0.3, 0.0, 0.2, 0.5)
    return [old + scale * rng.normal(size=(3, 3)) for scale in shift]


@pytest.fixture
def groups():
    """Twelve mixed groups of four and a silent one."""
    rng = np.random.default_rng(4)
    right, wrong = np.flatnonzero(REWARDS == 1), np.flatnonzero(REWARDS == 0)
    mixed = [np.r_[rng.choice(right, k), rng.choice(wrong, 4 - k)] for k in rng.integers(1, 4, 12)]
    return np.array([*mixed, rng.choice(wrong, 4)])


def tokens_of(logits):
    """log π of each token that is said, as a list for each sequence."""
    log_prob = policies.token_log_probs(logits, LANGUAGE)
    return [row[:length] for row, length in zip(log_prob, LANGUAGE.lengths, strict=True)]


def written_out(name, group, now, old, sampler, reference, frozen=None):
    """The objective of one group as its paper writes it; `frozen` holds CISPO's weights."""
    pi, pi_old, pi_sampler, pi_ref = map(tokens_of, (now, old, sampler, reference))
    rewards = REWARDS[group]
    size, mean, std = len(group), rewards.mean(), rewards.std()
    clip = FAMILY[name]

    def kept(ratio, advantage):
        bound = min(max(ratio, 1 - clip.low), 1 + clip.high)
        return min(ratio * advantage, bound * advantage)

    def k3(i, t):
        gap = pi_ref[i][t] - pi[i][t]
        return math.exp(gap) - gap - 1

    if name == "DPO on pairs":
        margins = [
            KL * ((pi[i] - pi_ref[i]).sum() - (pi[j] - pi_ref[j]).sum())
            for i in group[rewards == 1]
            for j in group[rewards == 0]
        ]
        return np.mean([-math.log1p(math.exp(-margin)) for margin in margins]) if margins else 0.0
    total, tokens = 0.0, sum(len(pi[i]) for i in group)
    for i, reward in zip(group, rewards, strict=True):
        length, advantage = len(pi[i]), 0.0 if std == 0 else (reward - mean) / std
        if name == "Dr. GRPO":
            advantage = reward - mean
        elif name == "RLOO":
            advantage = reward - (rewards.sum() - reward) / (size - 1)
        elif name == "REINFORCE":
            advantage = reward - 0.5
        share = {
            "sum": 1 / size,
            "sequence": 1 / size / length,
            "token": 1 / tokens,
            "constant": 1 / size / 3,
        }
        for t in range(length):
            ratio = math.exp(pi[i][t] - pi_old[i][t])
            if name == "GSPO":
                ratio = math.exp(sum(pi[i] - pi_old[i]) / length)
            term = kept(ratio, advantage)
            if name == "GRPO + TIS":
                term *= min(math.exp(pi_old[i][t] - pi_sampler[i][t]), 2.0)
            if name == "CISPO":
                weight = math.exp(frozen[i][t] - pi_old[i][t])
                term = min(max(weight, 0.0), 2.0) * advantage * pi[i][t]
            total += share[clip.lengths] * (term - KL * k3(i, t))
    return total


@pytest.mark.parametrize("name", FAMILY)
def test_value_is_the_paper_s_formula(name, policies_of_a_step, groups):
    now, old, sampler, reference = policies_of_a_step
    done = sequence_gradient(
        now, LANGUAGE, REWARDS, groups, FAMILY[name], old=old, sampler=sampler, reference=reference, kl=KL
    )
    expected = [written_out(name, group, now, old, sampler, reference, tokens_of(now)) for group in groups]
    np.testing.assert_allclose(done.value, expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("name", FAMILY)
def test_gradient_is_its_derivative(name, policies_of_a_step, groups):
    now, *others = policies_of_a_step
    old, sampler, reference = others
    done = sequence_gradient(
        now, LANGUAGE, REWARDS, groups, FAMILY[name], old=old, sampler=sampler, reference=reference, kl=KL
    )
    frozen, h = tokens_of(now), 1e-6
    for i in range(9):
        step = h * np.eye(9)[i].reshape(3, 3)
        up, down = (
            np.array([written_out(name, group, now + s, *others, frozen) for group in groups])
            for s in (step, -step)
        )
        np.testing.assert_allclose(done.gradient[:, i], (up - down) / (2 * h), atol=1e-7)


def first_step(algorithm, logits, groups):
    return sequence_gradient(logits, LANGUAGE, REWARDS, groups, replace(algorithm, lengths="sum"), kl=1.0)


def test_first_steps_coincide_up_to_length_and_the_scale_of_advantages(policies_of_a_step, groups):
    """At ratio 1 and with one length rule, clips, units and detachment change nothing."""
    logits = policies_of_a_step[0]
    plain = first_step(FAMILY["GRPO"], logits, groups).gradient
    for name in ("DAPO", "GSPO", "CISPO", "GRPO + TIS"):
        np.testing.assert_allclose(
            first_step(FAMILY[name], logits, groups).gradient, plain, rtol=1e-12, atol=1e-15
        )
    dr = first_step(FAMILY["Dr. GRPO"], logits, groups).gradient
    rloo = first_step(FAMILY["RLOO"], logits, groups).gradient
    np.testing.assert_allclose(rloo, dr * 4 / 3, rtol=1e-12, atol=1e-15)
    sigma = REWARDS[groups].std(axis=1, keepdims=True)
    np.testing.assert_allclose(dr, sigma * plain, rtol=1e-12, atol=1e-15)


def test_dpo_s_first_step_is_half_the_contrast(policies_of_a_step, groups):
    """½β (s̄₊ − s̄₋) for every mixed group, where GRPO has σ (s̄₊ − s̄₋): the same at G = 2 and β = 1."""
    logits = policies_of_a_step[0]
    plain, dpo = (first_step(FAMILY[name], logits, groups).gradient for name in ("GRPO", "DPO on pairs"))
    sigma = REWARDS[groups].std(axis=1, keepdims=True)
    np.testing.assert_allclose(dpo * sigma, plain / 2, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize(
    ("name", "weight"),
    [
        ("GRPO", lambda p, G: expected_std(p, G) / (p * (1 - p))),
        ("DAPO", lambda p, G: expected_std(p, G) / (p * (1 - p))),
        ("Dr. GRPO", lambda p, G: 1 - 1 / G),
        ("RLOO", lambda p, G: 1.0),
        ("REINFORCE", lambda p, G: 1.0),
        ("DPO on pairs", lambda p, G: mixed_probability(p, G) / 2 / (p * (1 - p))),
    ],
)
def test_expected_first_step_by_enumeration(name, weight, policies_of_a_step):
    """Over all 15³ groups of three: the factor on ∇p that the book derives, when scores are summed."""
    logits = policies_of_a_step[0]
    actions, chance = enumerate_actions(policies.sequence_probabilities(logits, LANGUAGE), 3)
    mean, _ = exact_moments(first_step(FAMILY[name], logits, actions).gradient, chance)
    p, slope = policies.success_and_gradient(logits, LANGUAGE, REWARDS)
    np.testing.assert_allclose(mean, weight(p, 3) * slope, rtol=1e-11)


def test_length_rules_part_at_the_very_first_step(policies_of_a_step):
    """With 1/|o| the expected step is not even a multiple of ∇p; with a constant it is."""
    logits = policies_of_a_step[0]
    actions, chance = enumerate_actions(policies.sequence_probabilities(logits, LANGUAGE), 3)
    _, slope = policies.success_and_gradient(logits, LANGUAGE, REWARDS)
    cosines = {}
    for lengths in ("sum", "constant", "token", "sequence"):
        each = sequence_gradient(logits, LANGUAGE, REWARDS, actions, replace(FAMILY["GRPO"], lengths=lengths))
        mean, _ = exact_moments(each.gradient, chance)
        cosines[lengths] = mean @ slope / np.linalg.norm(mean) / np.linalg.norm(slope)
    assert [cosines["sum"], cosines["constant"]] == pytest.approx([1, 1], abs=1e-12)
    assert cosines["token"] < 1 - 1e-4
    assert cosines["sequence"] < 1 - 1e-4


def test_truncated_weights_mend_a_sampler_that_is_a_little_off(policies_of_a_step):
    """REINFORCE on one completion: weights of whole sequences give ∇p exactly, of tokens nearly."""
    now, _, sampler, _ = policies_of_a_step
    chance = policies.sequence_probabilities(sampler, LANGUAGE)
    scores = policies.token_scores(now, LANGUAGE).sum(axis=1)
    _, slope = policies.success_and_gradient(now, LANGUAGE, REWARDS)
    whole = policies.sequence_probabilities(now, LANGUAGE) / chance
    np.testing.assert_allclose((chance * whole * REWARDS) @ scores, slope, atol=1e-14)
    one, plain = np.arange(15)[:, None], replace(FAMILY["REINFORCE"], cap=None)

    def bias(algorithm):
        each = sequence_gradient(now, LANGUAGE, REWARDS, one, algorithm, sampler=sampler, baseline=0.0)
        return np.linalg.norm(chance @ each.gradient - slope)

    assert bias(replace(plain, cap=100.0)) < bias(plain)
    assert bias(replace(plain, cap=1e-3)) > bias(plain)


def test_clipped_share(policies_of_a_step, groups):
    now, old, *_ = policies_of_a_step
    done = sequence_gradient(now, LANGUAGE, REWARDS, groups, FAMILY["GRPO"], old=old)
    assert np.isnan(done.clipped[-1])  # the silent group
    pi, pi_old = tokens_of(now), tokens_of(old)
    for group, share in zip(groups[:-1], done.clipped[:-1], strict=True):
        ratios = [np.exp(pi[i] - pi_old[i]) for i in group]
        held = [(r > 1.2) if REWARDS[i] else (r < 0.8) for i, r in zip(group, ratios, strict=True)]
        assert share == pytest.approx(np.concatenate(held).mean())
    on_policy = sequence_gradient(now, LANGUAGE, REWARDS, groups, FAMILY["GRPO"])
    assert not on_policy.clipped[:-1].any()


def test_named_ranges():
    assert (FAMILY["DAPO"].low, FAMILY["DAPO"].high) == (0.2, 0.28)
    assert (FAMILY["GSPO"].low, FAMILY["GSPO"].high) == (3e-4, 4e-4)


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: group_advantages([1, 0], "ppo"), "method must be one of 'grpo'"),
        (lambda: group_advantages([1, np.nan], "reinforce"), "rewards must be"),
        (
            lambda: sequence_gradient(
                np.zeros((3, 3)), LANGUAGE, REWARDS, np.zeros((1, 2), int), FAMILY["DPO on pairs"]
            ),
            "kl must be finite and above 0",
        ),
    ],
)
def test_refusals(call, match):
    with pytest.raises(ValueError, match=match):
        call()
