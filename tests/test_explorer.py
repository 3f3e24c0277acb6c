"""One object for every front end: HTML on pages, a widget under a kernel, a PNG elsewhere."""

from __future__ import annotations

import base64
import io
import re
import zlib
from xml.etree import ElementTree

import ipywidgets
import matplotlib.pyplot as plt
import numpy as np
import pytest
from PIL import Image

from grpo_lessons import explore, still
from grpo_lessons.explorer import BUILDING

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"


@pytest.fixture
def made():
    """The widgets made since the test began."""
    widgets = []
    ipywidgets.Widget.on_widget_constructed(widgets.append)
    yield widgets
    ipywidgets.Widget.on_widget_constructed(None)


@pytest.fixture
def explorer():
    fig, ax = plt.subplots()
    (line,) = ax.plot([0, 1], [0, 1])
    ax.set_ylim(0, 10)

    def update(G, way):
        line.set_ydata([0, G])
        line.set_linestyle("-" if way == "left" else ":")
        return line

    return explore(
        fig,
        update,
        name="slope",
        describe=lambda G, way: f"<{way}> & slope {G}",
        labels={"G": "group size G"},
        formats={"G": "{:.1f} tokens"},
        play="G",
        start={"G": 8},
        G=[2, 4, 8],
        way=["left", "right"],
    )


@pytest.fixture
def figure():
    fig, ax = plt.subplots()
    ax.plot([0, 1], [0, 1])
    return still(fig, name="line", describe='A "rising" line.')


class TestOnAPage:
    """While a book is built, the environment says so."""

    @pytest.fixture(autouse=True)
    def build(self, monkeypatch):
        monkeypatch.setenv(BUILDING, "1")

    def test_the_bundle_is_html_with_a_png_for_print(self, explorer):
        bundle = explorer._repr_mimebundle_()
        assert set(bundle) == {"text/plain", "text/html", "image/png"}
        image = Image.open(io.BytesIO(base64.b64decode(bundle["image/png"])))
        assert image.size == (1280, 960)
        assert image.convert("RGBA").getpixel((0, 0)) == (255, 255, 255, 255)

    def test_no_widget_is_made(self, explorer, made):
        explorer._repr_mimebundle_()
        assert made == []

    def test_without_javascript_the_start_stands_there(self, explorer):
        page = ElementTree.fromstring(f"<body>{explorer.html}</body>")
        (div,) = page
        svg, caption, data = div
        assert div.attrib == {"class": "gl-explorer", "id": "slope"}
        assert svg.get("role") == "img"
        assert svg.get("aria-label") == caption.text == "<right> & slope 8"
        assert explorer.svg(G=8, way="right") in explorer.html
        assert data.get("type") == "text/plain"
        assert "input" not in explorer.html
        zlib.decompress(base64.b64decode(data.text))

    def test_a_still_has_no_caption_and_no_data(self, figure):
        page = ElementTree.fromstring(f"<body>{figure._repr_mimebundle_()['text/html']}</body>")
        ((svg,),) = page
        assert svg.get("aria-label") == 'A "rising" line.'


class TestUnderAKernel:
    """Otherwise a kernel is there to answer."""

    @pytest.fixture(autouse=True)
    def live(self, monkeypatch):
        monkeypatch.delenv(BUILDING, raising=False)

    def test_the_bundle_is_a_widget_with_a_png_for_viewers(self, explorer):
        bundle, _ = explorer._repr_mimebundle_()
        assert set(bundle) == {"text/plain", "image/png", WIDGET_VIEW}
        assert bundle[WIDGET_VIEW]["model_id"] == explorer.widget.model_id
        assert bundle["text/plain"] == repr(explorer) == "<explorer slope: 3 G × 2 way>"

    def test_a_still_is_shown_the_same_way(self, figure):
        bundle, _ = figure._repr_mimebundle_()
        assert WIDGET_VIEW in bundle
        assert bundle["text/plain"] == "<still line>"

    def test_the_widget_is_made_once_and_when_asked_for(self, explorer, made):
        assert made == []
        widget = explorer.widget
        assert explorer.widget is widget in made

    def test_parameters_are_synced_traits(self, explorer):
        widget = explorer.widget
        assert (widget.G, widget.way) == (8, "right")
        seen = []
        widget.observe(lambda change: seen.append(change.new), "G")
        widget.G = 4
        assert seen == [4]
        assert widget.get_state(["G", "way"]) == {"G": 4, "way": "right"}

    def test_a_slider_can_be_linked_in_the_browser(self, explorer):
        slider = ipywidgets.IntSlider()
        assert ipywidgets.jslink((slider, "value"), (explorer.widget, "G")).target == (explorer.widget, "G")

    def test_interactive_output_follows_a_linked_slider(self, explorer):
        slider = ipywidgets.IntSlider(8)
        ipywidgets.link((slider, "value"), (explorer.widget, "G"))
        said = []
        ipywidgets.interactive_output(lambda G: said.append(explorer.value(G=G, way="left")), {"G": slider})
        explorer.widget.G = 4
        assert said == ["<left> & slope 8", "<left> & slope 4"]


def test_labels_values_and_texts_of_the_sliders(explorer):
    first, second = explorer._data["parameters"]
    assert first == {
        "name": "G",
        "label": "group size G",
        "values": [2, 4, 8],
        "texts": ["2.0 tokens", "4.0 tokens", "8.0 tokens"],
    }
    assert second["texts"] == ["left", "right"]
    assert explorer._data["play"] == 0
    assert explorer._data["start"] == [2, 1]


def test_numbers_have_no_needless_digits():
    fig, ax = plt.subplots()
    word = ax.text(0, 0, "")

    def update(c):
        word.set_text(f"{c}")
        return word

    explorer = explore(fig, update, name="c", describe=lambda c: f"{c}", c=[0.5, 1, 1000, 0.1 + 0.2])
    assert explorer._data["parameters"][0]["texts"] == ["0.5", "1", "1000", "0.3"]


def test_value_and_svg_read_what_is_shipped(explorer):
    """The page's data alone decide: blank them, and nothing is left to read."""
    assert explorer.value(G=4, way="left") == "<left> & slope 4"
    shown = explorer.svg(G=4, way="left")
    assert re.search(r"stroke-dasharray", explorer.svg(G=4, way="right"))
    explorer._data["slots"][0]["groups"][0][0] = ""
    assert explorer.svg(G=4, way="left") != shown


def test_a_document_of_its_own(explorer):
    root = ElementTree.fromstring(explorer.svg(G=2, way="left"))
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    np.testing.assert_allclose([float(n) for n in root.get("viewBox").split()], [0, 0, 460.8, 345.6])
