"""What browser tests share: a Chromium without network, a static server, a watched page."""

from __future__ import annotations

import functools
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, Playwright

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MAC_CHROME = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)


def find_browser(playwright: Playwright) -> str | None:
    """The system's Chromium or Chrome, or else the one that `playwright install chromium` brought."""
    candidates = [*map(shutil.which, BROWSERS), MAC_CHROME, playwright.chromium.executable_path]
    return next((found for found in candidates if found and Path(found).exists()), None)


def launch(playwright: Playwright) -> Browser:
    """A headless browser without network, or an error that says what to do."""
    found = find_browser(playwright)
    if found is None:
        raise RuntimeError("no Chromium or Chrome found: run `python scripts/browser.py`")
    return playwright.chromium.launch(executable_path=found, args=list(ARGUMENTS))


class _Handler(SimpleHTTPRequestHandler):
    """Serves a directory under a prefix, as static hosts do: no listing, 404.html for what is not there."""

    def __init__(self, *args: Any, prefix: str, **kwargs: Any) -> None:
        self.prefix = prefix
        super().__init__(*args, **kwargs)

    def translate_path(self, path: str) -> str:
        if not path.startswith(self.prefix):
            return str(Path(self.directory) / "outside-the-prefix-nothing-is-served")
        return super().translate_path(path.removeprefix(self.prefix.rstrip("/")))

    def list_directory(self, path: Any) -> None:
        self.send_error(404)

    def send_error(self, code: int, *message: Any) -> None:
        lost = Path(self.directory) / "404.html"
        if code != 404 or not self.path.startswith(self.prefix) or not lost.exists():
            return super().send_error(code, *message)
        self.send_response(404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(lost.read_bytes())

    def log_message(self, *args: Any) -> None:
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that closes a page hangs up in the middle of an answer: not worth a traceback."""


@contextmanager
def serve(directory: str | Path, prefix: str = "/") -> Iterator[str]:
    """Serve `directory` at 127.0.0.1 under `prefix` (such as "/grpo-lessons/"); yields its URL."""
    prefix = "/" + prefix.strip("/") + "/" if prefix.strip("/") else "/"
    handler = functools.partial(_Handler, directory=str(directory), prefix=prefix)
    with _Server(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}{prefix}"
        finally:
            server.shutdown()
            thread.join()


@dataclass
class Watched:
    """A page and what went wrong on it; `troubles` should stay empty."""

    page: Page
    troubles: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


@contextmanager
def watched_page(browser: Browser, **context: Any) -> Iterator[Watched]:
    """A page in a context of its own, to which `viewport`, `color_scheme`, `java_script_enabled`, ... go.

    `troubles` collects console errors, uncaught errors, failed requests, answers of 400 and above and every
    request to a host other than 127.0.0.1; `requests` all addresses asked for.
    """
    with browser.new_context(**context) as opened:
        page = opened.new_page()
        watched = Watched(page)
        trouble = watched.troubles.append

        def asked(url: str) -> None:
            watched.requests.append(url)
            parts = urlsplit(url)
            if parts.scheme in ("http", "https", "ws", "wss") and parts.hostname != "127.0.0.1":
                trouble(f"foreign host: {url}")

        page.on("request", lambda request: asked(request.url))
        page.on("websocket", lambda socket: asked(socket.url))
        page.on("console", lambda said: said.type == "error" and trouble(f"console: {said.text}"))
        page.on("pageerror", lambda error: trouble(f"uncaught: {error}"))
        page.on("requestfailed", lambda failed: trouble(f"failed: {failed.url} ({failed.failure})"))
        page.on("response", lambda got: got.status >= 400 and trouble(f"{got.status}: {got.url}"))
        yield watched
