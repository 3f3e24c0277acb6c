"""Chapter 16: what it reads in the real log and in the lab's, held to values found another way."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from scipy import stats

import grpo_lessons as gl
from grpo_lessons.prose import percent


def share(text):
    """The first percentage in a sentence."""
    return float(text.split("\N{NARROW NO-BREAK SPACE}%")[0].split()[-1]) / 100


def test_plug_in_is_biased():
    """The curriculum's pair: at G = 8 and p = 0.2 it says 0.317 for 0.168."""
    k = np.arange(9)
    chance = stats.binom.pmf(k, 8, 0.2)
    assert chance @ ((k / 8) ** 8 + (1 - k / 8) ** 8) == pytest.approx(0.317, abs=5e-4)
    assert gl.silent_probability(0.2, 8) == pytest.approx(0.168, abs=5e-4)


def test_prose_gives_the_plug_in_s_pair(chapter):
    assert (chapter.number("plug_bias"), chapter.number("honest")) == (0.317, 0.168)


def test_subsets_are_unbiased_for_smaller_groups():
    """Exactly, for every mixture that two points make."""
    for size, smaller in ((8, 2), (8, 5), (6, 6)):
        for p in (Fraction(1, 7), Fraction(2, 3)):
            mean = sum(
                comb(size, k)
                * p**k
                * (1 - p) ** (size - k)
                * Fraction(comb(k, smaller) + comb(size - k, smaller), comb(size, smaller))
                for k in range(size + 1)
            )
            assert mean == p**smaller + (1 - p) ** smaller


@pytest.mark.parametrize("size", [2, 3, 8, 16])
def test_hole_theorem(size):
    """For laws of one point (equality), of Beta, and of points drawn at random."""
    draw = np.random.default_rng(1)
    laws = [(np.array([p]), np.ones(1)) for p in (0.05, 0.5)]
    laws += [(draw.random(5), draw.dirichlet(np.ones(5))) for _ in range(20)]
    for p, weight in laws:
        never, once, twice = (weight @ stats.binom.pmf(k, size, p) for k in (0, 1, 2))
        bound = (size - 1) / (2 * size) * once**2 / twice
        assert never >= bound * (1 - 1e-12)
        if len(p) == 1:
            assert never == pytest.approx(bound)
    never, once, twice = (stats.betabinom.pmf(k, size, 0.6, 2.5) for k in (0, 1, 2))
    assert never > (size - 1) / (2 * size) * once**2 / twice


def test_weight_and_convention_of_the_real_log(chapter):
    (match,) = chapter.names["found"].conventions.matches
    assert (match.preset, match.weights) == ("trl", {"correct": 1.0, "fmt": 0.5})
    first, second, third = (chapter.names[name] for name in ("first", "second", "third"))
    assert (second - first) / (third - second) == pytest.approx(0.5, abs=1e-6)
    assert len(chapter.names["tied"]) == 2


def test_share_of_the_variance(chapter):
    """By hand: covariance with the total within groups, over the total's variance there."""
    rewards = chapter.names["rewards"].reshape(8, 4, 2)
    centred = rewards - rewards.mean(axis=1, keepdims=True)
    total = centred @ [1, 0.5]
    right = (centred[..., 0] * total).sum() / (total**2).sum()
    assert chapter.number("share_right") == pytest.approx(right, abs=5e-4)


def test_truth_is_in_the_intervals_of_both_parts(chapter):
    for part, ends in chapter.names["parts"].items():
        for row in chapter.names["reports"][part].what_if:
            truth = chapter.names["truth"](row.group_size, *ends)
            assert row.silent.low <= truth <= row.silent.high
    for row in chapter.names["late"].what_if[:3]:
        assert row.silent.value == pytest.approx(chapter.names["truth"](row.group_size, 81, 120), abs=0.01)


def test_prose_counts_what_the_lab_drew(chapter):
    took = chapter.names["took"]
    for name, steps in (("first", took[:40]), ("last", took[80:])):
        k = np.concatenate([step.k for step in steps])
        hard, easy = np.mean(k == 0), np.mean(k == 8)
        assert chapter.number(f"hard_{name}") == pytest.approx(hard, abs=5.1e-4)
        assert chapter.number(f"easy_{name}") == pytest.approx(easy, abs=5.1e-4)
        assert chapter.number(f"sum_{name}") == pytest.approx(hard + easy, abs=5.1e-4)
    assert chapter.number("easy_first") < chapter.number("hard_first")  # the reason turns around
    assert chapter.number("easy_last") > chapter.number("hard_last")
    assert chapter.number("plug_8") > chapter.number("seen") + 0.1


def test_explorers_say_what_was_drawn(chapter):
    histogram, forecast = chapter.explorers["run-histogram"], chapter.explorers["run-what-if"]
    for end in (10, 120):
        k = np.concatenate([step.k for step in chapter.names["took"][end - 10 : end]])
        said = histogram.value(step=end)
        assert f"of {len(k)} groups {np.sum(k == 0)} are all wrong and {np.sum(k == 8)} all right" in said
        expected = chapter.names["expected_counts"](end)
        assert expected.sum() == pytest.approx(len(k))
        assert percent((expected[0] + expected[8]) / len(k)) in said
    said = forecast.value(G=8, part="last")
    assert share(said.split("forty steps, ")[1]) == pytest.approx(chapter.number("seen"), abs=0.01)
    assert percent(chapter.names["truth"](8, 81, 120)) in said


def test_tracker_answers(chapter):
    assert np.all(np.abs(chapter.names["loss"]) < 1e-6)
    assert {name for name, mean in chapter.names["means"].items() if abs(mean) > 1e-3} == {"nemo_rl"}
    assert chapter.names["component"].std() == 5
    assert chapter.names["split"].within == 0
    assert chapter.names["logit"] < np.log(9)
    assert chapter.names["missed"] == 39  # as recorded from TRL
    assert [note.trap for note in chapter.names["survivors"].notes] == ["survivors-only"]
