"""What live tests share: a real Jupyter server, a browser, and notebooks that are run in it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import Browser, Page

from grpo_lessons.explorer import BUILDING

HERE = Path(__file__).parent

SERVER_CONFIG = """
c.ServerApp.ip = "127.0.0.1"
c.ServerApp.port = 0
c.ServerApp.open_browser = False
c.IdentityProvider.token = ""
c.ServerApp.disable_check_xsrf = True
c.ServerApp.allow_root = True
c.LabApp.news_url = None
c.LabApp.check_for_updates_class = "jupyterlab.NeverCheckForUpdate"
c.LabApp.extension_manager = "readonly"
c.KernelManager.transport_encryption = "auto"
"""

FRONT_ENDS = {"lab": "lab/tree/", "notebook": "notebooks/"}
"""Where each front end opens a notebook. One server serves both."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever lies in this folder needs a Jupyter server."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.live)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The URL of a Jupyter server with the machine's kernels, and the folder that it serves."""
    folder = tmp_path_factory.mktemp("jupyter")
    names = {"JUPYTER_CONFIG_DIR": "config", "JUPYTER_RUNTIME_DIR": "runtime", "IPYTHONDIR": "ipython"}
    environment = {key: value for key, value in os.environ.items() if key != BUILDING}
    environment |= {key: str(folder / name) for key, name in names.items()}
    for name in (*names.values(), "notebooks"):
        (folder / name).mkdir()
    (folder / "config" / "jupyter_lab_config.py").write_text(SERVER_CONFIG)
    command = [sys.executable, "-m", "jupyter", "lab", f"--ServerApp.root_dir={folder / 'notebooks'}"]
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    try:
        yield _address(folder / "runtime", process, folder / "log"), folder / "notebooks"
    finally:
        process.terminate()
        process.wait(30)


def _address(runtime: Path, process: subprocess.Popen[bytes], log: Path) -> str:
    """Wait for the file in which a running server says where it is."""
    for _ in range(600):
        assert process.poll() is None, log.read_text()
        for file in runtime.glob("jpserver-*.json"):
            return json.loads(file.read_text())["url"]
        time.sleep(0.1)
    raise TimeoutError(log.read_text())


def _wait_for_kernel(page: Page, url: str) -> None:
    """Wait until a kernel has started and a front end is connected to it, as the server sees it."""
    for _ in range(1200):
        for session in page.request.get(f"{url}api/sessions").json():
            if session["kernel"]["connections"] and session["kernel"]["execution_state"] == "idle":
                return
        page.wait_for_timeout(100)
    raise TimeoutError("no kernel started")


@pytest.fixture(params=FRONT_ENDS)
def run_notebook(
    request: pytest.FixtureRequest, browser: Browser, server: tuple[str, Path]
) -> Iterator[Callable[[list[str]], Page]]:
    """A function that opens cells as a notebook in JupyterLab or Notebook 7, runs them and gives the page."""
    url, folder = server
    with browser.new_context(viewport={"width": 1200, "height": 1000}) as context:
        page = context.new_page()
        page.set_default_timeout(120_000)  # a kernel starts slowly on a busy machine

        def run(cells: list[str]) -> Page:
            notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
            notebook.metadata["kernelspec"] = {
                "name": "python3",
                "display_name": "Python 3",
                "language": "python",
            }
            nbformat.write(notebook, folder / f"{request.param}.ipynb")
            page.goto(f"{url}{FRONT_ENDS[request.param]}{request.param}.ipynb")
            page.locator(".jp-Notebook .jp-Cell").first.wait_for()
            _wait_for_kernel(page, url)
            page.get_by_role("menuitem", name="Run", exact=True).click()
            page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
            return page

        yield run
        for session in page.request.get(f"{url}api/sessions").json():
            page.request.delete(f"{url}api/sessions/{session['id']}")
