"""Chapter 07: the figures of article A's table, and that prose, figure and package say the same."""

import numpy as np
import pytest

import grpo_lessons as gl
from grpo_lessons.prose import percent

ARTICLE_A = {0.5: (0.8, 0.0), 0.8: (16.8, 0.0), 0.9: (43.0, 0.1), 0.95: (66.3, 3.8), 0.99: (92.3, 52.6)}


@pytest.mark.parametrize("p", ARTICLE_A)
def test_article_a_table(p):
    assert (100 * gl.silent_probability(p, [8, 64])).round(1) == pytest.approx(ARTICLE_A[p])


def test_three_tenths_is_silent_less_and_less():
    assert (100 * gl.silent_probability(0.3, [2, 4, 8])).round(1) == pytest.approx([58.0, 24.8, 5.8])


def test_prose_says_what_the_package_says(chapter):
    assert chapter.number("half_8") == pytest.approx(2**-7, abs=5e-4)
    assert chapter.number("p95_8") == pytest.approx(0.95**8 + 0.05**8, abs=5e-4)
    assert chapter.number("uniform_8") == pytest.approx(2 / 9, abs=5e-4)


def test_calculator_says_what_the_package_says(chapter):
    said = chapter.explorers["silent"].value(G=8, p=0.95)
    assert chapter.glued["p95_8"] in said
    assert "G must be at least 59." in said


def test_mixture_splits_silence_into_its_causes(chapter):
    said = chapter.explorers["silent-mixture"].value(G=8, m=0.5, c=2)
    assert percent(gl.beta_silent_probability(1, 1, 8)) in said
    assert said.count(percent(1 / 9)) == 2


def test_mixture_bins_add_up(chapter):
    hard, easy = chapter.names["silent_mass"](0.7, 2.1, 16)
    total = gl.beta_silent_probability(0.7, 2.1, 16)
    assert np.sum(hard) + np.sum(easy) == pytest.approx(total, rel=1e-12)


def test_a_loss_of_zero_is_steep(chapter):
    assert abs(chapter.names["zero_value"]) < 1e-15
    assert chapter.names["zero_slope"] == pytest.approx(np.sqrt(15) / 8, rel=1e-6)
    assert chapter.names["silent_slope"] == 0


def test_kl_term_pulls_a_silent_group_back(chapter):
    """d/dθ of ρ − log ρ − 1 by differences, ρ = π_ref/π of a right completion with one logit."""
    p, step = 0.9, 1e-6

    def penalty(move):
        odds = p / (1 - p) * np.exp(move)
        ratio = 0.5 / (odds / (1 + odds))
        return ratio - np.log(ratio) - 1

    slope = (penalty(step) - penalty(-step)) / (2 * step)
    assert chapter.names["penalty_term"] == pytest.approx(-0.04 * slope, rel=1e-6)
    assert chapter.names["reward_term"] == 0
