"""`diagnose`: from a log to everything that it says about its groups."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from ..counts import silent_probability
from ..rollouts import RolloutLog
from .advice import advise
from .by_group import Floats
from .extremes import extreme_advantages
from .findings import Diagnosis, Silence, Step
from .groups import Cells, Groups, count_cells, read_groups
from .held_out import held_out, silent_at_smaller
from .intervals import GRID, Region
from .matching import match_conventions
from .mixtures import Fit, fit_difficulty
from .variance import component_shares, histograms, pass_at, variance_split
from .what_if import GROUP_SIZES, AnotherSize, Estimate, Posterior, other_sizes, within

TARGETS = (0.5, 0.3, 0.2, 0.1, 0.05)
"""Silent shares for which the smallest G is told."""


@np.errstate(over="ignore", invalid="ignore")  # rewards of 1e200 have squares that no float holds
def diagnose(log: RolloutLog, success_threshold: float | None = None) -> Diagnosis:
    """Say what a run's groups are doing.

    Parameters
    ----------
    log : what `rollouts.read_rollouts` returns
    success_threshold : a finite reward from which on a completion counts as right; without it rewards of two
        values say who is right, and graded ones do not

    Raises
    ------
    ValueError
        For a threshold that is not finite.

    Notes
    -----
    Groups with a missing reward, and completions without a second one, are left out and counted. Where
    several reward functions were logged without weights, those that explain the advantages are used.
    """
    if success_threshold is not None and not math.isfinite(success_threshold):
        raise ValueError(f"success_threshold must be finite, got {success_threshold!r}")
    groups = _groups(log, log.reward, success_threshold)
    columns = {name: _filled(column, log.reward) for name, column in log.components.items()}
    found = None if log.advantage is None else match_conventions(groups, log.advantage, columns)
    weights = dict.fromkeys(log.components, 1.0)
    if found is not None and found.matches and found.matches[0].weights:
        weights = found.matches[0].weights
        total = np.sum([weights[name] * column for name, column in columns.items()], axis=0)
        groups = _groups(log, np.round(total, 9), success_threshold)  # 0.1 + 0.2 is 0.3
    preset = found.matches[0].preset if found is not None and found.matches else None
    table = groups.cells() if groups.k is not None and groups.number else None
    filtered = _filtered(log)
    cells = None if filtered else table  # survivors of a filter tell no law of difficulty
    fit = fit_difficulty(cells) if cells is not None else None
    region = Region(cells) if cells is not None else None
    what_if, smallest = _what_if(groups, cells, fit, region, filtered)
    mixed = ~groups.silent
    result = Diagnosis(
        format=log.format,
        why=log.why,
        paths=log.paths,
        rows_read=log.rows_read,
        notes=log.notes,
        rows=len(groups.row),
        rule=groups.rule,
        groups=groups.number,
        incomplete=groups.incomplete,
        singletons=groups.singletons,
        sizes=_sizes(groups),
        weights=weights,
        mean_reward=float(groups.reward.mean()) if groups.number else None,
        steps=_steps(groups),
        histogram=None if table is None else histograms(table),
        silence=_silence(groups, cells, fit, region),
        mixed_groups=int(mixed.sum()),
        mixed_rollouts=int(groups.size[mixed].sum()),
        variance=variance_split(groups.reward, groups.size) if groups.number else None,
        pass_at=None if table is None else pass_at(table),
        fit=fit,
        components=component_shares(groups, columns, weights),
        conventions=found,
        extremes=extreme_advantages(groups, log.advantage, preset),
        what_if=what_if,
        smallest=smallest,
    )
    return dataclasses.replace(result, advice=advise(result))


def _filled(column: Floats, total: Floats) -> Floats:
    """A function's rewards; 0 where it gave none and the others' were summed."""
    lacking = np.isnan(column) & np.isfinite(total)
    return np.where(lacking, 0.0, column) if lacking.any() else column


def _sizes(groups: Groups) -> dict[int, int]:
    size, count = np.unique(groups.size, return_counts=True)
    return dict(zip(size.tolist(), count.tolist(), strict=True))


def _groups(log: RolloutLog, reward: Floats, threshold: float | None) -> Groups:
    return read_groups(log.group, log.step, log.prompt, reward, threshold)


def _filtered(log: RolloutLog) -> bool:
    """Whether silent groups were filtered out of the log, so that it cannot tell how many there were."""
    return any(note.trap == "survivors-only" for note in log.notes)


def _silence(groups: Groups, cells: Cells | None, fit: Fit | None, region: Region | None) -> Silence | None:
    from scipy.stats import binomtest

    if groups.number == 0:
        return None
    silent = int(groups.silent.sum())
    ends = binomtest(silent, groups.number).proportion_ci(0.9, method="wilson")
    observed = Estimate(silent / groups.number, float(ends.low), float(ends.high))
    easy = hard = expected = None
    if groups.k is not None:
        easy = float(np.mean(groups.k == groups.size))
        hard = float(np.mean(groups.k == 0))
    if cells is not None and fit is not None and region is not None:
        size, count = np.unique(groups.size, return_counts=True)
        share = count / groups.number
        value = float(fit.mixture.silent(size) @ share)
        bounds = region.bounds(share @ silent_probability(GRID, size[:, None]))
        expected = within(value, *bounds)
    return Silence(observed, easy, hard, expected, held_out(groups))


def _what_if(
    groups: Groups, cells: Cells | None, fit: Fit | None, region: Region | None, filtered: bool
) -> tuple[tuple[AnotherSize, ...], dict[float, int | None]]:
    if cells is not None and fit is not None and region is not None:
        posterior = Posterior(fit.mixture, cells)
        usual = int(np.bincount(groups.size).argmax())
        sizes = sorted({*GROUP_SIZES, max(usual // 2, 2), usual, 2 * usual})
        rows = other_sizes(posterior, region, sizes)
        return rows, {target: posterior.smallest(target) for target in TARGETS}
    if groups.number == 0 or filtered:
        return (), {}
    unknown = Estimate(None)
    smaller = [size for size in GROUP_SIZES if size <= groups.size.max()]
    shares = [Estimate(*silent_at_smaller(groups, size)) for size in smaller]
    return tuple(
        AnotherSize(size, share, share.cost_of(size), unknown)
        for size, share in zip(smaller, shares, strict=True)
    ), {}


def _steps(groups: Groups) -> tuple[Step, ...]:
    made = []
    order = np.argsort(groups.step, kind="stable")
    steps, first = np.unique(groups.step[order], return_index=True)
    total = np.add.reduceat(groups.reward, groups.start) if groups.number else np.zeros(0)
    for step, chosen in zip(steps.tolist(), np.split(order, first[1:]), strict=False):
        k, size, silent = None, groups.size[chosen], groups.silent[chosen]
        if groups.k is not None:
            k = groups.k[chosen]
        made.append(
            Step(
                step=step,
                groups=len(chosen),
                mixed=int(np.sum(~silent)),
                all_right=None if k is None else int(np.sum(k == size)),
                all_wrong=None if k is None else int(np.sum(k == 0)),
                mean_reward=float(total[chosen].sum() / size.sum()),
                histogram=None if k is None else histograms(count_cells(k, size)),
            )
        )
    return tuple(made)
