"""What is odd about a log is said, with the rows it touches; and nothing is said of a log that is not odd."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
import rows
from scipy import stats

from grpo_lessons.conventions import CONVENTIONS
from grpo_lessons.rollouts import counted_rollouts, read_rollouts, sample_log, write_verl
from grpo_lessons.rollouts.traps import survivors
from grpo_lessons.rollouts.weights import reproducing_columns
from grpo_lessons.training import train_prompts


def traps(log):
    return {note.trap: note.rows for note in log.notes}


def lab(tmp_path, group_size=8, steps=40, prompts=16, keep=lambda k, size: k >= 0):
    """A run of the training lab, logged as verl does."""
    p = np.random.default_rng(3).beta(1, 2, prompts)
    for number, step in enumerate(train_prompts(p, steps=steps, group_size=group_size), 1):
        chosen = keep(step.k, group_size)
        if chosen.any():
            group = counted_rollouts(step.prompts[chosen], step.k[chosen], group_size, seed=number)
            write_verl(tmp_path, number, group)
    return read_rollouts(tmp_path)


@pytest.mark.parametrize("group_size", [2, 4, 8, 16])
def test_a_log_with_nothing_odd(tmp_path, group_size):
    assert lab(tmp_path, group_size).notes == ()


def real():
    """The rows of TRL's real files."""
    text = (sample_log("trl-lines") / "completions.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def as_trl(tmp_path, steps):
    """Rows of several steps, written as TRL does under the steps 1, 2, …"""
    for number, step in enumerate(steps, 1):
        rows.table(tmp_path / f"completions_{number:05d}.parquet", [row | {"step": number} for row in step])
    return read_rollouts(tmp_path)


@pytest.mark.parametrize("times", [2, 3, 4])
def test_repeated_rows(tmp_path, times):
    log = as_trl(tmp_path, [real()[start : start + 8] for start in range(0, 32, 8) for _ in range(times)])
    assert log.rows_read == 32 * times
    assert traps(log)["repeated-rows"] == 32 * (times - 1)
    np.testing.assert_array_equal(log.reward, read_rollouts(sample_log("trl")).reward)
    assert np.unique(log.step).tolist() == list(range(1, 4 * times + 1, times))


def test_one_repeated_file_of_many(tmp_path):
    log = as_trl(tmp_path, [real()[:8], real()[8:16], real()[8:16], real()[16:24]])
    (note,) = [note for note in log.notes if note.trap == "repeated-rows"]
    assert (note.rows, len(log.reward)) == (8, 24)
    assert note.sentence.startswith("8 rows, at step 3, repeat")


def test_copies_of_a_step_in_two_files(tmp_path):
    for rank in (0, 1):
        rows.lines(tmp_path / f"rank{rank}.jsonl", rows.verl(1, [1, 2, 3]))
    log = read_rollouts(tmp_path)
    assert traps(log) == {"repeated-rows": 12}
    assert np.bincount(log.group).tolist() == [4, 4, 4]


def test_rows_that_differ_in_one_text_are_no_repetition(tmp_path):
    first = rows.verl(1, [1, 2, 3])
    second = [row | {"step": 2, "uid": row["uid"].replace("1-", "2-")} for row in first]
    second[5] = second[5] | {"output": "another"}
    log = read_rollouts(rows.lines(tmp_path / "a.jsonl", first + second))
    assert (traps(log), len(log.reward)) == ({}, 24)


def test_chance_repetition_is_kept(tmp_path):
    """One prompt whose eight completions are all the same word: a repetition looks like the next step."""
    for step in (1, 2, 3):
        write_verl(tmp_path, step, counted_rollouts([0], [8], 8))
    log = read_rollouts(tmp_path)
    assert (traps(log), len(log.reward)) == ({"possible-repeats": 16}, 24)


def test_short_answers_seldom_look_repeated(tmp_path):
    """Two prompts, G = 4, right or wrong: of 2,000 steps a few agree with their neighbour, all by chance."""
    draw = np.random.default_rng(5)
    given = []
    for step in range(1, 2001):
        group = counted_rollouts([0, 1], draw.binomial(4, 0.5, 2), 4, seed=step)
        given += [
            {"step": step, "group": prompt, "reward": reward}
            for prompt, rewards in zip(group.prompts, group.rewards, strict=True)
            for reward in rewards
        ]
    log = read_rollouts(rows.lines(tmp_path / "a.jsonl", given))
    assert len(log.reward) == 16000
    assert traps(log)["possible-repeats"] > 0


def test_last_batch_only(tmp_path):
    for step in (10, 20, 30):
        rows.table(tmp_path / f"completions_{step:05d}.parquet", rows.trl(step, [1, 2]))
    log = read_rollouts(tmp_path)
    (note,) = log.notes
    assert (note.trap, note.rows) == ("last-batch-only", 24)
    assert "Steps come 10 apart, from 10 to 30" in note.sentence
    assert "logging_steps = 10" in note.sentence


def test_ragged_groups_and_singletons(tmp_path):
    given = rows.verl(1, [1, 2, 3, 0]) + rows.verl(2, [1, 1], 3) + rows.verl(3, [1], 1)
    log = read_rollouts(rows.lines(tmp_path / "a.jsonl", given))
    assert traps(log) == {"ragged-groups": 7, "singletons": 1}
    assert np.bincount(log.group).tolist() == [4, 4, 4, 4, 3, 3, 1]
    legacy = [
        {key: row[key] for key in ("input", "output", "score", "step")} for row in rows.verl(1, [1, 2, 3])
    ]
    legacy += [row | {"output": row["output"] + "!"} for row in legacy[:4]]
    (note,) = read_rollouts(rows.lines(tmp_path / "a.jsonl", legacy)).notes
    assert note.rows == 8
    assert "asked twice in one step" in note.sentence


def test_every_row_its_own_group(tmp_path):
    given = [{"uid": str(i), "reward": i % 2, "step": 1} for i in range(6)]
    (note,) = read_rollouts(rows.lines(tmp_path / "a.jsonl", given)).notes
    assert (note.trap, note.rows) == ("singletons", 6)
    assert "is the group column a row's id?" in note.sentence


def test_ids_that_name_no_completion_merge_prompts(tmp_path):
    log = [row | {"uid": f"q_{number // 4}_2"} for number, row in enumerate(rows.verl(1, [1, 2, 3]))]
    rows.lines(tmp_path / "1.jsonl", log)
    found = traps(read_rollouts(tmp_path))
    assert found["several-prompts"] == 12
    assert "several-prompts" not in traps(read_rollouts(tmp_path, group_column="uid"))


def test_missing_rewards(tmp_path):
    """TRL writes None where a reward function did not apply."""
    given = rows.trl(1, [1, 2, 3], style=[None, 0.5, 0.5, None] * 3)
    given[3]["correct"] = None
    given[5]["correct"] = float("inf")
    log = read_rollouts(rows.lines(tmp_path / "a.jsonl", given))
    assert traps(log)["missing-reward"] == 1  # row 3 lacks both
    assert np.flatnonzero(np.isnan(log.reward)).tolist() == [3]
    assert log.reward[5] == 0.5
    # rows 0, 4, 7, 8 and 11 lack the style; rows 3 and 5 the correctness, of which row 3 lacks both
    assert traps(log)["missing-component"] == 6


def test_graded_rewards(tmp_path):
    given = [{"group": i // 4, "reward": i % 3 / 2} for i in range(16)]
    (note,) = read_rollouts(rows.lines(tmp_path / "a.jsonl", given)).notes
    assert (note.trap, note.rows) == ("graded-rewards", 16)
    assert "take 3 different values, from 0 to 1" in note.sentence
    signs = [row | {"reward": 2 * (i % 2) - 1} for i, row in enumerate(given)]
    assert read_rollouts(rows.lines(tmp_path / "a.jsonl", signs)).notes == ()  # −1 and 1 are two values too


@pytest.mark.parametrize("preset", ["trl", "trl_none", "trl_batch"])
def test_weights_of_one_are_told_from_the_advantages(preset):
    draw = np.random.default_rng(2)
    rewards = draw.integers(0, 2, (6, 8, 3)).astype(float)
    group, step = np.repeat(np.arange(6), 8), np.zeros(48, int)
    for weights, chosen in (([1, 1, 1], (0, 1, 2)), ([1, 0, 1], (0, 2)), ([1, 0.5, 2], None)):
        advantages = CONVENTIONS[preset].advantages((rewards * weights).sum(axis=-1)).ravel()
        assert reproducing_columns(rewards.reshape(48, 3), advantages, group, step) == chosen


def test_survivors_only(tmp_path):
    """Dynamic sampling keeps mixed groups; with the silent ones the same run is not odd (above)."""
    log = lab(tmp_path, 8, steps=40, keep=lambda k, size: (k > 0) & (k < size))
    assert list(traps(log)) == ["survivors-only"]
    assert traps(log)["survivors-only"] == len(log.reward)


def test_one_end_filtered(tmp_path):
    """A filter that drops what is solved leaves the unsolved."""
    log = lab(tmp_path, 4, steps=60, keep=lambda k, size: k < size)
    (note,) = log.notes
    assert note.trap == "survivors-only"
    assert "none is all right" in note.sentence
    assert "all wrong" not in note.sentence


@pytest.mark.parametrize(
    ("group_size", "a", "b"), [(2, 1, 1), (4, 1, 3), (8, 0.5, 0.5), (8, 20, 20), (16, 2, 2), (16, 8, 8)]
)
def test_survivors_are_not_suspected_in_whole_logs(group_size, a, b):
    """300 logs of 400 groups without a filter, of which the note may doubt one."""
    draw = np.random.default_rng(1)
    suspected = 0
    for _ in range(300):
        k = stats.betabinom.rvs(group_size, a, b, size=400, random_state=draw)
        rewards = (np.arange(group_size) < k[:, None]).astype(float).ravel()
        suspected += len(survivors(rewards, np.repeat(np.arange(400), group_size)))
    assert suspected <= 1


@pytest.mark.parametrize(("group_size", "a", "b"), [(4, 1, 3), (8, 0.5, 0.5), (16, 0.7, 2)])
def test_survivors_of_a_filter_are_recognised(group_size, a, b):
    k = stats.betabinom.rvs(group_size, a, b, size=1500, random_state=np.random.default_rng(1))
    k = k[(k > 0) & (k < group_size)]
    rewards = (np.arange(group_size) < k[:, None]).astype(float).ravel()
    (note,) = survivors(rewards, np.repeat(np.arange(len(k)), group_size))
    assert note.rows == len(k) * group_size
    n1, n2 = (k == 1).sum(), (k == 2).sum()
    implied = (
        (n1 - 2 * math.sqrt(n1)) ** 2 * (group_size - 1) / (2 * group_size * (n2 + 2 * math.sqrt(n2) + 1))
    )
    assert f"imply {implied:.0f} or more" in note.sentence
    silent = stats.betabinom(group_size, a, b).pmf(0) * 1500
    assert implied < silent * 1.2  # a lower bound on what was filtered
