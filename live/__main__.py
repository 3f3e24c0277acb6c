"""`python -m live`: add live notebooks to the built book, as `lite/`; if that fails, the book stays whole."""

import shutil
import sys
import tempfile
from pathlib import Path

from .folder import write_folder
from .front_end import build, environment, write_notebooks, write_start_page
from .steps import ROOT, Unable
from .wheels import from_index, of_course, of_kernel

SITE = ROOT / "_build" / "html"
SWITCH = SITE / "_static" / "live.css"
"""Hides the buttons that lead to `lite/`, until it is there."""


def add_live(site: Path, aside: Path) -> Path:
    """Build everything in the folder `aside`; returns what is to become the site's `lite/`."""
    wheels = [*from_index(), *of_kernel(environment()), of_course(site)]
    python = write_folder(aside / "lite" / "static" / "pyodide", wheels)
    notebooks = write_notebooks(site, aside / "contents")
    build(aside / "lite", aside / "contents", aside / "site")
    write_start_page(site, aside / "site", notebooks, python)
    return aside / "site"


def main() -> None:
    """All of it, or one line that says what is missing."""
    try:
        if not SWITCH.exists():
            raise Unable("there is no built book in _build/html: run `make book` first")
        with tempfile.TemporaryDirectory(dir=SITE.parent) as aside:
            built = add_live(SITE, Path(aside))
            shutil.rmtree(SITE / "lite", ignore_errors=True)
            built.replace(SITE / "lite")
        SWITCH.write_text("", "utf-8")
    except Unable as why:
        sys.exit(f"live: {why}")
    lite = SITE / "lite"
    size = sum(file.stat().st_size for file in lite.rglob("*") if file.is_file())
    print(f"Live notebooks: {lite} ({size / 1e6:.0f} MB); they need a web server: `make serve`")


if __name__ == "__main__":
    main()
