"""The built site in a real browser: whole, self-contained, accessible, at home on a phone and in the dark."""

from __future__ import annotations

import gzip
import re
import subprocess
import sys
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import pytest
import yaml
from playwright.sync_api import Browser, Page

from tests.book.conftest import pages
from tests.browser import serve, watched_page

ROOT = Path(__file__).parents[2]
AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
HARMLESS = {
    "http://www.w3.org/": "names of namespaces (SVG, MathML, XHTML): nothing is fetched from them",
    "https://fontawesome.com": "licence comment in the theme's stylesheet and icon script",
    "https://sass-guidelin.es/": "comment in the theme's stylesheet",
    "https://pydata-sphinx-theme.readthedocs.io/": "a warning about the theme's version switcher, unused",
    "https://getbootstrap.com/": "licence comment of bootstrap",
    "https://github.com/": "licence and source comments of bootstrap, mhchem and myst-nb",
    "https://nbsphinx.readthedocs.io/": "source comment in myst-nb's stylesheet",
    "https://m2.material.io/": "source comment in myst-nb's stylesheet",
    "https://codepen.io/": "source comment in myst-nb's stylesheet",
    "https://developer.mozilla.org/": "source comment in Sphinx's search",
    "https://clipboardjs.com/": "licence comment of clipboard.js",
    "http://www.apache.org/licenses/": "licence comment of MathJax",
}
"""Addresses that scripts and styles may mention, each with the reason why nothing can be loaded from it."""


def open_page(page: Page, url: str) -> None:
    """Go there and wait until fonts and formulas stand."""
    page.goto(url)
    page.locator("#main-content, #home").wait_for()  # the front door has neither, and leads on
    page.evaluate("() => window.MathJax?.startup?.promise.then(() => document.fonts.ready).then(() => true)")


def unfold(page: Page) -> None:
    """Open every fold, so that what is in it is looked at too, and wait until that is drawn."""
    page.add_style_tag(content="* { transition: none !important; animation: none !important }")
    page.evaluate(
        """() => {
            document.querySelectorAll("details").forEach(fold => fold.open = true);
            document.querySelectorAll(".toggle-button-hidden").forEach(button => button.click());
            return new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))
                .then(() => document.fonts.ready).then(() => true);
        }"""
    )


class References(HTMLParser):
    """What a page names: `loads` as it opens, `links` to follow, `ids` to link to, `code` written into it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.code: list[str] = []
        self._inside = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self._inside = tag
        for name, value in attributes:
            value = value or ""
            if name in ("id", "name"):
                self.ids.add(value)
            elif tag == "a" and name == "href":
                self.links.append(value)
            elif name in ("src", "srcset", "poster", "data", "href", "xlink:href", "action"):
                self.loads.append(value)
            elif name == "style" or name.startswith("on"):
                self.code.append(value)

    handle_startendtag = handle_starttag

    def handle_data(self, data: str) -> None:
        if self._inside in ("script", "style"):
            self.code.append(data)

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""


@pytest.fixture(scope="module")
def references(site: Path) -> dict[Path, References]:
    """What every page names, by its file."""
    return {site / name: References((site / name).read_text("utf-8")) for name in pages()}


# --- whole and self-contained -----------------------------------------------------------------------------


def test_opens_without_trouble(browser: Browser, address: str, page_name: str) -> None:
    with watched_page(browser) as watched:
        open_page(watched.page, address + page_name)
        watched.page.wait_for_load_state("networkidle")
        assert watched.page.title()
        assert not [url for url in watched.requests if "fontawesome" in url]  # icons.css stands in
        assert watched.troubles == []


def test_no_page_loads_from_another_host(references: dict[Path, References]) -> None:
    foreign = {
        (page.name, url)
        for page, found in references.items()
        for url in found.loads
        if urlsplit(url).netloc or urlsplit(url).scheme not in ("", "data")
    }
    assert not foreign


def test_no_script_or_style_names_another_host(site: Path, references: dict[Path, References]) -> None:
    scripts = [file for file in site.rglob("*") if file.suffix in (".js", ".css")]
    files = {file.name: file.read_text("utf-8") for file in scripts if "lite" not in file.parts}
    inline = {page.name: "\n".join(found.code) for page, found in references.items()}
    named = {
        (name, url)
        for name, text in (files | inline).items()
        for url in re.findall(r"(?:https?|wss?):(?:\\?/){2}[^\s\"'`)<>\\]+|url\(\s*['\"]?//[^)]*", text)
        if not url.startswith(tuple(HARMLESS))
    }
    assert not named


def test_every_internal_link_resolves(site: Path, references: dict[Path, References]) -> None:
    broken = set()
    for page, found in references.items():
        for url in found.links + found.loads:
            address, fragment = urldefrag(url)
            fragment = unquote(fragment).split(":")[0]  # "#silent:G=4" sets the explorer named silent
            if urlsplit(url).scheme or urlsplit(url).netloc or page.name == "404.html":
                continue
            target = (page.parent / unquote(urlsplit(address).path)).resolve() if address else page
            place = unquote(fragment).partition(":")[0]  # what follows is an explorer's setting
            there = references[target].ids if target in references else {place}
            if not target.is_file() or (fragment and place not in there):
                broken.add((page.name, url))
    assert not broken


@pytest.mark.parametrize("prefix", ["/", "/grpo-lessons/", "/deep/down/"])
def test_lost_readers_find_home(browser: Browser, site: Path, prefix: str) -> None:
    with serve(site, prefix) as url, watched_page(browser) as watched:
        watched.page.goto(url + "notebooks/no-such-chapter.html")
        home = watched.page.locator("#home")
        watched.page.wait_for_function("() => home.pathname.endsWith('index.html')")
        assert home.evaluate("link => link.href") == url + "index.html"
        home.click()
        watched.page.wait_for_url(url + "book/index.html")


# --- search -----------------------------------------------------------------------------------------------


def test_search_finds_a_page(browser: Browser, address: str) -> None:
    with watched_page(browser) as watched:
        page = watched.page
        open_page(page, address + "book/how-to-use.html")
        page.keyboard.press("Control+k")
        page.keyboard.type("notation")
        page.keyboard.press("Enter")
        page.wait_for_url("**/search.html?q=notation*")
        hits = page.locator("#search-results ul.search li a")
        hits.filter(has_text="Notation").first.click()
        page.wait_for_url("**/book/notation.html*")
        page.wait_for_load_state("networkidle")
        assert watched.troubles == []


# --- at home everywhere: in light and dark, wide and narrow -----------------------------------------------

VIEWS = {
    "wide": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light"},
    "wide, dark": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 375, "height": 740}, "color_scheme": "light"},
    "phone, dark": {"viewport": {"width": 375, "height": 740}, "color_scheme": "dark"},
    "small phone": {"viewport": {"width": 320, "height": 640}, "color_scheme": "light"},
}

STICKS_OUT = """() => {
    const scrolls = e => e && (/auto|scroll/.test(getComputedStyle(e).overflowX) || scrolls(e.parentElement));
    return [...document.querySelectorAll(".bd-article-container *, footer *")]
        .filter(e => e.getBoundingClientRect().right > innerWidth + 1 && e.checkVisibility())
        .filter(e => !e.closest("mjx-assistive-mml") && !scrolls(e.parentElement))
        .map(e => e.outerHTML.slice(0, 120));
}"""
"""What is cut off at the right without a box to scroll it in."""

OUT_OF_REACH = """() => [...document.querySelectorAll("article :is(mjx-container[display], span.math, pre)")]
    .filter(e => e.scrollWidth > e.clientWidth && e.checkVisibility() && e.tabIndex < 0)
    .map(e => e.textContent.slice(0, 80))"""
"""What scrolls and cannot be reached by keyboard."""

NEEDLESS_STOPS = """() => [...document.querySelectorAll("article :is(mjx-container, span.math)[tabindex]")]
    .filter(e => e.scrollWidth !== e.clientWidth + 1)  // browsers round, and then scroll by what they rounded
    .filter(e => [...e.querySelectorAll("mjx-math *")].every(part =>
        part.getBoundingClientRect().right < e.getBoundingClientRect().right + 1))
    .map(e => e.textContent.slice(0, 80))"""
"""Formulas that the tab key stops at although all of them is seen."""

BRIGHT = """() => [...document.querySelectorAll("body, body *")]
    .filter(e => e.checkVisibility() && getComputedStyle(e).maskImage === "none")
    .map(e => [e.outerHTML.slice(0, 120), getComputedStyle(e).backgroundColor.match(/[\\d.]+/g).map(Number)])
    .filter(([, [r, g, b, a = 1]]) => a > 0.2 && (r + g + b) / 3 > 200)"""
"""Grounds that stay white."""

SQUARES = """() => [...document.querySelectorAll('[class*="fa-"]')]
    .filter(e => getComputedStyle(e).maskImage === "none").map(e => e.className)"""
"""Icons without a shape in icons.css."""


@pytest.mark.parametrize("view", VIEWS)
def test_looks_right(browser: Browser, at_root: str, page_name: str, view: str) -> None:
    with watched_page(browser, reduced_motion="reduce", **VIEWS[view]) as watched:
        page = watched.page
        open_page(page, at_root + page_name)
        unfold(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= VIEWS[view]["viewport"]["width"]
        assert page.evaluate(STICKS_OUT) == []
        assert page.evaluate(OUT_OF_REACH) == []
        assert page.evaluate(NEEDLESS_STOPS) == []
        assert page.evaluate(SQUARES) == []
        assert "dark" not in view or page.evaluate(BRIGHT) == []
        if view == "small phone":
            return  # axe, which is slow, has seen this layout in these colours on the larger one
        page.evaluate(AXE.read_text("utf-8"))
        found = page.evaluate("axe.run({resultTypes: ['violations']})")["violations"]
        assert [
            (violation["id"], node["target"], node["failureSummary"])
            for violation in found
            if violation["impact"] in ("serious", "critical")
            for node in violation["nodes"]
        ] == []


def test_theme_button_keeps_its_choice(browser: Browser, at_root: str) -> None:
    with watched_page(browser, color_scheme="light") as watched:
        page = watched.page
        theme = "document.documentElement.dataset.theme"
        open_page(page, at_root + "book/notation.html")
        assert page.evaluate(theme) == "light"
        for _ in range(3):
            page.locator(".theme-switch-button:visible").click()
            if page.evaluate(theme) == "dark":
                break
        open_page(page, at_root + "book/how-to-use.html")
        assert page.evaluate(theme) == "dark"


def test_reads_without_javascript(browser: Browser, at_root: str) -> None:
    with watched_page(browser, java_script_enabled=False) as watched:
        watched.page.goto(at_root + "book/how-to-use.html")
        assert watched.page.locator("article h1").inner_text()
        assert watched.troubles == []


# --- the theme's parts ------------------------------------------------------------------------------------


def test_pages_say_what_they_are(site: Path) -> None:
    silent = []
    for page in [site / "index.html", *(site / "book").glob("*.html"), *(site / "notebooks").glob("*.html")]:
        text = page.read_text("utf-8")
        tags = [dict(re.findall(r'([\w:-]+)="([^"]*)"', tag)) for tag in re.findall(r"<meta [^>]*>", text)]
        said = {tag.get("name", tag.get("property")): unescape(tag.get("content", "")) for tag in tags}
        if not (
            said.get("og:title")
            and 30 <= len(said.get("description", "")) <= 200
            and said["description"] == said.get("og:description")
        ):
            silent.append(page.name)
    assert not silent


def test_foot_of_every_page_says_how_to_cite(references: dict[Path, References], site: Path) -> None:
    cite = (site / "book" / "how-to-use.html").as_uri() + "#cite"
    without = {
        page.name
        for page, found in references.items()
        if page.parent != site or page.name == "search.html"
        if cite not in {urljoin(page.as_uri(), link) for link in found.links}
    }
    assert not without


def test_a_click_anywhere_on_a_fold_opens_it(browser: Browser, at_root: str, site: Path) -> None:
    chapters = sorted((site / "notebooks").glob("*.html"))
    chapter = next(page for page in chapters if 'class="solution' in page.read_text("utf-8"))
    with watched_page(browser) as watched:
        open_page(watched.page, f"{at_root}notebooks/{chapter.name}")
        for title in watched.page.locator(".solution.toggle > .admonition-title").all():
            fold = title.locator("..")
            assert "toggle-hidden" in (fold.get_attribute("class") or "")
            title.click(position={"x": 30, "y": 10})
            assert "toggle-hidden" not in (fold.get_attribute("class") or "")
        assert watched.troubles == []


REPOSITORY_BUTTONS = ".btn-source-repository-button, .btn-source-edit-button, .btn-source-issues-button"


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny book with this one's settings, and an address and a repository."""
    home = tmp_path_factory.mktemp("published")
    folders = ("_ext", "_assets", "_templates", "node_modules", "src")
    for name in (*folders, "pyproject.toml", "README.md", "LICENSE"):
        (home / name).symlink_to(ROOT / name)
    config = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))
    config["repository"]["url"] = "https://github.com/someone/grpo-lessons"
    config["html"]["baseurl"] = "https://someone.example.org/grpo-lessons/"
    config["sphinx"]["config"]["bibtex_bibfiles"] = []
    (home / "_config.yml").write_text(yaml.safe_dump(config), "utf-8")
    toc = {"format": "jb-book", "root": "book/index", "chapters": [{"file": "book/how-to-use"}]}
    (home / "_toc.yml").write_text(yaml.safe_dump(toc), "utf-8")
    (home / "book").mkdir()
    for name in ("index", "how-to-use"):
        (home / "book" / f"{name}.md").write_text(f"(cite-{name})=\n# The page {name}\n", "utf-8")
    book = Path(sys.executable).with_name("jupyter-book")
    done = subprocess.run([book, "build", "."], cwd=home, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return home / "_build" / "html"


def test_without_a_repository_no_button_is_dead(browser: Browser, at_root: str) -> None:
    if yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))["repository"]["url"]:
        pytest.skip("the repository is set")
    with watched_page(browser) as watched:
        open_page(watched.page, at_root + "book/how-to-use.html")
        assert watched.page.locator(REPOSITORY_BUTTONS).count() == 0


def test_with_a_repository_the_buttons_appear(browser: Browser, published: Path) -> None:
    with serve(published) as url, watched_page(browser) as watched:
        open_page(watched.page, url + "book/how-to-use.html")
        targets = watched.page.locator(REPOSITORY_BUTTONS).evaluate_all("links => links.map(a => a.href)")
        assert len(targets) == 3
        assert all(target.startswith("https://github.com/someone/grpo-lessons") for target in targets)
        assert watched.troubles == []


def test_with_an_address_shared_links_are_absolute(published: Path) -> None:
    address = "https://someone.example.org/grpo-lessons/"
    page = (published / "book" / "how-to-use.html").read_text("utf-8")
    assert f'<meta property="og:url" content="{address}book/how-to-use.html" />' in page
    assert f'<link rel="canonical" href="{address}book/how-to-use.html"' in page
    assert f'href="{address}"' in (published / "404.html").read_text("utf-8")


# --- weight -----------------------------------------------------------------------------------------------


def test_pages_with_figures_are_light(browser: Browser, at_root: str, site: Path) -> None:
    """Compressed bytes of all requests: 950 KB on a first visit, 150 KB for each page after it."""
    heavy = {}
    for page in [*sorted((site / "notebooks").glob("*.html")), site / "book" / "report.html"]:
        with watched_page(browser) as watched:
            open_page(watched.page, f"{at_root}{page.relative_to(site).as_posix()}")
            asked = {urlsplit(url).path.lstrip("/") for url in watched.requests if url.startswith(at_root)}
        sizes = {path: len(gzip.compress((site / path).read_bytes())) for path in asked}
        own = sum(size for path, size in sizes.items() if not path.startswith(("_static", "searchindex")))
        print(f"{page.name}: {sum(sizes.values()) / 1000:.0f} KB first, {own / 1000:.0f} KB later")
        if sum(sizes.values()) > 950_000 or own > 150_000:
            heavy[page.name] = sizes
    assert not heavy
