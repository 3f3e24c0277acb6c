"""Small logs that come with the package."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from .. import validation as check

SAMPLES = ("trl", "trl-lines", "verl-legacy")


def sample_log(name: str) -> Path:
    """Folder of a small real log, to try `read_rollouts` on.

    Parameters
    ----------
    name : ``trl`` (TRL 1.16, four steps of two groups of four, two reward functions), ``trl-lines`` (the same
        rows as JSON lines, for a Python without pyarrow) or ``verl-legacy`` (one step of one group of two)

    Raises
    ------
    ValueError
        For another name.
    """
    check.one_of(name, SAMPLES, "name")
    return Path(str(files("grpo_lessons").joinpath("data", name)))
