"""What tests share: one browser, because a process can run only one, and a Python without pyarrow."""

from __future__ import annotations

import builtins
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


@pytest.fixture
def no_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where the extra `runs` is not installed."""
    real = builtins.__import__

    def missing(name, *args, **kwargs):
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", missing)
