"""matplotlib's SVG renderer, reused: one artist, or a whole figure in pieces, to SVG text."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
from matplotlib.artist import Artist
from matplotlib.backends.backend_svg import RendererSVG
from matplotlib.figure import Figure

_DEFINITIONS = re.compile(r"<defs>(.*?)</defs>")
_BLANK = re.compile(r'^ +|\n *|<!--.*?-->| transform="rotate\(-0 [^"]*"')
_COUNTER = re.compile(r'(?<=["#]C)[0-9a-f]+_[0-9a-f]+_(?=[0-9a-f]{10}")')  # counts drawings in a shape's id


@dataclass
class Drawing:
    """A figure in pieces: some artists' pictures, and what all else drew before, between and after them.

    The figure is `still[0]`, `pictures[order[0]]`, `still[1]`, ..., `pictures[order[-1]]`, `still[-1]`.
    """

    still: list[str]
    order: list[int]
    pictures: list[str]


class Pen(RendererSVG):  # type: ignore[misc]
    """Draws artists of one figure as SVG in points; what they define is laid aside in `definitions`.

    Definitions (markers, repeated shapes, glyphs; after `finalize` clip paths and hatches) have ids made of
    their content, so pictures of many settings share them.
    """

    def __init__(self, figure: Figure, image_dpi: float) -> None:
        self.paper = io.StringIO()
        self.definitions: dict[str, None] = {}
        super().__init__(figure.bbox.width, figure.bbox.height, self.paper, image_dpi=image_dpi)
        self._lift()  # the document's header

    def open_group(self, s: str, gid: str | None = None) -> None:
        """Groups only name and count things: without them, pictures that look alike are equal."""

    def close_group(self, s: str) -> None:
        """See `open_group`."""

    def draw_text(  # type: ignore[no-untyped-def]
        self, gc, x, y, s, prop, angle, ismath=False, mtext=None
    ) -> None:
        """Words stay text; mathematics becomes shapes, since its layout holds for one font only."""
        mpl.rcParams["svg.fonttype"] = "path" if ismath else "none"
        super().draw_text(gc, x, y, s, prop, angle, ismath, mtext)

    def finalize(self) -> None:
        """Write the clip paths and hatches of all drawings into `definitions`."""
        super().finalize()
        self._take()

    def draw(self, artist: Artist) -> str:
        """What `artist` draws by itself."""
        artist.draw(self)
        return self._take()

    def draw_whole(self, figure: Figure, artists: list[Artist]) -> Drawing:
        """What `figure` draws, with the pictures of `artists` apart."""
        drawing = Drawing([], [], [""] * len(artists))

        def apart(number: int, artist: Artist) -> Callable[..., None]:
            def draw(renderer: Any, *args: Any, **kwargs: Any) -> None:
                drawing.still.append(self._take())
                type(artist).draw(artist, renderer, *args, **kwargs)
                drawing.order.append(number)
                drawing.pictures[number] = self._take()

            return draw

        for number, artist in enumerate(artists):
            artist.draw = apart(number, artist)  # type: ignore[method-assign]
        try:
            figure.draw(self)
        finally:
            for artist in artists:
                del artist.draw
        drawing.still.append(self._take())
        return drawing

    def _take(self) -> str:
        """The SVG since the last call, without its definitions."""
        svg = _BLANK.sub("", self._lift()).replace("xlink:href", "href")
        svg = re.sub(r'(<image [^>]*?) id="\w+"', r"\1", _COUNTER.sub("", svg))
        self.definitions.update(dict.fromkeys(_DEFINITIONS.findall(svg)))
        return _DEFINITIONS.sub("", svg)

    def _lift(self) -> str:
        svg = self.paper.getvalue()
        self.paper.seek(0)
        self.paper.truncate()
        return svg
