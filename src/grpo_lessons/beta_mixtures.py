"""Silence over many prompts, whose success probabilities follow a Beta law."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import validation as check

Floats = NDArray[np.float64]


def beta_silent_probability(a: ArrayLike, b: ArrayLike, group_size: ArrayLike) -> Floats:
    """Share of silent groups where p ~ Beta(a, b) over prompts: [B(a + G, b) + B(a, b + G)]/B(a, b).

    Parameters
    ----------
    a, b : (...) finite numbers above 0
    group_size : (...) whole numbers of at least 2

    Returns
    -------
    (...) array of the broadcast shape

    Raises
    ------
    ValueError
        For arguments other than that.

    Notes
    -----
    Equation ``eq-silent-beta``. Relative error below 1e-13 for a, b up to 200, below 2e-13 beyond, where the
    value is above 1e-290.
    """
    right, wrong, size = check.together(
        a=check.positive(a, "a"), b=check.positive(b, "b"), group_size=check.group_size(group_size)
    )
    return np.asarray(_all_wrong(right, wrong, size) + _all_wrong(wrong, right, size))[()]


def _all_wrong(a: Floats, b: Floats, size: Floats) -> Floats:
    """E[(1 − p)^G] = B(a, b + G)/B(a, b) = ∏_{i<G} (b + i)/(a + b + i).

    The first factors are multiplied, the rest is Stirling's series with its large terms cancelled by hand:
    differences of log Γ would lose four to seven digits.
    """
    head = np.ones(())
    for i in range(_HEAD):
        head = head * np.where(i < size, (b + i) / (a + b + i), 1)
    done = np.minimum(size, _HEAD)
    b, rest = b + done, size - done
    total = a + b + rest
    shared = (b - 0.5) * np.log1p(a / b * (rest / total)) - rest * np.log1p(a / (b + rest))
    stirling = _stirling(b + rest) + _stirling(a + b) - _stirling(b) - _stirling(total)
    # (1 + far)^(−a): a power rounds less than the exponential of a large number
    far = rest / (a + b)
    power = np.where(far > 1, (1 + far) ** -a, 1)
    exponent = shared + stirling - np.where(far > 1, 0, a * np.log1p(far))
    return np.asarray(head * np.exp(exponent) * power)


_HEAD = 24  # from here on Stirling's series is exact to rounding


def _stirling(x: Floats) -> Floats:
    """log Γ(x) − [(x − ½) log x − x + ½ log 2π], for x of at least `_HEAD`."""
    inverse = 1 / x
    y = inverse**2
    return inverse * (1 / 12 - y * (1 / 360 - y * (1 / 1260 - y / 1680)))
