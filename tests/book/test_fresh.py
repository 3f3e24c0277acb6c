"""A change in the package reaches the page at the next build; no change costs no execution."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CONFIG = f"""
title: tiny
execute: {{execute_notebooks: cache}}
sphinx:
  local_extensions: {{fresh: {(ROOT / "_ext").as_posix()}}}
"""
PAGE = """---
kernelspec: {name: python3, display_name: Python 3}
jupytext: {text_representation: {extension: .md, format_name: myst}}
---
# Page

```{code-cell}
import sys
sys.path.insert(0, "src")
from tiny import VALUE
print("value", VALUE)
```
"""

pytestmark = pytest.mark.book


@pytest.fixture
def tiny_book(tmp_path):
    (tmp_path / "src").mkdir()
    for name, text in {
        "_config.yml": CONFIG,
        "_toc.yml": "format: jb-book\nroot: page\n",
        "page.md": PAGE,
        "src/tiny.py": "VALUE = 1\n",
        "requirements.txt": "",
    }.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def build(book: Path) -> tuple[str, str]:
    """What the build printed, and the page."""
    command = [Path(sys.executable).with_name("jupyter-book"), "build", ".", "-W", "--keep-going", "-n"]
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, cwd=book, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr, (book / "_build" / "html" / "page.html").read_text()


def test_a_changed_package_leaves_no_stale_page(tiny_book):
    said, page = build(tiny_book)
    assert "value 1" in page
    assert "Executing notebook" in said

    said, page = build(tiny_book)
    assert "value 1" in page
    assert "Executing notebook" not in said

    (tiny_book / "src" / "tiny.py").write_text("VALUE = 22\n")
    said, page = build(tiny_book)
    assert "value 22" in page

    caches = list((tiny_book / "_build" / "execution").iterdir())
    assert len(caches) == 1


def test_a_change_in_the_sites_own_code_rewrites_pages_and_executes_nothing(tiny_book):
    code = tiny_book / "_ext" / "anything.py"
    code.parent.mkdir()
    code.write_text("ONE = 1\n")
    build(tiny_book)
    said, _ = build(tiny_book)
    assert "0 added, 0 changed" in said
    code.write_text("ONE = 2\n")
    said, _ = build(tiny_book)
    assert "config changed" in said
    assert "Executing notebook" not in said
