"""The grid of settings behind an explorer: each parameter's values, and the place of a setting among them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

Value = int | float | str
Setting = dict[str, Value]


class Grid:
    """Every combination of the parameters' values, the last parameter running fastest."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = {parameter: _listed(parameter, given) for parameter, given in values.items()}
        self.shape = tuple(map(len, self.values.values()))

    def __str__(self) -> str:
        return " × ".join(f"{len(values)} {parameter}" for parameter, values in self.values.items())

    def settings(self) -> list[Setting]:
        """All settings in order."""
        return [dict(zip(self.values, row, strict=True)) for row in itertools.product(*self.values.values())]

    def start(self, given: Mapping[str, Any]) -> list[int]:
        """Each parameter's place in `given`; one that it leaves out is in the middle."""
        middle = {parameter: values[len(values) // 2] for parameter, values in self.values.items()}
        return self.place({**middle, **given}, "start")

    def place(self, setting: Mapping[str, Any], argument: str) -> list[int]:
        """Each parameter's place in `setting`, or a ValueError if one is missing, unknown or off the grid."""
        self.check_known(setting, argument)
        missing = [parameter for parameter in self.values if parameter not in setting]
        if missing:
            raise ValueError(f"{argument} needs a value for {', '.join(missing)}")
        return [_index(parameter, values, setting[parameter]) for parameter, values in self.values.items()]

    def check_known(self, parameters: Iterable[str], argument: str) -> None:
        """Refuse a name that is none of the parameters."""
        for parameter in parameters:
            if parameter not in self.values:
                known = ", ".join(self.values)
                raise ValueError(f"{argument} names {parameter!r}, which is no parameter; there are {known}")


def _listed(parameter: str, given: Any) -> list[Value]:
    """The values as Python numbers or strings; 12 digits, so that 0.1 * 3 is the 0.3 that a link says."""
    array = np.asarray(given)
    if array.ndim != 1 or len(array) < 2 or array.dtype.kind not in "iufU":
        raise ValueError(f"{parameter} must be two or more numbers or strings, got {given!r}")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise ValueError(f"{parameter} must be finite, got {given!r}")
    values: list[Value] = [float(f"{v:.12g}") if isinstance(v, float) else v for v in array.tolist()]
    if len(set(values)) < len(values):
        raise ValueError(f"{parameter} must be distinct values, got {given!r}")
    return values


def _index(parameter: str, values: list[Value], wanted: Any) -> int:
    for i, value in enumerate(values):
        if value == wanted or _close(value, wanted):
            return i
    shown = values if len(values) < 9 else [*values[:3], "...", *values[-2:]]
    raise ValueError(f"{parameter} must be one of {', '.join(map(str, shown))}, got {wanted!r}")


def _close(value: Value, wanted: Any) -> bool:
    if isinstance(value, str) or isinstance(wanted, str):
        return False
    return math.isclose(value, wanted, rel_tol=1e-9, abs_tol=1e-12)
