"""The explorers of the one-page report: the counts step by step, and what another group size would give."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib.style
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from ..explorer import Explorer
from ..figures import explore, still
from ..style import MUTED, PALETTE, RIGHT, WRONG, ticks
from .findings import Diagnosis, Step
from .groups import Cells
from .text import bins
from .wording import between, counted, kept, number, share

STYLE = Path(__file__).parents[1] / "lessons.mplstyle"
WINDOWS = 24
"""The most stretches of the run that the counts are shown for."""


def pictures(found: Diagnosis) -> list[Explorer]:
    """As many of the explorers as the log has numbers for."""
    with matplotlib.style.context(STYLE):
        made = [_counts(found), _other_sizes(found)]
    return [one for one in made if one is not None]


def _counts(found: Diagnosis) -> Explorer | None:
    """How many of a group were right: bars for all steps or a stretch of them, over what the fit expects."""
    if not found.histogram:
        return None
    size = found.usual_size
    ranges = bins(size)
    windows = _windows(found, size)
    shares = {name: _shares(counts, ranges) for name, counts in windows.items()}
    fig = Figure(figsize=(4.5, 2.8))
    ax = fig.add_subplot()
    top = max(max(values) for values in shares.values())
    colours = [WRONG, *[MUTED] * (len(ranges) - 2), RIGHT]
    bars = ax.bar(range(len(ranges)), next(iter(shares.values())), color=colours, width=0.82)
    if found.fit is not None:
        expected = _shares(_expected(found, size), ranges)
        top = max(top, *expected)
        ax.plot(expected, "o", ms=4, mfc="white", mec="black", mew=1, label="fitted to all steps")
        ax.legend(loc="upper center")
    ax.set_ylim(0, 1.12 * top)
    ax.set_xlim(-0.6, len(ranges) - 0.4)
    ax.set_xlabel(f"right completions in a group of {size}")
    ax.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    ax.set_ylabel("share of groups")
    names = [f"{low}" if low == high else f"{low}–{high}" for low, high in ranges]
    ax.set_xticks(range(len(ranges)), names, fontsize=8 if len(ranges) < 12 else 5.5)
    ax.grid(axis="x", visible=False)

    def update(steps: str) -> Any:
        for bar, height in zip(bars, shares[steps], strict=True):
            bar.set_height(height)
        return list(bars)

    def describe(steps: str) -> str:
        counts = windows[steps]
        total = sum(counts)
        return (
            f"{steps[0].upper()}{steps[1:]}: {counted(total, 'group')} of {size}, of which "
            f"{share(counts[0] / total)} all wrong and {share(counts[-1] / total)} all right."
        )

    if len(windows) == 1:
        return still(fig, name="counts", describe=kept(describe(next(iter(windows)))))
    return explore(
        fig,
        update,
        name="counts",
        describe=lambda **at: kept(describe(**at)),
        play="steps",
        start={"steps": next(iter(windows))},
        labels={"steps": "steps"},
        steps=list(windows),
    )


def _other_sizes(found: Diagnosis) -> Explorer | None:
    """Silence and cost against G, with intervals; the slider reads them off."""
    rows = {row.group_size: row for row in found.what_if}
    if len(rows) < 2:
        return None
    sizes = np.array(list(rows))
    silent = np.array([[row.silent.value, row.silent.low, row.silent.high] for row in rows.values()], float)
    cost = np.array([[row.cost.value, row.cost.low, row.cost.high] for row in rows.values()], float)
    fig = Figure(figsize=(4.5, 3.9))
    above, below = fig.subplots(2, 1, sharex=True)
    for ax, values, colour in ((above, silent, PALETTE["blue"]), (below, cost, PALETTE["purple"])):
        ax.fill_between(sizes, values[:, 1], values[:, 2], color=colour, alpha=0.18, lw=0)
        ax.plot(sizes, values[:, 0], color=colour)
        ax.set_xscale("log")
    above.set_ylim(0, 1)
    above.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    above.set_title("silent groups")
    below.set_title("rollouts for each mixed group, silent ones drawn again")
    reach = cost[np.isfinite(cost)]
    if len(reach):
        below.set_yscale("log")
        below.set_ylim(0.8 * reach.min(), 1.25 * reach.max())
        ticks(
            below.yaxis, [g for g in 2.0 ** np.arange(1, 24) if 0.8 * reach.min() <= g <= 1.25 * reach.max()]
        )
    ticks(below.xaxis, [2, 4, 8, 16, 32, 64, 128][: int(np.log2(max(sizes.max(), 4)))])
    below.set_xlabel("group size G")
    start = found.usual_size
    marks = [ax.plot([], [], "o", ms=7, color=WRONG)[0] for ax in (above, below)]

    def update(G: int) -> Any:
        for mark, values in zip(marks, (silent, cost), strict=True):
            mark.set_data([G], [values[int(np.flatnonzero(sizes == G)[0]), 0]])
        return marks

    def describe(G: int) -> str:
        row = rows[int(G)]
        whole = "" if row.fidelity.value is None else f" Fidelity {share(row.fidelity.value)}."
        spent = (
            ""
            if row.cost.value is None
            else f" A mixed group costs {number(row.cost.value)} rollouts when silent ones are drawn again."
        )
        here = " (this run)" if start == G else ""
        return f"G = {G:g}{here}: {share(row.silent.value)} silent ({between(row.silent)}).{spent}{whole}"

    return explore(
        fig,
        update,
        name="sizes",
        describe=lambda **at: kept(describe(**at)),
        play="G",
        start={"G": int(start) if start in rows else int(sizes[-1])},
        labels={"G": "group size G"},
        G=[int(size) for size in sizes],
    )


def _windows(found: Diagnosis, size: int) -> dict[str, list[int]]:
    """Counts of the groups of G for all steps, and for stretches of them that have any."""
    windows = {"all steps": (found.histogram or {})[size]}
    if len(found.steps) > 1:
        for part in np.array_split(np.arange(len(found.steps)), min(WINDOWS, len(found.steps))):
            stretch = found.steps[part[0] : part[-1] + 1]
            counts = _summed(stretch, size)
            if sum(counts):
                first, last = stretch[0].step, stretch[-1].step
                windows[f"step {first}" if first == last else f"steps {first} to {last}"] = counts
    return windows


def _summed(steps: tuple[Step, ...], size: int) -> list[int]:
    counts = [(step.histogram or {}).get(size) or [0] * (size + 1) for step in steps]
    return [sum(each) for each in zip(*counts, strict=True)]


def _shares(counts: list[int] | list[float], ranges: list[tuple[int, int]]) -> list[float]:
    total = sum(counts)
    return [sum(counts[low : high + 1]) / total for low, high in ranges]


def _expected(found: Diagnosis, size: int) -> list[float]:
    """The fitted law of k."""
    k = np.arange(size + 1)
    cells = Cells(np.full(size + 1, size), k, np.ones(size + 1, np.intp))
    assert found.fit is not None
    law: list[float] = np.exp(found.fit.mixture.log_terms(cells)).sum(axis=1).tolist()
    return law
