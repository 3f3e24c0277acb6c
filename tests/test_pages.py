"""The prose pages keep up with the chapters: the map, the paths, the glossary's order."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
CHAPTERS = sorted(path.stem for path in (ROOT / "notebooks").glob("*.md"))


def titles():
    """Each chapter's number and title."""
    pages = {name: (ROOT / "notebooks" / f"{name}.md").read_text("utf-8") for name in CHAPTERS}
    return {name: f"{name[:2]} {re.search(r'^# (.+)$', page, re.M)[1]}" for name, page in pages.items()}


def test_map_has_every_chapter_by_its_title_and_in_order():
    index = (ROOT / "book" / "index.md").read_text("utf-8")
    course_map = index[index.index("## The map") : index.index("## How to run it")]
    linked = re.findall(r"\{doc\}`(.+?) <\.\./notebooks/(.+?)>`", course_map)
    assert [(name, title) for title, name in linked] == list(titles().items())


def test_toc_has_every_chapter_in_order():
    toc = (ROOT / "_toc.yml").read_text("utf-8")
    assert re.findall(r"file: notebooks/(.+)", toc) == CHAPTERS


def test_every_chapter_is_on_a_path():
    page = (ROOT / "book" / "how-to-use.md").read_text("utf-8")
    assert set(re.findall(r"<\.\./notebooks/(.+?)>", page)) == set(CHAPTERS)


def test_glossary_is_in_alphabetical_order():
    terms = re.findall(r"^(?![:\s#-])(.+)\n  \S", (ROOT / "book" / "glossary.md").read_text("utf-8"), re.M)
    terms = [term for term in terms if term not in ("myst:", "html_meta:")]
    assert len(terms) > 40
    assert terms == sorted(terms, key=str.lower)
