"""Texts that differ only in their numbers, packed small: templates with holes, and rows of whole numbers.

A hole is one character: HOLE + k stands for a number with k decimals, COLOUR for a colour. Coordinates keep a
tenth of a point, styles a thousandth, words every digit. explorer.js reads what `pack` makes, as `read` does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .style import PALETTE

Split = tuple[str, tuple[int, ...]]
"""A template and the whole numbers for its holes."""

HOLE, COLOUR = 0xE000, "\ue00f"

THEME = {
    "#000000": "currentColor",
    "#ffffff": "var(--gl-paper,#fff)",
    **{colour: f"var(--gl-{name},{colour})" for name, colour in PALETTE.items()},
}
"""What black, white and the palette become on the page: explorer.css has light and dark values for them."""

_THEME_NUMBER = {colour: -1 - i for i, colour in enumerate(THEME)}
_THEME_VALUE = list(THEME.values())

_HOLES = re.compile("[\ue000-\ue00f]")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_STYLE_VALUE = re.compile(r"(?<=[ ,])(?:\d+(?:\.\d+)?|#[0-9a-f]{6})(?=px|[;,]|$)")
_COLOUR = re.compile(r"(?<=: |=\")#[0-9a-f]{6}(?=[;\"])")
_FONT = re.compile(r"font-family: 'DejaVu Sans',[^;]*sans-serif(?:; )?")  # the whole figure's: see Explorer
_PIECE = re.compile(
    r'( (?:d|x|y|width|height)="|translate\(|rotate\()([^")]+)|( style=")([^"]+)|(>)([^<]+)(?=</text>)'
)


def split_svg(svg: str) -> Split:
    """SVG as a template and its numbers."""
    numbers: list[int] = []

    def hollow(match: re.Match[str]) -> str:
        head, body = filter(None, match.groups())
        split = split_words if head == ">" else _split_style if head == ' style="' else _split_places
        template, found = split(body)
        numbers.extend(found)
        return f"{head}{template}"

    return _PIECE.sub(hollow, svg), tuple(numbers)


def split_words(words: str) -> Split:
    """Words as a template and their numbers, where these come back digit for digit."""
    numbers: list[int] = []

    def hollow(match: re.Match[str]) -> str:
        decimals = len(match[0].partition(".")[2])
        number = round(float(match[0]) * 10**decimals)
        if len(match[0]) > 9 or _decimal(number, decimals) != match[0]:
            return match[0]
        numbers.append(number)
        return chr(HOLE + decimals)

    return _NUMBER.sub(hollow, words), tuple(numbers)


def _split_places(places: str) -> Split:
    tenths = np.rint(np.array(_NUMBER.findall(places), float) * 10)
    within = np.clip(tenths, -1e7, 1e7).astype(int)  # a browser's own arithmetic is single precision
    return _NUMBER.sub(chr(HOLE + 1), places), tuple(within.tolist())


@lru_cache(maxsize=4096)
def _split_style(style: str) -> Split:
    numbers: list[int] = []

    def hollow(match: re.Match[str]) -> str:
        if match[0][0] == "#":
            numbers.append(_THEME_NUMBER.get(match[0], int(match[0][1:], 16)))
            return COLOUR
        numbers.append(round(float(match[0]) * 1000))
        return chr(HOLE + 3)

    return _STYLE_VALUE.sub(hollow, _FONT.sub("", style)), tuple(numbers)


def themed(svg: str) -> str:
    """SVG with the theme's colours as variables and its numbers as they are."""
    return _COLOUR.sub(lambda colour: THEME.get(colour[0], colour[0]), svg)


def fill(template: str, numbers: Sequence[int]) -> str:
    """A template with its holes filled."""
    rest = iter(numbers)
    return _HOLES.sub(lambda hole: _written(hole[0], next(rest)), template)


def _written(hole: str, number: int) -> str:
    if hole != COLOUR:
        return _decimal(number, ord(hole) - HOLE)
    return _THEME_VALUE[-1 - number] if number < 0 else f"#{number:06x}"


def _decimal(number: int, decimals: int) -> str:
    return f"{number / 10**decimals:.{decimals}f}"


def pack(texts: Sequence[str], shown: NDArray[np.int_], split: Callable[[str], Split]) -> dict[str, Any]:
    """Distinct `texts`, and the number of the text that each setting of a grid shows, as JSON data.

    `groups` has for each template: itself, its distinct rows as differences (along a row, then from row to
    row), and how many rows and columns. A column that never changes is written into the template. `index` has
    each setting's row, counted through all groups, as differences; grid axes that never matter are left out.
    """
    rows: dict[str, dict[tuple[int, ...], int]] = {}
    places = []
    for template, row in map(split, texts):
        seen = rows.setdefault(template, {})
        places.append((template, seen.setdefault(row, len(seen))))
    first = dict(zip(rows, np.cumsum([0, *map(len, rows.values())]).tolist(), strict=False))
    index = np.array([first[template] + row for template, row in places])[shown]
    axes = [bool((index != index.take([0], axis)).any()) for axis in range(index.ndim)]
    index = index[tuple(slice(None) if matters else slice(1) for matters in axes)].ravel()
    return {
        "groups": [_pack_rows(template, list(seen)) for template, seen in rows.items()],
        "axes": axes,
        "index": np.diff(index, prepend=0).tolist(),
    }


def _pack_rows(template: str, rows: list[tuple[int, ...]]) -> list[Any]:
    table = np.array(rows, dtype=np.int64).reshape(len(rows), -1)
    varies = (table != table[0]).any(axis=0)
    constant = iter(zip(table[0].tolist(), varies, strict=True))

    def bake(hole: re.Match[str]) -> str:
        number, stays_open = next(constant)
        return hole[0] if stays_open else _written(hole[0], number)

    template, table = _HOLES.sub(bake, template), table[:, varies]
    steps = np.diff(np.diff(table, axis=0, prepend=0), axis=1, prepend=0)
    return [template, steps.ravel().tolist(), *table.shape]


def read(packed: dict[str, Any], sizes: Sequence[int], at: Sequence[int]) -> str:
    """The text that `pack` was given for the setting `at` (a place on each grid axis)."""
    place = 0
    for size, step, matters in zip(sizes, at, packed["axes"], strict=True):
        place = place * size + step if matters else place
    row = sum(packed["index"][: place + 1])
    for template, steps, rows, columns in packed["groups"]:
        if row < rows:
            table = np.array(steps, dtype=np.int64).reshape(rows, columns)
            return fill(template, table[: row + 1].cumsum(axis=1).sum(axis=0).tolist())
        row -= rows
    raise AssertionError("the index counts more rows than there are")
