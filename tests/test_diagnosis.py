"""The whole diagnosis: sensible on logs at every edge, and plain data for JSON."""

from __future__ import annotations

import json

import numpy as np
import pytest

from grpo_lessons import silent_probability
from grpo_lessons.conventions import CONVENTIONS
from grpo_lessons.diagnosis import diagnose
from grpo_lessons.rollouts import read_rollouts, sample_log
from tests.logs import counted, drawn, log_of, note

NAN = float("nan")

EDGES = {
    "no rows": log_of([]),
    "only singletons": log_of([[1], [0]]),
    "only missing": log_of([[NAN, 1], [0, NAN]]),
    "one group": counted([2], 8, preset="trl"),
    "one silent group": counted([0], 8, preset="trl"),
    "all wrong": counted([0] * 9, 8, preset="verl"),
    "all right": counted([8] * 9, 8, preset="verl"),
    "all silent": counted([0, 8] * 5, 8, preset="verl"),
    "all mixed": counted([3, 5] * 5, 8, preset="verl"),
    "groups of two": counted([0, 1, 2] * 9, 2, preset="verl"),
    "two values": log_of([[-1, 1, 1], [-1, -1, -1], [0, 0, 0]][:2] * 4),
    "odd values": log_of([[0.3, 0.7], [0.7, 0.7], [0.3, 0.3]] * 4, "trl"),
    "ragged": log_of([[1, 0], [1, 1, 0], [0] * 7, [1]] * 5),
    "graded": log_of([[0.1, 0.5, 0.9], [0.2, 0.2, 0.2]] * 5, "trl"),
    "missing some": log_of([[1, 0, NAN], [1, 0, 0], [1, 1, 1]]),
    "large": counted([0, 20, 64] * 9, 64, preset="trl"),
    "no advantage at all": counted([1, 2], 4, advantage=np.full(8, NAN)),
    "infinite advantages": counted([1, 2], 4, advantage=np.full(8, np.inf)),
    "survivors": counted([3, 1, 2] * 5, 4, notes=(note("survivors-only"),)),
    "huge rewards": log_of([[1e300, 0], [0, 0]] * 3, advantage=np.tile([1.0, -1, 0, 0], 3)),
    "infinite reward": log_of([[np.inf, 0], [0, 0]]),
}


@pytest.mark.parametrize("name", EDGES)
def test_edges(name):
    """No warning, three pieces of advice, lines of 80 columns, and JSON without NaN."""
    found = diagnose(EDGES[name])
    assert len(found.advice) == 3
    assert all(len(line) <= 80 for line in str(found).splitlines())
    json.dumps(found.to_dict(), allow_nan=False)
    assert found.mixed_groups <= found.groups
    if found.silence is not None:
        seen = found.silence.observed
        assert 0 <= seen.low <= seen.value <= seen.high <= 1


@pytest.mark.parametrize(
    ("sizes", "usual"), [([8, 4, 4, 16], 4), ([16, 4, 16, 4], 4), ([16, 8, 16], 16), ([], 0)]
)
def test_the_usual_size_is_the_most_common_and_of_two_the_smaller(sizes, usual):
    assert diagnose(log_of([[1] + [0] * (size - 1) for size in sizes])).usual_size == usual


def test_a_known_log():
    k = [0] * 5 + [8] * 3 + [1, 4, 7, 4]
    found = diagnose(counted(k, 8, steps=3, preset="trl"))
    assert (found.groups, found.rows, found.sizes) == (12, 96, {8: 12})
    assert (found.mixed_groups, found.mixed_rollouts) == (4, 32)
    assert found.silence.observed.value == pytest.approx(8 / 12)
    assert (found.silence.too_easy, found.silence.too_hard) == (3 / 12, 5 / 12)
    assert found.histogram == {8: [5, 1, 0, 0, 2, 0, 0, 1, 3]}
    assert [step.groups for step in found.steps] == [4, 4, 4]
    assert [(step.mixed, step.all_right, step.all_wrong) for step in found.steps] == [
        (0, 0, 4),
        (0, 3, 1),
        (4, 0, 0),
    ]
    assert found.steps[2].histogram == {8: [0, 1, 0, 0, 2, 0, 0, 1, 0]}
    assert found.mean_reward == pytest.approx(40 / 96)
    assert found.pass_at[8] == pytest.approx(7 / 12)
    assert found.conventions.matches[0].preset == "trl"


def test_steps_add_up():
    found = diagnose(drawn(np.random.default_rng(0).beta(1, 2, 90), 4, 1, steps=9))
    for size, counts in found.histogram.items():
        assert np.sum([step.histogram[size] for step in found.steps], axis=0).tolist() == counts
    assert sum(step.mixed for step in found.steps) == found.mixed_groups


@pytest.mark.parametrize("values", [(0.0, 1.0), (-1.0, 1.0), (0.3, 0.7)])
def test_any_two_values_are_counted_alike(values):
    """The counts and all that follows from them do not know the values."""
    k = np.random.default_rng(3).binomial(8, 0.3, 50)
    plain = diagnose(counted(k, 8))
    other = diagnose(log_of([[values[1]] * right + [values[0]] * (8 - right) for right in k]))
    for name in ("histogram", "silence", "pass_at", "fit", "what_if", "smallest", "mixed_groups"):
        one, two = (json.dumps(found.to_dict()[name]) for found in (plain, other))
        assert one == two, name
    scale = (values[1] - values[0]) ** 2
    assert other.variance.within == pytest.approx(scale * plain.variance.within)


def test_graded_rewards():
    log = log_of([[0.1, 0.5, 0.9, 0.9], [0.2, 0.2, 0.2, 0.2], [0.9, 0.8, 0.7, 0.9]] * 5)
    plain, passed = diagnose(log), diagnose(log, success_threshold=0.5)
    assert (plain.histogram, plain.fit, plain.pass_at) == (None, None, None)
    assert plain.silence.observed.value == passed.silence.observed.value == pytest.approx(1 / 3)
    assert plain.silence.too_easy is None
    assert [row.group_size for row in plain.what_if] == [2, 4]
    assert passed.histogram == {4: [5, 0, 0, 5, 5]}
    assert (passed.silence.too_easy, passed.silence.too_hard) == (pytest.approx(1 / 3), pytest.approx(1 / 3))
    with pytest.raises(ValueError, match="success_threshold must be finite, got nan"):
        diagnose(log, success_threshold=NAN)


def test_sums_that_differ_by_rounding_are_equal():
    """0.1 + 0.2 and 0.3: with those weights fitted, the last group is silent."""
    parts = np.random.default_rng(0).integers(0, 2, (40, 4, 3)).astype(float)
    parts[-1] = [[1, 1, 0], [0, 0, 1], [1, 1, 0], [0, 0, 1]]
    total = parts @ [0.1, 0.2, 0.3]
    log = log_of(
        parts.sum(axis=2).tolist(),
        advantage=CONVENTIONS["trl_none"].advantages(total, "float64").ravel(),
        components={name: parts[:, :, i].ravel() for i, name in enumerate("abc")},
    )
    found = diagnose(log)
    assert found.weights == {"a": 0.1, "b": 0.2, "c": 0.3}
    assert found.mixed_groups == sum(np.ptp(group) > 1e-9 for group in total)


def test_missing_rewards_are_counted_out():
    found = diagnose(log_of([[1, 0, NAN], [1, 0, 0], [1, 1, 1], [1]]))
    assert (found.groups, found.incomplete, found.singletons, found.rows) == (2, 1, 1, 6)


def test_survivors_are_not_extrapolated():
    found = diagnose(EDGES["survivors"])
    assert (found.fit, found.silence.expected, found.what_if) == (None, None, ())
    assert found.histogram == {4: [0, 5, 5, 5, 0]}


def test_expected_and_observed_at_ragged_sizes():
    rng = np.random.default_rng(5)
    size = np.array([4] * 600 + [12] * 300)
    k = rng.binomial(size, 0.3)
    found = diagnose(
        log_of([[1.0] * right + [0.0] * (each - right) for right, each in zip(k, size, strict=True)])
    )
    truth = 2 / 3 * silent_probability(0.3, 4) + silent_probability(0.3, 12) / 3
    assert found.silence.expected.value == pytest.approx(float(truth), abs=0.02)
    assert found.silence.expected.low <= truth <= found.silence.expected.high


def test_real_logs():
    """TRL's with its own reward column, and verl's one group."""
    log = read_rollouts(sample_log("trl"), reward_column="correct")
    found = diagnose(log)
    assert found.histogram == {4: [1, 3, 2, 2, 0]}
    assert diagnose(read_rollouts(sample_log("verl-legacy"))).histogram == {2: [0, 1, 0]}


def test_keys_for_readers_of_json():
    found = diagnose(drawn(np.full(40, 0.4), 4, 0, preset="verl")).to_dict()
    assert found["silence"]["observed"].keys() == {"value", "low", "high"}
    assert found["what_if"][0].keys() == {"group_size", "silent", "cost", "fidelity"}
    assert found["fit"]["law"].startswith("p = ")
    assert found["advice"][0].keys() == {"rule", "sentence", "evidence", "caveat"}
    assert found["histogram"]["4"] == found["steps"][0]["histogram"]["4"]
