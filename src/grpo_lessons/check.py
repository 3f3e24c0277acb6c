"""Self-checks: is this number, array, formula or function right, and if not, in which way?

>>> from grpo_lessons import check
>>> check.number(-3.0, 3.0)
Not yet. Right size, wrong sign.
>>> check.expression("(p + 1)**2", "p**2 + 2*p + 1")
Right.
>>> check.function(lambda p: p * (1 - p), [((0.5,), 0.25), ((1.0,), 0.0)])
Right.
>>> check.within(1.2, 0, 1)
Not yet. It should be between 0 and 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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
    given = _numbers(answer, right.shape)
    if isinstance(given, Verdict):
        return given

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


def within(answer: Any, low: float, high: float, *, shape: tuple[int, ...] = (), hint: str = "") -> Verdict:
    """Say whether an answer is of the right kind, without saying what is right.

    Parameters
    ----------
    answer : the reader's number or array; None or ``...`` counts as unanswered
    low, high : bounds that any sensible answer keeps, themselves included
    shape : of the right answer
    hint : a sentence for an answer outside the bounds

    Returns
    -------
    Verdict
    """
    if _blank(answer):
        return Verdict(False, UNANSWERED)
    given = _numbers(answer, shape)
    if isinstance(given, Verdict):
        return given
    if np.all((given >= low) & (given <= high)):
        return Verdict(True, "Of the right kind. Whether it is right, grading will say.")
    return _not_yet(f"It should be between {low:g} and {high:g}. {hint}")


def function(
    answer: Any,
    cases: Iterable[tuple[tuple[Any, ...], ArrayLike]],
    *,
    rtol: float = 5e-3,
    group_size: int | None = None,
    hint: str = "",
) -> Verdict:
    """Call a function, and compare what it returns as `number` does; the first case that fails is told.

    Parameters
    ----------
    answer : the reader's function; None or ``...``, also as what it returns, counts as unanswered
    cases : pairs of the arguments, as a tuple, and the right number or array
    rtol, group_size, hint : as for `number`

    Returns
    -------
    Verdict
    """
    if _blank(answer):
        return Verdict(False, UNANSWERED)
    if not callable(answer):
        return _not_yet(f"A function is wanted, this is {type(answer).__name__}.")
    for arguments, expected in cases:
        call = f"{getattr(answer, '__name__', 'f')}({', '.join(map(_brief, arguments))})"
        try:
            returned = answer(*arguments)
        except Exception as error:
            return _not_yet(f"{call} stops with {type(error).__name__}: {error}")
        verdict = number(returned, expected, rtol=rtol, group_size=group_size, hint=hint)
        if not verdict:
            return verdict if verdict.says == UNANSWERED else Verdict(False, f"{call}: {verdict.says}")
    return Verdict(True, "Right.")


def expression(
    answer: Any,
    expected: Any,
    *,
    at: Mapping[str, float] | None = None,
    domain: Mapping[str, tuple[float, float]] | None = None,
    hint: str = "",
) -> Verdict:
    """Compare a formula with the right one, however either is written: by their values at drawn points.

    Parameters
    ----------
    answer : a sympy expression or its text, which is read and never run; None or ``...`` counts as unanswered
    expected : the right expression or its text; symbols are matched by name
    at : values of symbols, by name, put into both before they are compared
    domain : bounds of a symbol, by its name, (0, 1) where none are given; between two ints whole numbers
    hint : a sentence for an answer that is wrong in no recognised way

    Returns
    -------
    Verdict
    """
    from . import formulas  # brings sympy: slow to import, and needed here only

    if _blank(answer):
        return Verdict(False, UNANSWERED)
    try:
        given, right = (_formula(each).subs(at or {}) for each in (answer, expected))
    except ValueError:
        return _not_yet(
            "sympy cannot read this as a formula. Write every product with *, such as 2*p*(1 - p)."
        )
    except TypeError:
        return _not_yet(f"A formula is wanted, this is {type(answer).__name__}.")
    points = formulas.draw_points(right.free_symbols | given.free_symbols, domain or {})
    ours, theirs = formulas.values(right, points), formulas.values(given, points)
    known = ~np.isnan(ours)

    def same(one: Any, other: Any) -> bool:
        return bool(np.all(np.abs(one - other)[known] <= 1e-10 * (1e-9 + np.abs(other[known]))))

    if same(theirs, ours):
        return Verdict(True, "Right.")
    if same(theirs, -ours):
        return _not_yet("Right size, wrong sign.")
    if strange := given.free_symbols - right.free_symbols:
        return _not_yet(f"The answer does not depend on {', '.join(sorted(map(str, strange)))}.")
    if right.free_symbols:
        first = np.argmax(known)
        if theirs[first] and same(theirs * ours[first], ours * theirs[first]):
            return _not_yet(f"Right up to a constant factor. {hint}")
        if same(theirs - theirs[first], ours - ours[first]):
            return _not_yet(f"Right up to an added constant. {hint}")
    return _not_yet(hint)


def _numbers(answer: Any, shape: tuple[int, ...]) -> NDArray[np.float64] | Verdict:
    """The answer as an array of real numbers of this shape, or what is the matter with it."""
    try:
        raw = np.asarray(answer)
        if raw.dtype.kind in "cSU":
            raise TypeError
        given = raw.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        return _not_yet(f"A real number is wanted, this is {type(answer).__name__}.")
    if given.shape != shape:
        return _not_yet(f"The shape is {given.shape}, it should be {shape}.")
    if np.any(np.isnan(given)):
        return _not_yet("There is a NaN in it.")
    return given


def _formula(given: Any) -> Any:
    """A sympy expression from one, from its text or from a number."""
    import sympy

    from . import formulas

    if isinstance(given, str):
        return formulas.read_formula(given)
    try:
        read = sympy.sympify(given, strict=True)
    except sympy.SympifyError:
        raise TypeError from None
    if not isinstance(read, sympy.Expr):
        raise TypeError
    return formulas.by_name(read)


def _brief(argument: Any) -> str:
    text = np.array2string(argument, separator=", ") if isinstance(argument, np.ndarray) else repr(argument)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _blank(answer: Any) -> bool:
    parts = answer if isinstance(answer, (tuple, list)) else [answer]
    return any(part is None or part is ... for part in parts)


def _not_yet(why: str) -> Verdict:
    return Verdict(False, f"Not yet. {why.strip()}".strip())
