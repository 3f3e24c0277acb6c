"""Other group sizes: posteriors in closed form against numerical integrals over p."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import beta, binom

from grpo_lessons import expected_std, silent_probability
from grpo_lessons.diagnosis import BetaMixture, Posterior, Region, count_cells, other_sizes

CELLS = count_cells([0, 0, 1, 5, 8], 8)
LAW = BetaMixture(
    np.array([0.6, 0.3, 0.1]),
    np.array([2.0, 1.2, np.inf]),
    np.array([3.0, 1.1, np.inf]),
    np.array([np.nan, np.nan, 0.0]),
)


def by_hand(function, at_zero=0.0):
    """Mean over the observed groups of the posterior mean of a function of p."""
    total = 0.0
    for k, count in zip(CELLS.k, CELLS.count, strict=True):

        def weight(p, k=k):
            return binom.pmf(k, 8, p) * (0.6 * beta.pdf(p, 2, 3) + 0.3 * beta.pdf(p, 1.2, 1.1))

        whole = quad(weight, 0, 1)[0] + 0.1 * (k == 0)
        part = quad(lambda p: function(p) * weight(p), 0, 1)[0] + 0.1 * (k == 0) * at_zero
        total += count * part / whole
    return total / CELLS.groups


@pytest.mark.parametrize("size", [2, 8, 20])
def test_posterior_means(size):
    found = Posterior(LAW, CELLS)
    assert found.silent(size) == pytest.approx(by_hand(lambda p: silent_probability(p, size), 1.0), rel=1e-7)
    full = by_hand(lambda p: np.sqrt(p * (1 - p)))
    assert found.fidelity(size) == pytest.approx(by_hand(lambda p: expected_std(p, size)) / full, rel=1e-7)


def test_smallest_size():
    found = Posterior(LAW, CELLS)
    size = found.smallest(0.4)
    assert found.silent(size) <= 0.4 < found.silent(size - 1)
    assert found.smallest(0.9) == 2
    assert found.smallest(0.01) is None  # a tenth of the prompts is never right


def test_rows():
    rows = other_sizes(Posterior(LAW, CELLS), Region(CELLS), (2, 8, 64))
    for row in rows:
        for one in (row.silent, row.cost, row.fidelity):
            assert one.low <= one.value <= one.high
        assert row.cost.value == pytest.approx(row.group_size / (1 - row.silent.value))
    assert rows[0].silent.value > rows[1].silent.value > rows[2].silent.value
    assert rows[0].fidelity.value < rows[1].fidelity.value < rows[2].fidelity.value <= 1


def test_nothing_ever_mixed():
    cells = count_cells([0, 0], 4)
    law = BetaMixture(np.ones(1), np.array([np.inf]), np.array([np.inf]), np.array([0.0]))
    (row,) = other_sizes(Posterior(law, cells), Region(cells), (8,))
    assert (row.silent.value, row.cost.value, row.fidelity.value) == (1, None, None)
