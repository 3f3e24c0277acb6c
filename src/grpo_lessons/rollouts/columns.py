"""Rows as columns of numbers: rewards as they are, texts as 64-bit hashes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .files import number_in_name
from .json_lines import Batch
from .layouts import Layout
from .log import Floats, Ints, RolloutError

PIECE = 2**18  # rows
WORDS = {"true": 1.0, "false": 0.0, "none": math.nan, "null": math.nan, "na": math.nan}


@dataclass
class Columns:
    """n rows; some 40 bytes each, as a log may have millions."""

    step: Ints
    file: NDArray[np.int32]
    """Which of the files."""
    group: Ints
    """Hash of the group's id; 0 where groups are blocks."""
    prompt: Ints
    """Hash of the prompt; 0 where there is none."""
    row: NDArray[np.int32]
    """Half a hash of prompt, completion, rewards and advantage, to compare whole steps by."""
    rewards: Floats
    """(n, reward columns)"""
    advantage: Floats
    """(n, 1), or (n, 0) where none are logged."""

    def __getitem__(self, rows: slice) -> Columns:
        return Columns(*(getattr(self, field.name)[rows] for field in fields(self)))

    def __len__(self) -> int:
        return len(self.step)

    def keep(self, rows: Ints | NDArray[np.bool_]) -> None:
        """Keep these rows, in this order; one column at a time, to take no more memory."""
        for field in fields(self):
            setattr(self, field.name, getattr(self, field.name)[rows])


def joined(parts: list[Columns]) -> Columns:
    """One after the other; the parts are used up."""
    columns = []
    for field in fields(Columns):
        columns.append(np.concatenate([getattr(part, field.name) for part in parts]))
        for part in parts:
            delattr(part, field.name)
    return Columns(*columns)


class Growing:
    """Columns that grow by batches.

    Batches are joined into larger pieces early: the allocator gives large arrays back when they are freed,
    and keeps the room of small ones, so that joining all of them would take twice the memory.
    """

    def __init__(self) -> None:
        self.pieces: list[Columns] = []
        self.batches: list[Columns] = []

    def add(self, batch: Columns) -> None:
        self.batches.append(batch)
        if sum(map(len, self.batches)) > PIECE:
            self._join()

    def whole(self) -> Columns | None:
        """All of them, if any came; nothing is left here."""
        self._join()
        return joined(self.pieces) if self.pieces else None

    def _join(self) -> None:
        if self.batches:
            self.pieces.append(joined(self.batches))
            self.batches = []


def converted(batch: Batch, layout: Layout, path: Path, file: int) -> Columns:
    """A batch's rows; a RolloutError names the line of a value that is not what its column should hold."""
    here, values = _Here(path, batch.lines), batch.values
    length = len(next(iter(values.values())))
    zeros = np.zeros(length, np.int64)
    rewards = np.column_stack([here.numbers(values[name], name) for name in layout.rewards])
    advantage = np.empty((length, 0))
    if layout.advantage:
        advantage = here.numbers(values[layout.advantage], layout.advantage)[:, None]
    prompt = here.hashes(values[layout.prompt]) if layout.prompt else zeros
    completion = here.hashes(values[layout.completion]) if layout.completion else zeros
    group = here.groups(values[layout.group], layout) if layout.group else zeros
    step = here.whole(values[layout.step], layout.step) if layout.step else zeros + number_in_name(path)
    row = mixed(prompt, completion, *map(bits, (*rewards.T, *advantage.T))).astype(np.int32)
    return Columns(step, np.full(length, file, np.int32), group, prompt, row, rewards, advantage)


def bits(column: Floats) -> Ints:
    """Numbers as they are in memory, 0 and −0 alike."""
    return (column + 0.0).view(np.int64)


def mixed(*columns: Ints) -> Ints:
    """One hash of several: what differs in any column differs, but for one chance in 2⁶⁴."""
    out = np.zeros(len(columns[0]), np.uint64)
    for column in columns:
        out ^= column.view(np.uint64)
        out *= np.uint64(0x9E3779B97F4A7C15)
        out ^= out >> np.uint64(29)
    return out.view(np.int64)


def numbered(keys: Ints) -> Ints:
    """0, 1, … in order of first appearance."""
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse]


@dataclass
class _Here:
    """Where a batch comes from, to say so in errors."""

    path: Path
    lines: Sequence[int] | None

    def numbers(self, values: Sequence[Any], name: str) -> Floats:
        """float64, missing and infinite ones NaN."""
        try:
            array = np.array(values, np.float64)
        except (ValueError, TypeError, OverflowError):
            array = np.empty(0)
        if array.shape != (len(values),):  # texts, or numbers wrapped in lists: one by one
            array = np.array([self._number(value, i, name) for i, value in enumerate(values)])
        return np.where(np.isfinite(array), array, np.nan)

    def whole(self, values: Sequence[Any], name: str) -> Ints:
        """int64; a missing step is an error."""
        array = self.numbers(values, name)
        bad = ~((array == np.floor(array)) & (np.abs(array) < 2**53))
        if bad.any():
            place = int(bad.argmax())
            raise self.error(place, f"{name} must be a whole number, got {_shown(values[place])}")
        return array.astype(np.int64)

    def groups(self, values: Sequence[Any], layout: Layout) -> Ints:
        """Hashes of the groups' ids."""
        if [value for value in values if value is None or value != value]:  # None, or NaN
            place = next(i for i, value in enumerate(values) if value is None or value != value)
            raise self.error(place, f"no value in {layout.group}, which makes the groups")
        if layout.parts:
            values = [str(value).rsplit("_", layout.parts)[0] for value in values]
        return self.hashes(values)

    def hashes(self, values: Sequence[Any]) -> Ints:
        """64-bit hashes."""
        try:
            return np.fromiter(map(hash, values), np.int64, len(values))
        except TypeError:  # lists of tokens, or of messages
            return np.array([self._hash(value, place) for place, value in enumerate(values)], np.int64)

    def error(self, place: int, reason: str) -> RolloutError:
        return RolloutError(self.path, reason, self.lines[place] if self.lines is not None else None)

    def _hash(self, value: Any, place: int) -> int:
        try:
            return hash(tuple(value) if isinstance(value, list) else value)
        except TypeError:  # messages, which are dicts
            pass
        try:
            return hash(repr(value))
        except RecursionError:
            raise self.error(place, "nested too deeply for a rollout") from None

    def _number(self, value: Any, place: int, name: str) -> float:
        try:
            while isinstance(value, list) and value and all(one == value[0] for one in value):
                value = value[0]  # one number for all tokens, or in a list of its own
            if isinstance(value, str) and value.strip().lower() in WORDS:
                return WORDS[value.strip().lower()]
            return math.nan if value is None else float(value)
        except (TypeError, ValueError, OverflowError, RecursionError):
            raise self.error(place, f"{name} must be a number, got {_shown(value)}") from None


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 40 else text[:36] + " ..."
