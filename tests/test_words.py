"""What each word of an argument means: a table on the book's page of the package, each row a test."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

import grpo_lessons as gl

REWARDS = np.array([1.0, 0.25, 0.0, 0.75])
SCORES = np.array([[1.0, -2.0], [0.5, 0.5], [-1.0, 3.0], [2.0, 0.0]])
CENTRED = REWARDS - REWARDS.mean()
OTHERS = np.array([np.delete(REWARDS, i).mean() for i in range(4)])


def mean_of(weights: np.ndarray) -> np.ndarray:
    """The mean over the group of weight × score."""
    return sum(w * s for w, s in zip(weights, SCORES, strict=True)) / 4


@dataclass
class Word:
    """One value of one argument: its meaning, what the function gives, and the same by hand."""

    function: str
    argument: str
    means: str
    given: Callable[[], object]
    by_hand: object


V = 0.2 * 0.8
SILENT = gl.identity_terms(SCORES, np.ones(4))
WORDS = [
    Word("advantages", 'baseline="mean"', "minus the mean of all G",
         lambda: gl.advantages(REWARDS, baseline="mean", scale="none"), CENTRED),
    Word("advantages", 'baseline="leave_one_out"', "minus the mean of the other G − 1",
         lambda: gl.advantages(REWARDS, baseline="leave_one_out", scale="none"), REWARDS - OTHERS),
    Word("advantages", 'scale="group"', "divided by the deviation of all G, plus eps",
         lambda: gl.advantages(REWARDS, scale="group", eps=0.5), CENTRED / (REWARDS.std() + 0.5)),
    Word("advantages", 'scale="none"', "not divided; ddof and eps have no effect",
         lambda: gl.advantages(REWARDS, scale="none", ddof=1, eps=0.5), CENTRED),
    Word("advantages", "ddof=1", "the deviation's divisor is G − 1",
         lambda: gl.advantages(REWARDS, ddof=1), CENTRED / np.sqrt(np.sum(CENTRED**2) / 3)),
    Word("advantages", "equal rewards", "exactly 0, in any dtype",
         lambda: gl.advantages(np.full(7, 0.3, np.float32)), np.zeros(7)),
    Word("group_gradient", 'method="grpo"', "centred, divided by the ddof-0 deviation",
         lambda: gl.group_gradient(SCORES, REWARDS, "grpo"), mean_of(CENTRED / REWARDS.std())),
    Word("group_gradient", 'method="dr_grpo"', "centred",
         lambda: gl.group_gradient(SCORES, REWARDS, "dr_grpo"), mean_of(CENTRED)),
    Word("group_gradient", 'method="rloo"', "minus the mean of the other G − 1",
         lambda: gl.group_gradient(SCORES, REWARDS, "rloo"), mean_of(REWARDS - OTHERS)),
    Word("group_gradient", 'method="reinforce"', "the rewards as they are, also in a silent group",
         lambda: gl.group_gradient(SCORES, REWARDS, "reinforce"), mean_of(REWARDS)),
    Word("identity_terms", "a silent group", "σ = 0, and the mean over nobody is NaN",
         lambda: np.append(SILENT.std, SILENT.mean_wrong),
         [0.0, math.nan, math.nan]),
    Word("group_size_law", "order=1", "1/(8εv) with v = p(1 − p)",
         lambda: gl.group_size_law(0.2, 0.05, order=1), 1 / (8 * 0.05 * V)),
    Word("group_size_law", "order=2", "the G at which 1/(8Gv) + (7 − 16v)/(128G²v²) is ε",
         lambda: 1 / (8 * gl.group_size_law(0.2, 0.05, order=2) * V)
         + (7 - 16 * V) / (128 * (gl.group_size_law(0.2, 0.05, order=2) * V) ** 2), 0.05),
]  # fmt: skip


def markdown() -> str:
    """The table as the book shows it."""
    lines = ["| function | argument | means |", "| --- | --- | --- |"]
    return "\n".join(
        lines + [f"| `{word.function}` | {_cell(word.argument)} | {word.means} |" for word in WORDS]
    )


def _cell(argument: str) -> str:
    return f"`{argument}`" if "=" in argument else argument


@pytest.mark.parametrize("word", WORDS, ids=lambda word: f"{word.function}: {word.argument}")
def test_word(word):
    np.testing.assert_allclose(word.given(), word.by_hand, rtol=1e-13, atol=0)
