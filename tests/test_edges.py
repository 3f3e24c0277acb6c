"""The table of what each function does at its limits, as data: each cell is held by a test.

A cell says in words what happens and gives the call that shows it: arguments, and the value or REFUSED.
`markdown()` is the table as the book prints it.
"""

from __future__ import annotations

import inspect
import math
import re
from typing import Any, NamedTuple

import numpy as np
import pytest

import grpo_lessons

REFUSED = "refused"
NONE = "—"
INF = math.inf


class Cell(NamedTuple):
    says: str
    arguments: tuple[Any, ...] | None = None
    value: Any = None


class Row(NamedTuple):
    """One function. `call` is a plain call with G as an int; the cells change one thing of it."""

    function: str
    call: tuple[Any, ...]
    returns: str
    at_0: Cell
    at_1: Cell
    infinite: Cell
    refused: tuple[Cell, ...]


NO_P = Cell(NONE)
FLOATS = "float64"
INTS = "int, or int64 array"


def refused(says: str, *arguments: Any) -> Cell:
    return Cell(says, arguments, REFUSED)


def of_p_and_size(function: str, at_0: Cell, at_1: Cell, infinite: Cell, *more: Cell) -> Row:
    least = 1 if function == "positive_probability" else 2
    return Row(
        function,
        (0.3, 8),
        FLOATS,
        at_0,
        at_1,
        infinite,
        (
            refused("p outside [0, 1] or NaN", [0.5, 1.1], 8),
            refused(f"G that is not whole or below {least}", 0.5, [8, 8.5]),
            refused(f"G that is not whole or below {least}", 0.5, least - 1),
            *more,
        ),
    )


TOO_WIDE = refused("G p (1 − p) above 10¹⁰", 0.5, 10**12)
FINITE_ONLY = refused("refused", 0.3, INF)
UNSURE = refused("ε whose last step of φ is below 1e-14", 0.5, 1e-8)

TABLE = [
    Row(
        "group_std",
        (3, 8),
        FLOATS,
        NO_P,
        NO_P,
        refused("refused", 3, INF),
        (
            refused("k that is not whole or outside 0 … G", 9, 8),
            refused("k that is not whole or outside 0 … G", 2.5, 8),
            refused("G that is not whole or below 2", 1, 1),
            refused("ddof other than 0 or 1", 3, 8, 2),
        ),
    ),
    of_p_and_size("silent_probability", Cell("1", (0, 8), 1), Cell("1", (1, 8), 1), FINITE_ONLY),
    of_p_and_size("mixed_probability", Cell("0", (0, 8), 0), Cell("0", (1, 8), 0), FINITE_ONLY),
    of_p_and_size("positive_probability", Cell("0", (0, 8), 0), Cell("1", (1, 8), 1), FINITE_ONLY),
    of_p_and_size("rollouts_per_mixed_group", Cell("∞", (0, 8), INF), Cell("∞", (1, 8), INF), FINITE_ONLY),
    of_p_and_size(
        "mixed_success_rate",
        Cell("1/G, the limit", (0, 8), 1 / 8),
        Cell("1 − 1/G, the limit", (1, 8), 7 / 8),
        FINITE_ONLY,
    ),
    Row(
        "beta_silent_probability",
        (1.5, 2, 8),
        FLOATS,
        NO_P,
        NO_P,
        refused("refused", 1.5, 2, INF),
        (
            refused("a or b not finite and above 0", 0, 2, 8),
            refused("a or b not finite and above 0", 1, INF, 8),
            refused("G that is not whole or below 2", 1, 1, 1),
        ),
    ),
    of_p_and_size(
        "expected_std",
        Cell("0", (0, 8), 0),
        Cell("0", (1, 8), 0),
        Cell("√(p(1 − p))", (0.2, INF), 0.4),
        TOO_WIDE,
    ),
    of_p_and_size(
        "fidelity",
        Cell("0, the limit; 1 at G = ∞", ([0, 0], [8, INF]), [0, 1]),
        Cell("0, the limit; 1 at G = ∞", ([1, 1], [8, INF]), [0, 1]),
        Cell("1", (0.3, INF), 1),
        TOO_WIDE,
    ),
    Row(
        "min_group_size",
        (0.3, 0.05),
        INTS,
        refused("refused", 0, 0.1),
        refused("refused", 1, 0.1),
        NO_P,
        (
            refused("ε outside (0, 1)", 0.5, 0),
            refused("ε outside (0, 1)", 0.5, 1),
            UNSURE,
        ),
    ),
    Row(
        "group_size_law",
        (0.3, 0.05),
        FLOATS + ", not rounded",
        Cell("∞", (0, 0.1), INF),
        Cell("∞", (1, 0.1), INF),
        NO_P,
        (
            refused("p outside [0, 1] or NaN", math.nan, 0.1),
            refused("ε outside (0, 1)", 0.5, 0),
            refused("order other than 1 or 2", 0.5, 0.1, 3),
        ),
    ),
    Row(
        "rare_prompt_constant",
        (0.05,),
        FLOATS,
        NO_P,
        NO_P,
        NO_P,
        (refused("ε outside (0, 1)", 1), refused("ε below 1.25e-11", 1e-11)),
    ),
    Row(
        "min_group_size_for_coverage",
        (0.3, 0.95),
        INTS,
        refused("refused", 0, 0.9),
        refused("refused", 1, 0.9),
        NO_P,
        (
            refused("coverage outside (0, 1)", 0.5, 1),
            refused("coverage that takes G above 2⁵³", 1e-17, 0.9),
        ),
    ),
    Row(
        "beta_min_group_size_for_coverage",
        (0.5, 2, 0.95),
        INTS,
        NO_P,
        NO_P,
        NO_P,
        (
            refused("a or b not finite and above 0", -1, 2, 0.9),
            refused("coverage outside (0, 1)", 0.5, 2, 0),
            refused("coverage that takes G above 2⁵³", 0.01, 1, 0.999),
        ),
    ),
    of_p_and_size(
        "objective",
        Cell("0", ([0, 0], [8, INF]), [0, 0]),
        Cell("Σ 1/√(k(G − k)); π at G = ∞", ([1, 1], [3, INF]), [math.sqrt(2), math.pi]),
        Cell("2 arcsin √p", (0.5, INF), math.pi / 2),
        TOO_WIDE,
    ),
    of_p_and_size(
        "objective_weight",
        Cell("√(G − 1); ∞ at G = ∞", ([0, 0], [10, INF]), [3, INF]),
        Cell("√(G − 1); ∞ at G = ∞", ([1, 1], [10, INF]), [3, INF]),
        Cell("1/√(p(1 − p))", (0.2, INF), 2.5),
        TOO_WIDE,
    ),
    of_p_and_size(
        "retry_weight",
        Cell("∞", ([0, 0], [8, INF]), [INF, INF]),
        Cell("∞", ([1, 1], [8, INF]), [INF, INF]),
        Cell("1/√(p(1 − p))", (0.2, INF), 2.5),
        TOO_WIDE,
    ),
    Row(
        "gradient_flow",
        (0.3, 2.5, 8),
        FLOATS,
        Cell("0 for ever", (0, 5, 8), 0),
        Cell("1 for ever", (1, 5, 8), 1),
        Cell("sinh(θ/2) grows by t/4", (0.5, 4, INF), 1 / (1 + math.exp(-2 * math.asinh(1)))),
        (
            refused("p0 outside [0, 1] or NaN", -0.1, 1, 8),
            refused("time not finite or below 0", 0.5, -1, 8),
            refused("time not finite or below 0", 0.5, INF, 8),
            refused("G that is not whole or below 2", 0.5, 1, 1),
            refused("method other than grpo, dr_grpo, rloo, reinforce", 0.5, 1, 8, "dapo"),
        ),
    ),
    Row(
        "stationary_policy",
        (0.3, 1.5, 8),
        FLOATS,
        refused("refused", 0, 1, 8),
        refused("refused", 1, 1, 8),
        Cell("the larger root of a quadratic", (0.5, 1, INF), (2 + math.sqrt(2)) / 4),
        (
            refused("β not finite and above 0", 0.3, 0, 8),
            refused("β not finite and above 0", 0.3, INF, 8),
            refused("G that is not whole or below 2", 0.3, 1, 1),
            refused("penalty other than k3, kl", 0.3, 1, 8, "k1"),
        ),
    ),
    Row(
        "rlhf_policy",
        (0.3, 1.5),
        FLOATS,
        refused("refused", 0, 1),
        refused("refused", 1, 1),
        NO_P,
        (refused("β not finite and above 0", 0.3, 0), refused("β not finite and above 0", 0.3, INF)),
    ),
]


def markdown() -> str:
    """The table, one function a row."""
    head = ["function", "returns", "p = 0", "p = 1", "G = math.inf", "refused with a ValueError"]
    lines = [head, ["---"] * len(head)]
    for row in TABLE:
        refusals = "; ".join(dict.fromkeys(cell.says for cell in row.refused))
        cells = [row.at_0.says, row.at_1.says, row.infinite.says]
        lines.append([f"`{row.function}`", row.returns, *cells, refusals])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def call(row: Row, arguments: tuple[Any, ...]) -> Any:
    return getattr(grpo_lessons, row.function)(*arguments)


CELLS = [
    pytest.param(row, cell, id=f"{row.function}: {cell.says}")
    for row in TABLE
    for cell in (row.at_0, row.at_1, row.infinite, *row.refused)
    if cell.arguments is not None
]
ROWS = [pytest.param(row, id=row.function) for row in TABLE]


@pytest.mark.parametrize(("row", "cell"), CELLS)
def test_cell(row, cell):
    if cell.value is REFUSED:
        with pytest.raises(ValueError, match=r"^\w+ must .*, got "):
            call(row, cell.arguments)
    else:
        np.testing.assert_allclose(call(row, cell.arguments), cell.value, rtol=1e-14)


@pytest.mark.parametrize("row", ROWS)
def test_a_float_group_size_is_the_whole_number(row):
    arguments = tuple(float(a) for a in row.call)
    assert call(row, arguments) == call(row, row.call)


@pytest.mark.parametrize("row", ROWS)
def test_scalars_give_scalars_and_arrays_the_broadcast_shape(row):
    value = call(row, row.call)
    kind = int if row.returns == INTS else np.float64
    assert type(value) is kind
    first, *others = row.call
    column = [np.full((2, 1), first), *(np.full(3, other) for other in others)]
    array = call(row, tuple(column))
    assert array.shape == ((2, 3) if others else (2, 1))
    assert array.dtype == (np.int64 if kind is int else np.float64)
    np.testing.assert_allclose(array, value, rtol=1e-13)


@pytest.mark.parametrize("row", ROWS)
def test_arguments_are_not_changed(row):
    arguments = tuple(np.full(3, a) for a in row.call)
    before = [a.copy() for a in arguments]
    call(row, arguments)
    for a, b in zip(arguments, before, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    ("function", "arguments"),
    [(row.function, row.call) for row in TABLE if len(row.call) > 1]
    + [(name, (0.3, 8)) for name in ("expected_max_advantage", "std_relative_error", "std_variation")],
)
def test_shapes_that_do_not_broadcast_are_named(function, arguments):
    called = getattr(grpo_lessons, function)
    names = list(inspect.signature(called).parameters)[: len(arguments)]
    shapes = [f"({2 + i},)" for i in range(len(arguments))]
    message = f"{listed(names)} must broadcast, got shapes {listed(shapes)}"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        called(*(np.full(2 + i, argument) for i, argument in enumerate(arguments)))


def listed(words: list[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}"


@pytest.mark.parametrize("row", [row for row in TABLE if row.call == (0.3, 8)], ids=lambda row: row.function)
def test_extreme_arguments_make_neither_noise_nor_nonsense(row):
    p = np.array([0, 5e-324, 1e-300, 1e-17, 1e-12, 1 - 1e-16, 1])[:, None]
    value = call(row, (p, np.array([2, 3, 10**6, 10**9])))
    assert np.all(value >= 0)


def test_extreme_difficulties_make_neither_noise_nor_nonsense():
    extreme = np.array([1e-300, 1e-5, 1, 1e5, 1e300])
    silent = grpo_lessons.beta_silent_probability(extreme[:, None], extreme, 10**6)
    assert np.all((silent >= 0) & (silent <= 1 + 1e-15))


def test_every_row_is_printed():
    lines = markdown().splitlines()
    assert len(lines) == len(TABLE) + 2
    assert len({line.count(" | ") for line in lines}) == 1
