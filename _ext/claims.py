"""The ledger: rows of `book/claims.toml` as a page (`{claims}`), counts (`{claim-count}`), links in chapters.

The rows are data so that tests can ask each of them for its test and its link; MyST makes no page from data.
Numbers in a row are computed here, by the package, as those of chapters are by `glue`.
"""

import math
import re
import tomllib
from collections import Counter
from functools import cache
from html import escape
from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from jinja2 import Environment, StrictUndefined
from sphinx.util.docutils import SphinxDirective, SphinxRole

import grpo_lessons
from grpo_lessons import published
from grpo_lessons.prose import percent

LEDGER, PAGE = "book/claims.toml", "book/claims"
LABELLED = {"eq-": "Equation {{eq}}`{0}`", "thm-": "{{prf:ref}}`{0}`", "ex-": "{{ref}}`{0}`"}
KNOWN = {name: getattr(grpo_lessons, name) for name in grpo_lessons.__all__ if name.islower()}


@cache
def ledger(root):
    """The file's tables, with the numbers in `right` filled in."""
    tables = tomllib.loads((Path(root) / LEDGER).read_text("utf-8"))
    jinja = Environment(undefined=StrictUndefined, autoescape=False)
    jinja.globals = KNOWN | vars(published) | {"percent": percent, "inf": math.inf}
    for row in tables["claim"]:
        row["right"] = jinja.from_string(row["right"]).render()
    return tables


def name_of(row):
    """A15 for a-15."""
    return row["id"].upper().replace("-", "")


def place(root, shown):
    """The page that `shown` names ("07 eq-silent"), the id on it, and what to call it."""
    stem, at = shown.split()
    (source,) = [*Path(root).glob(f"notebooks/{stem}-*.md"), *Path(root).glob(f"book/{stem}.md")]
    text, fragment = source.read_text("utf-8"), at.split(":")[0]
    page = source.relative_to(root).with_suffix("").as_posix()
    headings = {
        re.sub(r"[^a-z0-9]+", "-", h.lower()).strip("-"): h for h in re.findall(r"^## (.+)$", text, re.M)
    }
    if fragment in headings:
        return page, at, f"Chapter {stem}, “{headings[fragment]}”"
    if f'name="{fragment}"' in text:
        return page, at, f"Chapter {stem}, figure"
    if re.search(rf"\({fragment}\)$|^:label: {fragment}$", text, re.M):
        return page, at, next(words.format(at) for start, words in LABELLED.items() if at.startswith(start))
    raise ValueError(f"claims.toml: nothing is called {fragment!r} in {source}")


class Claims(SphinxDirective):
    """A form that claims.js answers, and a section for each article with all its rows."""

    def run(self):
        self.env.note_dependency(str(Path(self.env.srcdir) / LEDGER))
        tables = ledger(self.env.srcdir)
        sections = []
        for article, language in tables["articles"].items():
            title = f"Article {article}"
            section = nodes.section("", nodes.title(title, title), ids=[f"article-{article.lower()}"])
            section += nodes.paragraph("", f"In {language}.", classes=["claim-source"])
            section += [self.row(row) for row in tables["claim"] if row["id"].startswith(article.lower())]
            sections.append(section)
        return [_html(form(tables)), *sections]

    def row(self, row):
        page, at, words = place(self.env.srcdir, row["shown"])
        if not words.startswith(("Equation", "{")):
            address = self.env.app.builder.get_relative_uri(self.env.docname, page)
            words = f'<a class="reference internal" href="{address}#{at}">{words}</a>'
        head = _html(
            f'<p class="claim-head"><a href="#claim-{row["id"]}">{name_of(row)}</a> '
            f'<strong class="claim-verdict">{row["verdict"].capitalize()}</strong></p>'
        )
        return nodes.container(
            "",
            head,
            self.words("claim-shown", words),
            self.words("claim-says", row["says"]),
            self.words("claim-right", row["right"]),
            self.words("claim-test", f"held by `{row['test']}`"),
            ids=[f"claim-{row['id']}"],
            classes=["claim", f"claim-{row['verdict']}"],
        )

    def words(self, kind, text):
        block = nodes.container(classes=[kind])
        self.state.nested_parse(StringList([text], source=LEDGER), self.content_offset, block)
        return block


def form(tables):
    """Search, article, verdict; each verdict with what it means and how many there are."""
    counts = Counter(row["verdict"] for row in tables["claim"])
    articles = "".join(
        f'<label><input type="radio" name="article" value="{a.lower()}"> Article {a}</label>'
        for a in tables["articles"]
    )
    verdicts = "".join(
        f'<label class="claim-{name}"><input type="checkbox" name="verdict" value="{name}">'
        f'<strong class="claim-verdict">{name.capitalize()}</strong> '
        f'<span class="claim-number">{counts[name]}</span> <span>{escape(meaning)}</span></label>'
        for name, meaning in tables["verdicts"].items()
    )
    total = len(tables["claim"])
    return (
        '<form id="ledger" aria-label="Choose claims">'
        f'<fieldset class="claim-verdicts"><legend>Verdicts</legend>{verdicts}</fieldset>'
        '<div class="claim-choice"><fieldset><legend>From</legend>'
        f'<label><input type="radio" name="article" value="" checked> both</label>{articles}</fieldset>'
        '<label class="claim-search">Words <input type="search" name="words" autocomplete="off"></label>'
        f'<p role="status">{total} of {total} claims</p><button type="reset">Show all</button></div></form>'
    )


class ClaimCount(SphinxRole):
    """How many rows have one of the verdicts: {claim-count}`wrong`, `proved+checked`, `all`."""

    def run(self):
        self.env.note_dependency(str(Path(self.env.srcdir) / LEDGER))
        tables = ledger(self.env.srcdir)
        names = set(tables["verdicts"]) if self.text == "all" else set(self.text.split("+"))
        if unknown := names - set(tables["verdicts"]):
            return [], [self.inliner.reporter.error(f"claim-count: no verdict is called {unknown}")]
        return [nodes.Text(str(sum(row["verdict"] in names for row in tables["claim"])))], []


def link_chapter(app, doctree):
    """At the end of "What the sources say": the rows that this chapter decides."""
    page = app.env.docname
    sections = [s for s in doctree.findall(nodes.section) if "what-the-sources-say" in s["ids"]]
    if not sections or PAGE not in app.env.found_docs:
        return
    app.env.note_dependency(str(Path(app.srcdir) / LEDGER))
    stem, home = Path(page).name[:2], app.builder.get_relative_uri(page, PAGE)
    line = nodes.paragraph("", "In the ledger of claims:", classes=["claim-links"])
    for row in ledger(app.srcdir)["claim"]:
        if row["shown"].startswith(stem):
            name = name_of(row)
            line += [
                nodes.Text(" "),
                nodes.reference("", name, refuri=f"{home}#claim-{row['id']}", internal=True),
            ]
    sections[0] += line


def add_script(app, pagename, templatename, context, doctree):
    """Only the page with the ledger loads what filters it."""
    if 'id="ledger"' in context.get("body", ""):
        app.add_js_file("claims.js", loading_method="defer")


def _html(text):
    return nodes.raw("", text, format="html")


def setup(app):
    app.add_directive("claims", Claims)
    app.add_role("claim-count", ClaimCount())
    app.connect("doctree-read", link_chapter)
    app.connect("html-page-context", add_script)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
