"""Chapter 13: its derivations in numbers, and that prose, figures and package say the same.

The printed probabilities and failure rates are held to their digits in tests/test_stationary.py.
"""

import numpy as np
import pytest

import grpo_lessons as gl
from grpo_lessons import published, symbolic
from grpo_lessons.prose import percent

POLICY = np.array([0.05, 0.45, 0.2, 0.3])
REFERENCE = np.array([0.02, 0.5, 0.08, 0.4])
RIGHT = np.array([1.0, 0.0, 1.0, 0.0])


@pytest.mark.parametrize("size", [2, 3, 5])
def test_group_preference_has_two_values(size):
    """P_a = E[A_1 given the first completion is a], from every group."""
    actions, chance = gl.enumerate_actions(POLICY, size)
    first = gl.advantages(RIGHT[actions])[:, 0]
    preference = np.array([chance @ (first * (actions[:, 0] == a)) for a in range(4)]) / POLICY
    p = POLICY @ RIGHT
    mean = gl.expected_std(p, size)
    np.testing.assert_allclose(preference, np.where(RIGHT == 1, mean / p, -mean / (1 - p)), rtol=1e-12)
    assert POLICY @ preference == pytest.approx(0, abs=1e-15)


def test_k3_has_the_gradient_of_the_other_divergence():
    _, scores = gl.softmax_scores(np.log(POLICY))
    pull = (POLICY * (1 - REFERENCE / POLICY)) @ scores
    np.testing.assert_allclose(pull, POLICY - REFERENCE, atol=1e-15)
    nudges = 1e-6 * np.vstack([np.eye(4), -np.eye(4)])
    nudged = [gl.softmax_scores(np.log(POLICY) + nudge)[0] for nudge in nudges]
    towards = [REFERENCE @ np.log(REFERENCE / policy) for policy in nudged]
    away = [policy @ np.log(policy / REFERENCE) for policy in nudged]
    slope = {name: (np.array(kl[:4]) - kl[4:]) / 2e-6 for name, kl in (("towards", towards), ("away", away))}
    np.testing.assert_allclose(slope["towards"], pull, atol=1e-9)
    assert np.abs(slope["away"] - pull).max() > 0.01


def test_mean_of_k3_is_the_divergence_in_the_log():
    rho = REFERENCE / POLICY
    assert POLICY @ (rho - np.log(rho) - 1) == pytest.approx(POLICY @ np.log(POLICY / REFERENCE))


def test_a_verifier_that_errs_makes_beta_larger():
    """G = 2, γ = .6: a right answer's reward beats a wrong one's with .8, loses with .2."""
    p = float(symbolic.stationary_policy("1/10", "5/3", 2))
    assert 0.6 * p * (1 - p) == pytest.approx(1 * (p - 0.1))
    rng = np.random.default_rng(13)
    right = rng.random((200_000, 2)) < p
    draw = right[:, 0] == right[:, 1]
    first_wins = np.where(draw, rng.random(200_000) < 0.5, right[:, 0] == (rng.random(200_000) < 0.8))
    push = np.where(first_wins, 1, -1) * (right[:, 0] - p)  # advantage times the score of one logit
    pull = 1 * (p - 0.1)
    assert abs(push.mean() - pull) < 4 * push.std() / 200_000**0.5


def test_hump_is_concave():
    for size in (2, 3, 8, 64):
        hump = gl.expected_std(np.linspace(0, 1, 401), size)
        assert np.diff(hump, 2).max() < 0


def test_table_of_penalties(chapter):
    """RLOO's weight is 1, Dr. GRPO's 1 − 1/G: both are pairs, with β and β/(1 − 1/G)."""
    rest = gl.stationary_policy(0.1, 8 / 7, 2)
    assert (1 - 1 / 8) * rest * (1 - rest) == pytest.approx(rest - 0.1)
    assert gl.stationary_policy(0.1, 8 / 7, 2, "kl") == pytest.approx(gl.rlhf_policy(0.1, 8 / 7))
    assert chapter.glued["pair_kl"] == f"{gl.rlhf_policy(0.1, 1):.5f}" == "0.23197"


def test_prose_says_what_the_package_says(chapter):
    assert chapter.number("beta_published") == published.SETTINGS["deepseekmath"].kl == 0.04
    assert [chapter.number(name) for name in ("rest_2", "rest_64", "rest_limit")] == [0.3162, 0.5881, 0.5915]
    assert chapter.number("fail_2") == pytest.approx(0.0359, abs=5e-4)
    assert chapter.number("fail_64") == pytest.approx(0.0049, abs=5e-4)
    assert chapter.number("thread_8") == pytest.approx(0.0139, abs=5e-4)
    assert 1 - gl.stationary_policy(0.1, chapter.number("thread_beta"), 8) == pytest.approx(0.0049, abs=1e-4)


def test_listed_update_vanishes_and_rlhf_does_not(chapter):
    assert np.abs(chapter.names["exact"]).max() < 1e-14
    assert np.all(np.abs(chapter.names["drawn"]) < 5 * chapter.names["drawn_error"])
    assert np.abs(chapter.names["elsewhere"]).max() > 0.05


def test_patience_is_counted_from_the_flow(chapter):
    p = gl.stationary_policy(0.1, 0.04, 8)
    at = chapter.names["flow"].sol(chapter.names["settled"])[0]
    assert np.exp(-at) / (1 + np.exp(-at)) == pytest.approx(1.1 * (1 - p), rel=1e-3)
    assert chapter.number("patience") == round(chapter.names["settled"] / chapter.names["halfway"])
    assert chapter.names["settled"] > 5 * chapter.names["halfway"]


@pytest.mark.parametrize(("G", "beta"), [(2, 1), (8, 0.04), (64, 5)])
def test_balance_explorer_says_what_the_package_says(chapter, G, beta):
    said = chapter.explorers["balance"].value(G=G, beta=beta, reference=0.1)
    rest, pair, limit = gl.stationary_policy(0.1, beta, [G, 2, np.inf])
    assert (
        f"comes to rest at p = {rest:.4f}. A pair would rest at {pair:.4f}, an infinite group at {limit:.4f}"
        in said
    )
    assert f"RLHF's policy has {gl.rlhf_policy(0.1, beta):.4f}." in said


def test_balance_explorer_agrees_with_the_prose(chapter):
    said = chapter.explorers["balance"].value(G=64, beta=1, reference=0.1)
    for name in ("rest_2", "rest_64", "rest_limit"):
        assert chapter.glued[name] in said


@pytest.mark.parametrize(("penalty", "kind"), [("k3 in the loss", "k3"), ("KL(π‖π_ref)", "kl")])
def test_failures_explorer_says_what_the_package_says(chapter, penalty, kind):
    said = chapter.explorers["failures"].value(G=8, reference=0.3, penalty=penalty)
    pair, own = (percent(1 - gl.stationary_policy(0.3, 0.1, size, kind), 3) for size in (2, 8))
    assert f"the failure rate at rest is {pair} for a pair, {own} for G = 8, " in said


def test_pair_falls_onto_rlhf_with_the_other_penalty(chapter):
    said = chapter.explorers["failures"].value(G=2, reference=0.02, penalty="KL(π‖π_ref)")
    assert said.count(percent(1 - gl.rlhf_policy(0.02, 0.1), 3)) == 3


def test_one_beta_undoes_dr_grpo_and_none_undoes_the_division():
    """Which β keeps each of two prompts where it rests with G = 8 and β = 1?"""
    references = np.array([0.1, 0.6])
    rest = gl.stationary_policy(references, 8 / 7, 2)  # Dr. GRPO's, a pair's with β/(1 − 1/G)
    needed = 63 / 64 * rest * (1 - rest) / (rest - references)
    assert needed[0] == pytest.approx(needed[1])
    rest = gl.stationary_policy(references, 1.0, 8)
    needed = gl.expected_std(rest, 64) / (rest - references)
    assert needed[1] > 1.15 * needed[0]
