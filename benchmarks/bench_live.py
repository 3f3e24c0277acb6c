"""Cold start of a live notebook in headless Chromium (needs `make site`).

CPU seconds of all of the browser's processes, from the click on: until Python is ready, until a first numpy
result, until a sympy result. On a busy machine of two cores: 9.8, 10.4 and 11.7. JupyterLite as it comes,
with the same packages loaded at the start, needed 15.2 for the numpy result there and 18.7 for sympy's.
"""

from __future__ import annotations

import sys
from pathlib import Path

import psutil
import pytest
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT))

from tests.browser import launch, serve  # noqa: E402
from tests.lite.conftest import SITE, WAIT  # noqa: E402

ANSWER = """async (code) => {
  const { sessionContext } = document.querySelector("iframe").contentWindow.jupyterapp.shell.currentWidget;
  return (await sessionContext.session.kernel.requestExecute({ code }).done).content.status;
}"""
CELLS = {"numpy": "import numpy as np; np.arange(10).sum()",
         "sympy": "import sympy as sp; sp.integrate(sp.Symbol('x') ** 2)"}  # fmt: skip


def browser_seconds() -> float:
    """CPU seconds of this process's browsers so far."""
    processes = psutil.Process().children(recursive=True)
    return sum(sum(process.cpu_times()[:2]) for process in processes if "chrom" in process.name())


@pytest.mark.skipif(not (SITE / "lite" / "start.html").exists(), reason="no live notebooks: run `make site`")
def bench_cold_start(benchmark):
    seconds = {}

    def start():
        with sync_playwright() as playwright, serve(SITE, "/grpo-lessons/") as url:
            browser = launch(playwright)
            page = browser.new_page()
            before = browser_seconds()
            page.goto(f"{url}lite/start.html?notebook=07-silent-groups.ipynb")
            page.get_by_role("button", name="Start again").wait_for(timeout=WAIT)
            seconds["ready"] = browser_seconds() - before
            for name, code in CELLS.items():
                assert page.evaluate(ANSWER, code) == "ok"
                seconds[name] = browser_seconds() - before
            browser.close()

    benchmark.pedantic(start, rounds=1)
    print("\nCPU seconds: " + ", ".join(f"{name} {value:.1f}" for name, value in seconds.items()))
