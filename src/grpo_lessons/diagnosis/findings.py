"""What a diagnosis holds: one object, also as plain data for JSON and as a table for a terminal."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..rollouts import Note
from .advice import Advice
from .extremes import Extremes
from .held_out import HeldOut
from .matching import ConventionMatch
from .mixtures import Fit
from .variance import Component, VarianceSplit
from .what_if import AnotherSize, Estimate


@dataclass(frozen=True)
class Step:
    """One step of the run.

    Attributes
    ----------
    step : its number in the log
    groups, mixed : complete groups, and those whose rewards differ
    all_right, all_wrong : silent groups by kind; None where the rewards do not say who is right
    mean_reward : over the completions of complete groups
    histogram : groups by number right, for each G; None as above
    """

    step: int
    groups: int
    mixed: int
    all_right: int | None
    all_wrong: int | None
    mean_reward: float
    histogram: dict[int, list[int]] | None


@dataclass(frozen=True)
class Silence:
    """Groups without a gradient: all rewards equal.

    Attributes
    ----------
    observed : share of the groups, with the 90 % Wilson interval for groups drawn independently
    too_easy, too_hard : share of the groups that are all right, all wrong; None where rewards do not say
    expected : under the fitted law, at the observed sizes; its 90 % interval holds for any law of difficulty
    held_out : as the prompts' other groups say, where prompts come up again
    """

    observed: Estimate
    too_easy: float | None
    too_hard: float | None
    expected: Estimate | None
    held_out: HeldOut | None


@dataclass(frozen=True)
class Diagnosis:
    """What `diagnose` found. Shares are in [0, 1]; None means that the log does not tell.

    Attributes
    ----------
    format, why, paths, rows_read, notes : as the reader says
    rows : completions in complete groups of two or more, which is what is counted
    rule : what counts as right
    groups, incomplete, singletons : complete groups; groups left out for a missing reward, for being alone
    sizes : number of groups by G
    weights : of the reward functions in the total reward
    mean_reward : over the rows counted
    steps : step by step
    histogram : groups by number right, for each G
    silence : how many groups have no gradient, and why
    mixed_groups, mixed_rollouts : the effective batch, in all; per step divide by the number of steps
    variance : within and between groups
    pass_at : k to pass@k
    fit : the law of difficulty
    components : what each reward function contributes
    conventions : which presets give the logged advantages; None where no advantages are logged
    extremes : how far the advantages went
    what_if : other group sizes
    smallest : silent share to the smallest G that has it, None if no G up to 2²⁰ does
    advice : three sentences, with evidence and caveat
    """

    format: str
    why: str
    paths: tuple[str, ...]
    rows_read: int
    notes: tuple[Note, ...]
    rows: int
    rule: str
    groups: int
    incomplete: int
    singletons: int
    sizes: dict[int, int]
    weights: dict[str, float]
    mean_reward: float | None
    steps: tuple[Step, ...]
    histogram: dict[int, list[int]] | None
    silence: Silence | None
    mixed_groups: int
    mixed_rollouts: int
    variance: VarianceSplit | None
    pass_at: dict[int, float] | None
    fit: Fit | None
    components: tuple[Component, ...]
    conventions: ConventionMatch | None
    extremes: Extremes | None
    what_if: tuple[AnotherSize, ...]
    smallest: dict[float, int | None]
    advice: tuple[Advice, ...] = ()

    @property
    def usual_size(self) -> int:
        """The most common G, the smaller of two as common; 0 without groups."""
        return max(self.sizes, key=lambda size: self.sizes[size], default=0)

    def to_dict(self) -> dict[str, Any]:
        """Plain dicts, lists, strings, numbers and None, for JSON; the attributes above are the keys."""
        plain: dict[str, Any] = _plain(self)
        if self.fit is not None:
            plain["fit"]["law"] = str(self.fit.mixture)
        return plain

    def __str__(self) -> str:
        from .text import render

        return render(self)


def _plain(value: Any) -> Any:
    """A value in JSON's types."""
    if isinstance(value, Note):
        return value._asdict()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, (tuple, list, np.ndarray)):
        return [_plain(one) for one in value]
    if isinstance(value, (float, np.floating)):
        return float(value) if math.isfinite(value) else None
    return value.item() if isinstance(value, np.generic) else value
