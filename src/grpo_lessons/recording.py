"""A figure to a recording: the whole once, and each changing artist by itself at every setting.

Every artist draws itself on matplotlib's own SVG renderer: all kinds go the same way, none is known by name.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import matplotlib as mpl
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from .grid import Setting
from .pen import Drawing, Pen
from .scene import Scene, name_of

_STYLE = {
    "svg.hashsalt": "grpo_lessons",  # the same figure gives the same ids
    "path.simplify": False,  # a line has as many points at every setting
    "image.composite_image": False,  # each image is drawn by its own artist
}


@dataclass
class Slot:
    """One changing artist: its distinct pictures, and the number of the picture that each setting shows."""

    name: str
    pictures: dict[str, int] = field(default_factory=dict)
    shown: list[int] = field(default_factory=list)

    def add(self, picture: str) -> None:
        """Note that the next setting shows `picture`."""
        self.shown.append(self.pictures.setdefault(picture, len(self.pictures)))


@dataclass
class Recording:
    """A figure as SVG in points: `still[0]`, a picture of `slots[0]`, `still[1]`, ..., `still[-1]`.

    All refer to `definitions` (markers, clip paths, hatches, glyphs) by id.
    """

    width: float
    height: float
    definitions: str
    still: list[str]
    slots: list[Slot]


def record(
    figure: Figure, update: Callable[..., Any], settings: Sequence[Setting], start: Setting
) -> Recording:
    """Call `update(**setting)` for every setting and keep what the artists that it returns draw.

    The layout is settled at `start` and then held still; the figure is left at `start`, with that layout.
    Raises ValueError where the pieces would not add up to the figure (see `scene.Scene`).
    """
    update(**start)
    with mpl.rc_context(_STYLE), _settled(figure) as dpi:
        pen = Pen(figure, dpi)
        scene = Scene(figure, update, start, pen)
        slots = [Slot(name_of(artist)) for artist in scene.artists]
        sampled = {*range(0, len(settings), len(settings) // 4 or 1), len(settings) - 1}
        for number, setting in enumerate(settings):
            scene.change(setting)
            pictures = [pen.draw(artist) for artist in scene.artists]
            for slot, picture in zip(slots, pictures, strict=True):
                slot.add(picture)
            if number in sampled:  # of all settings, it would take long
                scene.check_sum(pictures, setting)
        update(**start)
        return _recording(pen, scene.whole, slots)


def record_still(figure: Figure) -> Recording:
    """The figure as it is, with nothing that changes."""
    with mpl.rc_context(_STYLE), _settled(figure) as dpi:
        pen = Pen(figure, dpi)
        return _recording(pen, pen.draw_whole(figure, []), [])


def _recording(pen: Pen, whole: Drawing, slots: list[Slot]) -> Recording:
    pen.finalize()
    drawn = [slots[number] for number in whole.order]
    return Recording(pen.width, pen.height, "".join(pen.definitions), whole.still, drawn)


@contextmanager
def _settled(figure: Figure) -> Iterator[float]:
    """The figure laid out as for any SVG, then held still, at 72 dots an inch and without white grounds.

    Yields the figure's own resolution.
    """
    figure.savefig(io.BytesIO(), format="svg")
    figure.set_layout_engine("none")
    dpi, grounds = figure.dpi, [figure.patch, *(ax.patch for ax in figure.axes)]
    white = [g for g in grounds if g.get_visible() and to_hex(g.get_facecolor()) == "#ffffff"]
    figure.dpi = 72
    for ground in white:
        ground.set_visible(False)
    try:
        yield dpi
    finally:
        figure.dpi = dpi
        for ground in white:
            ground.set_visible(True)
