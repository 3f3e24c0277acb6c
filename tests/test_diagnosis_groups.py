"""From rows to groups and to the table of counts."""

from __future__ import annotations

import numpy as np
import pytest

from grpo_lessons.diagnosis import count_cells, read_groups
from grpo_lessons.diagnosis.variance import histograms

NAN = float("nan")


def read(groups, threshold=None, order=None):
    """Groups from lists of rewards, the rows in another order if one is given."""
    label = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    reward = np.array([one for group in groups for one in group], float)
    order = np.arange(len(label)) if order is None else order
    return read_groups(label[order], 10 + label[order], label[order] % 2, reward[order], threshold)


def test_rows_in_any_order():
    groups = [[1, 0, 0], [1, 1], [0, 0, 0], [1, 0]]
    plain = read(groups)
    mixed = read(groups, order=np.random.default_rng(0).permutation(10))
    for found in (plain, mixed):
        assert found.k.tolist() == [1, 2, 0, 1]
        assert found.size.tolist() == [3, 2, 3, 2]
        assert found.silent.tolist() == [False, True, True, False]
        assert found.step.tolist() == [10, 11, 12, 13]
        assert found.prompt.tolist() == [0, 1, 0, 1]


def test_what_is_left_out_is_counted():
    found = read([[1, NAN, 0], [1], [1, 0], [NAN], [0, 0]])
    assert (found.number, found.incomplete, found.singletons) == (2, 2, 1)
    assert found.k.tolist() == [1, 0]
    assert found.row.tolist() == [4, 5, 7, 8]


@pytest.mark.parametrize(
    ("groups", "threshold", "k"),
    [
        ([[1, -1], [1, 1]], None, [1, 2]),
        ([[0.3, 0.7], [0.3, 0.3]], None, [1, 0]),
        ([[0, 0], [0, 0]], None, [0, 0]),
        ([[1, 1], [1, 1]], None, [2, 2]),
        ([[-1, -1]], None, [0]),
        ([[0, 0.5, 1]], None, None),
        ([[0, 0.5, 1]], 0.5, [2]),
        ([[0, 0.5, 1]], 2, [0]),
        ([], None, []),
    ],
)
def test_who_is_right(groups, threshold, k):
    found = read(groups, threshold)
    assert (found.k if k is None else found.k.tolist()) == k


def test_graded_rewards_that_show_late():
    rewards = [[0.0, 1.0]] * 40_000 + [[0.5, 1.0]]
    assert read(rewards).k is None


def test_a_threshold_does_not_make_a_group_silent():
    found = read([[0.6, 0.9], [0.9, 0.9]], 0.5)
    assert found.k.tolist() == [2, 2]
    assert found.silent.tolist() == [False, True]


def test_cells():
    cells = count_cells([0, 2, 2, 1, 3], [2, 2, 2, 3, 3])
    assert histograms(cells) == {2: [1, 0, 2], 3: [0, 1, 0, 1]}
    assert cells.groups == 5
    with pytest.raises(ValueError, match="k must be a whole number from 0 to group_size, got 3"):
        count_cells([3], 2)
    with pytest.raises(ValueError, match="two values"):
        read([[0, 0.5, 1]]).cells()
