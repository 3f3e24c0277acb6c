"""The training lab: a panel of ipywidgets for a live kernel that starts, shows, stops and compares runs."""

from __future__ import annotations

import asyncio
import io
import os
import sys
import time
from collections.abc import Iterator
from html import escape
from typing import Any

import ipywidgets as widgets
from IPython.display import Markdown
from matplotlib.figure import Figure

from . import style
from .explorer import BUILDING
from .family import FAMILY, Algorithm
from .policies import odd_language
from .sequence_training import train_sequences
from .training import Run, Step, beta_population, record, train_prompts

IN_BROWSER = sys.platform == "emscripten"
"""Whether this Python runs in a reader's browser, several times slower than on a desk."""

PROMPTS, BATCH, STEPS = (500, 200, 60) if IN_BROWSER else (2000, 500, 150)
"""The population of the panel, the prompts of one of its steps, and the steps it first proposes."""

REDRAW = 2.0 if IN_BROWSER else 0.3
"""Seconds between two pictures of a running run."""

POLICIES = (f"{PROMPTS:,} prompts, one logit each", "one prompt, a small language")


def lab() -> Lab | Markdown:
    """The training lab's panel; where a page is built without a kernel to answer, a sentence instead."""
    if os.environ.get(BUILDING):
        return Markdown("*With a live kernel, the training lab's panel appears here.*")
    return Lab()


def start_run(policy: str, algorithm: Algorithm, updates: int, **settings: Any) -> Iterator[Step]:
    """The panel's choices as a trainer: one of `POLICIES`, and the arguments that both trainers take."""
    if algorithm.surrogate == "pairs":
        settings["kl"] = 1.0  # β
    if policy == POLICIES[0]:
        return train_prompts(beta_population(PROMPTS), algorithm, batch=BATCH, updates=updates, **settings)
    return train_sequences(*odd_language(), algorithm, updates=updates, **settings)


class Lab(widgets.VBox):  # type: ignore[misc]  # ipywidgets has no types
    """Choose, start, watch, stop; the last two runs are drawn together, and `runs` keeps all of them."""

    def __init__(self) -> None:
        self.runs: list[tuple[str, Run]] = []
        self.task: asyncio.Task[None] | None = None
        wide = {"style": {"description_width": "8em"}, "layout": {"width": "26em"}}
        self.policy = widgets.Dropdown(options=POLICIES, description="policy", **wide)
        self.algorithm = widgets.Dropdown(options=list(FAMILY), description="algorithm", **wide)
        self.group_size = widgets.SelectionSlider(
            options=[2, 4, 8, 16, 32, 64], value=8, description="group size", **wide
        )
        self.learning_rate = widgets.FloatLogSlider(
            # a front end takes the nearest value of its grid, so the first one is on it
            value=10**-0.3,
            min=-2,
            max=1,
            step=0.1,
            readout_format=".2g",
            description="learning rate",
            **wide,
        )
        self.updates = widgets.IntSlider(value=1, min=1, max=16, description="updates a step", **wide)
        self.steps = widgets.IntSlider(value=STEPS, min=10, max=1000, step=10, description="steps", **wide)
        self.seed = widgets.IntText(value=0, description="seed", **wide)
        self.start = widgets.Button(description="Start", button_style="primary", icon="play")
        self.stop = widgets.Button(description="Stop", disabled=True, icon="stop")
        self.progress = widgets.IntProgress(layout={"width": "16em"})
        hidden = {"display": "none"}  # until there is one: a browser marks an empty picture as broken
        self.picture = widgets.Image(format="png", layout=hidden | {"max_width": "100%", "width": "40em"})
        self.table = widgets.HTML()
        self.start.on_click(self._on_start)
        self.stop.on_click(self._on_stop)
        choices = [self.policy, self.algorithm, self.group_size, self.learning_rate]
        more = [self.updates, self.steps, self.seed]
        buttons = widgets.HBox([self.start, self.stop, self.progress])
        super().__init__(
            [widgets.HBox([widgets.VBox(choices), widgets.VBox(more)]), buttons, self.picture, self.table]
        )

    def _on_start(self, _: widgets.Button) -> None:
        name = f"{self.algorithm.value}, G = {self.group_size.value}, rate {self.learning_rate.value:.2g}"
        name += f", {self.updates.value} updates" * (self.updates.value > 1)
        name += ", small language" * (self.policy.value == POLICIES[1])
        steps = start_run(
            self.policy.value,
            FAMILY[self.algorithm.value],
            self.updates.value,
            group_size=self.group_size.value,
            learning_rate=self.learning_rate.value,
            steps=self.steps.value,
            seed=self.seed.value,
        )
        self.progress.max, self.progress.value = self.steps.value, 0
        self.start.disabled, self.stop.disabled = True, False
        # a task and not a thread: Pyodide has none, and between two steps the kernel hears the Stop button
        self.task = asyncio.get_running_loop().create_task(self._train(name, steps))

    def _on_stop(self, _: widgets.Button) -> None:
        if self.task:
            self.task.cancel()

    async def _train(self, name: str, steps: Iterator[Step]) -> None:
        done, shown = [], time.monotonic()
        try:
            for step in steps:
                done.append(step)
                if time.monotonic() - shown > REDRAW:
                    self._show([*self.runs[-1:], (name, record(done))])
                    self.progress.value, shown = len(done), time.monotonic()
                await asyncio.sleep(0)
        finally:
            self.progress.value = len(done)
            self.start.disabled, self.stop.disabled = False, True
            if done:
                self.runs.append((name, record(done)))
                self._show(self.runs[-2:])

    def _show(self, runs: list[tuple[str, Run]]) -> None:
        self.picture.value, self.picture.layout.display = picture(runs), None
        self.table.value = table(runs)


def picture(runs: list[tuple[str, Run]]) -> bytes:
    """PNG of the runs' success and silent share, the last run in colour and any before it in grey."""
    fig = Figure(figsize=(7, 2.8), layout="constrained")
    left, right = fig.subplots(1, 2)
    for i, (name, run) in enumerate(runs):
        last = i == len(runs) - 1
        left.plot(run.success, color=style.RIGHT if last else style.MUTED, label=name)
        right.plot(run.silent, color=style.RIGHT if last else style.MUTED, lw=1)
        right.plot(run.silent_expected, color=style.WRONG if last else style.MUTED, ls=":", lw=2)
    left.set(xlabel="step", ylim=(0, 1), title="mean success")
    right.set(xlabel="step", ylim=(0, 1), title="silent share, closed form dotted")
    left.legend(loc="lower right", fontsize=7)
    buffer = io.BytesIO()
    fig.savefig(buffer, format="png", dpi=120)
    return buffer.getvalue()


def table(runs: list[tuple[str, Run]]) -> str:
    """HTML table of the runs: steps, rollouts, success, silent and clipped share, expected length."""
    head = ["run", "steps", "rollouts", "mean success", "silent, last step", "clipped, all steps", "tokens"]
    lines = [head] + [
        [
            name,
            f"{run.silent.size}",
            f"{run.rollouts[-1]:,.0f}",
            f"{run.success[-1]:.3f}",
            f"{run.silent[-1]:.3f}",
            f"{run.clipped.mean():.3f}",
            f"{run.length[-1]:.2f}",
        ]
        for name, run in runs
    ]
    cells = ["".join(f"<td style='padding:0 .8em'>{escape(cell)}</td>" for cell in line) for line in lines]
    return "<table>" + "".join(f"<tr>{line}</tr>" for line in cells) + "</table>"
