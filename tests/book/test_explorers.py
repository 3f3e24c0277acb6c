"""Explorers on built pages, in Chromium: a small book of their own, and then every explorer of the course."""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from grpo_lessons.explorer import BUILDING, Explorer
from grpo_lessons.style import PALETTE
from tests.agreement import difference, fresh
from tests.browser import Watched, serve, watched_page
from tests.kinds import KINDS, KS, TS, figure

ROOT = Path(__file__).parents[2]
DESKTOP = {"width": 1280, "height": 900}
STYLE = "getComputedStyle(document.querySelector('#lines'))"

HEAD = """---
jupytext: {text_representation: {extension: .md, format_name: myst}}
kernelspec: {name: python3, display_name: Python 3, language: python}
---
"""

DRAW = """
import matplotlib.pyplot as plt
import numpy as np
from grpo_lessons import explore, still, style
style.use()
x = np.linspace(0, 1, 21)
fig, ax = plt.subplots()
(curve,) = ax.plot(x, x)
(dot,) = ax.plot([], [], "o", color=style.WRONG)
ax.set(xlabel="chance $p$", ylim=(0, 1), title="A power")
def update(G, p):
    curve.set_ydata(x**G)
    dot.set_data([p], [p**G])
    return curve, dot
def say(G, p):
    return f"To the power {G}, {p:.2f} is {p**G:.4f}."
first = explore(fig, update, name="first", describe=say, play="G",
    start={"G": 2, "p": 0.5}, labels={"G": "power G"}, formats={"p": "{:.2f}"}, G=[1, 2, 3, 4, 6, 8], p=x)
first
"""

MORE = """
fig, ax = plt.subplots()
bars = ax.bar(range(3), [1, 2, 3], color=[style.RIGHT, style.WRONG, style.MUTED])
def update(way):
    for bar, height in zip(bars, (1, 2, 3) if way == "up" else (3, 2, 1)):
        bar.set_height(height)
    return bars
second = explore(fig, update, name="second", describe=lambda way: f"The bars go {way}.", way=["up", "down"])
second
"""

STILL = """
fig, ax = plt.subplots()
for colour in style.PALETTE.values():
    ax.plot([0, 1], np.random.default_rng(len(ax.lines)).random(2), color=colour)
ax.fill_between([0, 1], [0.2, 0.4], hatch="//", alpha=0.3)
still(fig, name="lines", describe="Six lines.")
"""

EVERY_KIND = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from grpo_lessons import explore, figures
from tests.kinds import KINDS, KS, TS, figure
figures.MAX_BYTES = 10**6
fig, update = figure(list(KINDS))
explore(fig, update, name="kinds", describe=lambda t, k: f"{{t}}, {{k}}.", t=TS, k=KS)
"""

PAGES = {
    "index": [DRAW, MORE, STILL],
    "kinds": [EVERY_KIND],
    "plain": ["print('no figure')"],
}

CONFIG = f"""
title: small
only_build_toc_files: true
execute: {{execute_notebooks: cache, timeout: 300, stderr_output: error}}
html: {{favicon: favicon.svg}}
sphinx:
  local_extensions: {{explorers: {(ROOT / "_ext").as_posix()}}}
  config:
    extensions: [myst_nb, jupyter_book, sphinx_external_toc, sphinx_book_theme, explorers]
    html_static_path: [{(ROOT / "_assets").as_posix()}]
    html_js_files: [site.js]
    mathjax_path: site.js
"""


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The HTML of a small book, built as the course is."""
    folder = tmp_path_factory.mktemp("book")
    shutil.copy(ROOT / "_assets" / "favicon.svg", folder)
    (folder / "_config.yml").write_text(CONFIG)
    chapters = "".join(f"  - file: {page}\n" for page in PAGES if page != "index")
    (folder / "_toc.yml").write_text(f"format: jb-book\nroot: index\nchapters:\n{chapters}")
    for page, cells in PAGES.items():
        code = "".join(f"Some words.\n\n```{{code-cell}}\n{cell.strip()}\n```\n\n" for cell in cells)
        (folder / f"{page}.md").write_text(f"{HEAD}# The page {page}\n\n{code}")
    command = [Path(sys.executable).with_name("jupyter-book"), "build", folder, "--keep-going", "-n"]
    environment = {key: value for key, value in os.environ.items() if key != BUILDING}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "_build" / "html"


@pytest.fixture(scope="module")
def address(book: Path) -> Iterator[str]:
    """The small book under a sub-path."""
    with serve(book, "/small/") as url:
        yield url


@pytest.fixture(scope="module")
def explorers() -> dict[str, Explorer]:
    """The first page's explorers, made again here: what the page must show."""
    names: dict[str, Any] = {}
    with mpl.rc_context():
        for code in PAGES["index"][:2]:
            exec(code, names)
    return {name: names[name] for name in ("first", "second")}


@pytest.fixture
def watched(browser: Browser, address: str) -> Iterator[Watched]:
    """The first page, its explorers ready; in the end, nothing may have gone wrong."""
    with watched_page(browser, viewport=DESKTOP) as watched:
        open_page(watched.page, address + "index.html")
        yield watched
        assert watched.troubles == []


def open_page(page: Page, url: str) -> None:
    """Go there and wait for every explorer's sliders."""
    page.goto(url)
    page.wait_for_function("() => !document.querySelector('.gl-explorer:has(> script):not(:has(input))')")


def slider(page: Page, explorer: str, name: str):
    return page.locator(f"#{explorer} input[name={name}]")


def caption(page: Page, explorer: str):
    return page.locator(f"#{explorer} .gl-caption")


def picture(page: Page, explorer: str) -> str:
    """The SVG that the page shows, as text."""
    return page.evaluate(f"new XMLSerializer().serializeToString(document.querySelector('#{explorer} svg'))")


class TestControls:
    """Keyboard, mouse, Play and links."""

    def test_opens_at_the_start(self, watched, explorers):
        expect(caption(watched.page, "first")).to_have_text(explorers["first"].value(G=2, p=0.5))
        assert difference(picture(watched.page, "first"), explorers["first"].svg(G=2, p=0.5)) == ""

    def test_keyboard(self, watched, explorers):
        page = watched.page
        slider(page, "first", "G").focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Tab")
        page.keyboard.press("End")
        assert slider(page, "first", "p").get_attribute("aria-valuetext") == "1.00"
        expect(caption(page, "first")).to_have_text(explorers["first"].value(G=3, p=1))
        assert difference(picture(page, "first"), explorers["first"].svg(G=3, p=1)) == ""
        assert page.locator("#first svg").get_attribute("aria-label") == explorers["first"].value(G=3, p=1)

    def test_mouse(self, watched, explorers):
        box = slider(watched.page, "first", "p").bounding_box()
        slider(watched.page, "first", "p").click(position={"x": 0.75 * box["width"], "y": box["height"] / 2})
        expect(caption(watched.page, "first")).to_have_text(explorers["first"].value(G=2, p=0.75))

    def test_names_and_values(self, watched):
        page = watched.page
        expect(page.get_by_role("slider", name="power G", exact=True)).to_have_count(1)
        expect(page.get_by_role("slider", name="way", exact=True)).to_have_count(1)
        expect(page.get_by_role("button", name="Play power G", exact=True)).to_have_text("Play")
        assert page.locator("#first .gl-value").all_inner_texts() == ["2", "0.50"]
        assert page.locator("#second .gl-play").count() == 0

    def test_focus_is_visible(self, watched):
        slider(watched.page, "first", "G").focus()
        watched.page.keyboard.press("ArrowRight")
        outline = watched.page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline == "solid"

    def test_play_runs_to_the_end_and_begins_again(self, watched, explorers):
        page, button = watched.page, watched.page.locator("#first .gl-play")
        live = "document.querySelector('#first .gl-caption').ariaLive"
        button.click()
        assert button.inner_text() == "Pause"
        assert page.evaluate(live) == "off"
        expect(button).to_have_text("Play", timeout=8000)
        assert page.evaluate(live) == "polite"
        expect(caption(page, "first")).to_have_text(explorers["first"].value(G=8, p=0.5))
        button.click()
        expect(caption(page, "first")).to_have_text(explorers["first"].value(G=1, p=0.5))
        button.click()
        expect(button).to_have_text("Play")

    def test_a_touched_slider_pauses(self, watched):
        page, button = watched.page, watched.page.locator("#first .gl-play")
        button.click()
        slider(page, "first", "p").press("ArrowRight")
        expect(button).to_have_text("Play")

    def test_with_reduced_motion_play_is_a_step(self, browser, address, explorers):
        with watched_page(browser, reduced_motion="reduce") as watched:
            open_page(watched.page, address + "index.html")
            button = watched.page.locator("#first .gl-play")
            assert button.inner_text() == "Step"
            for G in (3, 4, 6, 8, 1):
                button.click()
                expect(caption(watched.page, "first")).to_have_text(explorers["first"].value(G=G, p=0.5))

    def test_two_on_a_page_are_independent(self, watched, explorers):
        page = watched.page
        slider(page, "second", "way").press("End")
        expect(caption(page, "second")).to_have_text(explorers["second"].value(way="down"))
        assert difference(picture(page, "second"), explorers["second"].svg(way="down")) == ""
        assert difference(picture(page, "first"), explorers["first"].svg(G=2, p=0.5)) == ""

    def test_ids_on_the_page_are_unique(self, watched):
        ids = watched.page.evaluate(
            "[...document.querySelectorAll('.gl-explorer, .gl-explorer [id]')].map(e => e.id)"
        )
        assert len(ids) == len(set(ids)) > 10


class TestLinks:
    """The setting is in the address."""

    @pytest.mark.parametrize(
        ("fragment", "G", "p"),
        [
            ("G=4,p=.95", 4, 0.95),
            ("p=0.35", 2, 0.35),
            ("G=5.2,p=0.349", 6, 0.35),
            ("G=,p=nought,q=3", 2, 0.5),
            ("G=%,p==", 2, 0.5),
            ("", 2, 0.5),
        ],
    )
    def test_a_link_opens_a_setting(self, browser, address, explorers, fragment, G, p):
        with watched_page(browser, viewport=DESKTOP) as watched:
            open_page(watched.page, f"{address}index.html#first:{fragment}")
            expect(caption(watched.page, "first")).to_have_text(explorers["first"].value(G=G, p=p))
            assert watched.troubles == []

    def test_a_link_scrolls_to_its_explorer(self, browser, address, explorers):
        with watched_page(browser, viewport={"width": 700, "height": 500}) as watched:
            open_page(watched.page, f"{address}index.html#second:way=down")
            expect(caption(watched.page, "second")).to_have_text(explorers["second"].value(way="down"))
            expect(watched.page.locator("#second svg")).to_be_in_viewport(ratio=0.8)

    def test_following_a_link_on_the_page(self, watched, explorers):
        watched.page.evaluate("location.hash = '#first:G=8,p=0.9'")
        expect(caption(watched.page, "first")).to_have_text(explorers["first"].value(G=8, p=0.9))

    def test_a_reader_s_change_is_written_into_the_address(self, watched):
        page = watched.page
        steps = page.evaluate("history.length")
        slider(page, "first", "p").press("ArrowRight")
        page.wait_for_url("**/index.html#first:p=0.55")
        slider(page, "first", "G").press("Home")
        page.wait_for_url("**/index.html#first:p=0.55,G=1")
        assert page.evaluate("history.length") == steps

    def test_play_writes_only_where_it_stops(self, watched):
        page = watched.page
        page.evaluate(
            """() => {
                window.written = [];
                const replace = history.replaceState.bind(history);
                history.replaceState = (...given) => { window.written.push(given[2]); replace(...given); };
            }"""
        )
        page.locator("#first .gl-play").click()
        page.wait_for_url("**/index.html#first:G=8", timeout=8000)
        assert page.evaluate("window.written") == ["#first:G=8"]


class TestLooks:
    """Dark, narrow, printed, without JavaScript, from a folder."""

    def test_dark_colours_stand_out(self, browser, address):
        with watched_page(browser, viewport=DESKTOP, color_scheme="dark") as watched:
            page = watched.page
            open_page(page, address + "index.html")
            ground = luminance(page.evaluate("getComputedStyle(document.body).backgroundColor"))
            assert ground < 0.05
            shown = {name: page.evaluate(f"{STYLE}.getPropertyValue('--gl-{name}')") for name in PALETTE}
            assert not set(shown.values()) & set(PALETTE.values())
            text = page.evaluate("getComputedStyle(document.querySelector('#lines svg text')).fill")
            for colour in (*shown.values(), text):
                assert (luminance(colour) + 0.05) / (ground + 0.05) >= 3
            box = page.locator("#lines").locator("xpath=..")
            assert box.evaluate("e => getComputedStyle(e).backgroundColor") == "rgba(0, 0, 0, 0)"
            assert page.locator("#lines svg").get_attribute("aria-label") == "Six lines."

    def test_light_colours_are_the_palette(self, watched):
        for name, colour in PALETTE.items():
            assert watched.page.evaluate(f"{STYLE}.getPropertyValue('--gl-{name}')") == colour
            assert 1.05 / (luminance(colour) + 0.05) >= 3

    @pytest.mark.parametrize("width", [320, 375])
    def test_phones(self, browser, address, width):
        with watched_page(browser, viewport={"width": width, "height": 700}) as watched:
            page = watched.page
            open_page(page, address + "index.html")
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            for name in ("first", "second", "lines"):
                box = page.locator(f"#{name} svg").bounding_box()
                assert 0 <= box["x"] <= box["x"] + box["width"] <= width
                assert box["width"] > 0.9 * width
            scale = page.evaluate("document.querySelector('#first svg').getScreenCTM().a")
            words = page.locator("#first svg text")
            sizes = words.evaluate_all("all => all.map(e => parseFloat(getComputedStyle(e).fontSize))")
            assert scale * min(sizes) > 7  # in CSS pixels, which a phone draws with two or three of its own
            for target in page.locator(".gl-explorer input, .gl-explorer button").all():
                assert target.bounding_box()["height"] >= 24

    def test_in_print_the_picture_and_its_caption(self, browser, address, explorers):
        with watched_page(browser, color_scheme="dark") as watched:
            page = watched.page
            open_page(page, address + "index.html#first:G=4,p=0.9")
            page.emulate_media(media="print")
            assert not page.locator("#first .gl-controls").is_visible()
            expect(caption(page, "first")).to_have_text(explorers["first"].value(G=4, p=0.9))
            expect(page.locator("#first svg")).to_be_visible()
            assert (
                page.evaluate("getComputedStyle(document.querySelector('#first svg')).color")
                == "rgb(0, 0, 0)"
            )
            line = page.locator("#first [data-slot] path").first
            assert line.evaluate("e => getComputedStyle(e).stroke") == "rgb(0, 103, 176)"

    def test_without_javascript_the_start_stands_there(self, browser, address, explorers):
        with watched_page(browser, java_script_enabled=False) as watched:
            watched.page.goto(address + "index.html")
            expect(watched.page.locator("#first svg")).to_be_visible()
            expect(caption(watched.page, "first")).to_have_text(explorers["first"].value(G=2, p=0.5))
            assert watched.page.locator(".gl-controls, .gl-explorer input").count() == 0
            shown = watched.page.locator("#first svg").evaluate(
                "e => new XMLSerializer().serializeToString(e)"
            )
            assert difference(shown, explorers["first"].svg(G=2, p=0.5)) == ""

    def test_from_a_folder(self, browser, book, explorers):
        with watched_page(browser) as watched:
            page = watched.page
            open_page(page, (book / "index.html").as_uri() + "#first:p=0.9")
            slider(page, "first", "G").press("End")
            expect(caption(page, "first")).to_have_text(explorers["first"].value(G=8, p=0.9))
            page.wait_for_url("**/index.html#first:p=0.9,G=8")
            assert watched.troubles == []


class TestWeight:
    """What pages load."""

    def test_a_page_without_explorers_loads_nothing_for_them(self, browser, address):
        with watched_page(browser) as watched:
            watched.page.goto(address + "plain.html")
            assert not [url for url in watched.requests if "explorer" in url]

    def test_no_module_no_require_no_widget_state(self, book):
        for page in book.glob("*.html"):
            text = page.read_text("utf-8")
            assert 'type="module"' not in text
            for unwanted in ("require.min.js", "require.js", "html-manager", "widget-state", "widget-view"):
                assert unwanted not in text, (page.name, unwanted)

    def test_nothing_leaves_the_site(self, watched):
        slider(watched.page, "first", "G").press("End")
        assert {url.split("/small/")[0] for url in watched.requests} == {watched.page.url.split("/small/")[0]}


def test_an_id_used_twice_is_a_warning(monkeypatch, caplog):
    monkeypatch.syspath_prepend(ROOT / "_ext")
    import explorers as extension

    warned = []
    monkeypatch.setattr(extension.LOG, "warning", lambda text, *given, **_: warned.append(text % given))
    explorers = [f'<div class="gl-explorer" id="{name}"></div>' for name in "ab"]
    body = f'<section id="a">{"".join(explorers)}</section>'
    app = type("App", (), {"add_css_file": lambda *a: None, "add_js_file": lambda *a, **k: None})()
    extension.add_to_page(app, "page", "page.html", {"body": body}, None)
    assert warned == ["an explorer is named 'a', which is also the id of something else on its page"]


@pytest.fixture(scope="module")
def drawn() -> Iterator[tuple[Figure, Callable[..., Any]]]:
    """The figure of the page of all kinds, its layout settled at the same start."""
    fig, update = figure(list(KINDS))
    update(TS[len(TS) // 2], KS[len(KS) // 2])
    fig.savefig(io.BytesIO(), format="svg")
    fig.set_layout_engine("none")
    yield fig, update
    plt.close(fig)


class TestEveryKind:
    """What Chromium shows is what matplotlib saves: marks to a tenth of a point, and pixels."""

    @pytest.mark.parametrize(("t", "k"), [(0, 0), (1, 1), (2, 3), (5, 2)])
    def test_agreement(self, browser, address, drawn, t, k):
        fig, update = drawn
        update(TS[t], KS[k])
        saved = fresh(fig)
        with watched_page(browser, viewport={"width": 1400, "height": 1400}) as watched:
            page = watched.page
            open_page(page, f"{address}kinds.html#kinds:t={TS[t]},k={KS[k]}")
            expect(caption(page, "kinds")).to_have_text(f"{TS[t]}, {KS[k]}.")
            assert difference(picture(page, "kinds"), saved) == ""
            page.evaluate(
                """() => {
                    const shown = document.querySelector("#kinds");
                    document.body.replaceChildren(shown);
                    shown.style.cssText = "color: #000; background: #fff; position: fixed; inset: 0";
                    shown.firstElementChild.style.cssText = "width: 1000px; max-width: none; margin: 0";
                }"""
            )
            mine = page.locator("#kinds svg").screenshot()
            assert watched.troubles == []
            page.set_content(
                f'<body style="margin: 0; background: #fff">{saved[saved.index("<svg") :]}</body>'
            )
            page.evaluate(
                "document.querySelector('svg').style.cssText = 'width: 1000px; height: auto; display: block'"
            )
            theirs = page.locator("svg").screenshot()
        one, other = (np.asarray(Image.open(io.BytesIO(shot)).convert("RGB"), int) for shot in (mine, theirs))
        assert one.shape == other.shape
        assert (off_by_more_than_a_pixel(one, other) > 64).mean() < 2e-4
        assert (off_by_more_than_a_pixel(other, one) > 64).mean() < 2e-4


def off_by_more_than_a_pixel(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """How far each pixel is from all pixels around its place in the other picture: letters snap to pixels."""
    around = [np.roll(other, (dy, dx), axis=(0, 1)) for dy in (-1, 0, 1) for dx in (-1, 0, 1)]
    return np.min([np.abs(one - shifted).max(axis=2) for shifted in around], axis=0)


class TestTheCourse:
    """Every explorer of the built course moves and speaks."""

    def test_every_slider(self, browser, at_root, site):
        pages = [page for page in site.rglob("*.html") if 'class="gl-explorer"' in page.read_text("utf-8")]
        assert pages
        for file in pages:
            with watched_page(browser, viewport=DESKTOP) as watched:
                page = watched.page
                open_page(page, at_root + file.relative_to(site).as_posix())
                for explorer in page.locator(".gl-explorer:has(input)").all():
                    pictures = set()
                    for input_ in explorer.locator("input").all():
                        captions = set()
                        for key in ("Home", "ArrowRight", "End"):
                            input_.press(key)
                            captions.add(explorer.locator(".gl-caption").inner_text())
                            pictures.add(explorer.locator("svg").inner_html())
                        assert len(captions) > 1, (file.name, explorer.get_attribute("id"))
                    assert len(pictures) > 1, (file.name, explorer.get_attribute("id"))
                assert watched.troubles == [], file.name


def luminance(colour: str) -> float:
    """Relative luminance (WCAG) of a CSS colour, #rrggbb or rgb(r, g, b)."""
    if colour.startswith("#"):
        channels = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
    else:
        channels = [int(channel) for channel in re.findall(r"\d+", colour)[:3]]
    linear = [c / 255 / 12.92 if c <= 10 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in channels]
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))
