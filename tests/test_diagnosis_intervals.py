"""Intervals for every law of difficulty: against laws drawn at random, and a case solved by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import binom, chi2

from grpo_lessons import expected_std, silent_probability
from grpo_lessons.diagnosis import GRID, Region, count_cells
from grpo_lessons.diagnosis.intervals import centre

RNG = np.random.default_rng(11)
CELLS = count_cells(RNG.binomial(8, RNG.beta(0.5, 1.5, 400)), 8)
CHANCE = binom.pmf(CELLS.k[:, None], 8, GRID)


def log_likelihood(law):
    return CELLS.count @ np.log(CHANCE @ law)


@pytest.fixture(scope="module")
def region():
    return Region(CELLS)


@pytest.mark.parametrize("times", [1, 25, 10_000])
def test_groups_of_two_are_a_binomial_interval(times):
    """At G = 2 only the mixed share is bounded (by ½), so its profile likelihood is the binomial's."""
    counts = [0] * 40 * times + [1] * 30 * times + [2] * 30 * times
    low, high = Region(count_cells(counts, 2)).bounds(silent_probability(GRID, 2))

    def drop(mixed):
        return times * (30 * np.log(mixed / 0.3) + 70 * np.log((1 - mixed) / 0.7)) + chi2.ppf(0.9, 1) / 2

    wider = max(0.05 / np.sqrt(len(counts)), 2e-4) / 2  # the share's range is ½
    left, right = 1 - brentq(drop, 0.3, 0.49), 1 - brentq(drop, 0.01, 0.3)
    assert left - 2 * wider <= low <= left + 1e-4
    assert right - 1e-4 <= high <= right + 2 * wider


@pytest.mark.parametrize("size", [4, 8, 32])
def test_no_law_inside_is_beyond_the_bounds(region, size):
    """Laws near the best one, mixed with random others until they just fit: their shares are within."""
    share = silent_probability(GRID, size)
    low, high = region.bounds(share)
    ratio = region.bounds(expected_std(GRID, size), np.sqrt(GRID * (1 - GRID)))
    rng = np.random.default_rng(size)
    floor = log_likelihood(region._best) - chi2.ppf(0.9, 1) / 2
    reached = []
    for _ in range(200):
        other = rng.dirichlet(np.full(len(GRID), 0.02))
        if rng.random() < 0.5:
            other = np.where(np.arange(len(GRID)) == rng.choice([0, len(GRID) - 1]), 0.5, 0) + other / 2
        way = 1.0
        while log_likelihood((1 - way) * region._best + way * other) < floor:
            way *= 0.9
        law = (1 - way) * region._best + way * other
        reached.append(share @ law)
        assert low <= share @ law <= high
        assert ratio[0] <= expected_std(GRID, size) @ law / (np.sqrt(GRID * (1 - GRID)) @ law) <= ratio[1]
    assert max(reached) - min(reached) > 0.25 * (high - low)


def test_the_best_law_is_the_best(region):
    """No point mass is worth more likelihood: the gradient's maximum is the number of groups."""
    slope = (CELLS.count / (CHANCE @ region._best)) @ CHANCE
    assert slope.max() - CELLS.groups < 1e-2
    assert region._best.sum() == pytest.approx(1)


def test_level():
    narrow, wide = (Region(CELLS, level).bounds(silent_probability(GRID, 8)) for level in (0.5, 0.99))
    assert wide[0] < narrow[0] < narrow[1] < wide[1]
    with pytest.raises(ValueError, match="level must be strictly between 0 and 1, got 1"):
        Region(CELLS, 1)


def test_one_group_says_little():
    low, high = Region(count_cells([4], 8)).bounds(silent_probability(GRID, 8))
    assert low == pytest.approx(2**-7, abs=0.03)
    assert high > 0.5


def test_all_silent_leaves_no_deviation():
    region = Region(count_cells([0] * 5, 8))
    assert np.isnan(region.bounds(expected_std(GRID, 8), np.sqrt(GRID * (1 - GRID)))).all()
    assert region.bounds(silent_probability(GRID, 8))[1] == pytest.approx(1)


@pytest.mark.parametrize(("groups", "size"), [(3200, 64), (50_000, 16)])
def test_many_groups_still_have_tight_bounds(groups, size):
    """Inner and outer bounds: no law inside is beyond, and some law inside comes near."""
    rng = np.random.default_rng(groups)
    cells = count_cells(rng.binomial(size, rng.beta(0.5, 1, groups)), size)
    region, share = Region(cells), silent_probability(GRID, 4)
    for sign in (1, -1):
        bound = sign * region.bounds(share)[0 if sign == 1 else 1]
        law = region._best
        for price in np.geomspace(1, 1e-7, 60):  # of likelihood, in units of the share
            trial = centre(region._chance, region._count, law, region._barrier, sign * share / price)
            assert bound <= sign * share @ trial
            law = trial
        assert sign * share @ law - bound < 2 * max(0.05 / np.sqrt(groups), 2e-4)
