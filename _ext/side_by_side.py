"""Chapters that have to run, run side by side before Sphinx reads the pages one after the other.

myst-nb executes a page when its turn comes to be read, on one core. Here the same notebooks, as myst-nb
reads them, go into the same cache first, one kernel for each core, with a line as each is done. A
chapter that fails is left for myst-nb to run again and to report in its way.
"""

import os
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from jupyter_cache.executors.utils import single_nb_execution
from myst_nb.core.read import create_nb_reader
from sphinx.util import logging

LOG = logging.getLogger(__name__)


def notebook(env, name):
    """The page as a notebook, or None if it has no code to run."""
    path = env.doc2path(name)
    text = Path(path).read_text(encoding="utf-8")
    reader = create_nb_reader(path, env.myst_config, env.mystnb_config, text)
    found = reader.read(text) if reader else None
    return found if found and any(cell.cell_type == "code" for cell in found.cells) else None


def known(cache, page):
    """Whether the cache has the page's outputs."""
    try:
        cache.match_cache_notebook(page)
    except KeyError:
        return False
    return True


def execute_side_by_side(app, env, docnames):
    """Fill the cache for the pages that are about to be read."""
    cache = get_cache(env.mystnb_config.execution_cache_path)
    pages = {name: page for name in docnames if (page := notebook(env, name))}
    todo = {name: page for name, page in pages.items() if not known(cache, page)}
    limit = env.mystnb_config.execution_timeout
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = {
            pool.submit(single_nb_execution, page, str(Path(env.doc2path(name)).parent), limit, False): name
            for name, page in todo.items()
        }
        for number, run in enumerate(as_completed(runs), start=1):
            name, result = runs[run], run.result()
            if result.err is None:
                bundle = CacheBundleIn(result.nb, env.doc2path(name), data={"execution_seconds": result.time})
                cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)
            said = "failed" if result.err else f"{result.time:.0f} s"
            LOG.info(f"executed {number} of {len(todo)}: {name} ({said})")


def setup(app):
    app.connect("env-before-read-docs", execute_side_by_side)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
