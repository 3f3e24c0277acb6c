"""Logs of every layout: TRL's and verl's legacy files are real, the others constructed from field lists."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
import rows
from pyarrow import parquet

from grpo_lessons.rollouts import counted_rollouts, read_rollouts, sample_log, write_trl, write_verl


def counts(log):
    """Rows and sum of rewards of each group."""
    return np.bincount(log.group).tolist(), np.bincount(log.group, log.reward).tolist()


def test_real_trl():
    log = read_rollouts(sample_log("trl"))
    assert (log.format, log.rows_read, len(log.reward)) == ("trl", 32, 32)
    assert [Path(path).name for path in log.paths] == [
        f"completions_0000{step}.parquet" for step in (1, 2, 3, 4)
    ]
    assert counts(log)[0] == [4] * 8
    np.testing.assert_array_equal(log.step, np.repeat([1, 2, 3, 4], 8))
    np.testing.assert_array_equal(log.prompt, np.repeat([0, 1, 2, 0, 0, 1, 2, 0], 4))  # a c b a a c b a
    columns = [parquet.read_table(path).to_pydict() for path in log.paths]
    for name in ("correct", "fmt"):
        np.testing.assert_array_equal(log.components[name], np.concatenate([one[name] for one in columns]))
    np.testing.assert_array_equal(log.reward, log.components["correct"] + log.components["fmt"])
    np.testing.assert_array_equal(log.advantage, np.concatenate([one["advantage"] for one in columns]))
    assert {note.trap for note in log.notes} == {"graded-rewards", "unknown-weights"}
    # fmt has weight 1/2: with it the advantages come out, so it is the plain sum that does not give them
    total = (log.components["correct"] + log.components["fmt"] / 2).reshape(8, 4)
    centred = total - total.mean(axis=1, keepdims=True)
    textbook = centred / (total.std(axis=1, ddof=1, keepdims=True) + 1e-4)
    np.testing.assert_allclose(log.advantage, textbook.ravel(), atol=1e-6)


def test_same_rows_as_lines():
    files, lines = read_rollouts(sample_log("trl")), read_rollouts(sample_log("trl-lines"))
    assert (files.format, files.notes) == (lines.format, lines.notes)
    for name in ("step", "group", "prompt", "reward", "advantage"):
        np.testing.assert_array_equal(getattr(files, name), getattr(lines, name))


def test_real_verl_legacy():
    log = read_rollouts(sample_log("verl-legacy"))
    assert (log.format, log.notes, log.advantage) == ("verl-legacy", (), None)
    assert (log.step.tolist(), log.group.tolist(), log.reward.tolist()) == ([7, 7], [0, 0], [1.0, 0.0])
    assert list(log.components) == ["score"]


def test_unknown_sample():
    with pytest.raises(ValueError, match="name must be one of 'trl'"):
        sample_log("ppo")


@pytest.mark.parametrize("write", [write_verl, write_trl])
def test_what_the_package_writes(tmp_path, write):
    k = [0, 2, 4, 1]
    for step in (1, 2, 11):
        write(tmp_path, step, counted_rollouts([7, 3, 7, 5], k, 4, seed=step))
    log = read_rollouts(tmp_path)
    assert log.format == {write_verl: "verl", write_trl: "trl"}[write]
    assert counts(log) == ([4] * 12, k * 3)
    np.testing.assert_array_equal(log.prompt, np.repeat([0, 1, 0, 2] * 3, 4))
    np.testing.assert_array_equal(log.step, np.repeat([1, 2, 11], 16))
    assert [note.trap for note in log.notes] == ["missing-steps"]
    assert "8 steps" in log.notes[0].sentence


def test_verl_groups_by_uid(tmp_path):
    """One prompt asked twice in a step is two groups where there is a uid, one where there is none."""
    twice = [row | {"input": "same"} for row in rows.verl(3, [1, 4])]
    assert counts(read_rollouts(rows.lines(tmp_path / "3.jsonl", twice))) == ([4, 4], [1, 4])
    legacy = [{key: value for key, value in row.items() if key != "uid"} for row in twice]
    log = read_rollouts(rows.lines(tmp_path / "4.jsonl", legacy))
    assert (log.format, counts(log)) == ("verl-legacy", ([8], [5]))


def test_open_instruct(tmp_path):
    for shard, steps in enumerate(([1, 2], [2, 3])):  # a step may go on in the next shard
        part = [row for step in steps for row in rows.open_instruct(step, [1, 0, 4])]
        part = part[6:] if shard else part[:18]
        rows.lines(tmp_path / f"run_rollouts_{shard:06d}.jsonl", part)
    log = read_rollouts(tmp_path)
    assert (log.format, counts(log)) == ("open-instruct", ([4] * 9, [10, 0, 40] * 3))
    assert log.advantage[:4].tolist() == [7.5, -2.5, -2.5, -2.5]
    np.testing.assert_array_equal(log.prompt, np.repeat([0, 1, 2] * 3, 4))


def test_nemo_rl(tmp_path):
    for step in (2, 10, 1):
        rows.lines(tmp_path / f"train_data_step{step}.jsonl", rows.nemo_rl(step, [0, 1, 3, 4, 2, 1]))
    rows.lines(tmp_path / "val_data_step1.jsonl", [{"content": ["a"], "rewards": [1.0], "idx": 0}])
    log = read_rollouts(tmp_path)
    assert (log.format, counts(log)) == ("nemo-rl", ([4] * 18, [0, 1, 3, 4, 2, 1] * 3))
    np.testing.assert_array_equal(log.step, np.repeat([1, 2, 10], 24))
    assert log.advantage[4:6] == pytest.approx([1, -1 / 3])
    assert (log.prompt == -1).all()
    assert log.notes[0].trap == "other-files"


def test_nemo_rl_without_advantages_needs_the_size(tmp_path):
    bare = [{key: row[key] for key in ("content", "rewards", "idx")} for row in rows.nemo_rl(1, [0, 1, 3])]
    path = rows.lines(tmp_path / "train_data_step1.jsonl", bare)
    with pytest.raises(ValueError, match="--group-size"):
        read_rollouts(path)
    assert counts(read_rollouts(path, group_size=4)) == ([4] * 3, [0, 1, 3])
    with pytest.raises(ValueError, match="12 rows of step 1 are no multiple of the group size 5"):
        read_rollouts(path, group_size=5)


def test_nemo_rl_filtered(tmp_path):
    """Under dynamic sampling `rewards` are those of the whole batch, `filtered_rewards` those of the rows."""
    kept = [
        row | {"filtered_rewards": row["rewards"], "rewards": [0.5]} for row in rows.nemo_rl(1, [1, 3, 2])
    ]
    log = read_rollouts(rows.lines(tmp_path / "train_data_step1.jsonl", kept), group_size=4)
    assert counts(log)[1] == [1, 3, 2]
    assert "filtered_rewards" in log.why


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet", ".jsonl", ".jsonl.gz", ".csv.gz"])
def test_tables(tmp_path, suffix):
    """Any table: two steps of three groups, rows shuffled, an answer with comma, quotes and a line break."""
    given = [
        {"step": step, "group_id": f"g{g}", "reward": 2.0 * (i < g) - 1, "answer": f'{step}, "{g}"\n{i}'}
        for step in (10, 9)
        for g in range(3)
        for i in range(3)
    ]
    order = np.random.default_rng(1).permutation(len(given))
    path = tmp_path / f"log{suffix}"
    if ".jsonl" in suffix:
        rows.lines(path, [given[i] for i in order])
    else:
        rows.table(tmp_path / f"log{suffix.removesuffix('.gz')}", [given[i] for i in order])
    if suffix == ".csv.gz":
        path.write_bytes(gzip.compress((tmp_path / "log.csv").read_bytes()))
    log = read_rollouts(path)
    assert (log.format, log.step.tolist()) == ("table", [9] * 9 + [10] * 9)
    sizes, sums = counts(log)
    assert sizes == [3] * 6
    assert sorted(sums[:3]) == sorted(sums[3:]) == [-3, -1, 1]


def test_options(tmp_path):
    given = [{"id": i, "family": i // 4 % 2, "a": i % 2, "b": -float(i)} for i in range(8)]
    path = rows.table(tmp_path / "log.csv", given)
    log = read_rollouts(path, group_column="family", reward_column="b")
    assert counts(log) == ([4, 4], [-6, -22])
    assert counts(read_rollouts(path, group_size=2, reward_column="a")) == ([2] * 4, [1] * 4)
    verl = rows.lines(tmp_path / "1.jsonl", [row | {"acc": 1 - row["score"]} for row in rows.verl(1, [1, 2])])
    assert counts(read_rollouts(verl, reward_column="acc"))[1] == [3, 2]
    assert counts(read_rollouts(verl, group_column="gts"))[0] == [8]
    assert counts(read_rollouts(verl, group_size=2))[1] == [1, 0, 2, 0]


@pytest.mark.parametrize("options", [{"group_size": 1}, {"group_size": 2.5}, {"group_size": True}])
def test_impossible_size(options):
    with pytest.raises(ValueError, match="group_size must be a whole number of at least 2, got"):
        read_rollouts(sample_log("trl"), **options)


def test_size_and_column_exclude_each_other():
    with pytest.raises(ValueError, match="exclude each other"):
        read_rollouts(sample_log("trl"), group_size=4, group_column="prompt")


def test_blocks_must_have_one_prompt():
    with pytest.raises(ValueError, match="a group of step 1 has two prompts"):
        read_rollouts(sample_log("trl"), group_size=8)


def test_trl_prompt_twice_in_a_row(tmp_path):
    """A run of eight rows of one prompt is two groups of four, as in the rest, or as the advantages say."""
    both = [row | {"prompt": "same"} for row in rows.trl(1, [1, 2])]
    for more in ([], rows.trl(2, [3, 0, 1])):
        log = read_rollouts(rows.lines(tmp_path / "log.jsonl", both + more))
        assert counts(log)[1][:2] == [1, 2]
    messages = [row | {"prompt": [{"role": "user", "content": row["prompt"]}]} for row in rows.trl(1, [1, 2])]
    assert counts(read_rollouts(rows.lines(tmp_path / "log.jsonl", messages)))[1] == [1, 2]
    table = rows.table(tmp_path / "completions_00001.parquet", messages)
    assert counts(read_rollouts(table))[1] == [1, 2]


def test_trl_columns_that_are_no_rewards(tmp_path):
    """A figure logged beside the rewards is told by the advantages, which it does not move."""
    extra = [float(i * i) for i in range(12)]
    log = read_rollouts(rows.lines(tmp_path / "a.jsonl", rows.trl(1, [1, 2, 3], answer_length=extra)))
    assert list(log.components) == ["correct"]
    assert [note.trap for note in log.notes] == ["other-columns"]
    assert "answer_length" in log.notes[0].sentence


def test_mixed_order_and_patterns(tmp_path):
    for step in (10, 2, 1):
        rows.lines(tmp_path / f"{step}.jsonl", rows.verl(step, [step % 4]))
    expected = read_rollouts(tmp_path)
    assert expected.step.tolist() == [1] * 4 + [2] * 4 + [10] * 4
    assert [Path(path).name for path in expected.paths] == ["1.jsonl", "2.jsonl", "10.jsonl"]
    for paths in (str(tmp_path / "*.jsonl"), [tmp_path / "10.jsonl", tmp_path / "2.jsonl", tmp_path]):
        log = read_rollouts(paths)
        np.testing.assert_array_equal(log.step, expected.step)
        np.testing.assert_array_equal(log.reward, expected.reward)
    both = rows.lines(tmp_path / "all.jsonl", rows.verl(3, [1]) + rows.verl(2, [3]))
    assert counts(read_rollouts(both))[1] == [3, 1]


def test_steps_in_any_order_keep_the_order_of_their_rows(tmp_path):
    """TRL's groups are blocks, so that sorting by step must not move rows within a step."""
    k = [[step % 5, (step + 1) % 5] * 10 for step in range(9)]
    given = [row for step in reversed(range(9)) for row in rows.trl(step, k[step])]
    log = read_rollouts(rows.lines(tmp_path / "a.jsonl", given))
    assert counts(log) == ([4] * 180, [right for step in k for right in step])


def test_folder_below(tmp_path):
    (tmp_path / "train.log").write_text("loss 0.0")
    below = tmp_path / "out" / "completions"
    below.mkdir(parents=True)
    rows.table(below / "completions_00001.parquet", rows.trl(1, [1, 3]))
    assert counts(read_rollouts(tmp_path))[1] == [1, 3]


def test_progress(tmp_path):
    for step in range(1, 6):
        rows.lines(tmp_path / f"{step}.jsonl", rows.verl(step, [1] * 300))
    seen: list[float] = []
    read_rollouts(tmp_path, progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == pytest.approx(1)
    assert len(seen) >= 5


def test_without_orjson(tmp_path, monkeypatch):
    path = rows.lines(tmp_path / "1.jsonl", rows.verl(1, [1, 2]))
    expected = read_rollouts(path)
    monkeypatch.setattr("grpo_lessons.rollouts.json_lines.orjson", None)
    np.testing.assert_array_equal(read_rollouts(path).reward, expected.reward)


def test_without_pyarrow(no_pyarrow):
    with pytest.raises(ImportError, match=r"pip install 'grpo-lessons\[runs\]'"):
        read_rollouts(sample_log("trl"))
    assert len(read_rollouts(sample_log("trl-lines")).reward) == 32


def test_no_texts_are_kept(tmp_path):
    secret = [row | {"output": "<script>alert(1)</script>"} for row in rows.verl(1, [1, 2])]
    assert "script" not in repr(read_rollouts(rows.lines(tmp_path / "1.jsonl", secret)))


def test_python_s_own_json(tmp_path):
    """NaN tokens, lone surrogates and huge integers, which orjson refuses or rounds."""
    given = rows.verl(1, [1, 2])
    given[3]["score"] = float("nan")
    given[4]["output"] = "\ud800"
    given[5]["gts"] = 10**30
    log = read_rollouts(rows.lines(tmp_path / "1.jsonl", given))
    assert np.flatnonzero(np.isnan(log.reward)).tolist() == [3]


def test_the_first_row_may_lack_a_key_or_hold_null(tmp_path):
    table = [{"group": number // 4, "reward": float(number % 2)} for number in range(16)]
    lacking = rows.lines(tmp_path / "lacking.jsonl", [{"group": 0}, *table[1:]])
    null = rows.lines(tmp_path / "null.jsonl", [{"group": 0, "reward": None}, *table[1:]])
    for path in (lacking, null):
        log = read_rollouts(path)
        assert np.isnan(log.reward[0])
        assert np.array_equal(log.reward[1:], [row["reward"] for row in table[1:]])
