"""Means over a binomial or a Poisson count, summed only where its mass is.

The weights are products of the ratios P(k)/P(k − 1), divided by their sum: no factorial and no power is ever
taken, an error in the scale cancels, and G = 10⁹ is as exact as G = 8. The terms grow in number as √(G p q).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Function = Callable[..., Floats]

LARGEST_VARIANCE = 1e10
"""Beyond this variance of the count a sum would take millions of terms, and is refused."""

_TAIL = 40.0  # each tail left out weighs less than exp(−40)
_BLOCK = 2**17  # terms summed at once: about 1 MB an array, what stays in a processor's cache


def binomial_mean(function: Function, p: ArrayLike, n: ArrayLike, *parameters: ArrayLike) -> Floats:
    """E[function(K, ...)] with K ~ Binomial(n, p).

    Parameters
    ----------
    function : takes counts k (rows, columns), in steps of 1 from left to right, and for each of the
        `parameters` a column (rows, 1); returns (rows, columns)
    p : (...) probabilities in [0, ½]; mirror larger ones
    n : (...) whole numbers of at least 0
    parameters : (...) what else the function needs

    Returns
    -------
    (...) array of the broadcast shape

    Raises
    ------
    ValueError
        Where n p (1 − p) is above 10¹⁰.

    Notes
    -----
    Left out are tails of weight below exp(−40), by the bounds of Chernoff and Bernstein.
    """
    p, n, *rest = np.broadcast_arrays(np.asarray(p, dtype=float), np.asarray(n, dtype=float), *parameters)
    variance = n * p * (1 - p)
    if np.any(variance > LARGEST_VARIANCE):
        worst = np.argmax(variance)
        raise ValueError(
            f"group_size must keep group_size·p·(1 − p) at or below {LARGEST_VARIANCE:g}, "
            f"got {n.flat[worst]:g} at p = {p.flat[worst]:g}"
        )

    def ratio(k: Floats, n: Floats, odds: Floats) -> Floats:
        return (n - k + 1) / k * odds

    return _mean(function, ratio, (n, p / (1 - p)), n * p, variance, n, rest)


def poisson_mean(function: Function, mean: ArrayLike, *parameters: ArrayLike) -> Floats:
    """E[function(K, ...)] with K ~ Poisson(mean): `binomial_mean` as n → ∞ with n p = mean."""
    rate, *rest = np.broadcast_arrays(np.asarray(mean, dtype=float), *parameters)
    return _mean(function, lambda k, rate: rate / k, (rate,), rate, rate, np.full_like(rate, np.inf), rest)


def _mean(
    function: Function,
    ratio: Function,
    law: tuple[Floats, ...],
    mean: Floats,
    variance: Floats,
    highest: Floats,
    parameters: list[NDArray[Any]],
) -> Floats:
    """The common loop: `ratio(k, *law)` is P(k)/P(k − 1), and no count is above `highest`."""
    first = np.maximum(0, np.floor(mean - np.sqrt(2 * _TAIL * mean)))
    last = np.ceil(mean + _TAIL / 3 + np.sqrt((_TAIL / 3) ** 2 + 2 * _TAIL * variance))
    width = np.ravel(np.minimum(last, highest) - first).astype(int) + 1
    result = np.empty(width.size)
    for rows in _blocks(width):
        k = first.ravel()[rows, None] + np.arange(width[rows[-1]])
        weight = np.ones_like(k)
        np.cumprod(ratio(k[:, 1:], *_columns(law, rows)), axis=1, out=weight[:, 1:])  # 0 above `highest`
        values = function(np.minimum(k, highest.ravel()[rows, None]), *_columns(parameters, rows))
        result[rows] = np.einsum("ij,ij->i", weight, values) / weight.sum(axis=1)
    return result.reshape(mean.shape)


def _columns(arrays: tuple[Floats, ...] | list[NDArray[Any]], rows: NDArray[np.intp]) -> list[NDArray[Any]]:
    return [array.ravel()[rows, None] for array in arrays]


def _blocks(width: NDArray[np.int_]) -> Iterator[NDArray[np.intp]]:
    """Rows of similar width, about `_BLOCK` terms at a time; the widest of each block comes last."""
    order = np.argsort(width, kind="stable")
    ordered = width[order]
    octave, filled = np.frexp(ordered)[1], np.cumsum(ordered) // _BLOCK
    cut = np.flatnonzero(np.diff(octave) | np.diff(filled)) + 1
    yield from np.split(order, cut)
