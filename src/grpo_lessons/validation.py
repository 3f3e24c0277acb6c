"""Argument checks: every refusal names the argument, the value that came and what is allowed."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def real_array(value: ArrayLike, name: str) -> Floats:
    """`value` as a non-empty float64 array without NaN, or a ValueError that names `name`."""
    if isinstance(value, np.ma.MaskedArray):  # numpy would use what the mask hides
        raise ValueError(f"{name} must be an array without a mask, got a masked array of shape {value.shape}")
    try:
        raw = np.asarray(value)
        if raw.dtype.kind == "O" and all(isinstance(one, Real) for one in raw.flat):
            raw = raw.astype(np.float64)  # fractions, and integers of more than 64 bits
    except ValueError:
        raise ValueError(
            f"{name} must be a number or a rectangular array of numbers, got {value!r}"
        ) from None
    except OverflowError:
        raise ValueError(f"{name} must be in the range of float64, got {value!r}") from None
    if raw.dtype.kind not in "biuf":
        raise ValueError(f"{name} must be a real number or an array of them, got {value!r}")
    if raw.size == 0:
        raise ValueError(f"{name} must not be empty, got shape {raw.shape}")
    array = raw.astype(np.float64)
    _require(~np.isnan(array), array, name, "a number, not NaN")
    return array


def finite(value: ArrayLike, name: str) -> Floats:
    """A number that is not infinite."""
    array = real_array(value, name)
    _require(np.isfinite(array), array, name, "finite")
    return array


def probability(value: ArrayLike, name: str = "p") -> Floats:
    """A probability: in [0, 1]."""
    array = real_array(value, name)
    _require((array >= 0) & (array <= 1), array, name, "in [0, 1]")
    return array


def open_unit(value: ArrayLike, name: str) -> Floats:
    """A number strictly between 0 and 1."""
    array = real_array(value, name)
    _require((array > 0) & (array < 1), array, name, "strictly between 0 and 1")
    return array


def positive(value: ArrayLike, name: str) -> Floats:
    """A finite number above 0."""
    array = real_array(value, name)
    _require((array > 0) & np.isfinite(array), array, name, "finite and above 0")
    return array


def nonnegative(value: ArrayLike, name: str) -> Floats:
    """A finite number of at least 0."""
    array = real_array(value, name)
    _require((array >= 0) & np.isfinite(array), array, name, "finite and at least 0")
    return array


def group_size(
    value: ArrayLike, name: str = "group_size", *, least: int = 2, infinite: bool = False
) -> Floats:
    """A whole number of at least `least` (8.0 is 8); math.inf only where `infinite` says so."""
    array = real_array(value, name)
    whole = (array == np.floor(array)) & (array >= least) & (array <= 2**53)  # above, floats skip numbers
    allowed = f"a whole number of at least {least} and at most 2**53" + (", or math.inf" if infinite else "")
    _require(whole | (np.isposinf(array) if infinite else False), array, name, allowed)
    return array


def count(value: ArrayLike, size: ArrayLike, name: str = "k") -> Floats:
    """A whole number between 0 and `size`, in their broadcast shape."""
    array, most = together(**{name: real_array(value, name), "group_size": np.asarray(size, np.float64)})
    inside = (array == np.floor(array)) & (array >= 0) & (array <= most)
    _require(inside, array, name, "a whole number from 0 to group_size")
    return array


def together(**arrays: Floats) -> tuple[Floats, ...]:
    """The arrays, broadcast against each other."""
    try:
        return tuple(np.broadcast_arrays(*arrays.values()))
    except ValueError:
        shapes = _listed(array.shape for array in arrays.values())
        raise ValueError(f"{_listed(arrays)} must broadcast, got shapes {shapes}") from None


def ddof(value: Any) -> int:
    """0 or 1: the standard deviation divides by G − ddof."""
    return _either(value, 0, 1, "ddof")


def order(value: Any) -> int:
    """1 or 2: the last order that an expansion keeps."""
    return _either(value, 1, 2, "order")


def one_of(value: Any, allowed: tuple[str, ...], name: str) -> str:
    """One of a few words."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}, got {value!r}")
    return value


def single(array: Floats, name: str) -> float:
    """The one number in `array`, where a whole array of them makes no sense."""
    if array.ndim:
        raise ValueError(f"{name} must be one number, got an array of shape {array.shape}")
    return float(array)


def _listed(items: Iterable[Any]) -> str:
    *first, last = map(str, items)
    return f"{', '.join(first)} and {last}"


def _either(value: Any, first: int, second: int, name: str) -> int:
    if not isinstance(value, (int, np.integer)) or value not in (first, second):
        raise ValueError(f"{name} must be {first} or {second}, got {value!r}")
    return int(value)


def _require(good: NDArray[np.bool_] | np.bool_, array: Floats, name: str, allowed: str) -> None:
    if not np.all(good):
        worst = array[~np.broadcast_to(good, array.shape)].flat[0]
        shown = repr(float(worst)).removesuffix(".0")  # all digits: a p just above 1 must not read 1
        raise ValueError(f"{name} must be {allowed}, got {shown}")
