"""Which rows are one group, where the log says so and where only the rows' order does."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from .columns import Columns, bits, mixed, numbered
from .layouts import Layout
from .log import Ints, RolloutError

SORTED_AT_ONCE = 2**18  # rows
GIVE_SIZE = "give the number of completions a prompt: --group-size (group_size=)"


def groups(columns: Columns, layout: Layout, group_size: int | None, paths: list[str], cut: set[int]) -> Ints:
    """The group of each row, numbered in order of first appearance.

    Parameters
    ----------
    columns : rows in the order of their steps
    layout : where its `group` is None, groups are blocks of rows
    group_size : of such blocks; None infers it
    paths : the files, for errors
    cut : numbers of files whose last row is missing, so that the last block may be short

    Raises
    ------
    RolloutError
        Where blocks of `group_size` do not fit the rows, or their size cannot be told.
    """
    if layout.group is not None:
        return _by_id(columns)
    starts = batch_starts(columns)
    if group_size is not None:
        return _blocks(columns, starts, group_size, paths, cut)
    if layout.prompt is None:
        return _blocks(columns, starts, _consistent_size(columns, starts, paths, cut), paths, cut)
    return _runs(columns, starts)


def batch_starts(columns: Columns) -> Ints:
    """Where the rows of a new step or file begin."""
    return changes(columns.step, columns.file)


def changes(*columns: NDArray[np.signedinteger]) -> Ints:
    """Places of the rows in which one of the columns differs from the row before, and of the first."""
    new = np.logical_or.reduce([column[1:] != column[:-1] for column in columns])
    return np.concatenate([[0], 1 + np.flatnonzero(new)])


def first_rows(group: Ints) -> Ints:
    """Place of each group's first row."""
    first = np.empty(int(group.max()) + 1, np.intp)
    first[group[::-1]] = np.arange(len(group))[::-1]
    return first


def prompt_numbers(columns: Columns, group: Ints) -> Ints:
    """Number of each row's prompt, in order of first appearance.

    A group mostly has one prompt. Then one row of each group is enough to look at.
    """
    first = first_rows(group)
    if np.array_equal(columns.prompt, columns.prompt[first][group]):
        numbers = numbered(columns.prompt[first])
        return np.take(numbers, group, out=columns.prompt, mode="clip")  # in place; "raise" would copy
    return numbered(columns.prompt)


def _by_id(columns: Columns) -> Ints:
    """Numbers of the ids within each step: a few steps at a time, one of equal neighbours, to sort little."""
    steps = changes(columns.step)
    cuts = np.unique(steps[np.searchsorted(steps, np.arange(0, len(columns), SORTED_AT_ONCE), "right") - 1])
    group, total = columns.group, 0  # in place: ids are not needed again
    for start, end in zip(cuts, [*cuts[1:], len(columns)], strict=True):
        ids = mixed(columns.step[start:end], columns.group[start:end])
        first = changes(ids)
        numbers = numbered(ids[first])
        group[start:end] = np.repeat(numbers + total, np.diff(first, append=end - start))
        total += int(numbers.max()) + 1
    return group


def _blocks(columns: Columns, starts: Ints, size: int, paths: list[str], cut: set[int]) -> Ints:
    """Blocks of `size` rows in each step of each file."""
    lengths = np.diff(np.append(starts, len(columns)))
    for start, length in zip(starts, lengths, strict=True):
        file = int(columns.file[start])
        if length % size and file not in cut:
            reason = (
                f"the {length} rows of step {columns.step[start]} are no multiple of the group size {size}"
            )
            raise RolloutError(paths[file], f"{reason}: {GIVE_SIZE}")
    group = _block_of_row(starts, lengths, np.full(len(starts), size))
    inside = np.flatnonzero((np.diff(group) == 0) & (np.diff(columns.prompt) != 0))
    if inside.size:
        step, file = columns.step[inside[0]], int(columns.file[inside[0]])
        raise RolloutError(paths[file], f"with groups of {size} rows, a group of step {step} has two prompts")
    return group


def _runs(columns: Columns, starts: Ints) -> Ints:
    """Runs of one prompt, split where a prompt was asked twice in a row."""
    new = np.flatnonzero(np.diff(columns.prompt) != 0) + 1
    runs = np.union1d(starts, new)
    lengths = np.diff(np.append(runs, len(columns)))
    sizes, counts = np.unique(lengths, return_counts=True)
    usual = int(sizes[counts.argmax()])
    whole = lengths % usual == 0
    for size in range(usual, 1, -1):  # equal rewards in one group have equal advantages
        if usual % size == 0 and _consistent(
            columns, _block_of_row(runs, lengths, np.where(whole, size, lengths))
        ):
            return _block_of_row(runs, lengths, np.where(whole, size, lengths))
    return _block_of_row(runs, lengths, np.where(whole, usual, lengths))


def _consistent_size(columns: Columns, starts: Ints, paths: list[str], cut: set[int]) -> int:
    """The largest block size at which equal rewards have equal advantages, as they must in a group."""
    lengths = np.diff(np.append(starts, len(columns)))
    lengths = lengths + np.array([int(columns.file[start]) in cut for start in starts])  # the missing row
    total = math.gcd(*map(int, lengths))
    if np.isfinite(columns.advantage).any():
        sizes = [size for size in range(total // 2, 1, -1) if total % size == 0]
        for size in sizes:
            if _consistent(
                columns, _block_of_row(starts, lengths, np.full(len(starts), size))[: len(columns)]
            ):
                return size
    raise RolloutError(paths[0], f"nothing in the rows tells where a group ends: {GIVE_SIZE}")


def _consistent(columns: Columns, group: Ints) -> bool:
    """Whether equal rewards in one group always have equal advantages."""
    if columns.advantage.shape[1] == 0:
        return True
    advantage = columns.advantage[:, 0]
    reward = mixed(group, *map(bits, columns.rewards.T))
    order = np.lexsort((advantage, reward))
    same = np.diff(reward[order]) == 0
    advantage = advantage[order]
    apart = np.abs(np.diff(advantage)) > 1e-3 * (1 + np.abs(advantage[1:]))
    return not bool((same & apart).any())


def _block_of_row(starts: Ints, lengths: Ints, sizes: Ints) -> Ints:
    """Number of the block that each row is in, where stretches are cut into blocks of their size."""
    blocks = -(-lengths // sizes)
    first = np.cumsum(blocks) - blocks
    stretch = np.repeat(np.arange(len(starts)), lengths)
    within = np.arange(len(stretch)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return np.asarray(first[stretch] + within // sizes[stretch], np.int64)
