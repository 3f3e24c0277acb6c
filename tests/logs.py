"""Rollout logs made by hand, for tests of what is read out of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from grpo_lessons.conventions import CONVENTIONS
from grpo_lessons.rollouts import Note, RolloutLog


def log_of(groups: Sequence[Sequence[float]], preset: str | None = None, **columns: Any) -> RolloutLog:
    """A log of groups of rewards; with the advantages that a preset gives; `columns` replace the others."""
    size = [len(group) for group in groups]
    number = sum(size)
    reward = np.array([reward for group in groups for reward in group], dtype=float)
    advantage = None
    if preset is not None:
        made = [CONVENTIONS[preset].advantages(np.array(group, float)) for group in groups]
        advantage = np.concatenate(made).astype(float) if made else np.zeros(0)
    fields: dict[str, Any] = {
        "format": "table",
        "why": "It was made by hand.",
        "paths": ("run.csv",),
        "step": np.zeros(number, np.int64),
        "group": np.repeat(np.arange(len(groups)), size).astype(np.int64),
        "prompt": np.full(number, -1),
        "reward": reward,
        "components": {"reward": reward},
        "advantage": advantage,
        "notes": (),
        "rows_read": number,
    }
    return RolloutLog(**fields | columns)


def counted(
    k: Sequence[int], size: int, steps: int = 1, preset: str | None = None, **columns: Any
) -> RolloutLog:
    """A log of 0/1 rewards with k of G right in each group, over so many steps of as many groups."""
    groups = [[1.0] * right + [0.0] * (size - right) for right in k]
    step = np.repeat(np.arange(len(k)) * steps // max(len(k), 1), size)
    return log_of(groups, preset, **{"step": step} | columns)


def drawn(p: np.ndarray, size: int, seed: int, **more: Any) -> RolloutLog:
    """`counted` with k drawn from each group's p."""
    return counted(np.random.default_rng(seed).binomial(size, p).tolist(), size, **more)


def note(trap: str) -> Note:
    return Note(trap, 1, f"A note on {trap}.")
