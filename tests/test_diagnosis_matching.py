"""Whose advantages a log has: against what the trainers' own code returned, and logs that nobody made."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from grpo_lessons.conventions import CONVENTIONS
from grpo_lessons.diagnosis import diagnose, match_conventions, read_groups
from grpo_lessons.rollouts import read_rollouts, sample_log
from tests.logs import counted, log_of

RECORDED = json.loads((Path(__file__).parent / "data" / "peer_advantages.json").read_text(encoding="utf-8"))
ORDINARY = [
    group
    for group in RECORDED["groups"]
    if group["tag"] in ("binary", "pm1", "graded") and "_spike_" not in group["id"] and group["G"] > 1
]
SAME = [  # in exact arithmetic, but for an eps that float32 does not see
    {"verl", "nemo_rl_no_loo", "slime"},
    {"openrlhf", "rlhf_book"},
    {"open_instruct_standard", "trl_async"},
    {"trl"},
    {"nemo_rl"},
    {"trl_none", "verl_no_std", "openrlhf_dr_grpo", "rlhf_book_dr_grpo", "prime_rl", "open_instruct"},
    {"trl_rloo", "verl_rloo", "openrlhf_rloo", "rlhf_book_rloo"},
]


def matched(log):
    """The presets that match a log."""
    found = diagnose(log).conventions
    return {match.preset for match in found.matches}


@pytest.mark.parametrize("preset", sorted({*RECORDED["peers"]} - {"trl_batch"}))
def test_recorded_trainers(preset):
    """Each trainer's float32 output matches its own preset, those equal to it, and no other."""
    rows = [(group["rewards"], group["advantages"][preset]["float32"]) for group in ORDINARY]
    log = log_of([rewards for rewards, _ in rows])
    logged = np.concatenate([np.array(advantages, float) for _, advantages in rows])
    groups = read_groups(
        log.group, log.group, log.prompt, log.reward
    )  # a step for each: no batch to speak of
    found = match_conventions(groups, logged, {})
    assert {match.preset for match in found.matches} - {"trl_batch"} == next(
        tie for tie in SAME if preset in tie
    )
    assert all("float32" in match.dtypes for match in found.matches)
    assert found.compared == sum(len(set(rewards)) > 1 for rewards, _ in rows)


@pytest.mark.parametrize(
    ("preset", "others"),
    [("openrlhf", set()), ("verl", {"nemo_rl_no_loo", "slime"}), ("open_instruct_standard", {"trl_async"})],
)
def test_float64_tells_an_eps_of_a_billionth(preset, others):
    k = np.random.default_rng(0).integers(0, 9, 60)
    groups = [[1.0] * right + [0.0] * (8 - right) for right in k]
    logged = np.concatenate([CONVENTIONS[preset].advantages(group, "float64") for group in groups])
    found = diagnose(log_of(groups, advantage=logged)).conventions
    assert {match.preset for match in found.matches} == {preset, *others}
    assert {match.dtypes for match in found.matches} == {("float64",)}
    assert found.precision == "float64"


def test_recorded_batch():
    batch = RECORDED["batches"][0]
    groups = np.reshape(batch["rewards"], (batch["n_groups"], batch["G"])).tolist()
    log = log_of(groups, advantage=np.ravel(batch["advantages"]["trl_batch"]["float32"]).astype(float))
    assert matched(log) == {"trl_batch"}


class TestRealTrl:
    """Four steps that TRL wrote, with reward weights 1 and 0.5 that it did not write."""

    def test_weights_are_found(self):
        log = read_rollouts(sample_log("trl"))
        found = diagnose(log)
        (match,) = found.conventions.matches
        assert (match.preset, match.weights) == ("trl", {"correct": 1.0, "fmt": 0.5})
        assert found.weights == match.weights
        assert found.conventions.residual < 1e-6
        assert found.rule == "graded rewards from 0 to 1.5"

    def test_plain_sum_matches_nothing(self):
        log = read_rollouts(sample_log("trl"))
        groups = read_groups(log.group, log.step, log.prompt, log.reward)
        assert match_conventions(groups, log.advantage, {"total": log.reward}).matches == ()


class TestWeights:
    """Two reward functions whose weighted sum made the advantages, with the weights forgotten."""

    def log(self, preset, weights, groups=40):
        rng = np.random.default_rng(4)
        parts = [rng.integers(0, 2, (groups, 8)).astype(float), rng.random((groups, 8)).round(2)]
        total = weights[0] * parts[0] + weights[1] * parts[1]
        logged = CONVENTIONS[preset].advantages(total).astype(float).ravel()
        columns = {name: part.ravel() for name, part in zip(("right", "short"), parts, strict=True)}
        return log_of((parts[0] + parts[1]).tolist(), advantage=logged, components=columns)

    @pytest.mark.parametrize("weights", [(1.0, 0.25), (2.0, 0.2), (0.3, -1.0)])
    def test_trl(self, weights):
        """An eps of 1e-4 tells the unit too, where the weights are not too large for it."""
        (match,) = diagnose(self.log("trl", weights)).conventions.matches
        assert match.preset == "trl"
        assert list(match.weights.values()) == pytest.approx(weights, rel=2e-2)

    def test_small_eps_tells_the_ratio(self):
        found = diagnose(self.log("open_instruct_standard", (2.0, 0.5))).conventions.matches
        match = next(match for match in found if match.preset == "open_instruct_standard")
        assert match.weights["short"] / match.weights["right"] == pytest.approx(0.25, rel=1e-3)

    def test_a_tie_between_a_baseline_and_the_weights(self):
        """Undivided: weights w with a mean baseline, or 7/8 of them with leave-one-out."""
        found = {
            match.preset: match for match in diagnose(self.log("trl_none", (1.0, 0.5))).conventions.matches
        }
        assert set(found) == SAME[5] | SAME[6]
        assert found["trl_none"].weights == {"right": 1.0, "short": 0.5}
        assert list(found["trl_rloo"].weights.values()) == pytest.approx([7 / 8, 7 / 16], abs=1e-3)

    def test_functions_that_move_together_are_not_told_apart(self):
        log = self.log("trl", (1.0, 0.25))
        twin = {"right": log.components["right"], "twin": 2 * log.components["right"]}
        found = diagnose(log_of([], **{**log.__dict__, "components": twin})).conventions
        assert found.matches == ()


def test_one_wrong_advantage_is_no_match():
    log = counted([1, 3, 0, 5] * 10, 8, preset="verl")
    log.advantage[3] += 1e-3
    found = diagnose(log).conventions
    assert found.matches == ()
    assert found.nearest in SAME[0]
    assert found.agreeing == pytest.approx(29 / 30)
    assert found.residual == pytest.approx(1e-3, rel=1e-3)


def test_printed_to_four_decimals():
    log = counted([1, 3, 0, 5] * 10, 8, preset="verl")
    log.advantage[:] = np.round(log.advantage, 4)
    found = diagnose(log).conventions
    assert {match.preset for match in found.matches} >= SAME[0]
    assert "trl" not in {match.preset for match in found.matches}
    assert found.precision == "printed to 4 decimals"


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_moments_in_another_order(dtype):
    """E[x²] − E[x]² loses more digits than a sum about the mean."""
    rewards = np.random.default_rng(3).random((40, 8))
    logged = CONVENTIONS["nemo_rl"].advantages(rewards, dtype).astype(float)
    log = log_of(rewards[:, ::-1].tolist(), advantage=logged[:, ::-1].ravel())
    assert matched(log) == {"nemo_rl"}


@pytest.mark.parametrize("preset", ["trl", "verl"])
def test_printed_from_float32_in_another_order(preset):
    """A sum in another order is off by float32's rounding, on top of the print's."""
    rewards = np.random.default_rng(3).random((40, 16))
    logged = CONVENTIONS[preset].advantages(rewards, "float32").astype(float).round(6)
    log = log_of(rewards[:, ::-1].tolist(), advantage=logged[:, ::-1].ravel())
    found = diagnose(log).conventions
    assert {match.preset for match in found.matches} == next(tie for tie in SAME if preset in tie)
    assert found.precision == "printed to 6 decimals"


def test_shifted_and_scaled_advantages_are_nobodys():
    for change in (lambda a: a + 0.5, lambda a: 1.05 * a, lambda a: np.clip(a, -1, 1)):
        log = counted([1, 3, 0, 5] * 10, 8, preset="verl")
        log.advantage[:] = change(log.advantage)
        assert matched(log) == set()


def test_nothing_to_compare():
    found = diagnose(counted([0, 8, 8], 8, preset="trl")).conventions
    assert (found.compared, found.matches, found.nearest) == (0, (), None)
    assert diagnose(counted([1, 2], 8)).conventions is None
    log = counted([1, 2], 8, preset="trl")
    log.advantage[:] = np.nan
    assert diagnose(log).conventions.compared == 0


def test_ragged_groups():
    rng = np.random.default_rng(2)
    groups = [rng.integers(0, 2, size).tolist() for size in rng.integers(2, 9, 50)]
    assert matched(log_of(groups, "trl_rloo")) >= SAME[6]


def test_a_function_without_a_reward_for_some_rows():
    """TRL writes None where a function has nothing to say, and sums the others."""
    right = np.array([[1, 0, np.nan, 1], [0, np.nan, 1, 1], [1, 0, 0, 0]])
    form = np.array([[0, 0, 1, 1], [1, 0, 1, 0], [1, 0, 1, 0.0]])
    unused = np.full(12, np.nan)
    columns = {"right": right.ravel(), "form": form.ravel(), "unused": unused}
    found = diagnose(log_of((np.nan_to_num(right) + form).tolist(), "trl", components=columns))
    assert [match.preset for match in found.conventions.matches] == ["trl"]
    assert sum(one.share for one in found.components) == pytest.approx(1)
