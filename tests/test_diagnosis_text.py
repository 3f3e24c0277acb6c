"""The table for a terminal."""

from __future__ import annotations

import numpy as np
import pytest

from grpo_lessons.diagnosis import Estimate, diagnose
from grpo_lessons.diagnosis.text import bins, printable, render
from grpo_lessons.diagnosis.wording import between, number, share
from tests.logs import counted, drawn, log_of, note

HOSTILE = "evil\x1b[31m\nname\x07 <script>alert(1)</script>"


@pytest.fixture(scope="module")
def found():
    return diagnose(drawn(np.random.default_rng(0).beta(0.5, 1.5, 200), 8, 1, steps=20, preset="trl"))


def test_numbers_of_the_diagnosis_are_there(found):
    text = render(found)
    for k, count in enumerate(found.histogram[8]):
        assert f"  {k}  " in text
        assert f"{count:,} " in text
    assert f"silent            {share(found.silence.observed.value)}" in text
    assert between(found.silence.expected) in text
    assert "trl in all of" in text
    assert "8 of 20 steps" in text
    for advice in found.advice:
        assert " ".join(advice.caveat.split()) in " ".join(text.split())
    for row in found.what_if:
        assert share(row.silent.value) in text
    assert "< this run" in text


def test_width_and_plainness(found):
    text = render(found)
    assert all(len(line) <= 80 and line == line.rstrip() for line in text.split("\n"))
    assert "\x1b" not in text
    assert "\N{NO-BREAK SPACE}" not in text
    assert str(found) == text


def test_colour_is_only_colour(found):
    coloured = render(found, colour=True)
    assert "\x1b[1m" in coloured
    for code in ("0", "1", "2", "33", "34"):
        coloured = coloured.replace(f"\x1b[{code}m", "")
    assert [line.rstrip() for line in coloured.split("\n")] == render(found).split("\n")


def test_names_that_would_steer_the_terminal():
    rng = np.random.default_rng(0)
    columns = {HOSTILE: rng.integers(0, 2, 20) * 1.0, "b" * 200: rng.integers(0, 2, 20) * 1.0}
    log = log_of(np.reshape(sum(columns.values()), (4, 5)).tolist(), components=columns, paths=(HOSTILE,))
    text = render(diagnose(log), colour=True)
    assert "\x1b[31m" not in text
    assert "\x07" not in text
    assert all(len(line) <= 80 for line in render(diagnose(log)).splitlines())
    assert printable("a\u202eb\n") == "a\ufffdb\ufffd"


def test_bins():
    assert bins(4) == [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4)]
    for size in (2, 8, 17, 64, 1000):
        ranges = bins(size)
        assert len(ranges) <= 17
        assert ranges[0] == (0, 0)
        assert ranges[-1] == (size, size)
        assert [k for low, high in ranges for k in range(low, high + 1)] == list(range(size + 1))


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0, "0.0 %"),
        (1, "100.0 %"),
        (0.1234, "12.3 %"),
        (1e-9, "< 0.1 %"),
        (1 - 1e-9, "> 99.9 %"),
        (None, "—"),
    ],
)
def test_shares(value, said):
    assert share(value) == said


@pytest.mark.parametrize(
    ("value", "said"), [(12.345, "12.3"), (1234.5, "1,234"), (1e300, "1e+300"), (None, "—"), (4.0, "4")]
)
def test_numbers(value, said):
    assert number(value) == said


def test_intervals():
    assert between(Estimate(0.2, 0.1, 0.3)) == "10.0 to 30.0 %"
    assert between(Estimate(2, 1, 3), "number") == "1 to 3"
    assert between(Estimate(None)) == between(None) == "—"


def test_notes_are_told():
    assert "- A note on repeated-rows." in render(
        diagnose(counted([1, 2], 4, notes=(note("repeated-rows"),)))
    )
