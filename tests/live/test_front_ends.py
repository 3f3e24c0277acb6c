"""Explorers under a real kernel, in JupyterLab and Notebook 7: they show, move, and speak with Python."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

CELLS = [
    """
import ipywidgets
import matplotlib.pyplot as plt
import numpy as np
from grpo_lessons import explore, still, style
style.use()
x = np.linspace(0, 1, 21)
fig, ax = plt.subplots()
(curve,) = ax.plot(x, x)
def update(G):
    curve.set_ydata(x**G)
    return curve
say = "To the power {G}.".format
power = explore(fig, update, name="power", describe=say, play="G", G=[1, 2, 3, 4, 6, 8])
power
""",
    """
heard = ipywidgets.Label()
def hear(change):
    heard.value = f"Python heard {change.new}"
power.widget.observe(hear, "G")
slider = ipywidgets.IntSlider(4, 1, 8)
ipywidgets.jslink((slider, "value"), (power.widget, "G"))
button = ipywidgets.Button(description="to eight")
button.on_click(lambda _: setattr(power.widget, "G", 8))
shown = ipywidgets.interactive_output(lambda G: print("interactive says", G), {"G": slider})
ipywidgets.VBox([slider, heard, button, shown])
""",
    """
fig, ax = plt.subplots()
ax.plot(x, 1 - x)
still(fig, name="falling", describe="A falling line.")
""",
]


@pytest.fixture
def page(run_notebook) -> Page:
    page = run_notebook(CELLS)
    page.get_by_role("img", name="A falling line.").wait_for()
    return page


def test_a_live_explorer(page):
    caption, input_ = page.locator(".gl-caption"), page.locator(".gl-control input[name=G]")
    readout = page.locator(".widget-readout")
    expect(page.locator(".gl-explorer svg")).to_have_count(2)
    expect(caption).to_have_text("To the power 4.")
    assert page.locator(".jp-OutputArea img").count() == 0  # matplotlib's own picture is not shown beside it

    # the reader's keys reach the slider, not the notebook, and from there Python and the linked slider
    picture = page.get_by_role("img", name="To the power")
    before = picture.inner_html()
    input_.focus()
    page.keyboard.press("ArrowRight")
    expect(caption).to_have_text("To the power 6.")
    assert picture.inner_html() != before
    expect(page.get_by_text("Python heard 6")).to_be_visible()
    expect(page.get_by_text("interactive says 6")).to_be_visible()
    expect(readout).to_have_text("6")

    # an ipywidgets slider moves it; a value off its grid shows the nearest
    readout.fill("5")
    readout.press("Enter")
    expect(readout).to_have_text("5")
    expect(caption).to_have_text("To the power 4.")

    # Python moves it
    page.get_by_role("button", name="to eight").click()
    expect(caption).to_have_text("To the power 8.")
    expect(page.locator(".gl-value")).to_have_text("8")

    # Play runs here too
    page.get_by_role("button", name="Play G").click()
    expect(caption).to_have_text("To the power 1.")
    expect(page.get_by_role("button", name="Play G")).to_be_visible(timeout=10_000)
    expect(page.get_by_text("Python heard 8")).to_be_visible()


def test_it_follows_the_dark_theme(page):
    stroke = "getComputedStyle(document.querySelector('.gl-explorer [data-slot] path')).stroke"
    assert page.evaluate(stroke) == "rgb(0, 103, 176)"
    page.evaluate("document.body.dataset.jpThemeLight = 'false'")
    assert page.evaluate(stroke) == "rgb(95, 178, 242)"
