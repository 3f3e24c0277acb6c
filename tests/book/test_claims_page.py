"""The ledger in a browser: what the form shows and hides, what its address says, and where its links lead."""

from __future__ import annotations

import base64
import json
import re
import tomllib
import zlib
from collections import Counter
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.parse import parse_qsl

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import watched_page

ROOT = Path(__file__).parents[2]
ROWS = tomllib.loads((ROOT / "book" / "claims.toml").read_text("utf-8"))["claim"]
PAGE = "book/claims.html"


def ids(*, article: str = "", verdicts: tuple[str, ...] = ()) -> list[str]:
    """What should be shown, by the data."""
    chosen = [row for row in ROWS if row["id"].startswith(article)]
    return [f"claim-{row['id']}" for row in chosen if not verdicts or row["verdict"] in verdicts]


def shown(page: Page) -> list[str]:
    return page.locator(".claim:visible").evaluate_all("rows => rows.map(row => row.id)")


@pytest.fixture
def page(browser: Browser, at_root: str) -> Iterator[Page]:
    with watched_page(browser) as watched:
        watched.page.goto(at_root + PAGE)
        yield watched.page
        assert watched.troubles == []


def test_form_and_rows_agree_with_the_data(page: Page) -> None:
    assert shown(page) == ids()
    expect(page.get_by_role("status")).to_have_text(f"{len(ROWS)} of {len(ROWS)} claims")
    for verdict, number in Counter(row["verdict"] for row in ROWS).items():
        label = page.locator("#ledger label", has_text=re.compile(f"^\\s*{verdict}", re.I))
        assert label.locator(".claim-number").inner_text() == str(number)
    for row in ROWS:
        assert row["verdict"] in page.locator(f"#claim-{row['id']} .claim-verdict").inner_text().lower()


def test_form_chooses_by_article_verdict_and_words(page: Page) -> None:
    page.get_by_label("Article B").check()
    assert shown(page) == ids(article="b")
    page.get_by_role("checkbox", name="Wrong").check()
    page.get_by_role("checkbox", name="Opinion").check()
    both = ids(article="b", verdicts=("wrong", "opinion"))
    assert shown(page) == both
    expect(page.get_by_role("status")).to_have_text(f"{len(both)} of {len(ROWS)} claims")
    page.get_by_role("searchbox").fill("ARCSINE transform")
    assert shown(page) == ["claim-b-13"]
    assert page.url.endswith("#ledger:verdict=wrong,verdict=opinion,article=b,words=ARCSINE+transform")
    page.get_by_role("searchbox").fill("nothing says this")
    expect(page.get_by_role("status")).to_have_text(f"0 of {len(ROWS)} claims")
    page.get_by_role("button", name="Show all").click()
    expect(page.get_by_role("status")).to_have_text(f"{len(ROWS)} of {len(ROWS)} claims")
    assert "#" not in page.url


def test_source_of_a_formula_is_found(page: Page) -> None:
    page.evaluate("() => window.MathJax.startup.promise.then(() => true)")
    page.get_by_role("searchbox").fill(r"\arcsin\sqrt")
    assert shown(page) == ["claim-b-13"]


def test_keyboard_is_enough(page: Page) -> None:
    page.get_by_role("checkbox", name="Simulated").focus()
    page.keyboard.press("Space")
    assert shown(page) == ids(verdicts=("simulated",))


@pytest.mark.parametrize("row", ["a-15", "b-33"])
def test_a_row_has_an_address(browser: Browser, at_root: str, row: str) -> None:
    with watched_page(browser) as watched:
        watched.page.goto(f"{at_root}{PAGE}#claim-{row}")
        expect(watched.page.locator(f"#claim-{row}")).to_be_in_viewport()
        assert shown(watched.page) == ids()


def test_a_choice_has_an_address(browser: Browser, at_root: str) -> None:
    with watched_page(browser) as watched:
        page = watched.page
        page.goto(f"{at_root}{PAGE}#ledger:article=a,verdict=wrong,words=std")
        few = shown(page)
        assert few
        assert set(few) < set(ids(article="a", verdicts=("wrong",)))
        assert page.get_by_label("Article A").is_checked()
        assert page.get_by_role("searchbox").input_value() == "std"
        page.evaluate("location.hash = '#claim-b-1'")  # a link to a row that is hidden shows it
        expect(page.locator("#claim-b-1")).to_be_in_viewport()
        assert shown(page) == ids()
        page.go_back()
        expect(page.get_by_role("searchbox")).to_have_value("std")
        assert shown(page) == few


def test_going_back_to_the_plain_address_shows_all(page: Page) -> None:
    page.evaluate("location.hash = '#ledger:verdict=wrong'")
    expect(page.get_by_role("checkbox", name="Wrong")).to_be_checked()
    assert shown(page) == ids(verdicts=("wrong",))
    page.go_back()
    expect(page.get_by_role("checkbox", name="Wrong")).not_to_be_checked()
    assert shown(page) == ids()


def test_a_row_that_a_choice_hides_is_shown_by_its_address(page: Page) -> None:
    page.get_by_role("checkbox", name="Wrong").check()
    expect(page.locator("#claim-a-15")).to_be_hidden()
    page.evaluate("location.hash = '#claim-a-15'")
    expect(page.locator("#claim-a-15")).to_be_in_viewport()
    assert page.locator("#claim-a-15").evaluate("row => row.matches(':target')")


def test_without_javascript_all_rows_are_there(browser: Browser, at_root: str) -> None:
    with watched_page(browser, java_script_enabled=False) as watched:
        watched.page.goto(at_root + PAGE)
        assert watched.page.locator(".claim:visible").count() == len(ROWS)
        assert watched.page.locator("#ledger input:visible, #ledger button:visible").count() == 0
        assert watched.page.get_by_text("computed exactly").is_visible()


def test_landing_page_counts_are_the_data_s(site: Path) -> None:
    landing = re.sub(r"<[^>]+>", "", (site / "book" / "index.html").read_text("utf-8"))
    counts = Counter(row["verdict"] for row in ROWS)
    right = sum(counts[name] for name in ("proved", "checked", "simulated", "quoted"))
    found = re.search(r"has all (\d+) claims in a row\.\s+(\d+) are right", landing)
    assert [int(number) for number in found.groups()] == [len(ROWS), right]
    found = re.search(r"(\d+) right under a condition.*?, (\d+) wrong\. The other (\d+)", landing, re.S)
    open_ones = counts["unsupported"] + counts["opinion"]
    assert [int(number) for number in found.groups()] == [counts["depends"], counts["wrong"], open_ones]
    assert right + counts["depends"] + counts["wrong"] + open_ones == len(ROWS)


def links(html: str, row: str) -> list[str]:
    """Where a row's own link to the book leads."""
    block = html[html.index(f'id="claim-{row}"') :]
    part = block[block.index("claim-shown") : block.index("claim-says")]
    return [unescape(link) for link in re.findall(r'href="([^"]+)"', part)]


def test_every_row_leads_to_a_place_that_exists(site: Path) -> None:
    html = (site / PAGE).read_text("utf-8")
    for row in ROWS:
        (link,) = links(html, row["id"])
        page, _, at = link.partition("#")
        target = (site / PAGE).parent / page
        name, _, setting = at.partition(":")
        text = target.resolve().read_text("utf-8")
        assert f'id="{name}"' in text, row["id"]
        if setting:
            payload = re.search(
                f'<div class="gl-explorer" id="{name}">.*?<script type="text/plain">(.*?)<', text, re.S
            )
            grid = json.loads(zlib.decompress(base64.b64decode(payload[1])))["parameters"]
            values = {parameter["name"]: [f"{value}" for value in parameter["values"]] for parameter in grid}
            for key, value in parse_qsl(setting.replace(",", "&")):
                assert value in values[key] or float(value) in map(float, values[key]), row["id"]


def test_every_chapter_leads_to_its_rows(site: Path) -> None:
    for row in ROWS:
        (chapter,) = site.glob(f"notebooks/{row['shown'][:2]}-*.html")
        assert f'href="../{PAGE}#claim-{row["id"]}"' in chapter.read_text("utf-8")
