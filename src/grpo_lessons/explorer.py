"""`explore`: a matplotlib figure with sliders that need no kernel. `still`: a figure without sliders.

matplotlib draws every setting once (recording.py), the pictures are packed small (packing.py), and explorer.js shows
them: on a page without a kernel, or as the view of a widget.
"""

from __future__ import annotations

import base64
import gzip
import io
import json
import math
import os
import re
import zlib
from collections.abc import Callable, Mapping
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

import anywidget
import matplotlib.pyplot as plt
import numpy as np
import traitlets
from matplotlib.figure import Figure

from .grid import Grid
from .packing import THEME, fill, pack, read, split_svg, split_words, themed
from .recording import Recording, Slot, record, record_still

MAX_SETTINGS = 5_000
MAX_BYTES = 40 * 1024
"""The most settings of a grid, and the most bytes of an explorer's compressed HTML."""

BUILDING = "GRPO_LESSONS_BUILDING"
"""The environment variable that tells a kernel it runs for pages, where no kernel will answer."""

_HERE = Path(__file__).parent
_ID = re.compile(r'(?<= id="|ef="#|url\(#)')


def explore(
    fig: Figure,
    update: Callable[..., Any],
    *,
    name: str,
    describe: Callable[..., str],
    play: str | None = None,
    start: Mapping[str, Any] | None = None,
    labels: Mapping[str, str] | None = None,
    formats: Mapping[str, str] | None = None,
    **grid: Any,
) -> Explorer:
    """Make a figure interactive without a kernel: matplotlib draws every setting now, the page shows them later.

    Parameters
    ----------
    fig
        The figure, its axis limits fixed. It is left at the start setting and closed in pyplot.
    update
        As for `matplotlib.animation.FuncAnimation`: ``update(**setting)`` changes artists of `fig`, the same ones
        every time, and returns them (an Axes, if its limits or ticks change).
    name
        The explorer's id on its page, and in links to a setting: ``page.html#name:G=4,p=0.5``.
    describe
        ``describe(**setting)`` returns a sentence: the caption, which screen readers announce.
    play
        The parameter that the Play button runs through.
    start
        The first setting; a parameter that it leaves out starts in the middle of its values.
    labels, formats
        A parameter's label, if not its name, and its values' format string, such as ``"{:.0%}"``, if not ``"{:g}"``.
    **grid
        Every parameter's values: two or more numbers (kept to 12 significant digits) or strings.

    Returns
    -------
    Explorer
        To be a cell's last expression.

    Raises
    ------
    ValueError
        For more than 5,000 settings, for more than 40 KB compressed (naming the heaviest artist), and for an
        update whose recorded pieces would not add up to the figure (naming the artist and the way out).
    """
    _check_name(name)
    axes = Grid(grid)
    if not grid:
        raise ValueError("explore needs a parameter, such as G=[2, 4, 8]; for a figure without sliders, use still")
    for argument, given in {"play": [play] if play else [], "labels": labels, "formats": formats}.items():
        axes.check_known(given or [], argument)
    for parameter in grid:
        if hasattr(anywidget.AnyWidget, parameter) or parameter.startswith("_"):
            raise ValueError(f"{parameter!r} cannot be a parameter: widgets have an attribute of that name")
    if math.prod(axes.shape) > MAX_SETTINGS:
        count = f"{axes} = {math.prod(axes.shape):,} settings"
        raise ValueError(f"{name}: {count}, more than {MAX_SETTINGS:,}: give some parameter fewer values")
    at, settings = axes.start(start or {}), axes.settings()
    recording = record(fig, update, settings, settings[int(np.ravel_multi_index(at, axes.shape))])
    sentences = Slot("the sentences of describe")
    for setting in settings:
        sentences.add(_sentence(describe(**setting)))
    controls = [
        {
            "name": parameter,
            "label": (labels or {}).get(parameter, parameter),
            "values": values,
            "texts": [_text(value, (formats or {}).get(parameter)) for value in values],
        }
        for parameter, values in axes.values.items()
    ]
    play_at = None if play is None else list(axes.values).index(play)
    return _explorer(fig, name, recording, sentences, axes, start=at, play=play_at, parameters=controls)


def still(fig: Figure, *, name: str, describe: str) -> Explorer:
    """Show a figure as `explore` does, without sliders: dark mode, an id, and `describe` as its text alternative.

    Raises ValueError for a figure of more than 40 KB compressed.
    """
    _check_name(name)
    sentences = Slot("the description")
    sentences.add(_sentence(describe))
    return _explorer(fig, name, record_still(fig), sentences, Grid({}), start=[], play=None, parameters=[])


def _explorer(
    fig: Figure, name: str, recording: Recording, sentences: Slot, grid: Grid, **controls: Any
) -> Explorer:
    """Pack a recording and its sentences, and refuse what is too heavy for a page."""

    def own(svg: str) -> str:
        return _ID.sub(f"{name}-", svg)

    def packed(slot: Slot, split: Callable[[str], Any]) -> dict[str, Any]:
        return pack(list(map(own, slot.pictures)), np.reshape(slot.shown, grid.shape), split)

    frame = [fill(*split_svg(own(piece))) for piece in recording.still]
    frame[0] = f"<defs>{themed(own(recording.definitions))}</defs>{frame[0]}"
    slots = [packed(slot, split_svg) for slot in recording.slots]
    data = {"slots": slots, "caption": packed(sentences, split_words), "theme": list(THEME.values()), **controls}
    explorer = Explorer(name, (recording.width, recording.height), frame, _deflated(data), _png(fig))
    size = len(gzip.compress(explorer.html.encode()))
    if size > MAX_BYTES:
        weights = {slot.name: len(_deflated(part)) for slot, part in zip(recording.slots, slots, strict=True)}
        weights["what does not change"] = len(_deflated(frame))
        heaviest = max(weights, key=lambda part: weights[part])
        raise ValueError(
            f"{name}: {size / 1024:.0f} KB compressed, more than {MAX_BYTES // 1024} KB. The heaviest part is "
            f"{heaviest} with {weights[heaviest] / 1024:.0f} KB: give it fewer points, or the grid fewer values"
        )
    plt.close(fig)  # else a notebook shows the figure once more
    return explorer


class Explorer:
    """A recorded figure; shows itself as a widget, as a page's HTML or as a PNG, whichever can be shown.

    Attributes
    ----------
    name : str
        Its id on the page.
    html : str
        What a page gets: the figure and its caption at the start setting, and all else as compressed data.
    """

    def __init__(
        self, name: str, size: tuple[float, float], frame: list[str], payload: bytes, png: bytes
    ) -> None:
        self.name, self._size, self._frame, self._payload, self._png = name, size, frame, payload, png
        self._data: dict[str, Any] = json.loads(zlib.decompress(payload))
        self._grid = Grid({control["name"]: control["values"] for control in self._data["parameters"]})

    def __repr__(self) -> str:
        return f"<explorer {self.name}: {self._grid}>" if self._grid.values else f"<still {self.name}>"

    def value(self, **setting: Any) -> str:
        """The sentence that the page shows at `setting`, which names every parameter."""
        return self._read(self._data["caption"], self._grid.place(setting, "setting"))

    def svg(self, **setting: Any) -> str:
        """The picture that the page shows at `setting`, as a document of its own."""
        return self._svg(self._grid.place(setting, "setting"))

    def _read(self, packed: dict[str, Any], at: list[int]) -> str:
        return read(packed, self._grid.shape, at)

    def _svg(self, at: list[int]) -> str:
        width, height = self._size
        slots = [f'<g data-slot="">{self._read(slot, at)}</g>' for slot in self._data["slots"]]
        body = "".join(part for pair in zip(self._frame, [*slots, ""], strict=True) for part in pair)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{1.25 * width:g}pt" '
            f'role="img" aria-label="{escape(self._read(self._data["caption"], at))}" fill="currentColor" '
            f"stroke-linejoin=\"round\" font-family=\"'DejaVu Sans',Verdana,sans-serif\">{body}</svg>"
        )

    @cached_property
    def _start_html(self) -> str:
        """The figure at the start, and its caption; a still's sentence is its text alternative only."""
        start = self._data["start"]
        caption = f'<p class="gl-caption">{escape(self._read(self._data["caption"], start), quote=False)}</p>'
        return self._svg(start) + (caption if start else "")

    @cached_property
    def html(self) -> str:
        """See the class."""
        data = base64.b64encode(self._payload).decode()
        script = f'<script type="text/plain">{data}</script>' if self._data["start"] else ""
        return f'<div class="gl-explorer" id="{self.name}">{self._start_html}{script}</div>'

    @cached_property
    def widget(self) -> anywidget.AnyWidget:
        """The figure as a widget, for a live kernel: every parameter is a synced trait of it.

        It is made when first asked for: a widget that merely exists would be saved into a built page.
        """
        traits = {"_html": self._start_html, "_payload": self._payload}
        for control, place in zip(self._data["parameters"], self._data["start"], strict=True):
            traits[control["name"]] = control["values"][place]
        synced = {trait: traitlets.Any(value).tag(sync=True) for trait, value in traits.items()}
        sources = {"_esm": (_HERE / "explorer.js").read_text(), "_css": (_HERE / "explorer.css").read_text()}
        return type("ExplorerWidget", (anywidget.AnyWidget,), {**sources, **synced})()

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        fallbacks = {"text/plain": repr(self), "image/png": base64.b64encode(self._png).decode()}
        if os.environ.get(BUILDING):
            return {**fallbacks, "text/html": self.html}
        view, metadata = self.widget._repr_mimebundle_()
        return {**view, **fallbacks}, metadata


def _check_name(name: str) -> None:
    if not re.fullmatch(r"[a-z][a-z0-9-]*", name):
        raise ValueError(f"name must be an id of small letters, digits and hyphens, got {name!r}")


def _sentence(said: Any) -> str:
    if not isinstance(said, str) or not said.strip():
        raise ValueError(f"describe must give a sentence, got {said!r}")
    return said


def _text(value: Any, template: str | None) -> str:
    return (template or ("{}" if isinstance(value, str) else "{:g}")).format(value)


def _deflated(data: Any) -> bytes:
    return zlib.compress(json.dumps(data, separators=(",", ":"), ensure_ascii=False).encode(), 9)


def _png(fig: Figure) -> bytes:
    buffer = io.BytesIO()
    fig.savefig(buffer, format="png", dpi=200, facecolor="white", transparent=False)
    return buffer.getvalue()
