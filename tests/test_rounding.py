"""The failures are the point: where float32 sums and deviations miss, and by how much."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from grpo_lessons import rounding

EIGHT = np.full(8, 0.3, np.float32)
UNIT = np.float32(2.0**-25)
"""One unit in the last place of float32 numbers from 1/4 to 1/2."""


def test_sequential_sum_misses_eight_equal_rewards_by_one_unit():
    total = Fraction(0)
    for reward in EIGHT:  # each partial sum rounded to float32, in exact arithmetic
        total = Fraction(float(np.float32(float(total + Fraction(float(reward))))))
    assert rounding.total(EIGHT, "sequential").item() == float(total)
    assert EIGHT[0] - rounding.total(EIGHT, "sequential").item() / 8 == UNIT
    assert EIGHT[0] == rounding.total(EIGHT, "pairwise").item() / 8


@pytest.mark.parametrize("order", ["sequential", "pairwise"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sums_and_deviations_agree_where_nothing_cancels(order, dtype):
    values = np.random.default_rng(7).random((3, 4, 9)).astype(dtype)
    tolerance = 20 * np.finfo(dtype).eps
    total = rounding.total(values, order)
    assert total.shape == (3, 4, 1)
    assert total.dtype == dtype
    np.testing.assert_allclose(total[..., 0], values.astype(float).sum(axis=-1), rtol=tolerance)
    for ddof in (0, 1):
        expected = values.astype(float).std(axis=-1, ddof=ddof, keepdims=True)
        for deviation in (rounding.two_pass(values, ddof, order), rounding.exact(values, ddof)):
            assert deviation.dtype == dtype
            np.testing.assert_allclose(deviation, expected, rtol=tolerance)


def test_two_pass_deviation_of_equal_rewards_is_the_miss_of_the_mean():
    deviation = rounding.two_pass(EIGHT, 1, "sequential").item()
    assert deviation == pytest.approx(float(UNIT) * np.sqrt(8 / 7), rel=1e-6)
    assert rounding.two_pass(EIGHT, 1, "pairwise").item() == 0
    assert rounding.exact(EIGHT, 1).item() == 0


class TestMoments:
    @pytest.mark.parametrize("ddof", [0, 1])
    def test_mean_and_deviation_of_each_row_s_pick(self, ddof):
        values = np.random.default_rng(8).random((2, 6))
        weights = 1 - np.eye(6)
        mean, deviation = rounding.moments(values, ddof, weights)
        for i in range(6):
            others = np.delete(values, i, axis=-1)
            np.testing.assert_allclose(mean[:, i], others.mean(axis=-1), rtol=1e-13)
            np.testing.assert_allclose(deviation[:, i], others.std(axis=-1, ddof=ddof), rtol=1e-12)

    def test_cancellation_is_a_deviation(self):
        """Seven of 0.15 in float32: E[x²] − E[x]² is rounding, and it is not 0."""
        _, deviation = rounding.moments(np.full(7, 0.15, np.float32), 1, np.ones((1, 7), np.float32))
        assert 0 < deviation.item() < 1e-4

    def test_one_completion_and_negative_differences_give_zero(self):
        _, alone = rounding.moments(np.array([0.3, 0.7]), 1, 1 - np.eye(2))
        np.testing.assert_array_equal(alone, 0)
        constants = np.repeat(np.arange(1, 101, dtype=np.float32)[:, None] / 100, 7, axis=1)
        _, deviation = rounding.moments(constants, 1, np.ones((1, 7), np.float32))
        assert not np.isnan(deviation).any()
        assert np.sum(deviation == 0) > np.sum(deviation > 0) > 0
