"""Self-checks for exercises: is this number, this array, this expression right, and if not, in which way?

>>> from grpo_lessons import check
>>> check.number(-3.0, 3.0)
Not yet. Right size, wrong sign.
>>> check.expression("(p + 1)**2", "p**2 + 2*p + 1")
Right.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

UNANSWERED = "Not answered yet: put your answer in place of the dots, and run this cell."


@dataclass(frozen=True)
class Verdict:
    """What a check says; shown as its sentence, and true if the answer is right."""

    right: bool
    says: str

    def __bool__(self) -> bool:
        return self.right

    def __repr__(self) -> str:
        return self.says


def number(
    answer: Any, expected: ArrayLike, *, rtol: float = 5e-3, group_size: int | None = None, hint: str = ""
) -> Verdict:
    """Compare a number, or an array of numbers, with the right one.

    Parameters
    ----------
    answer : the reader's number or array; None or ``...``, also as an entry, counts as unanswered
    expected : the right number, or (...) array
    rtol : how far off each entry may be, as a share of the right value (of 1, where that is 0)
    group_size : if given, an answer that follows the other ddof is recognised as such
    hint : a sentence for an answer that is wrong in no recognised way

    Returns
    -------
    Verdict
    """
    if _blank(answer):
        return Verdict(False, UNANSWERED)
    right = np.asarray(expected, dtype=np.float64)
    try:
        given = np.asarray(answer, dtype=np.float64)
    except (TypeError, ValueError):
        return _not_yet(f"A number is wanted, this is {type(answer).__name__}.")
    if given.shape != right.shape:
        return _not_yet(f"The shape is {given.shape}, it should be {right.shape}.")
    if np.any(np.isnan(given)):
        return _not_yet("There is a NaN in it.")

    def close(target: NDArray[np.float64]) -> bool:
        slack = rtol * np.where(right == 0, 1.0, np.abs(target))
        return bool(np.all(np.abs(given - target) <= slack))

    if close(right):
        return Verdict(True, "Right.")
    if close(-right):
        return _not_yet("Right size, wrong sign.")
    if close(100 * right):
        return _not_yet("Right in percent; the question asks for a share.")
    if group_size is not None:
        ratio = np.sqrt((group_size - 1) / group_size)
        if close(right * ratio) or close(right / ratio):
            return _not_yet("Right up to the ddof convention: look at what the deviation divides by.")
    return _not_yet(hint)


def expression(answer: Any, expected: Any, *, hint: str = "") -> Verdict:
    """Compare a formula with the right one, however either is written.

    Parameters
    ----------
    answer : a sympy expression or its text; None or ``...`` counts as unanswered
    expected : the right expression or its text; symbols are matched by name
    hint : a sentence for an answer that is wrong in no recognised way

    Returns
    -------
    Verdict
    """
    import sympy  # slow to import, and needed here only

    if _blank(answer):
        return Verdict(False, UNANSWERED)
    right = sympy.sympify(str(expected))
    try:
        given = sympy.sympify(str(answer))
    except (sympy.SympifyError, SyntaxError, TypeError):
        return _not_yet("sympy cannot read this as a formula.")
    if not isinstance(given, sympy.Expr):
        return _not_yet(f"A formula is wanted, this is {type(given).__name__}.")
    if strange := given.free_symbols - right.free_symbols:
        return _not_yet(f"The answer does not depend on {', '.join(sorted(map(str, strange)))}.")
    if sympy.simplify(given - right) == 0:
        return Verdict(True, "Right.")
    if sympy.simplify(given + right) == 0:
        return _not_yet("Right size, wrong sign.")
    return _not_yet(hint)


def _blank(answer: Any) -> bool:
    parts = answer if isinstance(answer, (tuple, list)) else [answer]
    return any(part is None or part is ... for part in parts)


def _not_yet(why: str) -> Verdict:
    return Verdict(False, f"Not yet. {why}".strip())
