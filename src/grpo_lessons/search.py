"""The smallest group size that reaches a target, where every larger one does too."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

TIE = 1 + 2**-50
"""Factor on the right of "at most": a tie, to within the rounding of what is compared, counts as reached."""


def smallest_group_size(reached: Callable[[Floats], NDArray[np.bool_]], target: Floats) -> int | Ints:
    """Smallest G of at least 2 that reaches `target`, as all larger ones do: by doubling, then halving."""
    high = np.full_like(target, 2)
    while not np.all(done := reached(high)):
        high = np.where(done, high, 2 * high)
        if np.any(high > 2**53):
            unmet = target[~done].flat[0]
            raise ValueError(f"coverage must be within reach of a group_size up to 2**53, got {unmet:g}")
    low = np.where(high > 2, high / 2, 1)
    while np.any(high - low > 1):
        middle = np.maximum(np.floor((low + high) / 2), 2)
        good = reached(middle)
        low, high = np.where(good, low, middle), np.where(good, middle, high)
    return int(high) if high.ndim == 0 else high.astype(np.int64)
