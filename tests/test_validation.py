"""Each check returns float64 of the value's shape, or names the argument, the value and what is allowed."""

from __future__ import annotations

import math
import re
from fractions import Fraction

import numpy as np
import pytest

from grpo_lessons import validation as check


@pytest.mark.parametrize(
    ("accept", "value"),
    [
        (check.real_array, [1, 2.5]),
        (check.real_array, math.inf),
        (check.finite, -3),
        (check.probability, [0, 0.5, 1]),
        (check.probability, True),
        (check.open_unit, 1e-300),
        (check.positive, [[1e-300, 1e300]]),
        (check.nonnegative, [0, 1e300]),
        (check.group_size, [2, 8.0, 10**9]),
        (check.group_size, np.int8(5)),
        (check.real_array, [Fraction(1, 4), 10**20]),
    ],
)
def test_returns_float64_of_the_same_shape(accept, value):
    array = accept(value, "x")
    assert array.dtype == np.float64
    np.testing.assert_array_equal(array, value)
    assert array.shape == np.shape(value)


@pytest.mark.parametrize(
    ("refuse", "value", "message"),
    [
        (check.real_array, "half", "x must be a real number or an array of them, got 'half'"),
        (check.real_array, None, "x must be a real number or an array of them, got None"),
        (check.real_array, 1j, "x must be a real number or an array of them, got 1j"),
        (
            check.real_array,
            [[1], [1, 2]],
            "x must be a number or a rectangular array of numbers, got [[1], [1, 2]]",
        ),
        (
            check.real_array,
            np.ma.masked_equal([0.5, 9.0], 9),
            "x must be an array without a mask, got a masked array of shape (2,)",
        ),
        (check.real_array, np.ma.masked, "x must be an array without a mask, got a masked array of shape ()"),
        (check.real_array, [], "x must not be empty, got shape (0,)"),
        (check.real_array, [1, math.nan], "x must be a number, not NaN, got nan"),
        (check.finite, -math.inf, "x must be finite, got -inf"),
        (check.probability, [0.5, 1.5], "x must be in [0, 1], got 1.5"),
        (check.probability, -1e-9, "x must be in [0, 1], got -1e-09"),
        (check.probability, 1 + 2**-52, "x must be in [0, 1], got 1.0000000000000002"),
        (check.real_array, [0.5, None], "x must be a real number or an array of them, got [0.5, None]"),
        (check.real_array, 10**309, f"x must be in the range of float64, got {10**309}"),
        (
            check.group_size,
            10**20,
            "x must be a whole number of at least 2 and at most 2**53, got 1e+20",
        ),
        (check.open_unit, 0, "x must be strictly between 0 and 1, got 0"),
        (check.open_unit, 1, "x must be strictly between 0 and 1, got 1"),
        (check.positive, 0, "x must be finite and above 0, got 0"),
        (check.positive, math.inf, "x must be finite and above 0, got inf"),
        (check.nonnegative, -1, "x must be finite and at least 0, got -1"),
        (check.nonnegative, math.inf, "x must be finite and at least 0, got inf"),
        (check.group_size, 1, "x must be a whole number of at least 2 and at most 2**53, got 1"),
        (check.group_size, [4, 8.5], "x must be a whole number of at least 2 and at most 2**53, got 8.5"),
        (check.group_size, 1e16, "x must be a whole number of at least 2 and at most 2**53, got 1e+16"),
        (check.group_size, math.inf, "x must be a whole number of at least 2 and at most 2**53, got inf"),
    ],
)
def test_refuses(refuse, value, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        refuse(value, "x")


def test_group_size_may_be_infinite_or_one_where_that_makes_sense():
    assert check.group_size(math.inf, infinite=True) == math.inf
    assert check.group_size(1, least=1) == 1
    with pytest.raises(ValueError, match=r"at least 1 and at most 2\*\*53, or math\.inf, got 0"):
        check.group_size(0, least=1, infinite=True)
    with pytest.raises(ValueError, match="got -inf"):
        check.group_size(-math.inf, infinite=True)


def test_count_lies_within_its_group():
    np.testing.assert_array_equal(check.count([0, 3, 8], [8, 3, 8]), [0, 3, 8])
    for k in (-1, 2.5, [3, 9], math.inf):
        with pytest.raises(ValueError, match="k must be a whole number from 0 to group_size, got"):
            check.count(k, [8, 8])
    with pytest.raises(ValueError, match="got 5"):
        check.count(5, [8, 4])


def test_together_broadcasts_or_names_the_shapes():
    column, row = check.together(p=np.zeros((2, 1)), group_size=np.ones(3))
    np.testing.assert_array_equal(column, np.zeros((2, 3)))
    np.testing.assert_array_equal(row, np.ones((2, 3)))
    message = r"^p and group_size must broadcast, got shapes \(2,\) and \(3,\)$"
    with pytest.raises(ValueError, match=message):
        check.together(p=np.zeros(2), group_size=np.zeros(3))
    message = r"^a, b and k must broadcast, got shapes \(2,\), \(\) and \(3, 4\)$"
    with pytest.raises(ValueError, match=message):
        check.together(a=np.zeros(2), b=np.zeros(()), k=np.zeros((3, 4)))
    with pytest.raises(ValueError, match=r"^k and group_size must broadcast, got shapes \(2,\) and \(3,\)$"):
        check.count([0, 1], [8, 8, 8])


def test_ddof_is_0_or_1():
    assert check.ddof(np.int64(1)) == 1
    for ddof in (2, -1, 0.5, "1"):
        with pytest.raises(ValueError, match=f"ddof must be 0 or 1, got {ddof!r}"):
            check.ddof(ddof)


def test_words_and_single_numbers():
    assert check.one_of("a", ("a", "b"), "x") == "a"
    for word in ("c", None, 1):
        with pytest.raises(ValueError, match=f"x must be one of 'a', 'b', got {word!r}"):
            check.one_of(word, ("a", "b"), "x")
    assert check.single(np.array(2.0), "x") == 2
    with pytest.raises(ValueError, match=r"x must be one number, got an array of shape \(2,\)"):
        check.single(np.zeros(2), "x")
