"""The folder of Python for the browser: Pyodide, its lock, and every wheel that a notebook may import."""

import json
import shutil
from collections.abc import Iterable
from pathlib import Path

from packaging.utils import canonicalize_name

from .compiled import compiled
from .official import fetch, official_lock, pyodide
from .steps import SETTINGS, sha256
from .wheels import entry

CORE = ("pyodide.js", "pyodide.asm.js", "pyodide.asm.wasm")
LIBRARY = "python_stdlib.zip"


def closure(packages: dict[str, dict], roots: Iterable[str]) -> dict[str, dict]:
    """The entries of a lock that `roots` need, by canonical name, needs before what needs them."""
    found: dict[str, dict] = {}

    def add(name: str) -> None:
        name = canonicalize_name(name)
        if name not in found:
            for need in packages[name]["depends"]:
                add(need)
            found[name] = packages[name]

    for root in roots:
        add(root)
    return found


def write_folder(folder: Path, wheels: list[Path]) -> list[tuple[str, int]]:
    """Fill `folder`; returns what a browser loads until all is imported, names and bytes in order."""
    lock = official_lock()
    names = [wheel.name.split("-")[0] for wheel in wheels]
    known = {canonicalize_name(name) for name in (*lock["packages"], *names)}
    ours = {canonicalize_name(name): entry(wheel, known) for name, wheel in zip(names, wheels, strict=True)}
    roots = [*SETTINGS["start"], *SETTINGS["offered"], "grpo-lessons"]
    packages = closure(lock["packages"] | ours, roots)
    theirs = [package for name, package in packages.items() if name not in ours]
    places = dict(zip((package["file_name"] for package in theirs), fetch(theirs), strict=True))
    places |= {wheel.name: wheel for wheel in wheels}

    folder.mkdir(parents=True)
    for name in CORE:
        shutil.copy(pyodide() / name, folder)
    originals = [places[package["file_name"]] for package in packages.values()]
    rewritten = [file for file in originals if file.suffix == ".whl"]
    library, *others = compiled([pyodide() / LIBRARY, *rewritten])
    shutil.copy(library, folder / LIBRARY)
    shipped = dict(zip(rewritten, others, strict=True))
    for package, original in zip(packages.values(), originals, strict=True):
        file = Path(shutil.copy(shipped.get(original, original), folder))
        package |= {"file_name": file.name, "sha256": sha256(file.read_bytes())}
    (folder / "pyodide-lock.json").write_text(json.dumps(lock | {"packages": packages}), "utf-8")

    loaded = [*CORE, LIBRARY, "pyodide-lock.json", *(package["file_name"] for package in packages.values())]
    return [(name, (folder / name).stat().st_size) for name in loaded]
