"""The house figure style: one call, `style.use()`, and a palette for dark mode and colour blindness too.

`explore` and `still` turn black, white and the palette's colours into CSS variables (`explorer.css` gives
each a light and a dark value), so a figure drawn once fits both themes.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib.style
from matplotlib.axis import Axis

PALETTE = {
    "blue": "#0067b0",
    "orange": "#c8501e",
    "green": "#00795c",
    "purple": "#a3478f",
    "ochre": "#8a6d00",
    "grey": "#6b6b6b",
}
"""Light-theme colours by name; the axes' colour cycle is these in order."""

RIGHT, WRONG = PALETTE["blue"], PALETTE["orange"]
"""The colours of right and wrong completions in every chapter."""

MUTED = PALETTE["grey"]
"""Reference lines, limits and annotations."""


def use() -> None:
    """Apply the house style to matplotlib, for this process."""
    matplotlib.style.use(Path(__file__).with_name("lessons.mplstyle"))


def ticks(axis: Axis, values: Sequence[float]) -> None:
    """Plain numbers as the only ticks of `ax.xaxis` or `ax.yaxis`, on logarithmic and logit scales too."""
    axis.set_ticks(values, [f"{value:g}" for value in values])
    axis.set_ticks([], minor=True)
