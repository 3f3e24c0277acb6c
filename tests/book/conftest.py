"""What tests of the built site share: the site, a browser without network, and one test a page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser import serve

HERE = Path(__file__).parent
SITE = HERE.parent.parent / "_build" / "html"
PREFIX = "/grpo-lessons/"


def pages() -> list[str]:
    """Every HTML page of the built book, as a path relative to it; live notebooks have tests of their own."""
    found = [page.relative_to(SITE) for page in SITE.rglob("*.html")]
    return sorted(page.as_posix() for page in found if page.parts[0] not in ("_static", "lite"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever lies in this folder needs the built site."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.book)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that asks for `page_name` runs once for every page."""
    if "page_name" in metafunc.fixturenames:
        metafunc.parametrize("page_name", pages() or ["index.html"])


@pytest.fixture(scope="session")
def site() -> Path:
    """The folder of the built site."""
    assert (SITE / "index.html").exists(), "the site is not built: run `make book`"
    return SITE


@pytest.fixture(scope="session")
def at_root(site: Path) -> Iterator[str]:
    """The URL of the site served at the root of a host."""
    with serve(site) as url:
        yield url


@pytest.fixture(scope="session")
def at_prefix(site: Path) -> Iterator[str]:
    """The URL of the site served under a sub-path, as a project site is."""
    with serve(site, PREFIX) as url:
        yield url


@pytest.fixture(scope="session", params=["root", "prefix", "file"])
def address(request: pytest.FixtureRequest, site: Path) -> str:
    """The site's address in each way it is read: at a root, under a sub-path, by double-click."""
    if request.param == "file":
        return site.as_uri() + "/"
    return str(request.getfixturevalue(f"at_{request.param}"))
