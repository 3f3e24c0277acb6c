"""The house style's ticks."""

from __future__ import annotations

import pytest
from matplotlib.figure import Figure

from grpo_lessons import style


@pytest.mark.parametrize("scale", ["linear", "log", "logit"])
def test_ticks_are_plain_numbers_on_every_scale(scale):
    ax = Figure().subplots()
    ax.set(xscale=scale, xlim=(0.01, 0.99))
    style.ticks(ax.xaxis, [0.05, 0.5])
    assert [label.get_text() for label in ax.get_xticklabels()] == ["0.05", "0.5"]
    assert [label.get_text() for label in ax.get_xticklabels(minor=True)] == []
