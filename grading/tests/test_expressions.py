"""The reader of expressions: what sympy writes comes back, in the teacher's symbols; nothing is evaluated."""

import contextlib
import random

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from grading.box.grader_wire import AnswerError
from grading.expressions import CONSTANTS, FUNCTIONS, read_expression

p, G = sp.symbols("p G", positive=True)
SYMBOLS = {"p": p, "G": G}
q, k, n = sp.Symbol("p"), sp.Symbol("k"), sp.Symbol("n")

LEAVES = st.sampled_from([p, G, sp.pi, sp.E, sp.I]) | st.integers(-9, 9).map(sp.Integer)
TREES = st.recursive(
    LEAVES | st.fractions(-3, 3, max_denominator=9).map(sp.Rational),
    lambda inner: (
        st.builds(sp.Add, inner, inner)
        | st.builds(sp.Mul, inner, inner)
        | st.builds(lambda base, power: sp.Pow(base, power), inner, st.integers(-3, 3))
        | st.builds(
            lambda function, arg: function(arg), st.sampled_from([sp.exp, sp.sin, sp.Abs, sp.sqrt]), inner
        )
    ),
    max_leaves=8,
)
WORDS = [
    *FUNCTIONS,
    *CONSTANTS,
    "Symbol",
    "Integer",
    "Float",
    "Rational",
    "Function",
    "Lambda",
    "Matrix",
    "x",
]
TOKENS = [
    *WORDS,
    "(",
    ")",
    "[",
    "]",
    ",",
    "'p'",
    "'1e9'",
    "precision=53",
    "2",
    "-1",
    "9" * 30,
    ".",
    "**",
    ":",
    "lambda",
]


@given(TREES)
@settings(max_examples=100, deadline=None)
def test_what_sympy_writes_comes_back(expression):
    assert read_expression(sp.srepr(expression), SYMBOLS) == expression


@given(st.lists(st.sampled_from(TOKENS), max_size=30).map("".join) | st.text(max_size=60))
@settings(max_examples=600, deadline=None)
def test_any_text_is_read_or_refused(text):
    try:
        value = read_expression(text, SYMBOLS)
    except AnswerError:
        return
    assert isinstance(value, (sp.Basic, sp.MatrixBase))


def test_changed_text_is_read_or_refused():
    draw = random.Random(7)
    text = sp.srepr(sp.binomial(G, k) * p**k * (1 - p) ** (G - k) / sp.sqrt(2))
    for _ in range(1500):
        letters = list(text)
        for _ in range(draw.randint(1, 4)):
            letters[draw.randrange(len(letters))] = draw.choice("()[]',.0123456789abcxyzPow*- ")
        with contextlib.suppress(AnswerError):
            assert isinstance(read_expression("".join(letters), SYMBOLS), sp.Basic)


@pytest.mark.parametrize(
    "expression",
    [
        sp.Sum(sp.binomial(n, k), (k, 0, n)),
        sp.Piecewise((p, p < 1), (1 - p, True)),
        sp.Integral(sp.exp(-(p**2)), (p, 0, sp.oo)),
        sp.Derivative(p**G, p),
        sp.Max(p, G) + sp.Abs(k),
        sp.Matrix([[p, 1], [0, G]]),
        sp.Float("0.1"),
        sp.Eq(p, G),
        sp.And(p < 1, G > 2),
        sp.binomial(256, 128),
        sp.harmonic(G),
        sp.zoo,
        -sp.oo,
        sp.Rational(1, 3) ** 20,
    ],
)
def test_forms_that_a_course_needs(expression):
    known = {**SYMBOLS, "k": k, "n": n}
    assert read_expression(sp.srepr(expression), known) == sp.sympify(expression)


def test_symbols_are_the_teachers_whatever_was_assumed():
    for mine in (q, sp.Symbol("p", real=True), sp.Symbol("p", integer=True, negative=True)):
        assert read_expression(sp.srepr(mine * 2), SYMBOLS) == 2 * p


def test_no_symbol_prints_as_an_answer():
    for name in ("True", "0.25", "x"):
        assert str(read_expression(sp.srepr(sp.Symbol(name, positive=True)), SYMBOLS)) == f"your_{name}"
        assert read_expression(sp.srepr(sp.Symbol(name, positive=True)), SYMBOLS).is_positive is None


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "Symbol('p').__class__",
        "Symbol(open('/etc/passwd').read())",
        "(lambda: 1)()",
        "[Symbol('p') for _ in (1,)]",
        "exp",
        "Function('f')(Symbol('p'))",
        "Lambda(Tuple(Symbol('p')), Symbol('p'))",
        "Dummy('p', dummy_index=1)",
        "Integer(True)",
        "Integer('1')",
        "Integer(1.5)",
        "Integer(Integer(1))",
        f"Integer({'9' * 300})",
        f"Integer({'9' * 5000})",
        "Float('1e9999')",
        "Float('nan')",
        "Float('.')",
        "Pow(Integer(10), Integer(1000000000))",
        "Pow(Pow(Integer(2), Integer(400)), Integer(400))",
        "Pow(Rational(1, 3), Integer(-100000))",
        "factorial(Integer(100000))",
        "factorial(factorial(Integer(9)))",
        "binomial(Integer(100000), Integer(50000))",
        "gamma(Float('1e6'))",
        "Add(*[Integer(1)])",
        "Add(**{})",
        "Add(evaluate=False)",
        "MutableDenseMatrix(Integer(3))",
        "exp(" * 200 + "Integer(1)" + ")" * 200,
        "-" * 10_000 + "1",
        "not " * 5_000 + "x",
        "Add(" + "Symbol('p'), " * 3_000 + ")",
        "Symbol('p')" + ".a" * 9_000,
        "1 if 1 else " * 1_500 + "1",
        "Symbol('p'",
        "",
        "\0",
        "'\\N{SPACE}'",
        "Symbol(\ud800)",
    ],
)
def test_text_is_refused(text):
    with pytest.raises(AnswerError):
        read_expression(text, SYMBOLS)
