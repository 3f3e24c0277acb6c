"""Which trainers' conventions give the advantages that a run logged: a set, since several often agree.

A preset of `conventions` matches where every logged advantage is within rounding of its own, in float32 or
float64. Groups without a gradient are left out: there rounding is all there is. Where the total reward
matches nothing and several reward functions were logged, their weights are fitted too, except for `trl_batch`
and `nemo_rl`.

What a log cannot tell: advantages divided by a deviation do not know the rewards' unit, but for eps;
undivided ones do not know a factor G/(G − 1), of a leave-one-out baseline, from one in the weights.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from ..conventions import CONVENTIONS, Convention
from .by_group import Floats, Ints, centred, deviation, equal, means, starts
from .groups import Groups
from .weights import fitted_weights

MAX_GROUPS = 20_000
"""The most groups compared, evenly spread over the log."""

SINGLE_DIGITS = 7
"""Decimals that float32 holds: a log that prints no more may have been computed in it."""

Weights = dict[str, float]


@dataclass(frozen=True)
class Match:
    """A preset that gives the logged advantages.

    Attributes
    ----------
    preset : its name in `conventions.CONVENTIONS`
    dtypes : the precisions in which it does
    weights : of the reward functions, where they had to be fitted; else empty
    """

    preset: str
    dtypes: tuple[str, ...]
    weights: Weights


@dataclass(frozen=True)
class ConventionMatch:
    """The set of presets that match, or how near the nearest comes.

    Attributes
    ----------
    compared : groups compared: mixed ones whose advantages are all there
    matches : those that agree everywhere; several are a tie that the log cannot break
    precision : how exact the logged numbers are taken to be
    nearest : the preset that agrees in most groups; None where nothing was compared
    agreeing : share of the groups in which it does
    residual : its largest difference from a logged advantage
    """

    compared: int
    matches: tuple[Match, ...]
    precision: str
    nearest: str | None = None
    agreeing: float | None = None
    residual: float | None = None


@dataclass(frozen=True)
class _Trial:
    preset: str
    dtype: str
    weights: Weights
    agreeing: float
    residual: float


@dataclass(frozen=True)
class _Sample:
    """The groups compared: where they are in `groups`, and the logged advantages, sorted by group."""

    groups: Groups
    chosen: Ints
    logged: Floats
    reward: Floats
    columns: Floats
    """(rows, reward functions)"""

    @property
    def size(self) -> Ints:
        return self.groups.size[self.chosen]

    def predicted(self, convention: Convention, dtype: str, values: Floats) -> Floats:
        """The advantages of the rows compared, given their rewards."""
        if convention.scale == "batch":
            return self._of_batches(convention, values)
        size, result = self.size, np.full(len(values), np.nan)
        if np.abs(values).max() > np.finfo(dtype).max:  # which the trainer could not have held
            return result
        start = starts(size)
        for each in np.unique(size):
            places = start[size == each][:, None] + np.arange(each)
            with np.errstate(all="ignore"):  # a trainer's NaN or overflow is no match, and no trouble
                result[places] = convention.advantages(values[places], dtype)
        return result

    def slack(self, convention: Convention, values: Floats, unit: float, decimals: int | None) -> Floats:
        """How far a match may be off: a few roundings of the advantage, and of the rewards under it."""
        size = self.size
        away = centred(values, size)
        spread = deviation(away, size)
        reach = np.maximum.reduceat(np.abs(values), starts(size))
        with np.errstate(divide="ignore", invalid="ignore"):
            condition = np.where(spread > 0, reach / np.minimum(spread, 1), 0.0)
        roundings = unit * (4 + np.sqrt(size))
        allowed = np.repeat(roundings, size) * np.abs(self.logged) + np.repeat(roundings * condition, size)
        if convention.deviation == "moments":  # E[x²] − E[x]² cancels, the more the less is left
            square: Floats = np.repeat(spread**2 * size, size)
            if convention.scale == "others":
                square = square - away**2 * np.repeat(size / (size - 1), size)
            whole = np.repeat(reach**2 * size, size)
            cancelled = np.divide(whole, square, out=np.zeros_like(whole), where=square > 1e-4 * whole)
            allowed += 2 * unit * cancelled * np.abs(self.logged)
        return allowed if decimals is None else allowed + 0.5001 * 10.0**-decimals

    def _of_batches(self, convention: Convention, values: Floats) -> Floats:
        """Over whole steps of the log, taken as batches, for groups of any sizes."""
        reward, size = self.groups.reward, self.groups.size
        step = np.unique(self.groups.step, return_inverse=True)[1]
        number = np.bincount(step, size)
        mean, within = means(reward, size), deviation(centred(reward, size), size)
        between = mean - (np.bincount(step, size * mean) / number)[step]
        square = np.bincount(step, size * (within**2 + between**2))
        spread = np.sqrt(square / np.maximum(number - convention.ddof, 1))[step[self.chosen]]
        return centred(values, self.size) / np.repeat(spread + convention.eps, self.size)


def match_conventions(groups: Groups, advantage: Floats, components: Mapping[str, Floats]) -> ConventionMatch:
    """Compare a log's advantages with those of every preset.

    Parameters
    ----------
    groups : the complete groups
    advantage : (n,) the log's column
    components : (n,) columns of the reward functions; with two or more, weights may be fitted
    """
    sample = _sample(groups, advantage, components)
    if sample is None:
        return ConventionMatch(0, (), "nothing to compare: no group has rewards that differ")
    unit, decimals = _unit(sample.logged), _decimals(sample.logged)

    def plain(convention: Convention) -> Iterable[tuple[Weights, Floats]]:
        yield {}, sample.reward

    def weighted(convention: Convention) -> Iterable[tuple[Weights, Floats]]:
        for weights in fitted_weights(convention, sample.columns, sample.logged, sample.size):
            yield dict(zip(components, weights.tolist(), strict=True)), sample.columns @ weights

    everything: list[_Trial] = []
    for digits in [None] if decimals is None else [None, decimals]:
        precision = f"printed to {digits} decimals" if digits else ("float32" if unit > 1e-10 else "float64")
        if digits and digits <= SINGLE_DIGITS:  # float32 may lie behind the print, summed in another order
            unit = 2.0**-24
        for rewards in [plain, weighted] if len(components) > 1 else [plain]:
            everything += _trials(sample, rewards, unit, digits)
            best = max(everything, key=lambda trial: (trial.agreeing, -trial.residual))
            if best.agreeing == 1:
                break
        if best.agreeing == 1:
            break
    found = (best.preset, best.agreeing, best.residual)
    return ConventionMatch(len(sample.chosen), _matches(everything), precision, *found)


def _trials(
    sample: _Sample,
    rewards: Callable[[Convention], Iterable[tuple[Weights, Floats]]],
    unit: float,
    decimals: int | None,
) -> list[_Trial]:
    found, start = [], starts(sample.size)
    for preset, convention in CONVENTIONS.items():
        for weights, reward in rewards(convention):
            slack = sample.slack(convention, reward, unit, decimals)
            for dtype in ("float32", "float64"):
                off = np.abs(sample.predicted(convention, dtype, reward) - sample.logged)
                good = np.logical_and.reduceat(off <= slack, start)
                worst = float(np.max(np.nan_to_num(off, nan=np.inf)))
                found.append(_Trial(preset, dtype, weights, float(good.mean()), worst))
    return found


def _matches(trials: list[_Trial]) -> tuple[Match, ...]:
    """One match a preset: the first weights that agree, in both precisions if both do."""
    found: dict[str, Match] = {}
    for trial in trials:
        if trial.agreeing < 1:
            continue
        before = found.get(trial.preset)
        if before is None:
            found[trial.preset] = Match(trial.preset, (trial.dtype,), trial.weights)
        elif before.weights == trial.weights and trial.dtype not in before.dtypes:
            found[trial.preset] = Match(trial.preset, (*before.dtypes, trial.dtype), trial.weights)
    return tuple(found.values())


def _sample(groups: Groups, advantage: Floats, components: Mapping[str, Floats]) -> _Sample | None:
    if groups.number == 0:
        return None
    varies = ~groups.silent
    whole = np.logical_and.reduceat(np.isfinite(advantage)[groups.row], groups.start)
    for column in components.values():
        values = column[groups.row]
        varies |= ~equal(values, groups.size)  # two functions may cancel in an unweighted sum
        whole &= np.logical_and.reduceat(np.isfinite(values), groups.start)
    able = np.flatnonzero(varies & whole)
    if len(able) == 0:
        return None
    chosen = able[np.linspace(0, len(able) - 1, min(len(able), MAX_GROUPS)).astype(np.intp)]
    size = groups.size[chosen]
    places = np.repeat(groups.start[chosen] - starts(size), size) + np.arange(size.sum())
    rows = groups.row[places]
    columns = np.array([column[rows] for column in components.values()]).reshape(-1, len(rows)).T
    return _Sample(groups, chosen, advantage[rows], groups.reward[places], columns)


def _unit(logged: Floats) -> float:
    """The relative rounding of the logged numbers: float32's if all of them are float32 numbers."""
    with np.errstate(over="ignore"):
        single = bool(np.all(logged.astype(np.float32) == logged))
    return 2.0**-24 if single else 2.0**-53


def _decimals(logged: Floats) -> int | None:
    """How many decimals the log prints, if it rounds: 2 to 9."""
    for digits in range(2, 10):
        if np.all(np.abs(np.round(logged, digits) - logged) <= 1e-12 * np.maximum(np.abs(logged), 1)):
            return digits
    return None
