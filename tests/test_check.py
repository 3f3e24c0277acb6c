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
        ("many", "A real number is wanted"),
        ("59", "A real number is wanted"),
        (59j, "A real number is wanted"),
        (10**400, "A real number is wanted"),
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
        "2*p^2 - 2p + 1".replace("2p", "2*p"),
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
        ("p > 1", "cannot read"),
        (sp.Symbol("p") > 1, "A formula is wanted"),
        (np.sqrt, "A formula is wanted"),
        ("p", "constant factor"),
        ("2*p + 1", "added constant"),
        ("p**2", "Count again"),
    ],
)
def test_wrong_expressions_are_told_why(answer, says):
    verdict = check.expression(answer, "2*p", hint="Count again.")
    assert not verdict
    assert says in repr(verdict)


def test_formulas_are_compared_where_their_symbols_live():
    """√(k(G − k)) is √k √(G − k), which no rule for all complex numbers says."""
    split = "sqrt(k) * sqrt(G - k) / G"
    assert check.expression(split, "sqrt(k*(G - k)) / G", domain={"G": (8, 16), "k": (1, 7)})
    assert not check.expression("2**G", "2**G + sin(pi*G/2)", domain={"G": (2, 64)})
    assert check.expression("2**G", "2**G + sin(pi*G)", domain={"G": (2, 64)})


def test_formulas_can_be_compared_at_one_value_of_a_symbol():
    assert check.expression("1 - s**R", 1, at={"s": 0, "R": 3})
    assert check.expression("G/(1 - s)", "G", at={"s": 0})
    assert check.expression("sqrt((1 - b)**2 + 4*b*p) - b", 1, at={"p": 1})
    assert "Every prompt" in repr(check.expression("s**R", 1, at={"s": 0, "R": 3}, hint="Every prompt."))


@pytest.mark.parametrize(
    "text", ["__import__('os').getcwd()", "p.real", "[p]", "(lambda: p)()", "open(p)", "'p'", "True"]
)
def test_text_is_read_and_never_run(text):
    assert "cannot read" in repr(check.expression(text, "p"))


def test_within_gives_nothing_away():
    assert check.within([0.2, 0.8], 0, 1, shape=(2,))
    assert "grading will say" in repr(check.within(0.5, 0, 1))
    assert "between 0 and 1" in repr(check.within(2, 0, 1))
    assert "shape" in repr(check.within([0.5], 0, 1))
    assert "Not answered" in repr(check.within(..., 0, 1))


def test_functions_are_called_and_the_failing_case_is_told():
    def silent(p, group_size):
        return p**group_size

    cases = [((0.0, 2), 0.0), ((0.5, 2), 0.5)]
    assert check.function(lambda p, group_size: p**group_size + (1 - p) ** group_size, cases[1:])
    assert "silent(0.5, 2): Not yet. Two" in repr(check.function(silent, cases, hint="Two ways."))
    assert "silent(1, 2, 3) stops with TypeError" in repr(check.function(silent, [((1, 2, 3), 0)]))
    assert "A function is wanted" in repr(check.function(3, cases))
    for unwritten in (..., lambda p, group_size: None, lambda p, group_size: ...):
        assert repr(check.function(unwritten, cases)) == check.UNANSWERED


def test_functions_may_return_arrays():
    cases = [((np.array([1, 0, 0, 0]),), advantages([1, 0, 0, 0]))]
    assert check.function(advantages, cases)
    assert "ddof" in repr(check.function(lambda r: advantages(r, ddof=1), cases, group_size=4))
