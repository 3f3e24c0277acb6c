"""How far the advantages went, against the furthest that their convention allows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..conventions import CONVENTIONS, Convention
from ..extremes import advantage_bound
from .by_group import Floats, centred, deviation
from .groups import Groups


@dataclass(frozen=True)
class Extremes:
    """The largest advantages of mixed groups.

    Attributes
    ----------
    unit : the preset in whose units they are; "textbook" for ddof 0 and no eps
    logged : whether they are the log's, or computed from the rewards
    largest : largest |A| in a mixed group; None without one
    bound : the most that |A| can be in the largest group, √(G − 1) for the textbook; None for no bound
    at_bound : share of mixed groups with an advantage within 1 % of their own bound
    above_bound : completions more than 0.1 % above their bound, which no such convention gives
    silent_largest : largest |A| in a silent group, where it should be 0
    """

    unit: str
    logged: bool
    largest: float | None
    bound: float | None
    at_bound: float | None
    above_bound: int
    silent_largest: float | None


def extreme_advantages(groups: Groups, advantage: Floats | None, preset: str | None) -> Extremes | None:
    """Compare advantages with their bounds.

    Parameters
    ----------
    groups : the complete groups
    advantage : (n,) the log's column, or None to compute the textbook's from the rewards
    preset : the convention it follows, None for the textbook's
    """
    if groups.number == 0:
        return None
    logged = None if advantage is None else advantage[groups.row]
    known = logged is not None and bool(np.isfinite(logged).any())
    values = _magnitudes(logged) if logged is not None and known else _textbook(groups)
    convention = CONVENTIONS.get(preset or "") if known else None
    bounds = _bounds(groups, convention)
    largest = np.maximum.reduceat(values, groups.start)
    mixed = ~groups.silent
    silent = float(largest[groups.silent].max()) if groups.silent.any() else None
    unit = preset if convention is not None and preset else "textbook"
    if not mixed.any() or bounds is None:
        top = float(largest[mixed].max()) if mixed.any() else None
        return Extremes(unit, known, top, None, None, 0, silent)
    return Extremes(
        unit,
        known,
        float(largest[mixed].max()),
        float(bounds.max()),
        float(np.mean(largest[mixed] >= 0.99 * bounds[mixed])),
        int(np.sum(values > np.repeat(np.where(mixed, 1.001 * bounds, np.inf), groups.size))),
        silent,
    )


def _bounds(groups: Groups, convention: Convention | None) -> Floats | None:
    """(g,) the most that |A| can be."""
    if convention is None:
        return advantage_bound(groups.size)
    if convention.scale == "group":
        return advantage_bound(groups.size, convention.ddof)
    if convention.scale == "none":
        span = float(np.ptp(groups.reward))
        share = 1.0 if convention.baseline == "leave_one_out" else 1 - 1 / groups.size
        return np.asarray(span * share * np.ones(groups.number))
    return None  # the deviation of others, or of a batch, can be as small as it likes


def _magnitudes(advantages: Floats) -> Floats:
    """|A|, 0 where it is missing; in place, as a log may have millions of rows."""
    return np.asarray(np.nan_to_num(np.abs(advantages, out=advantages), copy=False))


def _textbook(groups: Groups) -> Floats:
    """|A| with ddof 0, 0 in silent groups."""
    away = centred(groups.reward, groups.size)
    divisor = np.where(groups.silent, np.inf, deviation(away, groups.size))
    return np.asarray(np.abs(away) / np.repeat(divisor, groups.size))
