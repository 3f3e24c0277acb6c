"""What is kept of a run's rollout files: numbers in columns, and notes on what was odd about them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.signedinteger]
"""Numbers of groups and counts are `intp`, which numpy counts with: 32 bits in a browser, 64 elsewhere."""


class RolloutError(ValueError):
    """Rollout files that cannot be used: which file, which line, and why.

    Parameters
    ----------
    path : the file or folder
    reason : what is wrong, and what to do about it
    line : from 1; None where the file has no lines or all of them are meant
    """

    def __init__(self, path: str | Path, reason: str, line: int | None = None) -> None:
        self.path, self.reason, self.line = str(path), reason, line
        super().__init__(f"{self.path}{'' if line is None else f', line {line}'}: {reason}")


class Note(NamedTuple):
    """Something about the files that a reader of the diagnosis must know."""

    trap: str
    """Its short name, such as ``repeated-rows``."""
    rows: int
    """How many rows it touches."""
    sentence: str
    """What was found and what was done about it, in a whole sentence."""


@dataclass(frozen=True, eq=False)
class RolloutLog:
    """A run's completions as numbers, n rows in the order of their steps; no texts."""

    format: str
    """``trl``, ``verl``, ``verl-legacy``, ``open-instruct``, ``nemo-rl`` or ``table``."""
    why: str
    """How the format was recognised, in a sentence."""
    paths: tuple[str, ...]
    """The files, in the order of their steps."""
    step: Ints
    """(n,)"""
    group: Ints
    """(n,) 0, 1, … in order of first appearance; a prompt that is asked at two steps is two groups."""
    prompt: Ints
    """(n,) number of the prompt's text, shared between steps; −1 where the log has no prompts."""
    reward: Floats
    """(n,) total reward, with weight 1 for every component where weights are unknown; NaN is missing."""
    components: dict[str, Floats]
    """Reward functions by their column's name, (n,) each."""
    advantage: Floats | None
    """(n,) as logged, or None where the log has none."""
    notes: tuple[Note, ...]
    """What was odd, and what was done about it."""
    rows_read: int
    """Rows in the files, before repeated rows were set aside."""
