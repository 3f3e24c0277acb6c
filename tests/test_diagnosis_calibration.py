"""Simulated logs: the expected silent share has no bias that shows, and its 90 % interval covers."""

from __future__ import annotations

import numpy as np
import pytest

from grpo_lessons import beta_silent_probability, silent_probability
from grpo_lessons.diagnosis import GRID, Region, count_cells, fit_difficulty

LOGS, GROUPS, SIZE = 30, 400, 8
OTHERS = (4, 8, 16)

LAWS = {
    "one p": (lambda rng: np.full(GROUPS, 0.2), lambda size: silent_probability(0.2, size)),
    "hard": (lambda rng: rng.beta(0.5, 1.5, GROUPS), lambda size: beta_silent_probability(0.5, 1.5, size)),
    "never": (
        lambda rng: np.where(rng.random(GROUPS) < 0.3, 0, rng.beta(3, 2, GROUPS)),
        lambda size: 0.3 + 0.7 * beta_silent_probability(3, 2, size),
    ),
}


@pytest.mark.parametrize("name", LAWS)
def test_calibration(name):
    draw, truth = LAWS[name]
    values, covered, plugged = [], [], []
    for seed in range(LOGS):
        rng = np.random.default_rng(seed)
        k = rng.binomial(SIZE, draw(rng))
        cells = count_cells(k, SIZE)
        mixture, region = fit_difficulty(cells).mixture, Region(cells)
        values.append([float(mixture.silent(size)) for size in OTHERS])
        bounds = [region.bounds(silent_probability(GRID, size)) for size in OTHERS]
        covered.append([low <= truth(size) <= high for (low, high), size in zip(bounds, OTHERS, strict=True)])
        plugged.append(np.mean((k / SIZE) ** SIZE + (1 - k / SIZE) ** SIZE))
    right = [float(truth(size)) for size in OTHERS]
    error = np.std(values, axis=0, ddof=1) / np.sqrt(LOGS)
    assert np.all(np.abs(np.mean(values, axis=0) - right) < 3 * error)
    # P(fewer than 24 of 30 at a coverage of 0.9) is 0.03; one tail for each of nine, seeds fixed
    assert np.all(np.sum(covered, axis=0) >= 24)
    assert np.mean(plugged) - right[1] > 10 * error[1]
