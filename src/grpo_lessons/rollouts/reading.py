"""A run's rollout files, read into columns of numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from .log import RolloutLog


def read_rollouts(
    paths: str | Path | Iterable[str | Path],
    *,
    group_column: str | None = None,
    reward_column: str | None = None,
    group_size: int | None = None,
    progress: Callable[[float], None] | None = None,
) -> RolloutLog:
    """Read rollout files; being written."""
    raise NotImplementedError
