"""Rows as columns of numbers: rewards as they are, texts as 64-bit hashes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from .files import number_in_name
from .json_lines import Batch
from .layouts import Layout
from .log import Floats, Ints, RolloutError

WORDS = {"true": 1.0, "false": 0.0, "none": math.nan, "null": math.nan, "na": math.nan}


@dataclass
class Columns:
    """n rows."""

    step: Ints
    file: Ints
    """Which of the files."""
    group: Ints
    """Hash of the group's id; 0 where groups are blocks."""
    prompt: Ints
    """Hash of the prompt; 0 where there is none."""
    row: Ints
    """Hash of prompt, completion, rewards and advantage: equal in equal rows."""
    rewards: Floats
    """(n, reward columns)"""
    advantage: Floats

    def __getitem__(self, rows: Any) -> Columns:
        return Columns(*(getattr(self, field.name)[rows] for field in fields(self)))

    def __len__(self) -> int:
        return len(self.step)


def joined(parts: list[Columns]) -> Columns:
    """One after the other."""
    names = [field.name for field in fields(Columns)]
    return Columns(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


def converted(batch: Batch, layout: Layout, path: Path, file: int) -> Columns:
    """A batch's rows; a RolloutError names the line of a value that is not what its column should hold."""
    here = _Here(path, batch.lines)
    length = len(next(iter(batch.values.values())))
    zeros = np.zeros(length, np.int64)
    rewards = np.column_stack([here.numbers(batch.values[name], name) for name in layout.rewards])
    missing = np.full(length, np.nan)
    advantage = (
        here.numbers(batch.values[layout.advantage], layout.advantage) if layout.advantage else missing
    )
    prompt = here.hashes(batch.values[layout.prompt]) if layout.prompt else zeros
    completion = here.hashes(batch.values[layout.completion]) if layout.completion else zeros
    group = here.groups(batch.values[layout.group], layout) if layout.group else zeros
    step = here.whole(batch.values[layout.step], layout.step) if layout.step else zeros + number_in_name(path)
    # + 0.0: -0 and 0 are one number
    row = mixed(prompt, completion, *((column + 0.0).view(np.int64) for column in (*rewards.T, advantage)))
    return Columns(step, zeros + file, group, prompt, row, rewards, advantage)


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
        for place, value in enumerate(values):
            if value is None or value != value:  # NaN
                raise self.error(place, f"no value in {layout.group}, which makes the groups")
        if layout.parts:
            values = [str(value).rsplit("_", layout.parts)[0] for value in values]
        return self.hashes(values)

    def hashes(self, values: Iterable[Any]) -> Ints:
        """64-bit hashes."""
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
