"""The sympy twins: the derivations they stand for, and agreement with the numeric functions."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
import sympy
from sympy import Rational, Symbol, oo, pi, simplify, sqrt

import grpo_lessons
from grpo_lessons import symbolic

p = Symbol("p", positive=True)
q = 1 - p
G = Symbol("G", integer=True, positive=True)
EXACT_P = [Fraction(1, 1000), Fraction(1, 10), Fraction(1, 2), Fraction(97, 100)]

TWINS = [
    *[("group_std", (k, 8)) for k in range(9)],
    *[("advantage_bound", (size,)) for size in (2, 3, 8, 64)],
    *[("sign_flip_probability", (size,)) for size in (2, 4, 8, 16, 64)],
    *[("sign_flip_weight", (size,)) for size in (2, 8, 10**12)],
    *[("beta_silent_probability", (a, b, 8)) for a, b in ((Fraction(1, 2), 2), (1, 1), (5, Fraction(1, 3)))],
    *[
        (name, (prob, size))
        for name in (
            "silent_probability",
            "mixed_probability",
            "positive_probability",
            "rollouts_per_mixed_group",
            "mixed_success_rate",
            "expected_std",
            "fidelity",
            "expected_max_advantage",
            "objective",
            "objective_weight",
            "retry_weight",
        )
        for prob in EXACT_P
        for size in (2, 3, 4, 8, 16)
    ],
    *[("group_size_law", (prob, Fraction(1, 20))) for prob in EXACT_P],
    *[("rlhf_policy", (prob, Fraction(1, 3))) for prob in EXACT_P],
    *[("stationary_policy", (prob, Fraction(1, 3), size)) for prob in EXACT_P for size in (2, 3, oo)],
]


@pytest.mark.parametrize(("name", "arguments"), TWINS)
def test_numeric_twin_agrees(name, arguments):
    expression = getattr(symbolic, name)(*arguments)
    numeric = getattr(grpo_lessons, name)(*map(float, arguments))
    assert float(expression.evalf(40)) == pytest.approx(numeric, rel=1e-13, abs=0)


@pytest.mark.parametrize(
    ("name", "keyword", "value", "arguments"),
    [
        ("group_std", "ddof", 1, (3, 8)),
        ("advantage_bound", "ddof", 1, (8,)),
        ("group_size_law", "order", 2, (Fraction(1, 10), Fraction(1, 20))),
    ],
)
def test_numeric_twin_agrees_with_options(name, keyword, value, arguments):
    expression = getattr(symbolic, name)(*arguments, **{keyword: value})
    numeric = getattr(grpo_lessons, name)(*map(float, arguments), **{keyword: value})
    assert float(expression.evalf(40)) == pytest.approx(numeric, rel=1e-13)


@pytest.mark.parametrize("name", ["objective", "objective_weight", "retry_weight"])
@pytest.mark.parametrize("prob", EXACT_P)
def test_numeric_twin_agrees_in_the_limit(name, prob):
    expression = getattr(symbolic, name)(prob, oo)
    assert float(expression.evalf(40)) == pytest.approx(
        getattr(grpo_lessons, name)(float(prob), np.inf), rel=1e-13
    )


def test_rloo_factor_for_symbolic_and_whole_group_sizes():
    assert simplify(symbolic.rloo_factor(G) - G / (G - 1)) == 0
    for size in range(2, 9):
        rewards = sympy.symbols(f"r:{size}")
        mean, others = sum(rewards) / size, sum(rewards[1:]) / (size - 1)
        assert simplify((rewards[0] - others) - symbolic.rloo_factor(size) * (rewards[0] - mean)) == 0


def test_group_std_is_the_deviation_of_k_ones():
    for size in (2, 5):
        for k in range(size + 1):
            rewards = [1] * k + [0] * (size - k)
            mean = Rational(k, size)
            squares = sum((r - mean) ** 2 for r in rewards)
            assert simplify(symbolic.group_std(k, size) - sqrt(squares / size)) == 0
            assert simplify(symbolic.group_std(k, size, ddof=1) - sqrt(squares / (size - 1))) == 0


@pytest.mark.parametrize("size", [2, 3, 6])
def test_mixed_success_rate_is_the_mean_share_of_mixed_groups(size):
    mixed = {k: sympy.binomial(size, k) * p**k * q ** (size - k) for k in range(1, size)}
    share = sum(Rational(k, size) * chance for k, chance in mixed.items()) / sum(mixed.values())
    assert simplify(symbolic.mixed_success_rate(p, size) - share) == 0
    assert sympy.limit(symbolic.mixed_success_rate(p, size), p, 0) == Rational(1, size)


@pytest.mark.parametrize(
    "function", [lambda ddof: symbolic.group_std(3, 8, ddof), lambda ddof: symbolic.advantage_bound(8, ddof)]
)
@pytest.mark.parametrize("ddof", [2, -1, 0.5])
def test_ddof_is_0_or_1(function, ddof):
    with pytest.raises(ValueError, match=f"^ddof must be 0 or 1, got {ddof}$"):
        function(ddof)


def test_silence():
    assert sympy.expand(symbolic.silent_probability(p, 2)) == 2 * p**2 - 2 * p + 1
    assert symbolic.silent_probability(Rational(1, 2), G).equals(2 ** (1 - G))
    assert symbolic.mixed_probability(p, 2).equals(2 * p * q)
    assert symbolic.positive_probability(p, 1).equals(p)
    assert symbolic.rollouts_per_mixed_group(p, 2).equals(1 / (p * q))


@pytest.mark.parametrize(("a", "b", "size"), [(1, 1, 4), (2, 3, 5), (3, 1, 2)])
def test_beta_mixture_is_the_integral(a, b, size):
    density = p ** (a - 1) * q ** (b - 1) / sympy.beta(a, b)
    integral = sympy.integrate(sympy.expand(symbolic.silent_probability(p, size) * density), (p, 0, 1))
    closed_form = symbolic.beta_silent_probability(a, b, size).rewrite(sympy.gamma)
    assert simplify(closed_form - integral) == 0


def test_sign_flip_probabilities():
    assert symbolic.sign_flip_probability(2) == Rational(1, 4)
    assert symbolic.sign_flip_probability(4) == Rational(1, 6)


def test_expected_std():
    assert symbolic.expected_std(p, 2).equals(p * q)
    assert symbolic.expected_std(p, 3).equals(sqrt(2) * p * q)
    assert symbolic.expected_std(p, oo) == sqrt(p * (1 - p))
    symbol = symbolic.expected_std(p, G)
    assert isinstance(symbol, sympy.Sum)
    assert symbol.subs(G, 6).doit().equals(symbolic.expected_std(p, 6))


@pytest.mark.parametrize("order", range(8))
def test_central_moments_are_the_binomial_sums(order):
    size = 5
    total = sum(
        sympy.binomial(size, k) * p**k * q ** (size - k) * (k - size * p) ** order for k in range(size + 1)
    )
    assert sympy.expand(symbolic.binomial_central_moment(order, p, size) - total) == 0
    assert sympy.expand(symbolic.binomial_central_moment(order, p, G).subs(G, size) - total) == 0


def test_fidelity_expansion():
    v = p * q
    expected = 1 - 1 / (8 * G * v) - (7 - 16 * v) / (128 * G**2 * v**2)
    assert simplify(symbolic.fidelity_expansion(p, G) - expected) == 0
    assert simplify(symbolic.fidelity_expansion(p, G, order=1) - (1 - 1 / (8 * G * v))) == 0


@pytest.mark.parametrize("order", [1, 2, 3])
def test_fidelity_expansion_errs_by_the_next_order(order):
    """Doubling G divides the error by about 2^(order + 1)."""
    errors = [
        symbolic.fidelity(Rational(1, 2), size) - symbolic.fidelity_expansion(Rational(1, 2), size, order)
        for size in (128, 256)
    ]
    assert float(errors[0] / errors[1]) == pytest.approx(2 ** (order + 1), rel=0.1)


def test_group_size_law_solves_the_expansion():
    epsilon = Symbol("epsilon", positive=True)
    for order in (1, 2):
        law = symbolic.group_size_law(p, epsilon, order)
        assert simplify(symbolic.fidelity_expansion(p, G, order).subs(G, law) - (1 - epsilon)) == 0
    with pytest.raises(ValueError, match="order must be 1 or 2, got 3"):
        symbolic.group_size_law(p, epsilon, 3)


@pytest.mark.parametrize("size", [2, 3, 4, 8])
def test_objective_integrates_its_weight(size):
    objective, weight = symbolic.objective(p, size), symbolic.objective_weight(p, size)
    assert sympy.expand(sympy.diff(objective, p) - weight) == 0
    assert objective.subs(p, 0) == 0
    assert sympy.expand(weight * p * q - symbolic.expected_std(p, size)) == 0
    assert simplify(weight.subs(p, 0) - sqrt(size - 1)) == 0
    assert simplify(weight.subs(p, 1) - sqrt(size - 1)) == 0
    height = sum(1 / sqrt(k * (size - k)) for k in map(sympy.Integer, range(1, size)))
    assert simplify(objective.subs(p, 1) - height) == 0


def test_objective_by_hand_and_in_the_limit():
    assert symbolic.objective(p, 2) == p
    assert symbolic.objective(p, 3).equals(sqrt(2) * p)
    assert symbolic.objective(1, oo) == pi
    assert simplify(sympy.diff(symbolic.objective(p, oo), p) - symbolic.objective_weight(p, oo)) == 0
    heights = [round(float(symbolic.objective(1, size)), 3) for size in (2, 3, 4, 8, 16)]
    assert heights == [1, 1.414, 1.655, 2.100, 2.408]
    weights = [round(float(symbolic.objective_weight(Rational(1, 2), size)), 3) for size in (4, 8, 16, 64)]
    assert weights == [1.616, 1.856, 1.934, 1.984]


@pytest.mark.parametrize("size", [2, 3, oo])
def test_stationary_policy_is_the_root_above_the_reference(size):
    condition = symbolic.stationary_condition(p, Rational(1, 10), Rational(2, 3), size)
    roots = [root for root in sympy.solve(condition, p) if 0.1 < root < 1]
    assert len(roots) == 1
    assert simplify(roots[0] - symbolic.stationary_policy(Rational(1, 10), Rational(2, 3), size)) == 0


def test_no_closed_form_of_a_quartic():
    with pytest.raises(ValueError, match="group_size must be 2, 3 or oo for a closed form, got 4"):
        symbolic.stationary_policy(Rational(1, 10), 1, 4)


@pytest.mark.parametrize("size", [1, 2.5, G])
def test_refuses_what_is_no_polynomial(size):
    with pytest.raises(ValueError, match="group_size must be a whole number of at least 2 here"):
        symbolic.objective(p, size)


def test_package_starts_without_sympy():
    program = "import sys, grpo_lessons; sys.exit('sympy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
