"""`explore`: a matplotlib figure with sliders that need no kernel. `still`: a figure without sliders.

matplotlib draws every setting once (recording.py), the pictures are packed small (packing.py), and an
Explorer (explorer.py) shows them.
"""

from __future__ import annotations

import gzip
import io
import math
import re
from collections.abc import Callable, Mapping
from typing import Any

import anywidget
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from .explorer import Explorer, deflated
from .grid import Grid, Value
from .packing import THEME, fill, pack, split_svg, split_words, themed
from .recording import Recording, Slot, record, record_still

MAX_SETTINGS = 5_000
MAX_BYTES = 40 * 1024
"""The most settings of a grid, and the most bytes of an explorer's compressed HTML."""

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
    """Make a figure interactive without a kernel: matplotlib draws every setting now, for pages to show.

    Parameters
    ----------
    fig
        The figure, its axis limits fixed. It is left at the start setting and closed in pyplot.
    update
        As for `matplotlib.animation.FuncAnimation`: ``update(**setting)`` changes artists of `fig`, the same
        ones every time, and returns them (an Axes, if its limits or ticks change).
    name
        The explorer's id on its page, and in links to a setting: ``page.html#name:G=4,p=0.5``.
    describe
        ``describe(**setting)`` returns a sentence: the caption, which screen readers announce.
    play
        The parameter that the Play button runs through.
    start
        The first setting; a parameter that it leaves out starts in the middle of its values.
    labels, formats
        A parameter's label (else its name), and its values' format, such as ``"{:.0%}"`` (else ``"{:g}"``).
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

    Notes
    -----
    Settings are given as to `ipywidgets.interact`, artists are changed as for matplotlib's animations; but
    all pictures are drawn beforehand, and kept to a tenth of a point.
    """
    _check_name(name)
    if not grid:
        raise ValueError(
            "explore needs a parameter, such as G=[2, 4, 8]; a figure without sliders is a still"
        )
    axes, start, labels, formats = Grid(grid), start or {}, labels or {}, formats or {}
    for argument, given in {"play": [play] if play else [], "labels": labels, "formats": formats}.items():
        axes.check_known(given, argument)
    for parameter in grid:
        if hasattr(anywidget.AnyWidget, parameter) or parameter.startswith("_"):
            raise ValueError(f"{parameter!r} cannot be a parameter: widgets have an attribute of that name")
    if math.prod(axes.shape) > MAX_SETTINGS:
        count = f"{axes} = {math.prod(axes.shape):,} settings"
        raise ValueError(f"{name}: {count}, more than {MAX_SETTINGS:,}: give some parameter fewer values")
    at, settings = axes.start(start), axes.settings()
    recording = record(fig, update, settings, settings[int(np.ravel_multi_index(at, axes.shape))])
    sentences = Slot("the sentences of describe")
    for setting in settings:
        sentences.add(_sentence(describe(**setting)))
    parameters = [
        {
            "name": parameter,
            "label": labels.get(parameter, parameter),
            "values": values,
            "texts": [_text(value, formats.get(parameter)) for value in values],
        }
        for parameter, values in axes.values.items()
    ]
    place = list(grid).index(play) if play else None
    return _explorer(fig, name, recording, sentences, axes, start=at, play=place, parameters=parameters)


def still(fig: Figure, *, name: str, describe: str) -> Explorer:
    """Show a figure as `explore` does, without sliders.

    Parameters
    ----------
    fig
        The figure. It is closed in pyplot.
    name
        The figure's id on its page.
    describe
        A sentence: its text alternative.

    Returns
    -------
    Explorer
        To be a cell's last expression.

    Raises
    ------
    ValueError
        For more than 40 KB compressed (naming the heaviest part).

    Notes
    -----
    It is drawn as `explore` draws one setting, so that it follows the page's theme like the others.
    """
    _check_name(name)
    sentences = Slot("the description")
    sentences.add(_sentence(describe))
    return _explorer(fig, name, record_still(fig), sentences, Grid({}), start=[], play=None, parameters=[])


def _explorer(
    fig: Figure, name: str, recording: Recording, sentences: Slot, grid: Grid, **controls: Any
) -> Explorer:
    """Pack a recording and its sentences; refuse what is too heavy for a page."""

    def own(svg: str) -> str:  # ids must differ between the figures of a page
        return _ID.sub(f"{name}-", svg)

    def packed(slot: Slot, split: Callable[[str], Any]) -> dict[str, Any]:
        return pack(list(map(own, slot.pictures)), np.reshape(slot.shown, grid.shape), split)

    frame = [fill(*split_svg(own(piece))) for piece in recording.still]
    frame[0] = f"<defs>{themed(own(recording.definitions))}</defs>{frame[0]}"
    slots = [packed(slot, split_svg) for slot in recording.slots]
    caption = packed(sentences, split_words)
    data = {"slots": slots, "caption": caption, "theme": list(THEME.values()), **controls}
    explorer = Explorer(name, (recording.width, recording.height), frame, data, _png(fig))
    size = len(gzip.compress(explorer.html.encode()))
    if size > MAX_BYTES:
        weights = {slot.name: len(deflated(part)) for slot, part in zip(recording.slots, slots, strict=True)}
        weights["what does not change"] = len(deflated(frame))
        heaviest = max(weights, key=lambda part: weights[part])
        raise ValueError(
            f"{name}: {size / 1024:.0f} KB compressed, more than {MAX_BYTES // 1024} KB. Heaviest is "
            f"{heaviest}, {weights[heaviest] / 1024:.0f} KB: give it fewer points or the grid fewer values"
        )
    plt.close(fig)  # else a notebook shows the figure once more
    return explorer


def _check_name(name: str) -> None:
    if not re.fullmatch(r"[a-z][a-z0-9-]*", name):
        raise ValueError(f"name must be an id of small letters, digits and hyphens, got {name!r}")


def _sentence(said: Any) -> str:
    if not isinstance(said, str) or not said.strip():
        raise ValueError(f"describe must give a sentence, got {said!r}")
    return said


def _text(value: Value, template: str | None) -> str:
    return (template or ("{}" if isinstance(value, str) else "{:g}")).format(value)


def _png(fig: Figure) -> bytes:
    buffer = io.BytesIO()
    fig.savefig(buffer, format="png", dpi=200, facecolor="white", transparent=False)
    return buffer.getvalue()
