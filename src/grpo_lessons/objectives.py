"""The function of p that GRPO climbs in expectation: F_G with weight w_G = F_G′ = E[σ]/(p(1 − p)) on ∇p.

F_2 is p itself; as G → ∞, F_G → 2 arcsin √p.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import validation as check
from .binomial import binomial_mean
from .counts import mixed_probability
from .group_sizes import expected_std

Floats = NDArray[np.float64]


def objective_weight(p: ArrayLike, group_size: ArrayLike) -> Floats:
    """w_G(p) = E[σ]/(p(1 − p)), the weight of a prompt's ∇p in GRPO's expected gradient.

    Parameters
    ----------
    p : (...) success probabilities in [0, 1]
    group_size : (...) whole numbers of at least 2, or math.inf for the limit 1/√(p(1 − p))

    Returns
    -------
    (...) array of the broadcast shape; at p = 0 and 1 it is √(G − 1), ∞ for math.inf

    Raises
    ------
    ValueError
        For arguments other than that, and where G p (1 − p) is above 10¹⁰.

    Notes
    -----
    Equation ``eq-objective-weight``. As C(G, k) k (G − k) = G (G − 1) C(G − 2, k − 1), w_G is a mean over
    J ~ Binomial(G − 2, p), of (G − 1)/√((J + 1)(G − 1 − J)): nothing is divided by p(1 − p). Relative error
    below 1e-13 up to G = 10⁹.
    """
    few, size, finite = _mirrored(p, group_size)

    def weight(j: Floats, size: Floats) -> Floats:
        return np.asarray((size - 1) / np.sqrt((j + 1) * (size - 1 - j)))

    mean = binomial_mean(weight, few, finite - 2, finite)
    with np.errstate(divide="ignore"):
        return np.asarray(np.where(np.isinf(size), 1 / np.sqrt(few * (1 - few)), mean))[()]


def retry_weight(p: ArrayLike, group_size: ArrayLike) -> Floats:
    """w_G(p)/(1 − p^G − (1 − p)^G), the weight of ∇p where silent groups are drawn again until mixed.

    Parameters
    ----------
    p : (...) success probabilities in [0, 1]
    group_size : (...) whole numbers of at least 2, or math.inf for the limit 1/√(p(1 − p))

    Returns
    -------
    (...) array of the broadcast shape, ∞ at p = 0 and 1

    Raises
    ------
    ValueError
        For arguments other than that, and where G p (1 − p) is above 10¹⁰.

    Notes
    -----
    Equation ``eq-retry-weight``: E[σ given mixed]/(p(1 − p)). Relative error below 1e-13 up to G = 10⁹.
    """
    few, size, finite = _mirrored(p, group_size)
    mixed = np.where(np.isinf(size), 1, mixed_probability(few, finite))
    with np.errstate(divide="ignore", over="ignore"):
        return np.asarray(objective_weight(few, size) / mixed)[()]


def objective(p: ArrayLike, group_size: ArrayLike) -> Floats:
    """F_G(p) = ∫₀^p w_G: the objective whose gradient is GRPO's expected gradient.

    Parameters
    ----------
    p : (...) success probabilities in [0, 1]
    group_size : (...) whole numbers of at least 2, or math.inf for the limit 2 arcsin √p

    Returns
    -------
    (...) array of the broadcast shape, from 0 at p = 0 to Σ_{0<k<G} 1/√(k(G − k)) at p = 1, π for math.inf

    Raises
    ------
    ValueError
        For arguments other than that, and where G p (1 − p) is above 10¹⁰.

    Notes
    -----
    Equation ``eq-objective``. Integrated term by term, F_G is the Bernstein polynomial of degree G − 1 of the
    sums H(k) = Σ_{0<i≤k} 1/√(i(G − i)), a mean over K ~ Binomial(G − 1, p). Relative error below 1e-13 up to
    G = 10⁹.
    """
    few, size, finite = _mirrored(p, group_size)

    def height(k: Floats, size: Floats) -> Floats:
        steps = _step(np.maximum(k, 1), size)
        steps[:, 0] = 0  # the first column's height is computed, the others are reached from it
        return _height(k[:, :1], size) + np.cumsum(steps, axis=1)

    mean = binomial_mean(height, few, finite - 1, finite)
    near = np.where(np.isinf(size), 2 * np.arcsin(np.sqrt(few)), mean)
    half = np.floor((finite - 1) / 2)
    middle = np.where(finite % 2 == 0, 2 / finite, 0)  # the step at k = G/2, its own mirror image
    total = np.where(np.isinf(size), np.pi, 2 * _height(half, finite) + middle)
    return np.asarray(np.where(check.probability(p) > 0.5, total - near, near))[()]


def gradient_flow(
    p0: ArrayLike, time: ArrayLike, group_size: ArrayLike = math.inf, method: str = "grpo"
) -> Floats:
    """Success probability of a one-logit policy, p = 1/(1 + e^(−θ)), after gradient ascent dθ/dt = E[g].

    Parameters
    ----------
    p0 : (...) success probabilities in [0, 1] at time 0
    time : (...) finite numbers of at least 0: learning rate × steps
    group_size : (...) whole numbers of at least 2, or math.inf; no matter for "reinforce" and "rloo"
    method : "grpo", E[g] = E[σ]; "dr_grpo", (1 − 1/G) p(1 − p); "rloo" and "reinforce", p(1 − p)

    Returns
    -------
    (...) array of the broadcast shape; p = 0 and 1 stay where they are

    Raises
    ------
    ValueError
        For arguments other than that.

    Notes
    -----
    Equation ``eq-gradient-flow``. GRPO at math.inf: sinh(θ/2) grows by t/4. REINFORCE, RLOO, Dr. GRPO, GRPO
    at G = 2 and 3 (weight √(G − 1) at every p): θ + sinh θ grows by t/2 times the weight, solved for θ by
    Newton's method. GRPO at other G is integrated numerically (DOP853), with relative error below 1e-8.
    """
    check.one_of(method, ("grpo", "dr_grpo", "rloo", "reinforce"), "method")
    start, elapsed, size = check.together(
        p0=check.probability(p0, "p0"),
        time=check.nonnegative(time, "time"),
        group_size=check.group_size(group_size, infinite=True),
    )
    result = np.array(start)
    moving = (start > 1e-300) & (start < 1) & (elapsed > 0)  # what is nearer to 0 never comes away from it
    limit = moving & np.isinf(size) & (method == "grpo")
    curved = moving & np.isfinite(size) & (size > 3) & (method == "grpo")
    straight = moving & ~limit & ~curved
    weight = {"grpo": np.sqrt(size - 1), "dr_grpo": 1 - 1 / size}.get(method, np.ones_like(size))

    theta = np.zeros_like(start)
    theta[moving] = np.log(start[moving] / (1 - start[moving]))
    theta[limit] = 2 * np.arcsinh(np.sinh(theta[limit] / 2) + elapsed[limit] / 4)
    theta[straight] = _straight_flow(theta[straight], elapsed[straight] * weight[straight])
    theta[curved] = _curved_flow(theta[curved], elapsed[curved], size[curved])
    result[moving] = 1 / (1 + np.exp(-theta[moving]))
    return result[()]


def _straight_flow(theta: Floats, time: Floats) -> Floats:
    """y with y + sinh y = θ + sinh θ + t/2, the flow of an objective that is p up to a factor."""
    if theta.size == 0:
        return theta
    from scipy.optimize import newton  # slow to import, and needed here only

    target = theta + np.sinh(theta) + time / 2
    return np.asarray(
        newton(lambda y: y + np.sinh(y) - target, np.arcsinh(target), lambda y: 1 + np.cosh(y), tol=1e-12)
    )


def _curved_flow(theta: Floats, time: Floats, size: Floats) -> Floats:
    """dθ/dt = E[σ] by a solver: each start and group size once, together, and read off at every time."""
    if theta.size == 0:
        return theta
    from scipy.integrate import solve_ivp  # slow to import, and needed here only

    (starts, sizes), flow = np.unique([theta, size], axis=1, return_inverse=True)
    times, when = np.unique(time, return_inverse=True)

    def speed(_: float, theta: Floats) -> Floats:
        return expected_std(1 / (1 + np.exp(np.abs(theta))), sizes)  # the rarer outcome has the digits

    solution = solve_ivp(speed, (0, times[-1]), starts, "DOP853", times, rtol=1e-10, atol=1e-12)
    return np.asarray(solution.y[flow, when])


def _mirrored(p: ArrayLike, group_size: ArrayLike) -> tuple[Floats, Floats, Floats]:
    """min(p, 1 − p), the group size, and the group size with a stand-in for ∞."""
    chance, size = check.together(
        p=check.probability(p), group_size=check.group_size(group_size, infinite=True)
    )
    return np.minimum(chance, 1 - chance), size, np.where(np.isinf(size), 2, size)


def _step(k: Floats, size: Floats) -> Floats:
    return np.asarray(1 / np.sqrt(k * (size - k)))


_HEAD = 128  # from here on two terms of Euler and Maclaurin's correction are exact to rounding


def _height(k: Floats, size: Floats) -> Floats:
    """H(k) = Σ_{0<i≤k} 1/√(i(G − i)) for k up to about G/2."""
    i, each_k, each_size = np.arange(1, _HEAD + 1), k[..., None], size[..., None]
    head = np.where(i <= each_k, _step(np.minimum(i, each_size - 1), each_size), 0).sum(axis=-1)
    start, size = np.full_like(size, _HEAD), np.maximum(size, 2 * _HEAD)  # a smaller group has no tail
    tail = _antiderivative(np.maximum(k, start) + 0.5, size) - _antiderivative(start + 0.5, size)
    return np.asarray(head + tail)


def _antiderivative(x: Floats, size: Floats) -> Floats:
    """A with A(k + ½) − A(k − ½) = 1/√(k(G − k)): the integral 2 arcsin √(x/G) and two corrections."""
    u, slope = x * (size - x), size - 2 * x
    first = -slope / 2 * u**-1.5
    third = -slope * u**-2.5 * (4.5 + 15 / 8 * slope**2 / u)
    return np.asarray(2 * np.arcsin(np.sqrt(x / size)) - first / 24 + third * 7 / 5760)
