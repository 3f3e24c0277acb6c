"""Arithmetic within groups, for rows that are sorted by group; `size` has (g,) rows of each group."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.signedinteger]
Bools = NDArray[np.bool_]


def starts(size: Ints) -> Ints:
    """(g,) place of each group's first row."""
    return np.concatenate([[0], np.cumsum(size)[:-1]]).astype(np.intp)


def means(values: Floats, size: Ints) -> Floats:
    """(g, …) mean of each group's rows."""
    return np.asarray((np.add.reduceat(values, starts(size)).T / size).T)


def centred(values: Floats, size: Ints) -> Floats:
    """(n, …) values minus their group's mean."""
    away = np.repeat(means(values, size), size, axis=0)
    return np.asarray(np.subtract(values, away, out=away))  # in place: a log may have millions of rows


def deviation(away: Floats, size: Ints, ddof: int = 0) -> Floats:
    """(g,) standard deviation of each group, of its centred values."""
    return np.asarray(np.sqrt(np.add.reduceat(away**2, starts(size)) / (size - ddof)))


def number(true: Bools, size: Ints) -> Ints:
    """(g,) how many of each group's rows are true."""
    return np.asarray(np.add.reduceat(true, starts(size), dtype=np.intp))


def equal(values: Floats, size: Ints) -> Bools:
    """(g,) whether all rows of a group have the same value."""
    start = starts(size)
    return np.asarray(np.minimum.reduceat(values, start) == np.maximum.reduceat(values, start))
