"""Sums and standard deviations with the rounding that trainers give them.

All work on the last axis of float32 or float64 arrays, keep it, and stay in the array's dtype. Exact formulas
belong to `estimators`, failures to this file.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

AnyFloats = NDArray[np.floating[Any]]


def total(values: AnyFloats, order: str) -> AnyFloats:
    """The sum, "sequential" (one after the other, nearly what torch does) or "pairwise" (numpy)."""
    if order == "pairwise":
        return np.asarray(values.sum(axis=-1, keepdims=True))
    return np.asarray(np.add.accumulate(values, axis=-1)[..., -1:])


def two_pass(values: AnyFloats, ddof: int, order: str) -> AnyFloats:
    """√(Σ(r − m)²/(G − ddof)) about the rounded mean m: not 0 where m misses equal rewards by a bit."""
    size = values.shape[-1]
    centred = values - total(values, order) / size
    return np.asarray(np.sqrt(total(centred**2, order) / (size - ddof)))


def exact(values: AnyFloats, ddof: int) -> AnyFloats:
    """The deviation in float64, rounded once: 0 for equal float32 rewards of up to 2²⁹."""
    deviation = np.std(values.astype(np.float64), axis=-1, ddof=ddof, keepdims=True)
    return np.asarray(deviation, dtype=values.dtype)


def moments(values: AnyFloats, ddof: int, weights: AnyFloats) -> tuple[AnyFloats, AnyFloats]:
    """Mean and deviation √((E[x²] − E[x]²) n/(n − ddof)) over the n completions each row of `weights` picks.

    Parameters
    ----------
    values : (..., G) array
    ddof : 0 or 1
    weights : (m, G) array of zeros and ones, n ones in each row

    Returns
    -------
    mean, deviation : (..., m) arrays; a negative difference, and n = ddof, give the deviation 0
    """
    count = weights[0].sum()
    mean, square = (
        total(weights * power[..., None, :], "sequential")[..., 0] / count for power in (values, values**2)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        deviation = np.sqrt((square - mean * mean) * (count / (count - values.dtype.type(ddof))))
    return mean, np.nan_to_num(deviation, nan=0.0)
