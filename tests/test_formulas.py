"""Formulas from text: read as sympy reads them, and nothing but read."""

import pytest
import sympy as sp

from grpo_lessons.formulas import read_formula

TEXTS = [
    "1 - 2*p*(1-p)",
    "sqrt(k*(G - k))/G",
    "-p**2 + +q/3",
    "2**-p",
    "asin(sqrt(p))*2/pi",
    "binomial(G, k)*p**k",
    "log(p/(1 - p)) + E",
    "Rational(1, 3)*p",
]


@pytest.mark.parametrize("text", TEXTS)
def test_reads_what_sympy_reads(text):
    assert sp.simplify(read_formula(text) - sp.sympify(text, locals={"E": sp.E})) == 0


def test_decimals_are_exact_and_a_caret_is_a_power():
    assert read_formula("0.1*p^2") == sp.Symbol("p") ** 2 / 10


@pytest.mark.parametrize(
    "text", ["", "p.q", "p > 1", "f(p)", "sqrt()", "p if p else 1", "'p'", "p = 1", "(" * 500]
)
def test_refuses_the_rest(text):
    with pytest.raises(ValueError, match="text must"):
        read_formula(text)
