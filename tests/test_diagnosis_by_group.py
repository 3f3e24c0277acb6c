"""Arithmetic within groups, against numpy on each group alone."""

import numpy as np

from grpo_lessons.diagnosis import by_group


def test_each_group_as_numpy_has_it():
    rng = np.random.default_rng(2)
    size = np.array([2, 5, 1, 3])
    values = rng.normal(size=11)
    parts = np.split(values, [2, 7, 8])
    assert by_group.starts(size).tolist() == [0, 2, 7, 8]
    np.testing.assert_allclose(by_group.means(values, size), [part.mean() for part in parts])
    away = by_group.centred(values, size)
    np.testing.assert_allclose(away, np.concatenate([part - part.mean() for part in parts]))
    np.testing.assert_allclose(by_group.deviation(away, size), [part.std() for part in parts])
    two = np.column_stack([values, values**2])
    np.testing.assert_allclose(by_group.centred(two, size)[:, 1], by_group.centred(values**2, size))


def test_deviation_divides_by_what_ddof_says():
    away = by_group.centred(np.array([0.0, 1, 1, 0, 4]), np.array([3, 2]))
    np.testing.assert_allclose(by_group.deviation(away, np.array([3, 2]), 1), [3**-0.5, 8**0.5])


def test_equal_groups():
    size = np.array([2, 2, 2])
    assert by_group.equal(np.array([1.0, 1, 0, 1, np.nan, np.nan]), size).tolist() == [True, False, False]
