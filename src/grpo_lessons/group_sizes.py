"""How much of the infinite group's gradient a finite one keeps, and the smallest group that keeps enough.

E[σ] is the coefficient of GRPO's expected gradient, √(pq) its limit, φ = E[σ]/√(pq) the fidelity.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import validation as check
from .binomial import binomial_mean, poisson_mean
from .search import TIE, Ints, smallest_group_size

Floats = NDArray[np.float64]


def expected_std(p: ArrayLike, group_size: ArrayLike) -> Floats:
    """E[σ] = Σ_k C(G, k) p^k (1 − p)^(G − k) √(k(G − k))/G, the Bernstein polynomial of √(x(1 − x)).

    Parameters
    ----------
    p : (...) success probabilities in [0, 1]
    group_size : (...) whole numbers of at least 2, or math.inf for the limit √(p(1 − p))

    Returns
    -------
    (...) array of the broadcast shape, 0 at p = 0 and 1

    Raises
    ------
    ValueError
        For arguments other than that, and where G p (1 − p) is above 10¹⁰.

    Notes
    -----
    Equation ``eq-expected-std``. Relative error below 1e-13 up to G = 10⁹.
    """
    chance, size = check.together(
        p=check.probability(p), group_size=check.group_size(group_size, infinite=True)
    )
    few, finite = np.minimum(chance, 1 - chance), np.where(np.isinf(size), 2, size)
    mean = binomial_mean(lambda k, size: np.sqrt(k * (size - k)) / size, few, finite, finite)
    return np.asarray(np.where(np.isinf(size), np.sqrt(few * (1 - few)), mean))[()]


def fidelity(p: ArrayLike, group_size: ArrayLike) -> Floats:
    """φ = E[σ]/√(p(1 − p)), the share of the infinite group's gradient that a group of G has in expectation.

    Parameters
    ----------
    p : (...) success probabilities in [0, 1]
    group_size : (...) whole numbers of at least 2, or math.inf

    Returns
    -------
    (...) array of the broadcast shape, below 1 and rising with G; at p = 0 and 1 its limit, 0 for a finite G
    and 1 for math.inf

    Raises
    ------
    ValueError
        For arguments other than that, and where G p (1 − p) is above 10¹⁰.

    Notes
    -----
    Equation ``eq-fidelity``. Relative error below 1e-13 up to G = 10⁹.
    """
    chance, size = check.together(
        p=check.probability(p), group_size=check.group_size(group_size, infinite=True)
    )
    limit = np.sqrt(chance * (1 - chance))
    with np.errstate(invalid="ignore"):  # 0/0 at p = 0 and 1
        return np.asarray(np.where(limit > 0, expected_std(p, group_size) / limit, np.isinf(size)))[()]


def min_group_size(p: ArrayLike, epsilon: ArrayLike) -> int | Ints:
    """Smallest G with fidelity of at least 1 − ε, exact.

    Parameters
    ----------
    p : (...) success probabilities strictly between 0 and 1
    epsilon : (...) numbers strictly between 0 and 1, the share of the gradient that may be lost

    Returns
    -------
    int, or (...) int64 array of the broadcast shape

    Raises
    ------
    ValueError
        For arguments other than that, for p nearer than 1.25e-15 to 0 or 1, and where one more completion
        changes φ by less than 1e-14 (about 8 p (1 − p) ε²): there rounding, not mathematics, would choose G.

    Notes
    -----
    Equation ``eq-min-group-size``. φ rises with G, because √(x(1 − x)) is concave (Temple). What is searched
    is 1 − φ = 1/(2G) + ½ E[(σ/√(pq) − 1)²], a sum of positive terms: it keeps its digits where φ is near 1.
    A tie to within rounding counts as reached.

    Examples
    --------
    >>> min_group_size(0.5, 0.05)
    11
    """
    chance, lost = check.together(p=check.open_unit(p, "p"), epsilon=check.open_unit(epsilon, "epsilon"))
    few = np.minimum(chance, 1 - chance)
    least = _SMALLEST_STEP / 8  # nearer to 0 and 1 no epsilon is allowed
    if np.any(few < least):
        nearest = float(chance.flat[np.argmin(few)])
        raise ValueError(f"p must be at least {least:g} from 0 and 1 for an exact size, got {nearest!r}")
    allowed = np.sqrt(_SMALLEST_STEP / (8 * few * (1 - few)))
    if np.any(lost < allowed):
        worst = np.argmax(allowed - lost)
        raise ValueError(
            f"epsilon must be at least {allowed.flat[worst]:.3g} at p = {chance.flat[worst]:g} for an exact "
            f"group size, got {lost.flat[worst]:g}"
        )
    return smallest_group_size(lambda size: _shortfall(few, size) <= lost * TIE, lost)


def group_size_law(p: ArrayLike, epsilon: ArrayLike, order: int = 1) -> Floats:
    """The G at which the expansion of φ in 1/G, cut at `order`, is 1 − ε: a real number, not rounded.

    Parameters
    ----------
    p : (...) success probabilities in [0, 1]
    epsilon : (...) numbers strictly between 0 and 1
    order : 1 for 1/(8 ε v), v = p(1 − p); 2 for the positive root of ε = 1/(8Gv) + (7 − 16v)/(128 G² v²)

    Returns
    -------
    (...) array of the broadcast shape, ∞ at p = 0 and 1

    Raises
    ------
    ValueError
        For arguments other than that.

    Notes
    -----
    Equation ``eq-group-size-law``. An approximation for large G p (1 − p): for rare prompts `min_group_size`
    tends to `rare_prompt_constant`/p, at ε = .05 a third more than order 1 says.
    """
    chance, lost = check.together(p=check.probability(p), epsilon=check.open_unit(epsilon, "epsilon"))
    v = chance * (1 - chance)
    second = np.sqrt(1 + 2 * lost * (7 - 16 * v)) if check.order(order) == 2 else 1.0
    with np.errstate(divide="ignore", over="ignore"):
        return np.asarray((1 + second) / (16 * lost * v))[()]


def rare_prompt_constant(epsilon: ArrayLike) -> Floats:
    """λ with E[√K]/√λ = 1 − ε, K ~ Poisson(λ): as p → 0, the smallest G tends to λ/p.

    Parameters
    ----------
    epsilon : (...) numbers strictly between 0 and 1, at least 1.25e-11

    Returns
    -------
    (...) array

    Raises
    ------
    ValueError
        For arguments other than that.

    Notes
    -----
    Equation ``eq-rare-prompt``. Relative error below 1e-13.
    """
    from scipy.optimize import brentq  # slow to import, and needed here only

    lost = check.open_unit(epsilon, "epsilon")
    if np.any(lost < 1.25e-11):
        raise ValueError(f"epsilon must be at least 1.25e-11, got {lost.min():g}")

    def excess(rate: float, lost: float) -> float:
        if lost > 0.5:  # compare what is kept: there the digits are
            return (1 - lost) - float(poisson_mean(lambda k, rate: np.sqrt(k / rate), rate, rate))
        return float(poisson_mean(lambda k, rate: (np.sqrt(k / rate) - 1) ** 2 / 2, rate, rate)) - lost

    def solve(lost: float) -> float:
        # E[√K] ≤ E[K] gives the first, with room for rounding
        low, high = 0.99 * (1 - lost) ** 2, 1 + 1 / (8 * lost)
        return float(brentq(excess, low, high, args=(lost,), xtol=1e-300, rtol=1e-15))

    return np.asarray(np.vectorize(solve, otypes=[float])(lost))[()]


_SMALLEST_STEP = 1e-14  # of φ; G is then at most some 1e13, and 1 − φ right to 2e-15 of itself


def _shortfall(p: Floats, size: Floats) -> Floats:
    """1 − φ = 1/(2G) + ½ E[(σ/√(pq) − 1)²], for p up to ½."""

    def deviation(k: Floats, p: Floats, size: Floats) -> Floats:
        limit = p * (1 - p)
        excess = (k - size * p) * (size - k - size * p) / size**2  # σ² − pq, factored
        return np.asarray((excess / (limit + np.sqrt(limit * k * (size - k)) / size)) ** 2)

    return np.asarray(1 / (2 * size) + binomial_mean(deviation, p, size, p, size) / 2)
