"""The sympy twins: every closed form of the package as a function of sympy symbols or exact numbers.

It is imported when first used, as `grpo_lessons.symbolic` or from it: sympy is slow to start.
Each function builds its expression from the definition, so it also reads as the derivation's first line.
`group_size` may be a symbol unless the docstring says otherwise.

>>> import sympy
>>> from grpo_lessons import symbolic
>>> p = sympy.Symbol("p", positive=True)
>>> sympy.expand(symbolic.silent_probability(p, 3))
3*p**2 - 3*p + 1
"""

from __future__ import annotations

from typing import Any

import sympy
from sympy import Expr, Integer, Rational, Sum, binomial, oo, sqrt

from . import validation as check

Symbolic = Any
"""A sympy expression, or anything `sympify` makes one of (int, Fraction, str)."""


def group_std(k: Symbolic, group_size: Symbolic, ddof: int = 0) -> Expr:
    """√(k(G − k))/G, times √(G/(G − 1)) for ddof 1 (``eq-group-std``)."""
    k, size = sympy.sympify((k, group_size))
    return sqrt(k * (size - k)) / size * sqrt(size / (size - check.ddof(ddof)))


def silent_probability(p: Symbolic, group_size: Symbolic) -> Expr:
    """p^G + (1 − p)^G (``eq-silent``)."""
    p, size = sympy.sympify((p, group_size))
    return p**size + (1 - p) ** size


def mixed_probability(p: Symbolic, group_size: Symbolic) -> Expr:
    """1 − p^G − (1 − p)^G (``eq-mixed``)."""
    return 1 - silent_probability(p, group_size)


def positive_probability(p: Symbolic, group_size: Symbolic) -> Expr:
    """1 − (1 − p)^G, at least one right (``eq-positive``)."""
    p, size = sympy.sympify((p, group_size))
    return 1 - (1 - p) ** size


def rollouts_per_mixed_group(p: Symbolic, group_size: Symbolic) -> Expr:
    """G/(1 − p^G − (1 − p)^G) (``eq-rollouts-per-mixed``)."""
    return sympy.sympify(group_size) / mixed_probability(p, group_size)


def mixed_success_rate(p: Symbolic, group_size: Symbolic) -> Expr:
    """(p − p^G)/(1 − p^G − (1 − p)^G), the share right in mixed groups (``eq-mixed-success-rate``).

    Undefined at p = 0 and 1, where no group is mixed; the limits are 1/G and 1 − 1/G.
    """
    p, size = sympy.sympify((p, group_size))
    return (p - p**size) / mixed_probability(p, size)


def beta_silent_probability(a: Symbolic, b: Symbolic, group_size: Symbolic) -> Expr:
    """[B(a + G, b) + B(a, b + G)]/B(a, b), p drawn from Beta(a, b) (``eq-silent-beta``)."""
    a, b, size = sympy.sympify((a, b, group_size))
    return (sympy.beta(a + size, b) + sympy.beta(a, b + size)) / sympy.beta(a, b)


def rloo_factor(group_size: Symbolic) -> Expr:
    """(r_i − the others' mean)/(r_i − the mean) = G/(G − 1), for any rewards (``eq-rloo-factor``).

    The rewards stay symbols: r_1 + … + r_G is an indexed sum S, and the others' mean is (S − r_i)/(G − 1).
    """
    size = sympy.sympify(group_size)
    i, j = sympy.symbols("i j", integer=True, positive=True)
    rewards = sympy.IndexedBase("r")
    total = Sum(rewards[j], (j, 1, size))
    return sympy.cancel((rewards[i] - (total - rewards[i]) / (size - 1)) / (rewards[i] - total / size))


def sign_flip_probability(group_size: Symbolic) -> Expr:
    """arcsin(1/√G)/π for Gaussian rewards (``eq-sign-flip``)."""
    return sympy.asin(1 / sqrt(sympy.sympify(group_size))) / sympy.pi


def sign_flip_weight(group_size: Symbolic) -> Expr:
    """(1 − √((G − 1)/G))/2 for Gaussian rewards (``eq-flip-weight``)."""
    size = sympy.sympify(group_size)
    return (1 - sqrt((size - 1) / size)) / 2


def advantage_bound(group_size: Symbolic, ddof: int = 0) -> Expr:
    """√(G − 1), times √((G − 1)/G) for ddof 1 (``eq-samuelson``)."""
    size = sympy.sympify(group_size)
    return sqrt(size - 1) * sqrt((size - check.ddof(ddof)) / size)


def expected_max_advantage(p: Symbolic, group_size: int) -> Expr:
    """E[max|A| given mixed], a finite sum for an integer G (``eq-max-advantage``)."""
    p, size = sympy.sympify(p), _integer(group_size)
    largest = (
        binomial(size, k) * p**k * (1 - p) ** (size - k) * sqrt(Rational(max(k, size - k), min(k, size - k)))
        for k in range(1, size)
    )
    return sympy.Add(*largest) / mixed_probability(p, size)


def expected_std(p: Symbolic, group_size: Symbolic) -> Expr:
    """E[σ] = Σ C(G, k) p^k (1 − p)^(G − k) √(k(G − k))/G (``eq-expected-std``).

    A sum of G − 1 terms for an integer G, an unevaluated `Sum` for a symbol, √(p(1 − p)) for oo.
    """
    p, size = sympy.sympify((p, group_size))
    return sqrt(p * (1 - p)) if size is oo else _weighted_sum(p, size, 0)


def fidelity(p: Symbolic, group_size: Symbolic) -> Expr:
    """φ = E[σ]/√(p(1 − p)) (``eq-fidelity``)."""
    p = sympy.sympify(p)
    return expected_std(p, group_size) / sqrt(p * (1 - p))


def binomial_central_moment(order: int, p: Symbolic, group_size: Symbolic) -> Expr:
    """E[(K − Gp)^order] by recursion: μ_{n+1} = p(1 − p)(dμ_n/dp + nGμ_{n−1}) (``eq-moments``)."""
    x = sympy.Dummy("p")
    moments: list[Expr] = [Integer(1), Integer(0)]
    for n in range(1, order):
        step = sympy.diff(moments[n], x) + n * sympy.sympify(group_size) * moments[n - 1]
        moments.append(sympy.expand(x * (1 - x) * step))
    return sympy.factor(moments[order]).subs(x, p)


def fidelity_expansion(p: Symbolic, group_size: Symbolic, order: int = 2) -> Expr:
    """φ up to and with G^(−order): 1 − 1/(8Gv) − (7 − 16v)/(128 G²v²) at order 2 (``eq-fidelity-expansion``).

    √(x(1 − x)) is expanded around p and each power of K/G − p replaced by its moment, which is of order
    G^(−n/2) or smaller: 2·order powers are enough. The error is of order G^(−order − 1) at fixed p.
    """
    x, h = sympy.Dummy("p", positive=True), sympy.Dummy("h", positive=True)
    root = sqrt(x * (1 - x))
    terms = (
        sympy.diff(root, x, n) / root / sympy.factorial(n) * binomial_central_moment(n, x, 1 / h) * h**n
        for n in range(2 * order + 1)
    )
    series = sympy.expand(sympy.simplify(sympy.Add(*terms)))
    kept = (sympy.factor(series.coeff(h, n)) / sympy.sympify(group_size) ** n for n in range(order + 1))
    return sympy.Add(*kept).subs(x, p)


def group_size_law(p: Symbolic, epsilon: Symbolic, order: int = 1) -> Expr:
    """The G at which the expansion of φ, cut at `order` 1 or 2, is 1 − ε (``eq-group-size-law``).

    Order 1 is 1/(8εv); order 2 the positive root of ε = 1/(8Gv) + (7 − 16v)/(128 G²v²), v = p(1 − p).
    """
    p, epsilon = sympy.sympify((p, epsilon))
    v = p * (1 - p)
    if check.order(order) == 1:
        return 1 / (8 * epsilon * v)
    return (1 + sqrt(1 + 2 * epsilon * (7 - 16 * v))) / (16 * epsilon * v)


def objective_weight(p: Symbolic, group_size: Symbolic) -> Expr:
    """w_G = E[σ]/(p(1 − p)), the weight on ∇p: a polynomial in p for an integer G (``eq-objective-weight``).

    An unevaluated `Sum` for a symbol, 1/√(p(1 − p)) for oo.
    """
    p, size = sympy.sympify((p, group_size))
    return 1 / sqrt(p * (1 - p)) if size is oo else _weighted_sum(p, size, 1)


def retry_weight(p: Symbolic, group_size: Symbolic) -> Expr:
    """w_G/(1 − p^G − (1 − p)^G), the weight on ∇p where silent groups are drawn again (``eq-retry-weight``).

    Contains an unevaluated `Sum` for a symbol; for oo it is 1/√(p(1 − p)), as no such group is silent.
    """
    p, size = sympy.sympify((p, group_size))
    return objective_weight(p, size) / (1 if size is oo else mixed_probability(p, size))


def objective(p: Symbolic, group_size: int) -> Expr:
    """F_G with F_G′ = w_G and F_G(0) = 0 (``eq-objective``).

    An expanded polynomial for an integer G, 2 arcsin √p for oo.
    """
    p, x = sympy.sympify(p), sympy.Dummy("p")
    if group_size == oo:
        return 2 * sympy.asin(sqrt(p))
    weight = sympy.expand(objective_weight(x, _integer(group_size)))
    return sympy.integrate(weight, x).subs(x, p)


def stationary_condition(p: Symbolic, reference: Symbolic, beta: Symbolic, group_size: Symbolic) -> Expr:
    """E[σ] − β(p − p_ref): push minus pull per logit, 0 at the stationary policy (``eq-stationary``)."""
    p, reference, beta = sympy.sympify((p, reference, beta))
    return expected_std(p, group_size) - beta * (p - reference)


def stationary_policy(reference: Symbolic, beta: Symbolic, group_size: Symbolic) -> Expr:
    """The zero of `stationary_condition` between p_ref and 1, in closed form for G = 2, 3 and oo.

    ½[1 − b + √((1 − b)² + 4 b p_ref)] with b = β/√(G − 1) (``eq-stationary-pair``), and for oo
    [1 + 2β² p_ref + √(1 + 4β² p_ref(1 − p_ref))]/(2(1 + β²)) (``eq-stationary-limit``).
    """
    reference, beta, size = sympy.sympify((reference, beta, group_size))
    if size is oo:
        root = sqrt(1 + 4 * beta**2 * reference * (1 - reference))
        return (1 + 2 * beta**2 * reference + root) / (2 * (1 + beta**2))
    if size not in (2, 3):
        raise ValueError(f"group_size must be 2, 3 or oo for a closed form, got {group_size!r}")
    b = beta / sqrt(size - 1)
    return (1 - b + sqrt((1 - b) ** 2 + 4 * b * reference)) / 2


def rlhf_policy(reference: Symbolic, beta: Symbolic) -> Expr:
    """p_ref e^(1/β)/(p_ref e^(1/β) + 1 − p_ref) (``eq-rlhf``)."""
    reference, beta = sympy.sympify((reference, beta))
    raised = reference * sympy.exp(1 / beta)
    return raised / (raised + 1 - reference)


def _weighted_sum(p: Expr, size: Expr, divided: int) -> Expr:
    """Σ_{0<k<G} C(G, k) p^(k − divided) (1 − p)^(G − k − divided) √(k(G − k))/G."""
    k = sympy.Symbol("k", integer=True)

    def term(k: Expr) -> Expr:
        return binomial(size, k) * p ** (k - divided) * (1 - p) ** (size - k - divided) * group_std(k, size)

    if size.is_number:
        return sympy.Add(*(term(Integer(i)) for i in range(1, _integer(size))))
    return Sum(term(k), (k, 1, size - 1))


def _integer(group_size: Any) -> int:
    size = sympy.sympify(group_size)
    if not (size.is_Integer and size >= 2):
        raise ValueError(f"group_size must be a whole number of at least 2 here, got {group_size!r}")
    return int(size)
