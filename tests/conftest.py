"""What all tests share: one browser, because a process can run only one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser import launch


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A headless Chromium that resolves no host but 127.0.0.1."""
    with sync_playwright() as playwright:
        found = launch(playwright)
        yield found
        found.close()
