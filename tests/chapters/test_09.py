"""Chapter 09: what a budget finds, counted, and that prose, figures and package say the same.

81 %, 0.118 %, 0.57, 0.81 and the factor of 24 are held in tests/test_counts.py.
"""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import beta

import grpo_lessons as gl
from grpo_lessons.prose import percent


@pytest.mark.parametrize("p", [0.001, 0.1, 0.5, 0.9])
def test_per_rollout_small_groups_reach_more_prompts(p):
    size = np.arange(2, 200)
    assert np.all(np.diff(gl.positive_probability(p, size) / size) < 0)
    mixed = gl.mixed_probability(p, size) / size
    np.testing.assert_allclose(mixed[:2], p * (1 - p))
    assert np.all(np.diff(mixed[1:]) < 0)


def test_doubling_multiplies_by_one_plus_the_empty_share():
    p, size = np.array([[0.001], [0.1], [0.6]]), np.array([1, 8, 50])
    doubled = gl.positive_probability(p, 2 * size) / gl.positive_probability(p, size)
    np.testing.assert_allclose(doubled, 1 + (1 - p) ** size)


def test_prose_says_what_the_package_says(chapter):
    assert chapter.number("none_2") == pytest.approx(0.81)
    assert chapter.number("none_64") == pytest.approx(0.9**64, abs=5e-5)
    assert chapter.number("short_at") == 0.2
    assert chapter.number("left_1") == pytest.approx(0.632, abs=5e-3)
    assert (chapter.number("pass_8"), chapter.number("pass_16")) == (0.57, 0.81)
    assert (chapter.number("noise_95"), chapter.number("silent_95")) == (5.7, 24)
    assert chapter.number("silent_99_64") == pytest.approx(0.526)


def test_spread_prompts_leave_more_groups_empty(chapter):
    for a, b, size in ((1, 9, 64), (0.5, 4.5, 8)):
        empty, _ = quad(lambda p: (1 - p) ** size * beta.pdf(p, a, b), 0, 1)  # noqa: B023
        found = chapter.names["spread_pass"](a / (a + b), a + b, size)
        assert found == pytest.approx(1 - empty, rel=1e-6)
        assert found < gl.positive_probability(a / (a + b), size)
    assert chapter.number("empty_spread") == pytest.approx(9 / 73, abs=5e-4)


def test_bills_explorer_says_what_the_package_says(chapter):
    said = chapter.explorers["three-bills"].value(G=8, p=0.1)
    silent, mixed = gl.silent_probability(0.1, 8), gl.mixed_probability(0.1, 8)
    assert f"{percent(silent)} of groups are silent, {percent(0.9**8)} hold no right" in said
    assert f"off by {percent(8**-0.5)}" in said
    assert f"ask 64 prompts, hear from {64 * mixed:.1f} and find" in said
    assert f"for {64 * (1 - 0.9**8):.1f}; 51 completions are right at every G." in said


def test_spread_explorer_says_what_the_package_says(chapter):
    said = chapter.explorers["spread-pass"].value(c=10, G=64, m=0.1)
    assert f"{percent(1 - 9 / 73)} of groups" in said
    assert percent(gl.positive_probability(0.1, 64)) in said


def test_which_bill_is_open_depends_on_the_prompt(chapter):
    unpaid = chapter.names["unpaid"]
    silent, empty, noise = unpaid(0.5, 8)
    assert noise > 0.3 > 0.01 > silent > empty
    silent, empty, noise = unpaid(0.05, 8)
    assert noise < empty < silent
    times_less = chapter.names["times_less"]
    assert times_less(0.95)[0] > times_less(0.95)[1] > times_less(0.99)[0]
