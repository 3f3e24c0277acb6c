"""The page about the package shows the tested tables, and every module with public functions."""

from pathlib import Path

import test_edges
import test_words

import grpo_lessons

PAGE = (Path(__file__).parents[1] / "book" / "api.md").read_text(encoding="utf-8")


def test_page_has_the_tested_tables():
    assert test_edges.markdown() in PAGE
    assert test_words.markdown() in PAGE


def test_every_public_function_has_its_module_on_the_page():
    modules = {getattr(grpo_lessons, name).__module__ for name in grpo_lessons.__all__}
    missing = {module for module in modules if f"automodule:: {module}\n" not in PAGE}
    assert not missing
