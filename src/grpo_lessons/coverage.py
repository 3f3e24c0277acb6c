"""The smallest group that speaks often enough."""

from __future__ import annotations

from numpy.typing import ArrayLike

from . import validation as check
from .beta_mixtures import beta_silent_probability
from .counts import silent_probability
from .search import TIE, Ints, smallest_group_size


def min_group_size_for_coverage(p: ArrayLike, coverage: ArrayLike) -> int | Ints:
    """Smallest G of which at least the share `coverage` of groups is mixed: p^G + (1 − p)^G ≤ 1 − coverage.

    Parameters
    ----------
    p : (...) success probabilities strictly between 0 and 1
    coverage : (...) numbers strictly between 0 and 1

    Returns
    -------
    int, or (...) int64 array of the broadcast shape

    Raises
    ------
    ValueError
        For arguments other than that, and where G would be above 2⁵³.

    Notes
    -----
    Equation ``eq-coverage``. Silence falls with G at every p. A tie to within rounding counts as reached.
    """
    chance, mixed = check.together(p=check.open_unit(p, "p"), coverage=check.open_unit(coverage, "coverage"))
    silent = (1 - mixed) * TIE
    return smallest_group_size(lambda size: silent_probability(chance, size) <= silent, mixed)


def beta_min_group_size_for_coverage(a: ArrayLike, b: ArrayLike, coverage: ArrayLike) -> int | Ints:
    """`min_group_size_for_coverage` over prompts whose p is drawn from Beta(a, b).

    Parameters
    ----------
    a, b : (...) finite numbers above 0
    coverage : (...) numbers strictly between 0 and 1

    Returns
    -------
    int, or (...) int64 array of the broadcast shape

    Raises
    ------
    ValueError
        For arguments other than that, and where G would be above 2⁵³.

    Notes
    -----
    Equation ``eq-coverage``. Silence falls as a power of G only, so that the answer may be very large.
    """
    right, wrong, mixed = check.together(
        a=check.positive(a, "a"), b=check.positive(b, "b"), coverage=check.open_unit(coverage, "coverage")
    )
    return smallest_group_size(
        lambda size: beta_silent_probability(right, wrong, size) <= (1 - mixed) * TIE, mixed
    )
