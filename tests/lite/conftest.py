"""What tests of live notebooks share: the site under a sub-path, a notebook in a browser without network."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, FrameLocator, Page

from tests.browser import Watched, serve, watched_page

HERE = Path(__file__).parent
SITE = HERE.parents[1] / "_build" / "html"
PREFIX = "/grpo-lessons/"
WAIT = 180_000
"""Milliseconds: a cold start takes seconds on a laptop, and minutes on a machine that does much else."""

PANEL = "document.querySelector('iframe').contentWindow.jupyterapp.shell.currentWidget.content"

RUN = """async (wanted) => {
  const app = document.querySelector("iframe").contentWindow.jupyterapp;
  const { content } = app.shell.currentWidget;
  if (!wanted.length) await app.commands.execute("notebook:run-all-cells");
  for (const place of wanted) {
    content.activeCellIndex = place;
    content.deselectAll();
    await app.commands.execute("notebook:run-cell");
  }
  return content.widgets.map(({ model }) => model.type === "code" ? model.outputs.toJSON() : []);
}"""
"""Runs cells as the menu does; returns the outputs of all cells."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever lies in this folder needs the built site, with `make live`."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.book)


@dataclass
class Live:
    """A live notebook in its page."""

    watched: Watched

    @property
    def page(self) -> Page:
        return self.watched.page

    @property
    def frame(self) -> FrameLocator:
        return self.page.frame_locator("iframe")

    def wait_until_ready(self) -> None:
        """Until Python has answered."""
        self.page.get_by_role("button", name="Start again").wait_for(timeout=WAIT)

    def run(self, *cells: int) -> list[list[dict[str, Any]]]:
        """Run these cells, or all; the outputs of every cell, none of which is an error or a warning."""
        outputs = self.page.evaluate(RUN, list(cells))
        errors = [
            output
            for cell in outputs
            for output in cell
            if output["output_type"] == "error" or output.get("name") == "stderr"
        ]
        assert not errors, errors[0]
        return outputs

    def sources(self) -> list[str]:
        """The text of every cell, as it is shown."""
        return self.page.evaluate(f"() => {PANEL}.widgets.map(cell => cell.model.sharedModel.source)")

    def write(self, cell: int, source: str) -> None:
        """Replace a cell's text, as typing would."""
        script = f"([cell, source]) => {{ {PANEL}.widgets[cell].model.sharedModel.source = source }}"
        self.page.evaluate(script, [cell, source])

    def show(self, cell: int) -> None:
        """Scroll to a cell: what is out of view is not drawn."""
        self.page.evaluate(f"cell => {PANEL}.scrollToItem(cell, 'start')", cell)

    def wait_until_saved(self) -> None:
        """Until nothing is left to be saved."""
        self.page.wait_for_function(f"() => !{PANEL}.model.dirty", timeout=WAIT)


@pytest.fixture(scope="module")
def at_prefix() -> Iterator[str]:
    """The URL of the built site under a sub-path."""
    assert (SITE / "lite" / "start.html").exists(), "there are no live notebooks: run `make site`"
    with serve(SITE, PREFIX) as url:
        yield url


@pytest.fixture
def live(browser: Browser, at_prefix: str) -> Callable[[str], AbstractContextManager[Live]]:
    """`with live(name) as notebook`: opened and ready; at the end, no request left and nothing went wrong."""

    @contextmanager
    def opened(name: str) -> Iterator[Live]:
        with watched_page(browser, viewport={"width": 1200, "height": 1000}) as watched:
            notebook = Live(watched)
            watched.page.goto(f"{at_prefix}lite/start.html?notebook={name}")
            notebook.wait_until_ready()
            yield notebook
            assert not watched.troubles

    return opened
