"""The weights of several reward functions, fitted to the advantages that a run logged."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..conventions import Convention
from .by_group import Floats, Ints, centred, deviation, starts

SCALES = (0.1, 10.0)
"""What the largest weight is looked for between; beyond, another convention's eps explains the same log."""


def fitted_weights(convention: Convention, columns: Floats, logged: Floats, size: Ints) -> Iterator[Floats]:
    """Weights under which a convention may have given the logged advantages, most plausible first.

    Undivided advantages are linear in the weights, which least squares then finds in full. Advantages divided
    by the group's deviation are a positive multiple of the weighted sum's centred values, another one in each
    group: their direction is the smallest eigenvector of Σ_groups X'(I − aa'/a'a)X, X the centred columns and
    a the advantages. Of the unit only eps knows: tried are a largest weight of 1, and what eps says.

    Parameters
    ----------
    convention : one whose deviation is the group's own, or none
    columns : (n, c) reward functions, sorted by group
    logged : (n,) advantages
    size : (g,) completions of each group

    Yields
    ------
    (c,) weights, 0 for a function that varies in no group, nothing where the log does not tell them apart
    """
    start, spread = starts(size), centred(columns, size)
    unit = np.sqrt(np.mean(spread**2, axis=0))
    varies = unit > 1e-12
    if not varies.any():
        return
    x = spread[:, varies] / unit[varies]

    def whole(part: Floats) -> Floats:
        weights = np.zeros(len(unit))
        weights[varies] = part / unit[varies]
        return _rounded(weights)

    if convention.scale == "none":
        factor = size / (size - 1) if convention.baseline == "leave_one_out" else np.ones(len(size))
        part, _, rank, _ = np.linalg.lstsq(x * np.repeat(factor, size)[:, None], logged, rcond=1e-9)
        if rank == x.shape[1]:
            yield whole(part)
        return
    if convention.scale != "group":
        return
    own = np.add.reduceat(x * logged[:, None], start)
    square = np.add.reduceat(logged**2, start)
    loud = square > 0
    left, vectors = np.linalg.eigh(x.T @ x - (own[loud] / square[loud, None]).T @ own[loud])
    if len(left) > 1 and left[1] < 1e-6 * len(x):
        return  # more than one direction explains the log
    part = vectors[:, 0] * (1 if (x @ vectors[:, 0]) @ logged >= 0 else -1)
    direction = whole(part / np.abs(part / unit[varies]).max())
    yield direction
    away = spread @ direction
    divisor = np.repeat(deviation(away, size, convention.ddof), size)
    owed = float(logged @ (away - logged * divisor) / (logged @ logged))
    if owed > 0 and SCALES[0] <= convention.eps / owed <= SCALES[1]:
        yield _rounded(direction * convention.eps / owed)


def _rounded(weights: Floats) -> Floats:
    """Weights as somebody would have typed them, where the fit is that near: one part in 5,000."""
    largest = np.abs(weights).max()
    for digits in (1, 2, 3):
        typed = np.round(weights, digits)
        if typed.any() and np.all(np.abs(typed - weights) <= 2e-4 * largest):
            return np.asarray(typed)
    return weights
