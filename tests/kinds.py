"""One small Axes for every kind of artist that an explorer must show, all changed by two parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyArrowPatch

from grpo_lessons.style import PALETTE

X = np.linspace(0, 1, 31)
Change = Callable[[float, int], Any]
Kind = Callable[[Axes], tuple[Any, Change]]

TS = [round(t, 2) for t in np.linspace(0, 1, 6).tolist()]
KS = [0, 1, 2, 3]


def line(ax: Axes) -> tuple[Any, Change]:
    (curve,) = ax.plot(X, X)
    return curve, lambda t, k: curve.set_ydata(np.sin(6 * X * (1 + t)) * 0.9)


def steps(ax: Axes) -> tuple[Any, Change]:
    (curve,) = ax.step(X, X, "--")
    return curve, lambda t, k: curve.set_ydata(np.cos(5 * X * t))


def gaps_and_markers(ax: Axes) -> tuple[Any, Change]:
    (curve,) = ax.plot(X, X, "-o", ms=3)
    return curve, lambda t, k: curve.set_ydata(np.where(abs(X - k / 4) < 0.1, np.nan, np.sin(9 * X + t)))


def growing_markers(ax: Axes) -> tuple[Any, Change]:
    (dots,) = ax.plot(X, X, "s", mfc="none")
    return dots, lambda t, k: dots.set_markersize(1 + 5 * t)


def log_axes(ax: Axes) -> tuple[Any, Change]:
    (curve,) = ax.loglog(X + 1e-3, X + 1e-3, "s:", ms=3)
    ax.set_ylim(1e-6, 1)
    return curve, lambda t, k: curve.set_ydata((X + 1e-3) ** (1 + 4 * t))


def far_outside(ax: Axes) -> tuple[Any, Change]:
    curve, fill = ax.semilogy(X, X + 1)[0], ax.fill_between(X, 1e-3, 1e-2)
    ax.set_ylim(1e-3, 1)

    def change(t: float, k: int) -> None:
        curve.set_ydata((X + 1e-9) ** (1 + 30 * t))
        fill.set_verts([between(1e-3 + 0 * X, (X + 1e-9) ** (1 + 10 * t))])

    return (curve, fill), change


def words(ax: Axes) -> tuple[Any, Change]:
    word = ax.text(0.5, 0.5, "x")

    def change(t: float, k: int) -> None:
        word.set(text=f"t={t:.2f} < {k} & −{t:.1f}e-0{k} é", position=(0.1 + 0.3 * t, 0.5))

    return word, change


def lines_of_words(ax: Axes) -> tuple[Any, Change]:
    word = ax.text(0.5, 0.5, "x", ha="center", va="top", weight="bold", style="italic", size=7)
    return word, lambda t, k: word.set_text(f"first {t}\nsecond line {k}")


def rotated_words(ax: Axes) -> tuple[Any, Change]:
    word, title = ax.text(0.5, 0.2, "r"), ax.set_title("t")

    def change(t: float, k: int) -> None:
        word.set(text=f"{k * 7}", rotation=90 * t)
        title.set_text(f"é(k) {k}")

    return (word, title), change


def mathematics(ax: Axes) -> tuple[Any, Change]:
    formula = ax.text(0.1, 0.4, r"$\sigma$")
    return formula, lambda t, k: formula.set_text(rf"$\sqrt{{\sigma_{k}}}={t:.1f}$")


def empty_words(ax: Axes) -> tuple[Any, Change]:
    word = ax.text(0.1, 0.4, "")
    return word, lambda t, k: word.set_text("now" if k > 1 else "")


def arrows(ax: Axes) -> tuple[Any, Change]:
    note = ax.annotate("here", (0.5, 0.5), (0.1, 0.8), arrowprops={"arrowstyle": "->"})
    arrow = ax.add_patch(FancyArrowPatch((0, 0), (1, 1), mutation_scale=8))

    def change(t: float, k: int) -> None:
        note.xy = (t, 0.5)
        note.set_text(f"{t:.1f}")
        arrow.set_positions((0, k / 4), (t, 0))

    return (note, arrow), change


def bars(ax: Axes) -> tuple[Any, Change]:
    made = ax.bar(range(5), range(5))
    ax.set_ylim(0, 5)

    def change(t: float, k: int) -> None:
        for i, bar in enumerate(made):
            bar.set_height(5 * t * abs(np.sin(i + k)))
        made[2].set_facecolor(plt.get_cmap("viridis")(t))

    return made, change


def hatched_bars(ax: Axes) -> tuple[Any, Change]:
    made = ax.bar(range(3), range(3), hatch="//", edgecolor="w")

    def change(t: float, k: int) -> None:
        for i, bar in enumerate(made):
            bar.set(height=t * i, hatch="/x+-"[k], facecolor=plt.get_cmap("plasma")(k / 4))

    return made, change


def palette_colours(ax: Axes) -> tuple[Any, Change]:
    made = ax.bar(range(4), np.ones(4))
    colours = ["black", "white", *PALETTE.values()]

    def change(t: float, k: int) -> None:
        for i, bar in enumerate(made):
            bar.set_facecolor(colours[(i + k + round(10 * t)) % len(colours)])

    return made, change


def stairs(ax: Axes) -> tuple[Any, Change]:
    made = ax.stairs(np.arange(8.0), np.arange(9), fill=True, alpha=0.5)
    return made, lambda t, k: made.set_data(np.arange(8) * t + k / 10)


def fill(ax: Axes) -> tuple[Any, Change]:
    made = ax.fill_between(X, 0, X, alpha=0.4)
    return made, lambda t, k: made.set_verts([between(0 * X, X ** (k / 3 + 0.2) * (t + 0.1))])


def between(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The outline of a fill over X."""
    return np.r_[np.c_[X, low], np.c_[X, high][::-1]]


def error_bars(ax: Axes) -> tuple[Any, Change]:
    made = ax.errorbar([1, 4, 7], [1, 2, 3], [0.5, 0.5, 0.5], fmt="o", capsize=2)
    points, caps, (stems,) = made

    def change(t: float, k: int) -> None:
        middle = np.array([1 + t, 2, 3])
        points.set_ydata(middle)
        for cap, sign in zip(caps, (-1, 1), strict=True):
            cap.set_ydata(middle + sign * 0.5)
        stems.set_segments([[(x, y - 0.5), (x, y + 0.5)] for x, y in zip((1, 4, 7), middle, strict=True)])

    return made, change


def scatter(ax: Axes) -> tuple[Any, Change]:
    dots, triangles = ax.scatter(X, X, c=X, s=20), ax.scatter(X, 1 - X, marker="^")

    def change(t: float, k: int) -> None:
        dots.set_offsets(np.c_[X, (X * t + k / 20) % 1])
        dots.set_array(X * t)
        dots.set_sizes(10 + 60 * X * t)
        triangles.set_offsets(np.c_[X, 1 - X * t])

    return (dots, triangles), change


def growing_scatter(ax: Axes) -> tuple[Any, Change]:
    dots = ax.scatter(X, X**2)
    return dots, lambda t, k: dots.set_sizes([5 + 30 * t])


def mesh(ax: Axes) -> tuple[Any, Change]:
    made = ax.pcolormesh(np.zeros((6, 6)), vmin=0, vmax=1)
    return made, lambda t, k: made.set_array(np.abs(np.sin(np.arange(36.0).reshape(6, 6) * t + k)))


def image(ax: Axes) -> tuple[Any, Change]:
    made = ax.imshow(np.zeros((5, 5)), vmin=0, vmax=1)
    return made, lambda t, k: made.set_data(np.abs(np.sin(np.arange(25.0).reshape(5, 5) * t + k)))


def clipped_image(ax: Axes) -> tuple[Any, Change]:
    made = ax.imshow(np.arange(16).reshape(4, 4), extent=(0, 1, 0, 1), interpolation="none")
    circle = Circle((0.5, 0.5), 0.3, transform=ax.transData)

    def change(t: float, k: int) -> None:
        circle.set_radius(0.2 + 0.3 * t)
        made.set_clip_path(circle)

    return made, change


def quiver(ax: Axes) -> tuple[Any, Change]:
    x, y = np.meshgrid(np.linspace(0, 1, 4), np.linspace(0, 1, 4))
    made = ax.quiver(x, y, x, y, scale=8)
    return made, lambda t, k: made.set_UVC(x * t - y, y * t + x)


def spans(ax: Axes) -> tuple[Any, Change]:
    upright, level, span = ax.axvline(0.5), ax.axhline(0.5, ls="--", c="k"), ax.axvspan(0.2, 0.3, alpha=0.3)

    def change(t: float, k: int) -> None:
        upright.set_xdata([t, t])
        level.set_ydata([t, t])
        if hasattr(span, "set_x"):  # a Rectangle since matplotlib 3.9, a Polygon before
            span.set_x(t / 2)
        else:
            span.set_xy([(t / 2, 0), (t / 2, 1), (t / 2 + 0.1, 1), (t / 2 + 0.1, 0)])

    return (upright, level, span), change


def visibility(ax: Axes) -> tuple[Any, Change]:
    (curve,) = ax.plot(X, X, "r")
    return curve, lambda t, k: curve.set_visible(k % 2 == 0)


def circle(ax: Axes) -> tuple[Any, Change]:
    made = ax.add_patch(Circle((0.5, 0.5), 0.1, fc="w", ec="k"))
    return made, lambda t, k: made.set(center=(t, t), radius=0.05 + k / 20)


def look(ax: Axes) -> tuple[Any, Change]:
    (curve,) = ax.plot(X, X**2)

    def change(t: float, k: int) -> None:
        curve.set(color=plt.get_cmap("plasma")(t), linewidth=1 + k / 2, linestyle="-:"[k % 2])
        curve.set_alpha(0.3 + 0.7 * t)

    return curve, change


def axes(ax: Axes) -> tuple[Any, Change]:
    (curve,) = ax.plot(X, X)

    def change(t: float, k: int) -> None:
        curve.set_ydata(X * (k + 1))
        ax.set_ylim(0, k + 1.5)

    return ax, change


def legend(ax: Axes) -> tuple[Any, Change]:
    ax.plot(X, X, label="a")
    made = ax.legend()
    return made, lambda t, k: made.get_texts()[0].set_text(f"width {'w' * k} {t}")


KINDS: dict[str, Kind] = {
    kind.__name__: kind
    for kind in (
        *(line, steps, gaps_and_markers, growing_markers, log_axes, far_outside, visibility, look),
        *(words, lines_of_words, rotated_words, mathematics, empty_words, arrows, legend, axes),
        *(bars, hatched_bars, palette_colours, stairs, fill, error_bars, spans, circle),
        *(scatter, growing_scatter, mesh, image, clipped_image, quiver),
    )
}


def figure(kinds: list[str], columns: int = 5) -> tuple[Figure, Callable[..., Any]]:
    """A figure with an Axes for each kind, and the `update(t, k)` that changes them all."""
    rows = -(-len(kinds) // columns)
    fig, grid = plt.subplots(rows, columns, figsize=(2 * columns, 1.8 * rows), squeeze=False)
    fig.set_layout_engine("constrained")
    made = [KINDS[name](ax) for name, ax in zip(kinds, grid.flat, strict=False)]

    def update(t: float, k: int) -> list[Any]:
        for _, change in made:
            change(t, k)
        return [artists for artists, _ in made]

    return fig, update
