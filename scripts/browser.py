"""`python scripts/browser.py`: find a browser for the tests, or install one, or say what to do."""

import subprocess
import sys
from pathlib import Path

from debian import install
from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from tests.browser import find_browser


def found() -> str | None:
    """The browser that tests will use."""
    with sync_playwright() as playwright:
        return find_browser(playwright)


def install_browser() -> None:
    """Debian's package where we may install packages, else playwright's own build."""
    install("chromium")
    if not found():
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"])


if __name__ == "__main__":
    if not found():
        print("No Chromium or Chrome found; installing one", flush=True)
        install_browser()
    if not found():
        sys.exit(
            "browser: install Chromium or Google Chrome (Debian: apt-get install chromium) and try again"
        )
    print(f"Browser for the tests: {found()}")
