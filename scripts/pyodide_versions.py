"""Run tests with the versions that live notebooks have: `python scripts/pyodide_versions.py [tests ...]`.

Without an argument: all unit tests and the code of every chapter, some minutes. The versions go into an
environment of their own, .venv-pyodide. Where no Python 3.12 is found, it says so and ends: the same
tests have run with the book's own versions.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv-pyodide"
PYTHON = VENV / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
UV = Path(sys.executable).with_name("uv")

VERSIONS = ("numpy==2.0.2", "matplotlib==3.8.4", "scipy==1.14.1", "pyparsing==3.1.2", "pillow==10.2.0")
"""Of Pyodide 0.27.7; what it has from elsewhere is in live/wheels.txt."""
OTHERS = ("pytest", "pytest-xdist", "jupytext", "playwright", "pyarrow", "distributed", "orjson")
DESK_ONLY = ("test_claims.py", "test_downloads.py", "test_prose.py", "test_quiz.py", "test_package.py",
             "test_live_build.py", "test_no_solutions.py")  # fmt: skip
"""Tests of what builds pages and packages, with tools that do not run in a browser."""


def python312() -> str | None:
    """A Python 3.12 that runs, on PATH or among pyenv's."""
    found = [shutil.which("python3.12"), *Path.home().glob(".pyenv/versions/3.12.*/bin/python")]
    for python in filter(None, found):
        if subprocess.run([python, "--version"], capture_output=True).returncode == 0:
            return str(python)
    return None


def run(*command: object) -> None:
    """Run a step from the project's root; its failure is ours."""
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "MPLBACKEND": "agg"}
    done = subprocess.run([str(word) for word in command], cwd=ROOT, env=environment)
    if done.returncode:
        sys.exit(f"pyodide_versions: this step failed: {' '.join(map(str, command))}")


def main() -> None:
    """Find Python 3.12, install, test."""
    python = python312()
    if not python:
        print("pyodide_versions: SKIPPED, for there is no Python 3.12 on this machine")
        return
    if not PYTHON.exists():
        run(UV, "venv", "--quiet", "--python", python, VENV)
    run(UV, "pip", "install", "--quiet", "--python", PYTHON, *VERSIONS, *OTHERS, "-r", "live/wheels.in")
    ignored = [f"--ignore-glob=*/{name}" for name in DESK_ONLY]
    wanted = sys.argv[1:] or ["src", "tests"]
    run(PYTHON, "-m", "pytest", "-q", "-n", "auto", "--dist", "loadscope", "-m", "not book and not live",
        *ignored, *wanted)  # fmt: skip


if __name__ == "__main__":
    main()
