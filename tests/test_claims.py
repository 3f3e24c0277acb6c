"""The ledger's rows: complete, in order, each with a test that exists and a place that the book has."""

from __future__ import annotations

import ast
import re
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "_ext"))
from claims import LABELLED, ledger, place  # noqa: E402

TABLES = ledger(str(ROOT))
ROWS = TABLES["claim"]
VERDICTS = ["proved", "checked", "simulated", "quoted", "depends", "wrong", "unsupported", "opinion"]


@cache
def names_of_tests(path: str) -> set[str]:
    """Every test of a file, as pytest names it, without parameters."""
    names = set()
    for node in ast.parse((ROOT / path).read_text("utf-8")).body:
        members = node.body if isinstance(node, ast.ClassDef) else [node]
        prefix = f"{node.name}::" if isinstance(node, ast.ClassDef) else ""
        names |= {prefix + m.name for m in members if isinstance(m, ast.FunctionDef) and m.name[:4] == "test"}
    return names


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_row_is_complete(row):
    assert set(row) == {"id", "says", "verdict", "right", "shown", "test"}
    assert all(value.strip() for value in row.values())
    assert row["verdict"] in TABLES["verdicts"]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_named_test_exists(row):
    path, _, name = row["test"].partition("::")
    assert name.split("[")[0] in names_of_tests(path)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_place_is_in_the_book(row):
    page, at, words = place(ROOT, row["shown"])
    assert f"file: {page}\n" in (ROOT / "_toc.yml").read_text("utf-8")
    assert (at in words) == at.startswith(tuple(LABELLED))


def test_a_place_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="nothing is called 'eq-nowhere'"):
        place(ROOT, "07 eq-nowhere")


def test_all_rows_of_both_articles_once_and_in_order():
    assert list(TABLES["articles"]) == ["A", "B"]
    assert all(language.startswith("Chinese") for language in TABLES["articles"].values())
    numbers = {
        article: [int(row["id"][2:]) for row in ROWS if row["id"][:2] == f"{article}-"] for article in "ab"
    }
    assert [row["id"] for row in ROWS] == [f"{article}-{n}" for article in "ab" for n in numbers[article]]
    for found in numbers.values():
        assert found == list(range(1, len(found) + 1))
    assert len(ROWS) >= 92


def test_verdicts_are_these_and_all_are_used():
    assert list(TABLES["verdicts"]) == VERDICTS
    assert {row["verdict"] for row in ROWS} == set(VERDICTS)


def test_what_is_proved_is_proved_somewhere():
    proved = [row["shown"] for row in ROWS if row["verdict"] == "proved"]
    assert [shown for shown in proved if not re.search(r" (eq-|thm-|derive)", shown)] == []


def test_numbers_are_computed():
    """In a right statement a percentage or a long decimal is the package's, or a target."""
    source = (ROOT / "book" / "claims.toml").read_text("utf-8")
    rights = re.findall(r"^right = '''(.*)'''$", source, re.M)
    assert len(rights) == len(ROWS)
    typed = {
        found
        for right in rights
        for found in re.findall(r"[\d.]+ %|\d\.\d{3,}", re.sub(r"\{\{.*?\}\}", "", right))
    }
    assert typed <= {"5 %", "90 %", "95 %"}  # targets
    assert not [row["id"] for row in ROWS if "{{" in row["right"]]


def test_landing_page_counts_every_row_once():
    landing = (ROOT / "book" / "index.md").read_text("utf-8")
    counted = re.findall(r"\{claim-count\}`([a-z+]+)`", landing)
    assert counted[0] == "all"
    assert sorted("+".join(counted[1:]).split("+")) == sorted(VERDICTS)
