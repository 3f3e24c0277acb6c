"""Rollout logs as trainers lay them out: verl's JSON lines, and TRL's parquet (needs the extra ``runs``)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import validation as check
from ..conventions import CONVENTIONS
from .tables import load_pyarrow

Floats = NDArray[np.float64]


class Rollouts(NamedTuple):
    """One step's groups of completions."""

    prompts: list[str]
    """One text a group."""
    completions: list[list[str]]
    """G texts a group."""
    rewards: Floats
    """(groups, G)"""


def counted_rollouts(prompts: ArrayLike, k: ArrayLike, group_size: int, seed: int = 0) -> Rollouts:
    """Rollouts for a log from what the training lab keeps, each prompt's number of right completions.

    Parameters
    ----------
    prompts : (m,) prompt numbers
    k : (m,) numbers of right completions
    group_size : whole number of at least 2
    seed : of the order of right and wrong within each group

    Raises
    ------
    ValueError
        For k outside 0 … G and lengths that differ.
    """
    size = int(check.single(check.group_size(group_size), "group_size"))
    right, numbers = np.atleast_1d(check.count(k, size)), np.atleast_1d(np.asarray(prompts))
    if right.shape != numbers.shape or right.ndim != 1:
        raise ValueError(f"prompts must be a vector as long as k, got {numbers.shape} for {right.shape}")
    ordered = np.arange(size) < right[:, None]
    rewards = np.random.default_rng(seed).permuted(ordered, axis=1).astype(np.float64)
    texts = [["right" if reward else "wrong" for reward in group] for group in rewards]
    return Rollouts([f"prompt {number}" for number in numbers], texts, rewards)


def write_verl(folder: str | Path, step: int, rollouts: Rollouts) -> Path:
    """Write one step as verl does: ``{step}.jsonl``, one line a completion, its group in `uid`.

    Returns
    -------
    Path of the file

    Raises
    ------
    ValueError
        For rollouts whose parts do not fit.
    """
    path = _file(folder, f"{step}.jsonl")
    with path.open("w", encoding="utf-8") as file:
        for g, i, prompt, completion, reward in _rows(rollouts):
            line = {"input": prompt, "output": completion, "gts": "right", "score": reward, "step": step}
            file.write(json.dumps(line | {"uid": f"{step}-{g}_{i}_0"}, ensure_ascii=False) + "\n")
    return path


def write_trl(folder: str | Path, step: int, rollouts: Rollouts) -> Path:
    """Write one step as TRL does: ``completions_{step:05d}.parquet``, groups as consecutive blocks of G rows.

    The advantages are TRL's default, `CONVENTIONS["trl"]`.

    Returns
    -------
    Path of the file

    Raises
    ------
    ImportError
        Without pyarrow: install ``grpo-lessons[runs]``.
    ValueError
        For rollouts whose parts do not fit.
    """
    pyarrow = load_pyarrow()
    rows = _rows(rollouts)
    columns = {
        "step": [step] * len(rows),
        "prompt": [row[2] for row in rows],
        "completion": [row[3] for row in rows],
        "accuracy_reward": [row[4] for row in rows],
        "advantage": CONVENTIONS["trl"].advantages(rollouts.rewards).ravel().astype(np.float64),
    }
    path = _file(folder, f"completions_{step:05d}.parquet")
    pyarrow.parquet.write_table(pyarrow.table(columns), path)
    return path


def _rows(rollouts: Rollouts) -> list[tuple[int, int, str, str, float]]:
    """(group, place in it, prompt, completion, reward) of every completion."""
    prompts, completions, rewards = rollouts
    if [len(texts) for texts in completions] != [rewards.shape[-1]] * len(prompts) or len(rewards) != len(
        prompts
    ):
        raise ValueError(f"rewards must be (groups, G) as {len(prompts)} prompts are, got {rewards.shape}")
    return [
        (g, i, prompt, completion, float(reward))
        for g, (prompt, texts) in enumerate(zip(prompts, completions, strict=True))
        for i, (completion, reward) in enumerate(zip(texts, rewards[g], strict=True))
    ]


def _file(folder: str | Path, name: str) -> Path:
    Path(folder).mkdir(parents=True, exist_ok=True)
    return Path(folder) / name
