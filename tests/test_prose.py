"""What chapters glue, tabulate and derive, as the book reads it."""

from __future__ import annotations

import pytest
import sympy
from myst_nb.core.variables import format_plain_text

from grpo_lessons import prose


@pytest.mark.parametrize("text", ["1.00", "3.0", "66.3\N{NARROW NO-BREAK SPACE}%", "5.1e-05", "it's"])
def test_glued_text_is_shown_as_it_was_written(monkeypatch, text):
    shown = {}

    def display(data, metadata, **_):
        shown[metadata["scrapbook"]["name"]] = data[prose.GLUE_PREFIX + "text/plain"]

    monkeypatch.setattr(prose, "display", display)
    prose.glue(value=text)
    assert format_plain_text(shown["value"], "") == format_plain_text(shown["value"], "s") == text


def test_percent():
    assert prose.percent(0.66342) == "66.3\N{NARROW NO-BREAK SPACE}%"
    assert prose.percent(1, 0) == "100\N{NARROW NO-BREAK SPACE}%"


def test_steps_are_aligned_lines():
    p = sympy.Symbol("p")
    lines = prose.steps("x", p**2, "y").data
    assert lines == r"\begin{aligned}x &= p^{2} \\[4pt] &= y\end{aligned}"


def test_table():
    assert prose.table(["a", "b"], [[1, "$p$"]]).data == "| a | b |\n| --- | --- |\n| 1 | $p$ |"
