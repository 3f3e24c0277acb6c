"""What `explore` and `still` return: one object that shows itself on pages, in notebooks and in viewers.

explorer.js shows what was recorded, as the view of a widget or on a page without a kernel. Here the same data
is read, so that a test sees what a reader sees.
"""

from __future__ import annotations

import base64
import json
import os
import zlib
from functools import cached_property
from html import escape
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from .grid import Grid
from .packing import read

BUILDING = "GRPO_LESSONS_BUILDING"
"""The environment variable that tells a kernel it runs for pages, where no kernel will answer."""

_HERE = Path(__file__).parent


def deflated(data: Any) -> bytes:
    """`data` as compressed JSON."""
    return zlib.compress(json.dumps(data, separators=(",", ":"), ensure_ascii=False).encode(), 9)


class Explorer:
    """A recorded figure; shows itself as a widget, as a page's HTML or as a PNG, whichever can be shown.

    Parameters
    ----------
    name
        The id on the page.
    size
        Width and height in points.
    frame
        The figure's SVG around its changing artists: a slot opens between two pieces.
    data
        What `explorer.js` reads: the packed pictures of each slot (`slots`) and sentences (`caption`), the
        `parameters` with their names, labels, values and texts, their places at the `start`, which of them to
        `play`, and the `theme`'s colours.
    png
        The figure at the start, for where only images show.
    """

    def __init__(
        self, name: str, size: tuple[float, float], frame: list[str], data: dict[str, Any], png: bytes
    ) -> None:
        self.name, self._size, self._frame, self._png = name, size, frame, png
        self._payload = deflated(data)
        self._data: dict[str, Any] = json.loads(zlib.decompress(self._payload))  # as shipped
        self._grid = Grid({parameter["name"]: parameter["values"] for parameter in self._data["parameters"]})

    def __repr__(self) -> str:
        return f"<explorer {self.name}: {self._grid}>" if self._grid.values else f"<still {self.name}>"

    def value(self, **setting: Any) -> str:
        """The sentence that the page shows at `setting`, which has a value for every parameter."""
        return self._sentence(self._grid.place(setting, "setting"))

    def svg(self, **setting: Any) -> str:
        """The picture that the page shows at `setting`, as a document of its own."""
        return self._svg(self._grid.place(setting, "setting"))

    @cached_property
    def html(self) -> str:
        """What a page gets: the figure and its caption at the start, and all else as compressed data."""
        payload = base64.b64encode(self._payload).decode()
        data = f'<script type="text/plain">{payload}</script>' if self._grid.values else ""
        return f'<div class="gl-explorer" id="{self.name}">{self._start_html}{data}</div>'

    @cached_property
    def widget(self) -> anywidget.AnyWidget:
        """The figure as a widget, for a live kernel: every parameter is a synced trait of it.

        It is made when first asked for: a widget that merely exists would be saved into a built page.
        """
        state = {"_html": self._start_html, "_payload": self._payload}
        for parameter, place in zip(self._data["parameters"], self._data["start"], strict=True):
            state[parameter["name"]] = parameter["values"][place]
        traits = {name: traitlets.Any(value).tag(sync=True) for name, value in state.items()}
        sources = {"_esm": (_HERE / "explorer.js").read_text(), "_css": (_HERE / "explorer.css").read_text()}
        return type("ExplorerWidget", (anywidget.AnyWidget,), sources | traits)()

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        everywhere = {"text/plain": repr(self), "image/png": base64.b64encode(self._png).decode()}
        if os.environ.get(BUILDING):
            return everywhere | {"text/html": self.html}
        view, metadata = self.widget._repr_mimebundle_()
        return view | everywhere, metadata

    @property
    def _start_html(self) -> str:
        """The figure and its caption at the start; a still's sentence is its text alternative only."""
        start = self._data["start"]
        caption = f'<p class="gl-caption">{escape(self._sentence(start))}</p>' if start else ""
        return self._svg(start) + caption

    def _sentence(self, at: list[int]) -> str:
        return read(self._data["caption"], self._grid.shape, at)

    def _svg(self, at: list[int]) -> str:
        width, height = self._size
        pictures = [read(slot, self._grid.shape, at) for slot in self._data["slots"]]
        groups = [f'<g data-slot="">{picture}</g>' for picture in pictures]
        body = "".join(chain.from_iterable(zip_longest(self._frame, groups, fillvalue="")))
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
            f'width="{1.25 * width:g}pt" role="img" aria-label="{escape(self._sentence(at))}" '
            'fill="currentColor" stroke-linejoin="round" '
            f"font-family=\"'DejaVu Sans',Verdana,sans-serif\">{body}</svg>"
        )
