"""Chapter 03: the arcsine's figures, where no sign flips, and that prose, figures and package say the same.

The package's values are held to 40 digits in tests/test_symbolic.py and simulated in tests/test_extremes.py.
"""

from math import comb

import numpy as np
import pytest
from scipy.stats import multivariate_normal

import grpo_lessons as gl
from grpo_lessons.prose import percent

PRINTED = {2: 25.0, 4: 16.7, 8: 11.5, 16: 8.0, 64: 4.0}


@pytest.mark.parametrize("size", PRINTED)
def test_printed_figures_are_the_orthants_of_a_bivariate_normal(size):
    rho = np.sqrt((size - 1) / size)
    below = multivariate_normal([0, 0], [[1, rho], [rho, 1]]).cdf([0, 0])  # both signs negative
    assert round(100 * (1 - 2 * below), 1) == PRINTED[size]
    assert gl.sign_flip_probability(size) == pytest.approx(1 - 2 * below, abs=1e-6)


@pytest.mark.parametrize("size", [2, 3, 8])
def test_noise_of_the_mean_and_correlation(size):
    """For any rewards: here 0/1, from all groups."""
    rewards, chance = gl.enumerate_groups(0.3, size)
    excess = rewards[:, :1] - 0.3
    centred = rewards[:, :1] - rewards.mean(axis=1, keepdims=True)
    _, covariance = gl.exact_moments(
        np.hstack([excess, centred, rewards.mean(axis=1, keepdims=True)]), chance
    )
    assert covariance[2, 2] == pytest.approx(0.21 / size)
    correlation = covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1])
    assert correlation == pytest.approx(np.sqrt((size - 1) / size))


@pytest.mark.parametrize("size", [2, 3, 8, 12])
@pytest.mark.parametrize("pair", [(1, 0), (1, -1), (0.3, 0.1)])
@pytest.mark.parametrize("baseline", ["mean", "leave_one_out"])
def test_two_values_never_flip(size, pair, baseline):
    right, _ = gl.enumerate_groups(0.5, size)
    values = gl.advantages(np.where(right == 1, *pair), baseline=baseline)
    mixed = (right.sum(axis=1) > 0) & (right.sum(axis=1) < size)
    assert np.all(values[mixed][right[mixed] == 1] > 0)
    assert np.all(values[mixed][right[mixed] == 0] < 0)
    assert not values[~mixed].any()


@pytest.mark.parametrize(
    ("p", "size", "penalty", "long"), [(0.8, 4, 0.3, 0.4), (0.95, 6, 0.01, 0.3), (0.5, 6, 0.5, 0.5)]
)
def test_penalty_agrees_with_all_groups(chapter, p, size, penalty, long):
    rewards = np.array([1 - penalty, 1, -penalty, 0])
    kinds, chance = gl.enumerate_actions(np.outer([p, 1 - p], [long, 1 - long]).ravel(), size)
    down = (kinds[:, 0] == 0) & (rewards[kinds[:, 0]] < rewards[kinds].mean(axis=1) - 1e-12)
    assert chapter.names["pushed_down"](p, size, penalty, long) == pytest.approx(
        chance[down].sum() / (p * long), rel=1e-10
    )


def test_smallest_penalty_is_no_small_one(chapter):
    pushed_down = chapter.names["pushed_down"]
    assert pushed_down(0.95, 8, 0, 0.3) == 0
    assert pushed_down(0.95, 8, 1e-6, 0.3) == pytest.approx(0.95**7 * (1 - 0.3**7))


def test_border_is_where_the_long_answer_is_average(chapter):
    p = chapter.names["border"](0.4, 0.3)
    assert p - 0.4 * 0.3 == pytest.approx(0.6)


def test_prose_says_what_the_package_says(chapter):
    for size in (2, 8, 64):
        assert chapter.number(f"flip_{size}") == pytest.approx(PRINTED[size] / 100)
    assert chapter.number("rho_2") == pytest.approx(0.5**0.5, abs=5e-3)
    assert chapter.number("weight_8") == pytest.approx((1 - (7 / 8) ** 0.5) / 2, abs=5e-4)
    for size in (2, 4, 8, 64):
        one_in_a_hundred = sum(  # fewer wrong answers than a hundredth of the short ones: none
            comb(size - 1, short) * 0.7**short * 0.3 ** (size - 1 - short) for short in range(1, size)
        )
        assert chapter.number(f"small_95_{size}") == pytest.approx(
            0.95 ** (size - 1) * one_in_a_hundred, abs=5e-4
        )


@pytest.mark.parametrize("size", [2, 8, 64])
def test_wedge_says_what_the_package_says(chapter, size):
    said = chapter.explorers["wedge"].value(G=size)
    assert f"{percent(gl.sign_flip_probability(size))} of the circle" in said
    assert f"{360 * gl.sign_flip_probability(size) / 2:.1f}° wide" in said
    assert f"carry {percent(gl.sign_flip_weight(size))} of the push" in said


def test_wedge_counts_the_completions_it_draws(chapter):
    mine, others = chapter.names["mine"], chapter.names["others"]
    in_wedges = (mine * others > 0) & (np.abs(mine) < np.abs(others) / np.sqrt(7))
    assert f"Of these 120 completions {in_wedges.sum()} have" in chapter.explorers["wedge"].value(G=8)


def test_penalty_explorer_says_what_the_prose_says(chapter):
    say = chapter.explorers["penalised"].value
    assert f"{chapter.glued['small_95_8']} at p = 0.95" in say(G=8, penalty=0.01, long=0.3)
    assert f"{chapter.glued['small_95_64']} at p = 0.95" in say(G=64, penalty=0.01, long=0.3)
    assert "no right answer is ever pushed down" in say(G=2, penalty=0, long=0.3)
    assert "up to p = 0.65." in say(G=2, penalty=0.5, long=0.3)


def test_flips_become_more_frequent_before_they_die_out(chapter):
    pushed_down, border = chapter.names["pushed_down"], chapter.names["border"](0.01, 0.3)
    assert pushed_down(0.95, 2, 0.01, 0.3) < pushed_down(0.95, 4, 0.01, 0.3)
    assert pushed_down(0.95, 4, 0.01, 0.3) > pushed_down(0.95, 8, 0.01, 0.3)
    assert pushed_down(border - 0.03, 512, 0.01, 0.3) < 0.01
    assert pushed_down(chapter.names["border"](0.5, 0.3) + 0.1, 512, 0.5, 0.3) > 0.99


def test_checked_answers_are_those_of_the_solutions(chapter):
    """The group sizes that the self-check wants."""
    assert np.ceil([chapter.names["counted"], chapter.names["weighed"]]).tolist() == chapter.names["expected"]
    assert chapter.names["expected"] == [41, 6]
    assert gl.sign_flip_probability(41) <= 0.05 < gl.sign_flip_probability(40)
    assert gl.sign_flip_weight(6) <= 0.05 < gl.sign_flip_weight(5)
