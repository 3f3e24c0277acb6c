"""`explore` and `still`: of every kind of artist they show what matplotlib draws; and what they refuse."""

from __future__ import annotations

import gzip
import re
import subprocess
import sys

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

from grpo_lessons import explore, still, style
from tests.agreement import difference, fresh
from tests.kinds import KINDS, KS, TS, figure

X = np.linspace(0, 1, 9)
SAMPLED = [(0.0, 0), (0.2, 1), (0.6, 2), (1.0, 3), (0.8, 0)]


@pytest.fixture(autouse=True)
def own_style():
    with mpl.rc_context():
        yield
    plt.close("all")


def line(**options):
    """A line whose slope is `a`, explored over a = 1, 2, 3 unless `options` say otherwise."""
    fig, ax = plt.subplots()
    (curve,) = ax.plot(X, X)
    ax.set_ylim(0, 4)

    def update(a, **others):
        curve.set_ydata(a * X)
        return curve

    given = {"name": "line", "describe": lambda a, **others: f"The slope is {a}.", "a": [1, 2, 3]} | options
    return explore(fig, update, **given)


class TestAgreement:
    """Mark by mark, coordinates to a tenth of a point, everything else exactly."""

    @pytest.mark.parametrize("kind", KINDS)
    def test_of_every_kind(self, kind):
        fig, update = figure([kind], columns=1)
        explorer = explore(fig, update, name="x", describe=lambda t, k: f"{t} {k}", t=TS, k=KS)
        for t, k in SAMPLED:
            update(t, k)
            assert difference(explorer.svg(t=t, k=k), fresh(fig)) == "", (t, k)

    def test_of_many_kinds_in_the_house_style(self):
        style.use()
        fig, update = figure(
            ["line", "words", "mathematics", "bars", "scatter", "legend", "spans"], columns=4
        )
        explorer = explore(fig, update, name="x", describe=lambda t, k: f"{t} {k}", t=TS[:3], k=KS[:2])
        for t, k in [(0.0, 0), (0.4, 1)]:
            update(t, k)
            assert difference(explorer.svg(t=t, k=k), fresh(fig)) == "", (t, k)

    @pytest.mark.parametrize("kind", ["line", "scatter", "legend", "image", "mathematics"])
    def test_of_a_still(self, kind):
        fig, update = figure([kind], columns=1)
        update(0.4, 1)
        assert difference(still(fig, name="x", describe="A figure.").svg(), fresh(fig)) == ""

    def test_would_notice(self):
        """The comparison itself: a tenth of a point, a colour, a word, a marker more."""
        fig, update = figure(["gaps_and_markers"], columns=1)
        update(0.4, 1)
        svg = still(fig, name="x", describe="A figure.").svg()
        moved = re.sub(r'(?<= x=")[\d.]+', lambda x: f"{float(x[0]) + 0.11:.2f}", svg, count=1)
        recoloured = svg.replace("fill: #1f77b4", "fill: #1f77b5", 1)
        reworded = svg.replace(">0.0<", ">0.1<", 1)
        widened = svg.replace("stroke-width: 1.500", "stroke-width: 1.501", 1)
        for changed in (moved, recoloured, reworded, widened):
            assert changed != svg
            assert difference(changed, fresh(fig)) != ""


class TestValues:
    """What tests of chapters read."""

    def test_value_is_the_sentence(self):
        assert [line().value(a=a) for a in (1, 2, 3)] == [f"The slope is {a}." for a in (1, 2, 3)]

    def test_the_figure_is_left_at_the_start_and_closed(self):
        before = plt.get_fignums()
        explorer = line(start={"a": 3})
        assert plt.get_fignums() == before
        assert 'aria-label="The slope is 3."' in explorer.html

    def test_strings_are_settings_too(self):
        fig, ax = plt.subplots()
        word = ax.text(0, 0, "")

        def update(way):
            word.set_text(way)
            return word

        explorer = explore(fig, update, name="way", describe=lambda way: f"By {way}.", way=["GRPO", "RLOO"])
        assert explorer.value(way="GRPO") == "By GRPO."
        assert ">RLOO<" in explorer.svg(way="RLOO")

    def test_update_gets_the_numbers_of_the_link(self):
        seen = []

        def update(p):
            seen.append(p)
            return word

        fig, ax = plt.subplots()
        word = ax.text(0, 0, "")
        explore(fig, update, name="p", describe=lambda p: f"{p}", p=np.arange(1, 4) * 0.1)
        assert set(seen) == {0.1, 0.2, 0.3}

    @pytest.mark.parametrize("setting", [{"a": 1.5}, {}, {"a": 1, "b": 2}, {"a": "1"}])
    def test_a_setting_off_the_grid(self, setting):
        with pytest.raises(ValueError, match=r"a must be one of|setting needs|setting names"):
            line().value(**setting)
        with pytest.raises(ValueError, match=r"a must be one of|setting needs|setting names"):
            line().svg(**setting)


class TestRefusals:
    """Arguments that are refused, by name."""

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            (
                {"name": "Two words"},
                r"name must be an id of small letters, digits and hyphens, got 'Two words'",
            ),
            ({"a": [1]}, r"a must be two or more numbers or strings, got \[1\]"),
            ({"start": {"a": 9}}, "a must be one of 1, 2, 3, got 9"),
            ({"start": {"b": 9}}, "start names 'b', which is no parameter; there are a"),
            ({"play": "b"}, "play names 'b'"),
            ({"labels": {"b": "b"}}, "labels names 'b'"),
            ({"formats": {"b": "{}"}}, "formats names 'b'"),
            ({"describe": lambda a: None}, "describe must give a sentence, got None"),
            ({"describe": lambda a: " "}, "describe must give a sentence, got ' '"),
            ({"layout": [1, 2]}, "'layout' cannot be a parameter: widgets have an attribute of that name"),
            ({"_x": [1, 2]}, "'_x' cannot be a parameter"),
            (
                {"a": range(100), "b": range(51)},
                r"line: 100 a × 51 b = 5,100 settings, more than 5,000: give some parameter fewer values",
            ),
        ],
    )
    def test_of_arguments(self, options, said):
        with pytest.raises(ValueError, match=said):
            line(**options)

    def test_of_no_parameter(self):
        with pytest.raises(ValueError, match=r"explore needs a parameter, such as G=\[2, 4, 8\]"):
            explore(plt.figure(), lambda: None, name="x", describe=lambda: "x")

    def test_of_a_still_without_words(self):
        with pytest.raises(ValueError, match="describe must give a sentence, got ''"):
            still(plt.figure(), name="x", describe="")

    def test_of_too_many_bytes_names_the_heaviest_artist(self):
        rng = np.random.default_rng(0)
        fig, ax = plt.subplots()
        (light,), noise = ax.plot(X, X), ax.scatter(X, X)
        ax.set(xlim=(0, 1), ylim=(0, 1))

        def update(a):
            light.set_ydata(a * X)
            noise.set_offsets(rng.random((200, 2)))
            return light, noise

        with pytest.raises(ValueError, match=r"x: \d+ KB .*, more than 40 KB\. Heaviest is PathCollection"):
            explore(fig, update, name="x", describe=lambda a: f"{a}", a=range(200))

    def test_of_a_heavy_still(self):
        rng = np.random.default_rng(0)
        fig, ax = plt.subplots()
        ax.plot(*rng.random((2, 15_000)))
        with pytest.raises(ValueError, match="Heaviest is what does not change"):
            still(fig, name="x", describe="Noise.")


def test_ids_are_the_explorers_own():
    fig, update = figure(["gaps_and_markers", "clipped_image", "hatched_bars", "mathematics"], columns=2)
    html = explore(fig, update, name="mine", describe=lambda t, k: f"{t}", t=TS, k=KS).svg(t=0.4, k=1)
    ids = set(re.findall(r' id="([^"]+)"', html))
    links = set(re.findall(r'(?:href="#|url\(#)([^")]+)', html))
    assert {name.partition("-")[0] for name in ids | links} == {"mine"}
    assert links <= ids


def test_a_typical_explorer_is_light():
    style.use()
    fig, ax = plt.subplots()
    p = np.linspace(0, 1, 201)
    (curve,), (dot,), word = ax.plot(p, p), ax.plot([0], [0], "o"), ax.text(0, 0, "")

    def update(G, at):
        curve.set_ydata(p**G + (1 - p) ** G)
        dot.set_data([at], [at**G + (1 - at) ** G])
        word.set_text(f"{at:.2f}")
        return curve, dot, word

    grid = {"G": [2, 4, 8, 16, 32, 64], "at": p[1:-1:2]}
    explorer = explore(fig, update, name="x", describe=lambda G, at: f"G is {G}, p is {at}.", **grid)
    assert len(gzip.compress(explorer.html.encode())) < 10 * 1024


def test_the_package_alone_does_not_import_matplotlib():
    code = "import grpo_lessons, sys; assert 'matplotlib' not in sys.modules; grpo_lessons.still"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_an_unknown_name_of_the_package():
    import grpo_lessons

    with pytest.raises(AttributeError, match="no attribute 'explroe'"):
        _ = grpo_lessons.explroe
