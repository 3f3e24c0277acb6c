"""What a step loses: against groups drawn one by one, and policies that are listed."""

from __future__ import annotations

import numpy as np
import pytest

from grpo_lessons import error_terms, prompt_moments, scaled_error
from grpo_lessons.bills import lost_shares, noisy_moments

RATES = np.array([0.05, 0.3, 0.5, 0.9])


@pytest.mark.parametrize("p", [0.05, 0.3])
@pytest.mark.parametrize("noise", [0.0, 4.0])
def test_noise_is_a_fair_coin_in_the_scores(p, noise):
    policy = np.array([p, p, 1 - p, 1 - p]) / 2
    coin = np.array([1, -1, 1, -1]) * np.sqrt(noise)
    scores = np.stack([[1 - p, 1 - p, -p, -p], coin], axis=1)
    listed, found = prompt_moments(policy, scores, [1, 1, 0, 0]), noisy_moments(p, noise)
    assert found.own == pytest.approx(listed.own)
    assert found.crossed == pytest.approx(listed.crossed)
    assert found.squared_gradient == pytest.approx(listed.squared_gradient)


def test_silent_shares_are_those_of_drawn_groups():
    shares, draws = lost_shares(RATES, 4, 1.0), 100_000
    k = np.random.default_rng(14).binomial(4, RATES, (draws, 4))
    for share, silent in ((shares.all_right, k == 4), (shares.none_right, k == 0)):
        assert abs(silent.mean() - share) < 4 * np.sqrt(share * (1 - share) / silent.size)


@pytest.mark.parametrize("group_size", [2, 8, 64])
def test_parts_of_the_error_and_what_is_left_make_the_whole(group_size):
    shares, moments = lost_shares(RATES, group_size, 10), noisy_moments(RATES, 10)
    single = error_terms(moments).single / scaled_error(moments, group_size)
    assert shares.comparisons + shares.prompts + single == pytest.approx(1)
    pair = lost_shares(RATES, 2, 10)
    assert pair.comparisons > shares.comparisons or group_size == 2
    assert pair.prompts < shares.prompts or group_size == 2


def test_equal_prompts_never_lack_prompts():
    assert lost_shares([0.3, 0.3], 64, 1).prompts == pytest.approx(0, abs=1e-15)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (([0.5], 8, -1), "noise must be finite and at least 0, got -1"),
        (([1.5], 8, 1), r"p must be in \[0, 1\], got 1.5"),
        (([0.5], 1, 1), "group_size must be a whole number"),
    ],
)
def test_refuses(arguments, complaint):
    with pytest.raises(ValueError, match=complaint):
        lost_shares(*arguments)
