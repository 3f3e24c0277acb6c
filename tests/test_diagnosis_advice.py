"""Which advice a log gets: each rule from a log made for it."""

from __future__ import annotations

import numpy as np
import pytest

import grpo_lessons as gl
from grpo_lessons.diagnosis import diagnose
from tests.logs import counted, drawn, log_of, note

RNG = np.random.default_rng(9)
HARD, EASY, EVEN = RNG.beta(0.4, 2, 400), RNG.beta(2, 0.4, 400), RNG.beta(0.35, 0.35, 400)


def changed(log):
    log.advantage[3] += 0.1
    return log


def noisy(log):
    log.advantage[:4] = 0.0289  # of eight rewards of 0.3 in float32
    return log


def moved(groups=900):
    p = np.random.default_rng(1).beta(1, 1, groups // 3)
    return drawn(
        np.concatenate([p**4, p, p**0.25]), 8, 0, prompt=np.repeat(np.arange(groups) % (groups // 3), 8)
    )


def parts(**columns):
    """A log of the sum of reward functions, in groups of five."""
    return log_of(np.reshape(sum(columns.values()), (-1, 5)).tolist(), components=columns)


RULES = {
    "no-groups": log_of([[1], [0]]),
    "survivors-only": counted([1, 2, 3] * 20, 4, notes=(note("survivors-only"),)),
    "unknown-convention": changed(counted([1, 2, 3] * 20, 4, preset="trl")),
    "incomplete-log": log_of([[1, 0, float("nan")]] + [[1, 0, 0]] * 60),
    "graded-rewards": log_of([[0.1, 0.5, 0.9]] * 90),
    "few-groups": counted([0, 1, 2], 4),
    "all-silent": counted([0] * 200, 4),
    "too-hard": drawn(HARD, 8, 0),
    "too-easy": drawn(EASY, 8, 0),
    "draw-again": drawn(EVEN, 8, 0),
    "larger-group": drawn(EVEN, 4, 0),
    "smaller-group": drawn(np.full(300, 0.5), 32, 0),
    "silent-not-zero": noisy(counted([0, 2, 3, 1, 2] * 60, 4, preset="verl")),
    "held-out": moved(),
    "components": parts(right=RNG.integers(0, 2, 1000) * 1.0, form=np.ones(1000)),
    "leave": drawn(np.full(300, 0.5), 8, 0),
    "watch": drawn(np.full(300, 0.5), 8, 0),
    "compare": drawn(np.full(300, 0.5), 8, 0),
}


@pytest.mark.parametrize("rule", RULES)
def test_rule(rule):
    said = {advice.rule: advice for advice in diagnose(RULES[rule]).advice}
    assert rule in said
    for text in (said[rule].sentence, said[rule].evidence, said[rule].caveat):
        assert text[0].isupper() or text[0].isdigit()
        assert text.endswith(".")
        assert "None" not in text
        assert "nan" not in text.split()


def sentence(rule, log):
    return next((advice.sentence for advice in diagnose(log).advice if advice.rule == rule), None)


def test_a_trusted_healthy_log_gets_none_of_the_warnings():
    found = diagnose(drawn(np.full(300, 0.5), 8, 0, preset="trl"))
    assert [advice.rule for advice in found.advice] == ["leave", "watch", "compare"]


def test_hard_and_easy_are_not_mixed_up():
    assert sentence("too-easy", RULES["too-hard"]) is None
    assert sentence("too-hard", RULES["too-easy"]) is None
    assert "easier" in sentence("all-silent", counted([0] * 200, 4))
    assert "harder" in sentence("all-silent", counted([4] * 200, 4))


@pytest.mark.parametrize("size", [2, 4, 8, 16])
def test_drawing_again_is_cheaper_than_a_larger_group(size):
    """What the rule takes for granted: G/(1 − s) at any p is below the G that silences 5 % of groups."""
    p = np.linspace(0.005, 0.5, 100)
    many = gl.silent_probability(p, size) >= 0.2
    enough = gl.min_group_size_for_coverage(p, 0.95)
    assert np.all(gl.rollouts_per_mixed_group(p, size)[many] < enough[many])


def test_the_component_that_makes_the_variance():
    log = parts(right=RNG.integers(0, 2, 1000) * 1.0, form=RNG.integers(0, 2, 1000) * 0.1)
    assert "Watch right" in sentence("components", log)
    assert "rework form" in sentence("components", RULES["components"])
