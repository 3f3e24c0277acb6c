"""Do two SVGs paint the same? Mark by mark: shapes, words, styles and places, and what they refer to."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import NamedTuple
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.backends.backend_svg import RendererSVG
from matplotlib.figure import Figure

from grpo_lessons.packing import THEME

TENTH = 0.0501
"""In points: half of the tenth that coordinates are kept to, and the last of matplotlib's own digits."""

PAINTED = ("path", "use", "text", "image", "rect")
PLACES = ("d", "x", "y", "width", "height", "transform")

_LEFT_OUT = re.compile(r' transform="rotate\(-0 [^"]*"|font-family: [^;"]*(; )?|\n')
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


class Mark(NamedTuple):
    """One painted element: how it looks, and where its points are."""

    looks: tuple[str, ...]
    places: tuple[float, ...]


def fresh(figure: Figure) -> str:
    """What matplotlib saves for the figure now, without white grounds and with mathematics as shapes."""
    for ground in (figure.patch, *(ax.patch for ax in figure.axes)):
        ground.set_visible(False)
    draw_text = RendererSVG.draw_text

    def shaped(self, gc, x, y, s, prop, angle, ismath=False, mtext=None):
        mpl.rcParams["svg.fonttype"] = "path" if ismath else "none"
        draw_text(self, gc, x, y, s, prop, angle, ismath, mtext)

    buffer = io.StringIO()
    style = {"path.simplify": False, "image.composite_image": False}
    with mpl.rc_context(style), pytest.MonkeyPatch.context() as patch:
        patch.setattr(RendererSVG, "draw_text", shaped)
        figure.savefig(buffer, format="svg")
    return buffer.getvalue()


def difference(one: str, other: str) -> str:
    """The first difference between two SVGs in words, or nothing."""
    mine, yours = marks(one), marks(other)
    for a, b in zip(mine, yours, strict=False):
        if a.looks != b.looks or len(a.places) != len(b.places):
            return f"{a.looks} is not {b.looks}"
        off = np.abs(np.subtract(a.places, b.places)).max(initial=0)
        if off > TENTH:
            return f"{off:.3f} pt off: {a.looks}"
    return "" if len(mine) == len(yours) else f"{len(mine)} marks are not {len(yours)}"


def marks(svg: str) -> list[Mark]:
    """The painted elements of an SVG in order; those in a group with a place or a clip have it too."""
    for colour, variable in THEME.items():
        svg = svg.replace(variable, colour)
    svg = _LEFT_OUT.sub("", svg).replace("xlink:href", "href")
    root = ElementTree.fromstring(svg)
    known = {element.get("id"): element for element in root.iter() if element.get("id")}
    return list(_walk(root, known, Mark((), ())))


def _walk(parent: Element, known: dict[str, Element], group: Mark) -> Iterator[Mark]:
    for element in parent:
        tag = element.tag.partition("}")[2]
        mark = _mark(element, known)
        mark = Mark(group.looks + mark.looks, group.places + mark.places)
        if tag in PAINTED:
            yield Mark((tag, element.text or "", *mark.looks), mark.places)
        elif tag == "g":
            yield from _walk(element, known, mark)


def _mark(element: Element, known: dict[str, Element]) -> Mark:
    """The element's own looks and places; what it refers to by id counts as looks."""
    attributes = {key: element.get(key, "") for key in PLACES}
    places = tuple(float(n) for value in attributes.values() for n in _NUMBER.findall(value))
    style = re.sub(r"url\(#\S+\)", "url", element.get("style", ""))
    style = _NUMBER.sub(lambda n: f"{float(n[0]):.3f}", style)
    links = re.findall(r"#(?!\w{6}\b)([\w-]+)", " ".join(element.attrib.values()))
    image = element.get("href", "") if element.get("href", "").startswith("data:") else ""
    shape = [re.sub(r"[\s,]", "", _NUMBER.sub("", value)) for value in attributes.values()]
    looks = [*shape, style, image, *(_defined(known[link]) for link in links)]
    return Mark(tuple(filter(None, looks)), places)


def _defined(element: Element) -> str:
    """A definition's own text, whatever its id."""
    return re.sub(r' (id|xmlns:\w+)="[^"]*"|\s+', "", ElementTree.tostring(element, encoding="unicode"))
