"""Doubling and halving, against thresholds that are known."""

from __future__ import annotations

import numpy as np
import pytest

from grpo_lessons.search import smallest_group_size


@pytest.mark.parametrize("threshold", [1, 2, 3, 4, 5, 1023, 1024, 1025, 2**53 - 1, 2**53])
def test_finds_the_threshold(threshold):
    size = smallest_group_size(lambda size: size >= threshold, np.array(0.5))
    assert size == max(threshold, 2)
    assert isinstance(size, int)


def test_searches_every_element_for_itself():
    threshold = np.array([[2, 9, 10**12], [3, 70, 2]])
    sizes = smallest_group_size(lambda size: size >= threshold, np.zeros((2, 3)))
    assert sizes.dtype == np.int64
    np.testing.assert_array_equal(sizes, threshold)


def test_takes_few_steps():
    asked = []
    smallest_group_size(lambda size: asked.append(size) or size >= 10**6, np.array(0.5))
    assert len(asked) <= 2 * 20


def test_gives_up_above_what_floats_count():
    target = np.array([0.5, 0.75])
    with pytest.raises(ValueError, match=r"coverage must .* up to 2\*\*53, got 0.75"):
        smallest_group_size(lambda size: (size >= 5) & (target < 0.6), target)
