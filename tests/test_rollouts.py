"""Logs in the trainers' layouts, read back with the plainest reader there is."""

import json

import numpy as np
import pytest
from pyarrow import parquet

from grpo_lessons import rollouts
from grpo_lessons.training import train_prompts


@pytest.fixture
def some():
    return rollouts.counted_rollouts([7, 3, 7], [0, 2, 4], 4, seed=1)


def test_counts_become_shuffled_rewards(some):
    assert some.prompts == ["prompt 7", "prompt 3", "prompt 7"]
    assert some.rewards.sum(axis=1).tolist() == [0, 2, 4]
    assert all(
        text == ("right" if reward else "wrong")
        for texts, rewards in zip(some.completions, some.rewards, strict=True)
        for text, reward in zip(texts, rewards, strict=True)
    )
    many = rollouts.counted_rollouts(np.zeros(2000, int), np.ones(2000), 4, seed=2).rewards
    assert np.abs(many.mean(axis=0) - 0.25).max() < 5 * np.sqrt(0.25 * 0.75 / 2000)  # no place is favoured


def test_verl(tmp_path, some):
    path = rollouts.write_verl(tmp_path / "logs", 12, some)
    assert path.name == "12.jsonl"
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(lines) == 12
    assert list(lines[0]) == ["input", "output", "gts", "score", "step", "uid"]
    groups = {}
    for line in lines:
        groups.setdefault(line["uid"].rsplit("_", 2)[0], []).append(line["score"])  # verl's own rule
        assert line["step"] == 12
    assert [sum(scores) for scores in groups.values()] == [0, 2, 4]  # one prompt twice is two groups


def test_trl(tmp_path, some):
    path = rollouts.write_trl(tmp_path, 3, some)
    assert path.name == "completions_00003.parquet"
    columns = parquet.read_table(path).to_pydict()
    assert list(columns) == ["step", "prompt", "completion", "accuracy_reward", "advantage"]
    blocks = np.reshape(columns["accuracy_reward"], (3, 4))
    np.testing.assert_array_equal(blocks, some.rewards)
    expected = (blocks - blocks.mean(axis=1, keepdims=True)) / (
        blocks.std(axis=1, ddof=1, keepdims=True) + 1e-4
    )
    np.testing.assert_allclose(np.reshape(columns["advantage"], (3, 4)), expected, atol=1e-6)


def test_trl_without_pyarrow_says_what_to_install(tmp_path, some, no_pyarrow):
    with pytest.raises(ImportError, match=r"pip install 'grpo-lessons\[runs\]'"):
        rollouts.write_trl(tmp_path, 3, some)
    assert not list(tmp_path.iterdir())


def test_a_run_can_be_logged(tmp_path):
    for number, step in enumerate(train_prompts([0.2, 0.6, 0.9], steps=2), 1):
        rollouts.write_verl(tmp_path, number, rollouts.counted_rollouts(step.prompts, step.k, 8, seed=number))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1.jsonl", "2.jsonl"]


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda path: rollouts.counted_rollouts([1], [5], 4), "k must be a whole number from 0"),
        (lambda path: rollouts.counted_rollouts([1, 2], [1], 4), "prompts must be a vector as long as k"),
        (
            lambda path: rollouts.write_verl(path, 1, rollouts.Rollouts(["a"], [["b"]], np.zeros((1, 2)))),
            "rewards must be",
        ),
    ],
)
def test_refusals(tmp_path, call, match):
    with pytest.raises(ValueError, match=match):
        call(tmp_path)
