"""Rollout logs as trainers lay them out, written and read (parquet and fast JSON need the extra ``runs``)."""

from .log import Note, RolloutError, RolloutLog
from .reading import read_rollouts
from .samples import sample_log
from .writing import Rollouts, counted_rollouts, write_trl, write_verl

__all__ = [
    "Note",
    "RolloutError",
    "RolloutLog",
    "Rollouts",
    "counted_rollouts",
    "read_rollouts",
    "sample_log",
    "write_trl",
    "write_verl",
]
