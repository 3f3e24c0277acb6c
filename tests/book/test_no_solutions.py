"""Nothing of the teacher's reaches the site: no solution, no hidden test, on no page and in no download.

Passes with `homework/` gone, too: then there is nothing to look for.
"""

import io
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from grading.leaks import plain, secrets

ROOT = Path(__file__).resolve().parents[2]
HOMEWORK = Path(os.environ.get("HOMEWORK", ROOT / "homework"))
TEXTS = {".html", ".js", ".json", ".ipynb", ".md", ".py", ".txt", ".xml", ".svg", ".css", ".toml"}
COURSE = ("notebooks/*.md", "book/*.md", "src/**/*.py")


def texts(name: str, content: bytes) -> Iterator[tuple[str, str]]:
    """The texts in a file; those in archives too, and in archives in archives."""
    if name.endswith((".zip", ".whl")):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for entry in archive.namelist():
                yield from texts(f"{name}/{entry}", archive.read(entry))
    elif Path(name).suffix in TEXTS:
        yield name, plain(content.decode("utf-8", "replace"))


@pytest.fixture(scope="module")
def wanted() -> set[str]:
    """Pieces of the masters' secrets, less what the course itself teaches in the same words."""
    course = "".join(plain(file.read_text("utf-8")) for where in COURSE for file in ROOT.glob(where))
    found = set()
    for master in HOMEWORK.glob("*/master.md"):
        found |= secrets(master.read_text("utf-8"), master.with_name("grading.toml").read_text("utf-8"))
    return {piece for piece in found if piece not in course}


def test_search_finds_what_it_looks_for(wanted):
    """In a master as a page or a notebook would show it."""
    for master in HOMEWORK.glob("*/master.md"):
        shown = f"<span>{master.read_text('utf-8')}</span>".replace("'", "&#x27;").replace("\n", "\\n")
        assert sum(piece in plain(shown) for piece in wanted) > 10
    assert wanted or not list(HOMEWORK.glob("*/master.md"))


def test_site_and_downloads_hold_none_of_it(site, wanted):
    others = {site / "lite" / name for name in ("build", "extensions", "static")}  # JupyterLite and Python
    files = [file for file in site.rglob("*") if file.suffix in TEXTS | {".zip", ".whl"}]
    files = [file for file in files if not others & set(file.parents)]
    assert any(file.suffix == ".whl" for file in files)
    leaks = {
        name: leaked
        for file in files
        for name, text in texts(str(file.relative_to(site)), file.read_bytes())
        if (leaked := sorted(piece for piece in wanted if piece in text))
    }
    assert leaks == {}


def test_book_builds_from_neither_masters_nor_grader(site):
    pages = {file.relative_to(site).parts[0] for file in site.rglob("*.html")}
    assert not pages & {"homework", "grading"}
    assert not {file.name for file in (site / "_sources").rglob("*")} & {
        "master.md",
        "grading.toml",
        "draw.py",
    }
