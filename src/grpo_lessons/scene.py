"""What must hold while a figure is recorded: `update` changes the artists that it returns, and only those."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from matplotlib.artist import Artist
from matplotlib.figure import Figure

from .grid import Setting
from .pen import Drawing, Pen


def artists_in(returned: Any) -> list[Artist]:
    """The artists that `update` returned (one, or nested tuples and lists of them), each once.

    An artist that another returned one draws (a line of a returned Axes) is left to that one.
    """
    once = list(dict.fromkeys(_flat(returned)))
    if not once:
        raise ValueError("update returned no artist: return the artists that it changes")
    inner = {part for whole in once for part in whole.findobj() if part is not whole}
    return [artist for artist in once if artist not in inner]


def _flat(returned: Any) -> list[Artist]:
    if returned is None:
        return []
    if isinstance(returned, (tuple, list)):  # containers (bars, error bars) are tuples
        return [artist for part in returned for artist in _flat(part)]
    if not isinstance(returned, Artist):
        raise ValueError(f"update must return the artists that it changes, got {returned!r}")
    return [returned]


class Scene:
    """A figure at its start setting; refuses updates whose recorded pieces would not add up to the figure."""

    def __init__(self, figure: Figure, update: Callable[..., Any], start: Setting, pen: Pen) -> None:
        self.figure, self.update, self.start, self.pen = figure, update, start, pen
        self.artists = artists_in(update(**start))
        moving = {part for artist in self.artists for part in artist.findobj()}
        self.axes = [ax for ax in figure.axes if ax not in moving]
        self.fixed = [a for a in figure.findobj() if a not in moving and not a.get_children()]
        self.cast = self._cast()
        self.limits = [ax.viewLim.frozen() for ax in self.axes]
        self.whole = self._draw()

    def _cast(self) -> list[list[Artist]]:
        return [parent.get_children() for parent in (self.figure, *self.axes)]

    def _draw(self) -> Drawing:
        drawing = self.pen.draw_whole(self.figure, self.artists)
        for artist in self.fixed:  # drawing an axis sets its ticks anew
            artist.stale = False
        for number, artist in enumerate(self.artists):
            if drawing.order.count(number) != 1:
                raise ValueError(
                    f"update returned {name_of(artist)}, which this figure does not draw (another figure's, "
                    "or animated=True): return artists of the figure given to explore"
                )
        return drawing

    def change(self, setting: Setting) -> None:
        """Update; refuse new artists, changed limits, and artists that were changed but not returned."""
        artists = artists_in(self.update(**setting))
        if set(artists) != set(self.artists) or self._cast() != self.cast:
            pairs = [(self.artists, artists), *zip(self.cast, self._cast(), strict=False)]
            odd = {artist for old, new in pairs for artist in {*old} ^ {*new}}
            raise ValueError(
                f"update made or returned other artists at {_say(setting)} than at {_say(self.start)}: "
                f"{_names(odd)}. Make each artist once, before explore, and change it in update "
                "(a line: set_data(x, y), a bar: set_height(y), a fill: set_verts([points]))"
            )
        for ax, limits in zip(self.axes, self.limits, strict=True):
            if (ax.viewLim.get_points() != limits.get_points()).any():
                raise ValueError(
                    f"the limits of {ax} changed at {_say(setting)}: fix them before explore "
                    "(ax.set_xlim, ax.set_ylim), or return the Axes from update"
                )
        self._refuse_changed([artist for artist in self.fixed if artist.stale], setting)

    def check_sum(self, pictures: list[str], setting: Setting) -> None:
        """Refuse pieces that differ from the figure drawn whole: what matplotlib does not mark as changed."""
        whole = self._draw()
        for artist, alone, inside in zip(self.artists, pictures, whole.pictures, strict=True):
            if alone != inside:
                raise ValueError(
                    f"{name_of(artist)} is drawn differently alone than in its figure at {_say(setting)}: "
                    "return what places it (its Legend, Axis or Axes) from update instead"
                )
        if whole.still != self.whole.still or whole.order != self.whole.order:
            now = [self.pen.draw(artist) for artist in self.fixed]
            self.update(**self.start)
            changed = [a for a, new in zip(self.fixed, now, strict=True) if self.pen.draw(a) != new]
            self._refuse_changed(changed or [self.figure], setting)

    @staticmethod
    def _refuse_changed(changed: list[Artist], setting: Setting) -> None:
        if changed:
            raise ValueError(
                f"update changed {_names(changed)} at {_say(setting)} but did not return it: "
                "return every artist that update changes (for ticks and their labels, the Axes)"
            )


def name_of(artist: Artist) -> str:
    """A name for messages: what matplotlib prints, unless that is a mere address."""
    printed = str(artist)
    return f"{type(artist).__name__}({artist.get_label()})" if printed.startswith("<") else printed


def _say(setting: Setting) -> str:
    return ", ".join(f"{name}={value}" for name, value in setting.items())


def _names(artists: Iterable[Artist]) -> str:
    return ", ".join(sorted(map(name_of, artists)))
