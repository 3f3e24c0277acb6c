"""The smallest group of which enough are mixed, against the silence of its neighbours."""

from __future__ import annotations

import numpy as np
import pytest

from grpo_lessons import (
    beta_min_group_size_for_coverage,
    beta_silent_probability,
    min_group_size_for_coverage,
    silent_probability,
)


def test_filtering_or_a_larger_group():
    assert min_group_size_for_coverage(0.95, 0.95) == 59


@pytest.mark.parametrize("coverage", [0.1, 0.75, 0.95, 1 - 1e-9])
@pytest.mark.parametrize("p", [1e-12, 1e-4, 0.05, 0.5, 0.7])
def test_reaches_the_target_and_one_less_does_not(p, coverage):
    size = min_group_size_for_coverage(p, coverage)
    assert isinstance(size, int)
    assert silent_probability(p, size) <= 1 - coverage
    assert size == 2 or silent_probability(p, size - 1) > 1 - coverage


def test_a_tie_counts_as_reached():
    size = np.arange(2, 40)
    np.testing.assert_array_equal(min_group_size_for_coverage(0.5, 1 - 2.0 ** (1 - size)), size)
    assert min_group_size_for_coverage([0.1, 0.9, 0.2], [0.18, 0.18, 0.32]).tolist() == [2, 2, 2]


def test_over_uniform_prompts():
    """2/(G + 1) are silent."""
    assert beta_min_group_size_for_coverage(1, 1, [0.5, 0.9, 0.95]).tolist() == [3, 19, 39]


def test_over_other_prompts():
    size = beta_min_group_size_for_coverage(0.5, 2, 0.9)
    assert isinstance(size, int)
    assert beta_silent_probability(0.5, 2, size) <= 1 - 0.9 < beta_silent_probability(0.5, 2, size - 1)


def test_refuses_a_target_out_of_reach():
    with pytest.raises(
        ValueError, match=r"coverage must be within reach of a group_size up to 2\*\*53, got 0.999"
    ):
        beta_min_group_size_for_coverage(0.01, 1, 0.999)
    with pytest.raises(ValueError, match=r"coverage must .* got 0.9"):
        min_group_size_for_coverage([0.5, 1e-18], 0.9)
