"""What all steps share: the settings, the folder for what is downloaded, and failing in one line."""

import hashlib
import os
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from platformdirs import user_cache_dir

HERE = Path(__file__).parent
ROOT = HERE.parent
CACHE = Path(user_cache_dir("grpo-lessons"))
SETTINGS = tomllib.loads((HERE / "live.toml").read_text("utf-8"))
UV = Path(sys.executable).with_name("uv")


class Unable(Exception):
    """A step cannot be done; the message says which and why, in one line."""


def sha256(data: bytes) -> str:
    """The checksum, as locks write it."""
    return hashlib.sha256(data).hexdigest()


def run(doing: str, *command: object, folder: Path | None = None, **environment: str) -> str:
    """What a command says, run in this folder or here; if it fails, the last line of that."""
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=folder, env=os.environ | environment, capture_output=True, text=True)
    if done.returncode:
        said = [line.strip() for line in (done.stderr + done.stdout).splitlines() if line.strip()]
        raise Unable(f"{doing} failed: {said[-1] if said else f'exit code {done.returncode}'}")
    return done.stdout


def kept(name: str, make) -> Path:
    """The folder `name` of the cache; if it is not there, `make(folder)` fills it, wholly or not at all."""
    folder = CACHE / name
    if not folder.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as job:
            aside = Path(job) / name
            make(aside)
            aside.replace(folder)
    return folder
