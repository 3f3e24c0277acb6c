"""Values, settings and places of a grid, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

from grpo_lessons.grid import Grid


def test_settings_run_through_the_last_parameter_fastest():
    grid = Grid({"G": [2, 4], "way": ["a", "b", "c"]})
    assert grid.shape == (2, 3)
    assert grid.settings()[:4] == [
        {"G": 2, "way": "a"},
        {"G": 2, "way": "b"},
        {"G": 2, "way": "c"},
        {"G": 4, "way": "a"},
    ]
    assert str(grid) == "2 G × 3 way"


def test_values_are_plain_and_what_their_digits_say():
    values = Grid({"p": np.arange(1, 4) * 0.1, "G": np.array([2, 4])}).values
    assert values == {"p": [0.1, 0.2, 0.3], "G": [2, 4]}
    assert {type(value) for value in values["G"]} == {int}


def test_place_finds_numbers_that_are_all_but_equal():
    grid = Grid({"p": np.linspace(0, 1, 11), "G": [2, 4]})
    assert grid.place({"G": 4.0, "p": 0.1 + 0.2}, "setting") == [3, 1]


def test_start_is_in_the_middle_unless_given():
    grid = Grid({"p": [0.1, 0.2, 0.3], "G": [2, 4, 8, 16]})
    assert grid.start({}) == [1, 2]
    assert grid.start({"G": 2}) == [1, 0]


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ({"p": 0.15, "G": 2}, r"p must be one of 0.1, 0.2, 0.3, got 0.15"),
        ({"p": "0.1", "G": 2}, r"p must be one of 0.1, 0.2, 0.3, got '0.1'"),
        ({"p": 0.1}, r"setting needs a value for G"),
        ({"p": 0.1, "G": 2, "q": 1}, r"setting names 'q', which is no parameter; there are p, G"),
    ],
)
def test_place_refuses(setting, said):
    with pytest.raises(ValueError, match=said):
        Grid({"p": [0.1, 0.2, 0.3], "G": [2, 4]}).place(setting, "setting")


def test_a_refusal_shows_few_of_many_values():
    with pytest.raises(ValueError, match=r"p must be one of 0, 1, 2, \.\.\., 98, 99, got 0\.5"):
        Grid({"p": range(100)}).place({"p": 0.5}, "setting")


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (8, "G must be two or more numbers or strings, got 8"),
        ([8], r"G must be two or more numbers or strings, got \[8\]"),
        ([[1, 2], [3, 4]], "two or more"),
        ([1, None], "two or more"),
        ([True, False], "two or more"),
        ([2, float("inf")], r"G must be finite, got \[2, inf\]"),
        ([2, 4, 2], r"G must be distinct values, got \[2, 4, 2\]"),
        ([0.1, 0.1 + 1e-15], "distinct"),
    ],
)
def test_values_refused(values, said):
    with pytest.raises(ValueError, match=said):
        Grid({"G": values})
