"""The one-page report: whole in one file, and alive in a browser."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pytest

from grpo_lessons.diagnosis import diagnose
from grpo_lessons.diagnosis.page import report_page
from grpo_lessons.diagnosis.wording import kept, share
from tests.browser import watched_page
from tests.logs import counted, drawn, log_of, note

HOSTILE = '<img src=x onerror="document.title=1"> & </script><script>document.title = "owned"</script> $x^2$'


@pytest.fixture(scope="module")
def found():
    return diagnose(drawn(np.random.default_rng(0).beta(0.5, 1.5, 300), 8, 1, steps=30, preset="trl"))


@pytest.fixture(scope="module")
def page(found, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(report_page(found), encoding="utf-8")
    return path.as_uri()


def hostile():
    rng = np.random.default_rng(0)
    columns = {HOSTILE: rng.integers(0, 2, 40) * 1.0, "b" * 300: rng.integers(0, 2, 40) * 0.5}
    log = log_of(
        np.reshape(sum(columns.values()), (8, 5)).tolist(),
        components=columns,
        paths=(HOSTILE,),
        why=HOSTILE,
        notes=(note(HOSTILE),),
    )
    return diagnose(log, success_threshold=1)


class Tags(HTMLParser):
    """The tags of a page, which must close as they open, and the addresses in them."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.addresses, self.scripts = [], [], [], 0
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        if tag not in ("meta", "img", "br", "use", "path"):
            self.open.append(tag)
        self.addresses += [value for name, value in attributes if name in ("src", "href", "action", "data")]

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if self.open and self.open[-1] == tag:
            self.open.pop()

    def handle_endtag(self, tag):
        if tag in self.open:
            assert self.open.pop() == tag


@pytest.mark.parametrize(
    "log",
    [log_of([]), log_of([[1], [0]]), counted([0] * 9, 8), counted([3], 8), counted([0, 1, 2] * 9, 2),
     counted([30], 64),
     log_of([[0.1, 0.5, 0.9]] * 9), log_of([[1, 0], [1, 1, 0], [0] * 7] * 5)],
    ids=["nothing", "singletons", "silent", "one", "two", "large", "graded", "ragged"],
)  # fmt: skip
def test_edges(log):
    parsed = Tags(report_page(diagnose(log)))
    assert parsed.open == []
    assert parsed.tags.count("h1") == 1


def test_one_file_without_addresses(found):
    text = report_page(found)
    parsed = Tags(text)
    assert parsed.open == []
    assert {"link", "iframe", "object", "img"} & set(parsed.tags) == set()
    assert all(address.startswith("#") for address in parsed.addresses)
    assert not re.search(r"https?://(?!www\.w3\.org/)", text)
    assert len(text) < 120_000


def test_what_the_log_says_is_escaped():
    text = report_page(hostile())
    assert "<img" not in text
    assert 'title = "owned"' not in text
    assert "&lt;img src=x" in text
    assert Tags(text).tags.count("script") == Tags(report_page(diagnose(counted([1, 2], 4)))).tags.count(
        "script"
    )


@pytest.mark.book
class TestInABrowser:
    def test_nothing_is_asked_for(self, browser, page):
        with watched_page(browser) as watched:
            watched.page.goto(page)
            watched.page.wait_for_selector(".gl-controls")
            assert watched.requests == [page]
            assert watched.troubles == []

    def test_sliders_say_the_diagnosis(self, browser, page, found):
        with watched_page(browser) as watched:
            watched.page.goto(page)
            watched.page.wait_for_selector("#sizes .gl-controls")
            slider, said = watched.page.locator("#sizes input"), watched.page.locator("#sizes .gl-caption")
            for place, row in enumerate(found.what_if):
                slider.fill(str(place))
                assert said.text_content().startswith(kept(f"G = {row.group_size}"))
                assert kept(f"{share(row.silent.value)} silent") in said.text_content()
            steps = watched.page.locator("#counts input")
            before = watched.page.locator("#counts svg").inner_html()
            steps.fill("5")
            assert watched.page.locator("#counts svg").inner_html() != before
            assert watched.troubles == []

    @pytest.mark.parametrize("scheme", ["light", "dark"])
    def test_fits_a_phone_in_both_themes(self, browser, page, scheme):
        with watched_page(browser, viewport={"width": 375, "height": 800}, color_scheme=scheme) as watched:
            watched.page.goto(page)
            watched.page.wait_for_selector(".gl-controls")
            assert watched.page.evaluate("document.documentElement.scrollWidth") <= 375
            paper = watched.page.evaluate("getComputedStyle(document.body).backgroundColor")
            assert (paper == "rgb(255, 255, 255)") == (scheme == "light")
            ink = watched.page.evaluate("getComputedStyle(document.querySelector('.gl-explorer')).color")
            assert sum(map(int, re.findall(r"\d+", ink)[:3])) > 500 or scheme == "light"

    def test_hostile_names_are_only_words(self, browser, tmp_path):
        path = tmp_path / "hostile.html"
        path.write_text(report_page(hostile()), encoding="utf-8")
        with watched_page(browser, viewport={"width": 375, "height": 800}) as watched:
            watched.page.goto(path.as_uri())
            watched.page.wait_for_selector("main")
            assert watched.page.title() == "What the groups are doing"
            assert kept(HOSTILE) in watched.page.locator("main").text_content()
            assert watched.page.evaluate("document.documentElement.scrollWidth") <= 375
            assert watched.requests == [path.as_uri()]
            assert watched.troubles == []

    def test_without_javascript(self, browser, page):
        with watched_page(browser, java_script_enabled=False) as watched:
            watched.page.goto(page)
            assert watched.page.locator("svg").count() == 2
            assert watched.page.locator(".gl-caption").count() == 2


def test_every_division_is_closed_once():
    page = report_page(diagnose(log_of([[1, 0, 0, 1]] * 8 + [[0] * 4] * 4)))
    body = page[page.index("<main>") : page.index("</main>")]
    assert body.count("<div") == body.count("</div>")
