"""Wheels that are not of Pyodide's release: those of wheels.txt, the kernel's, and the course's package."""

import email
import shutil
import zipfile
from collections.abc import Iterable
from importlib.metadata import distributions
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from .steps import HERE, ROOT, UV, Unable, kept, run, sha256


def from_index() -> list[Path]:
    """The wheels of wheels.txt, put together again from what the installer has unpacked and checked."""

    def make(folder: Path) -> None:
        target = folder / "unpacked"
        run("fetching the wheels", UV, "pip", "install", "--quiet", "--no-deps", "--require-hashes",
            "--target", target, "--python-version", "3.12", "--python-platform", "wasm32-pyodide2024",
            "-r", HERE / "wheels.txt")  # fmt: skip
        for found in distributions(path=[str(target)]):
            name = f"{found.metadata['Name'].replace('-', '_')}-{found.version}-py3-none-any.whl"
            with zipfile.ZipFile(folder / name, "w") as wheel:
                for file in found.files or []:
                    if ".." not in file.parts:  # scripts and data for a desktop
                        wheel.write(target / file, file.as_posix())
        shutil.rmtree(target)

    pinned = (HERE / "wheels.txt").read_bytes()
    return sorted(kept(f"wheels-{sha256(pinned)[:16]}", make).glob("*.whl"))


def of_kernel(environment: Path) -> list[Path]:
    """The halves of JupyterLite's Python kernel that run in the browser."""
    names = ("piplite", "pyodide_kernel", "ipykernel")
    found = [next(environment.glob(f"share/**/pypi/{name}-*.whl"), None) for name in names]
    if None in found:
        raise Unable("the kernel's wheels are not where jupyterlite-pyodide-kernel had them")
    return found


def of_course(site: Path) -> Path:
    """The package's wheel, as the built book offers it."""
    found = list((site / "downloads").glob("grpo_lessons-*.whl"))
    if len(found) != 1:
        raise Unable(f"no wheel in {(site / 'downloads').relative_to(ROOT)}: run `make book` first")
    return found[0]


def entry(wheel: Path, known: Iterable[str]) -> dict:
    """What Pyodide's lock says of a package, from the wheel itself; needs are kept if they are `known`."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = email.message_from_bytes(
            archive.read(next(name for name in names if name.endswith(".dist-info/METADATA")))
        )
    tops = {name.split("/")[0] for name in names if name.endswith(".py") and ".dist-info/" not in name}
    needs = [Requirement(line) for line in metadata.get_all("Requires-Dist", [])]
    wanted = {canonicalize_name(need.name) for need in needs if _applies(need)}
    return {
        "name": metadata["Name"],
        "version": metadata["Version"],
        "file_name": wheel.name,
        "sha256": sha256(wheel.read_bytes()),
        "imports": sorted(top.removesuffix(".py") for top in tops),
        "depends": sorted(wanted & set(known)),
        "install_dir": "site",
        "package_type": "package",
        "unvendored_tests": False,
    }


def _applies(need: Requirement) -> bool:
    """Whether a need holds in the browser's Python, no extras asked for."""
    browser = {"python_version": "3.12", "sys_platform": "emscripten", "platform_system": "Emscripten",
               "extra": ""}  # fmt: skip
    return need.marker is None or need.marker.evaluate(browser)
