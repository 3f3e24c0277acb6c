"""Explorers beside `FuncAnimation.to_jshtml()` and pre-rendered frames: time to build, weight on the page.

Weights (gzipped), and what Chromium needs for an event, stand in the names of the rows.
"""

from __future__ import annotations

import gzip
import io
import json
import sys
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.animation import FuncAnimation
from playwright.sync_api import sync_playwright

from grpo_lessons import explore, silent_probability, style
from grpo_lessons.grid import Grid
from grpo_lessons.recording import record

ROOT = Path(__file__).parents[1]
sys.path += [str(ROOT), str(ROOT / "_ext")]

from explorers import PACKAGE, classic_script  # noqa: E402

from tests.browser import launch  # noqa: E402

P = np.linspace(0.01, 0.99, 99)
SIZES = list(range(2, 66))


@pytest.fixture(autouse=True)
def house_style():
    with mpl.rc_context():
        style.use()
        yield
    plt.close("all")


def kilobytes(text: str) -> float:
    return len(gzip.compress(text.encode())) / 1024


def panel():
    """A curve, a dot and a number that follow G and p."""
    fig, ax = plt.subplots()
    (curve,), (dot,) = ax.plot(P, P), ax.plot([], [], "o", color=style.WRONG)
    word = ax.text(0.5, 0.9, "")
    ax.set(xlabel="success probability $p$", ylabel="silent share", ylim=(0, 1))

    def update(G, p=0.8):
        share = silent_probability(p, G)
        curve.set_ydata(silent_probability(P, G))
        dot.set_data([p], [share])
        word.set_text(f"{share:.1%}")
        return curve, dot, word

    return fig, update


def say(G, p=0.8):
    return f"With p = {p:.2f} and G = {G}, {silent_probability(p, G):.1%} of groups are silent."


def explorer(**grid) -> str:
    return explore(*panel(), name="silent", describe=say, play="G", **grid).html


def by_explore() -> str:
    return explorer(G=SIZES)


def by_jshtml() -> str:
    fig, update = panel()
    return FuncAnimation(fig, update, frames=SIZES, blit=True).to_jshtml()


def by_frames() -> str:
    fig, update = panel()
    frames = []
    for size in SIZES:
        update(size)
        fig.savefig(frame := io.StringIO(), format="svg")
        frames.append(frame.getvalue())
    return json.dumps(frames)


@pytest.mark.parametrize("build", [by_explore, by_jshtml, by_frames])
@pytest.mark.benchmark(group="one figure at 64 settings")
def bench_build(benchmark, build):
    page = benchmark.pedantic(build, rounds=2)
    benchmark.stats.name = f"{build.__name__}: {kilobytes(page):.1f} KB"


@pytest.mark.benchmark(group="explore with two sliders, 11 × 99 settings (budget: 40 KB)")
def bench_two_sliders(benchmark):
    grid = {"G": [2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64], "p": P}
    page = benchmark.pedantic(lambda: explorer(**grid), rounds=2)
    benchmark.stats.name = f"by_explore: {kilobytes(page):.1f} KB"


@pytest.mark.benchmark(group="recording (budget: 1,000 draws a second)")
def bench_recording(benchmark):
    settings = Grid({"G": [4, 8, 16], "p": P}).settings()
    benchmark.name = f"{3 * len(settings)} draws"
    benchmark.pedantic(lambda: record(*panel(), settings, settings[0]), rounds=3)


EVENTS = """() => {
    const times = [], sliders = [...document.querySelectorAll("input[type=range]")];
    for (let i = 0; i < 400; i++) {
        const slider = sliders[i % sliders.length];
        slider.value = (i * 7) % (Number(slider.max) + 1);
        const before = performance.now();
        slider.dispatchEvent(new Event("input"));
        times.push(performance.now() - before);
    }
    return times.sort((a, b) => a - b)[200];
}"""


@pytest.mark.benchmark(
    group="a slider's event in Chromium (budget: 2 ms of script at the median; 5 KB of script and style)"
)
def bench_event(benchmark):
    css, js = (PACKAGE / "explorer.css").read_text(), classic_script()
    figure = explorer(G=[2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64], p=P)
    with sync_playwright() as playwright:
        page = launch(playwright).new_page()
        page.set_content(f"<style>{css}</style>{figure}<script>{js}</script>")
        page.wait_for_selector("input")
        benchmark.name = (
            f"{page.evaluate(EVENTS):.2f} ms, {kilobytes(js) + kilobytes(css):.1f} KB (400 events)"
        )
        benchmark.pedantic(page.evaluate, (EVENTS,), rounds=3)
