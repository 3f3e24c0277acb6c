"""JupyterLite around the folder of Python: its environment, its notebooks, its settings."""

import json
import re
import shutil
import sys
from pathlib import Path
from string import Template

import nbformat

from .steps import HERE, ROOT, SETTINGS, UV, kept, run, sha256

KERNEL = {
    "kernelspec": {"display_name": "Python (Pyodide)", "language": "python", "name": "python"},
    "language_info": {"name": "python"},
}
"""Without these a notebook opens with a question: which kernel?"""

FRONT_END = 8_000_000
"""Bytes of JupyterLite that a browser loads before it shows a notebook; measured (tests/lite)."""


BESIDE = {
    "downloads/grpo-lessons-notebooks.zip": "All notebooks of the book and the package, as a zip",
    "book/for-teachers.html": "For teachers",
}
"""What else the list of notebooks links to, where the site has it."""


def environment() -> Path:
    """An environment of its own, so that `make book` need not install it."""
    pinned = HERE / "requirements.txt"

    def make(folder: Path) -> None:
        run(
            "making an environment",
            UV,
            "venv",
            "--quiet",
            "--relocatable",
            "--python",
            sys.executable,
            folder,
        )
        run("installing JupyterLite", UV, "pip", "install", "--quiet", "--require-hashes",
            "--python", folder, "-r", pinned)  # fmt: skip

    version = "".join(map(str, sys.version_info[:2]))
    return kept(f"jupyterlite-{version}-{sha256(pinned.read_bytes())[:16]}", make)


def python_of(environment: Path) -> Path:
    """The interpreter of an environment."""
    return environment / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def write_notebooks(site: Path, folder: Path) -> list[dict[str, str]]:
    """Chapters from the book's downloads, and homework if it was made: where each is, its title, its part."""
    chapters = sorted((site / "downloads").glob("*.ipynb"))
    homework = sorted((ROOT / "dist" / "homework").glob("*/student/*.ipynb"))
    found = []
    for file in chapters:
        page = next(site.glob(f"*/{file.stem}.html")).relative_to(site).as_posix()
        part = "Chapters" if page.startswith("notebooks/") else "More"
        found.append(_write(file, folder, file.name) | {"page": page, "part": part})
    return found + [_write(file, folder, f"homework/{file.name}") | {"part": "Homework"} for file in homework]


def _write(file: Path, folder: Path, place: str) -> dict[str, str]:
    """One notebook, ready for this kernel: no question, nothing to install."""
    notebook = nbformat.read(file, as_version=4)
    notebook.metadata = nbformat.from_dict(KERNEL)
    notebook.cells = [cell for cell in notebook.cells if "install" not in cell.metadata.get("tags", [])]
    (folder / place).parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, folder / place)
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    heading = re.search(r"^# (.+)$", text, re.MULTILINE)
    return {"path": place, "title": heading[1] if heading else file.stem}


def build(lite: Path, contents: Path, target: Path) -> None:
    """Run `jupyter lite build` on the folder `lite`, with the settings beside this file."""
    settings = json.loads((HERE / "jupyter-lite.json").read_text("utf-8"))
    kernel = settings["jupyter-config-data"]["litePluginSettings"][
        "@jupyterlite/pyodide-kernel-extension:kernel"
    ]
    kernel["loadPyodideOptions"] = {"packages": SETTINGS["start"]}
    (lite / "jupyter-lite.json").write_text(json.dumps(settings), "utf-8")
    shutil.copy(HERE / "overrides.json", lite)
    alone = {"JUPYTER_PREFER_ENV_PATH": "1", "JUPYTER_DATA_DIR": str(lite), "JUPYTER_CONFIG_DIR": str(lite)}
    command = "from jupyterlite_core.app import main; main()"
    run("building JupyterLite", python_of(environment()), "-c", command, "build", "--lite-dir", lite,
        "--contents", contents, "--output-dir", target, "--apps", "notebooks",
        "--no-sourcemaps", "--no-unused-shared-packages", folder=lite, **alone)  # fmt: skip


def write_start_page(site: Path, target: Path, notebooks: list[dict], python: list[tuple[str, int]]) -> None:
    """The page that the book links to, which loads and shows a notebook."""
    beside = [(f"../{place}", title) for place, title in BESIDE.items() if (site / place).exists()]
    data = {"notebooks": notebooks, "beside": beside, "python": python, "frontEnd": FRONT_END}
    text = (HERE / "start.html").read_text("utf-8")
    filled = Template(text).substitute(data=json.dumps(data).replace("<", "\\u003c"))
    (target / "start.html").write_text(filled, "utf-8")
    for name in ("start.js", "start.css"):
        shutil.copy(HERE / name, target)
