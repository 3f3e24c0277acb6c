"""What a reader takes home from the built site: it is all there, installs, and runs away from the project."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import nbformat
import pytest

ROOT = Path(__file__).parents[2]
DOWNLOADS = ROOT / "_build" / "html" / "downloads"
NOTEBOOKS = sorted(DOWNLOADS.glob("*.ipynb")) or [DOWNLOADS / "not-built.ipynb"]
LINK = re.compile(r'href="([^"#?]*downloads/[^"]+)"')


def links(page: Path) -> list[Path]:
    """The downloads that a page links to, as files of the site."""
    found = LINK.findall(page.read_text("utf-8"))
    return [(page.parent / unquote(unescape(link))).resolve() for link in found]


def markdown(notebook: Path) -> str:
    cells = nbformat.read(notebook, as_version=4).cells
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


@pytest.fixture(scope="module")
def wheel(site) -> Path:
    (found,) = DOWNLOADS.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Path:
    """A folder with the wheel's contents alone."""
    folder = tmp_path_factory.mktemp("installed")
    uv = [
        Path(sys.executable).with_name("uv"),
        "pip",
        "install",
        "--quiet",
        "--offline",
        "--python",
        sys.executable,
    ]
    subprocess.run([*uv, "--no-deps", "--target", folder, wheel], check=True)
    return folder


def test_how_to_use_lists_every_download(site):
    page = site / "book" / "how-to-use.html"
    assert sorted(links(page)) == sorted(DOWNLOADS.iterdir())


def test_every_linked_download_exists(site):
    missing = {link for page in site.rglob("*.html") for link in links(page) if not link.is_file()}
    assert not missing


def test_every_chapter_offers_its_notebook(site):
    chapters = [site / "notebooks" / f"{source.stem}.html" for source in (ROOT / "notebooks").glob("*.md")]
    for page in filter(Path.exists, chapters):
        assert links(page) == [DOWNLOADS / f"{page.stem}.ipynb"]


def test_install_lines_name_the_wheel(site, wheel):
    assert f"pip install {wheel.name}" in (site / "book" / "how-to-use.html").read_text("utf-8")
    for notebook in NOTEBOOKS:
        assert f"%pip install {wheel.name}" in nbformat.read(notebook, as_version=4).cells[0].source


def test_zip_holds_the_same_files_and_no_clock(site):
    with zipfile.ZipFile(DOWNLOADS / "grpo-lessons-notebooks.zip") as archive:
        packed = {entry.filename: archive.read(entry) for entry in archive.infolist()}
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    assert packed == {file.name: file.read_bytes() for file in DOWNLOADS.iterdir() if file.suffix != ".zip"}


def test_wheel_carries_all_of_the_package(installed):
    source, target = ROOT / "src" / "grpo_lessons", installed / "grpo_lessons"
    carried = {file.relative_to(target) for file in target.rglob("*") if file.is_file()}
    wanted = {
        file.relative_to(source) for file in source.rglob("*") if file.is_file() and file.suffix != ".pyc"
    }
    assert carried == wanted
    assert {".mplstyle", ".js", ".css", ".typed"} <= {Path(f"_{name.name}").suffix for name in carried}


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_speaks_plain_markdown(site, notebook):
    text = re.sub(r"^(`{3,}).*?^\1$|(`+)[^`]+\2", "", markdown(notebook), flags=re.DOTALL | re.MULTILINE)
    assert not re.search(
        r"\{[\w:.-]+\}`|^[>\s]*:{3,}|^[>\s]*`{3,}\{|\$\$\s*\([^()\s]+\)|^\([\w-]+\)=", text, re.MULTILINE
    )


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_says_what_the_page_says(site, notebook):
    """Equation numbers, exercise numbers and computed values, as on the page."""
    (page,) = site.glob(f"*/{notebook.stem}.html")
    html, text = page.read_text("utf-8"), markdown(notebook)
    assert re.findall(r"\\tag\{(.+?)\}", text) == re.findall(r'class="eqno">\((.+?)\)', html)
    for number in re.findall(r'class="caption-number">(Exercise [\d.]+)', html):
        assert f"**{number}" in text
    for value in re.findall(r'class="pasted-text">(.*?)</span>', html):
        assert unescape(value) in text


def test_notebook_runs_away_from_the_project(installed, tmp_path):
    """From top to bottom, with the wheel's package and not the source tree's."""
    (source,) = DOWNLOADS.glob("07-*.ipynb")
    notebook = nbformat.read(source, as_version=4)
    notebook.cells.append(nbformat.v4.new_code_cell("print(gl.__file__)"))
    nbformat.write(notebook, tmp_path / "chapter.ipynb")
    environment = os.environ | {"PYTHONPATH": str(installed)}
    command = [
        sys.executable,
        "-c",
        "from nbclient.cli import main; main()",
        "--output=done",
        "chapter.ipynb",
    ]
    subprocess.run(command, cwd=tmp_path, env=environment, check=True)
    done = json.loads((tmp_path / "done.ipynb").read_text("utf-8"))
    assert str(installed) in done["cells"][-1]["outputs"][0]["text"][0]
