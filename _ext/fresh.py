"""A change in the package or the lock must never leave a stale page.

Jupyter Book's execution cache is keyed by a notebook's own code, and Sphinx re-reads a page only when
its text or the configuration changed. Naming the cache after what the notebooks import settles both:
another package is another cache, and another cache path is another configuration. The site's own code and
templates are made part of the configuration too: a change there writes pages anew and executes nothing.
"""

import hashlib
import shutil
from pathlib import Path

from jupyter_client.manager import KernelManager

WATCHED = ("src/**/*.*", "requirements.txt")
SITE_CODE = ("_ext/*.*", "_templates/**/*.*")


def digest(root: Path, watched=WATCHED) -> str:
    """A hash over files: by default over everything that notebooks import."""
    files = sorted(f for pattern in watched for f in root.glob(pattern) if f.is_file() and f.suffix != ".pyc")
    sha = hashlib.sha256()
    for file in files:
        sha.update(f"{file.relative_to(root).as_posix()}\n".encode() + file.read_bytes())
    return sha.hexdigest()[:16]


def name_cache(app, config):
    """Use a cache for this state of the package, and drop those of earlier states."""
    root = Path(app.srcdir)
    caches = root / "_build" / "execution"
    current = caches / digest(root)
    for old in set(caches.glob("*")) - {current}:
        shutil.rmtree(old, ignore_errors=True)
    config.nb_execution_cache_path = str(current)


def setup(app):
    KernelManager.transport_encryption.default_value = "auto"  # else every kernel warns of plain TCP
    app.add_config_value("site_code", digest(Path(app.srcdir), SITE_CODE), "env")
    app.connect("config-inited", name_cache)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
