"""Archives whose bytes depend on their contents alone, and the package's wheel that goes into them."""

import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

import yaml

from .drawing import ROOT

README = """\
{title}

Open {name}.ipynb in JupyterLab, Colab or JupyterLite. It needs Python 3.11 or newer and the course's package:

    pip install {wheel}

The cell below each question checks your answer at once, as far as a public check can. Marks come from tests
with other inputs. When you are done, restart the kernel, run all cells, save, and hand in {name}.ipynb only.
"""


def build_wheel(folder: Path) -> Path:
    """The package's wheel."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder.resolve())]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise ValueError(f"the wheel was not built:\n{done.stdout}{done.stderr}")
    return next(folder.glob("*.whl"))


def wheel_address(wheel: Path) -> str:
    """What a student's pip installs: from the site, once `html.baseurl` says where that is."""
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    base = config["html"].get("baseurl", "").rstrip("/")
    return f"{base}/downloads/{wheel.name}" if base else wheel.name


def write_zip(target: Path, files: Mapping[str, bytes]) -> None:
    """A zip with no clock in it."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(files.items()):
            entry = zipfile.ZipInfo(name)
            entry.external_attr = 0o755 << 16 if name.startswith(("run_", "setup")) else 0o644 << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)


def read_zip(source: Path) -> dict[str, bytes]:
    """What is in a zip, by name."""
    with zipfile.ZipFile(source) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def class_zip(target: Path, title: str, notebook: Path, data: Path, wheel: Path) -> None:
    """What a class is handed: notebook, data, wheel, and how to start."""
    readme = README.format(title=title, name=notebook.stem, wheel=wheel.name)
    files = {
        notebook.name: notebook.read_bytes(),
        wheel.name: wheel.read_bytes(),
        "README.txt": readme.encode(),
    }
    write_zip(target, files | {f"data/{file.name}": file.read_bytes() for file in sorted(data.glob("*"))})
