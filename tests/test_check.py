"""Self-checks: right answers pass in every spelling, wrong ones are told in which way they are wrong."""

import numpy as np
import pytest
import sympy as sp

from grpo_lessons import advantages, check


@pytest.mark.parametrize("blank", [None, ..., (..., ...), [1, None]])
def test_unanswered_says_so(blank):
    for verdict in (check.number(blank, [1, 2]), check.expression(blank, "p")):
        assert not verdict
        assert "Not answered yet" in repr(verdict)


@pytest.mark.parametrize("answer", [59, 59.0, np.int64(59), np.float32(59.1), sp.Integer(59)])
def test_right_numbers(answer):
    assert check.number(answer, 59)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (-59, "wrong sign"),
        (5900, "percent"),
        ("many", "A number is wanted"),
        ([59, 59], "shape"),
        (np.nan, "NaN"),
        (60, "Think of one term"),
    ],
)
def test_wrong_numbers_are_told_why(answer, says):
    verdict = check.number(answer, 59, hint="Think of one term.")
    assert not verdict
    assert says in repr(verdict)


def test_the_other_ddof_is_recognised():
    rewards = [1, 0, 0, 1, 1, 0, 0, 0]
    right = advantages(rewards)
    assert check.number(right, right, group_size=8)
    verdict = check.number(advantages(rewards, ddof=1), right, group_size=8)
    assert not verdict
    assert "ddof" in repr(verdict)
    assert "ddof" not in repr(check.number(advantages(rewards, ddof=1), right))


def test_zero_has_a_tolerance_too():
    assert check.number(0.001, 0)
    assert not check.number(0.1, 0)


def test_always_equal_objects_earn_nothing():
    class Equal:
        def __eq__(self, other):
            return True

        __hash__ = None

    assert not check.number(Equal(), 59)


@pytest.mark.parametrize(
    "answer",
    [
        "1 - 2*p*(1-p)",
        "p**2 + (1-p)**2",
        sp.Symbol("p", positive=True) ** 2 + (1 - sp.Symbol("p", positive=True)) ** 2,
    ],
)
def test_equal_expressions_however_written(answer):
    assert check.expression(answer, "2*p**2 - 2*p + 1")


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ("-2*p", "wrong sign"),
        ("p + z", "does not depend on z"),
        ("2*(", "cannot read"),
        ("p > 1", "A formula is wanted"),
        ("3*p", "Count again"),
    ],
)
def test_wrong_expressions_are_told_why(answer, says):
    verdict = check.expression(answer, "2*p", hint="Count again.")
    assert not verdict
    assert says in repr(verdict)
