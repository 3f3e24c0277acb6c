"""Wheels rewritten for a quick start; each once for every version of it and of the rewriting."""

import os
import shutil
import tempfile
from pathlib import Path

from .official import pyodide
from .steps import CACHE, HERE, UV, run, sha256

NODE = UV.with_name("node")


def compiled(files: list[Path]) -> list[Path]:
    """The rewritten files, in the order of `files`; their names carry what they were made from."""
    folder = CACHE / "compiled"
    folder.mkdir(parents=True, exist_ok=True)
    recipe = (HERE / "in_pyodide.py").read_bytes() + (HERE / "package-lock.json").read_bytes()
    places = {file: folder / _name(file, sha256(recipe + file.read_bytes())[:8]) for file in files}
    missing = [file for file, place in places.items() if not place.exists()]
    if missing:
        with tempfile.TemporaryDirectory(dir=folder) as job:
            for name in ("in", "out"):
                (Path(job) / name).mkdir()
            for file in missing:
                shutil.copy(file, Path(job) / "in")
            run("compiling the wheels", NODE, HERE / "compile.mjs", pyodide(), job)
            for file in missing:
                os.replace(Path(job) / "out" / file.name, places[file])
    return list(places.values())


def _name(file: Path, digest: str) -> str:
    """`numpy-2.0.2-01a2b3c4d-cp312-...whl`, the digest as a build tag: no browser mixes up two."""
    parts = file.stem.split("-")
    return "-".join([*parts[:2], f"0{digest}", *parts[2:]]) + file.suffix
