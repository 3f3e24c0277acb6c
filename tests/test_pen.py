"""The pen draws what matplotlib draws: alone or in pieces, without what differs from drawing to drawing."""

from __future__ import annotations

import re

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.backends.backend_svg import RendererSVG

from grpo_lessons.pen import Pen


@pytest.fixture(autouse=True)
def own_style():
    with mpl.rc_context({"svg.hashsalt": "test"}):
        yield
    plt.close("all")


@pytest.fixture
def drawn():
    fig, ax = plt.subplots()
    line = ax.plot([0, 1], [0, 1], "-o", color="#0067b0")[0]
    dots = ax.scatter(np.arange(20), np.arange(20), c=np.arange(20))
    fig.dpi = 72
    fig.draw_without_rendering()
    return fig, ax, line, dots, Pen(fig, 100)


def test_the_same_picture_twice(drawn):
    _, _, line, dots, pen = drawn
    for artist in (line, dots):  # markers are defined once, a collection's ids count its drawings
        assert pen.draw(artist) == pen.draw(artist) != ""


def test_pictures_hold_no_definitions(drawn):
    _, _, line, dots, pen = drawn
    pictures = pen.draw(line) + pen.draw(dots)
    assert "<defs" not in pictures
    pen.finalize()
    defined = set(re.findall(r' id="([^"]+)"', "".join(pen.definitions)))
    used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', pictures))
    assert len(used) == 3  # two markers and the clip path
    assert used <= defined


def test_pieces_are_the_figure(drawn):
    fig, _, line, dots, pen = drawn
    drawing = pen.draw_whole(fig, [dots, line])
    assert drawing.order == [0, 1]  # collections are drawn below lines
    assert drawing.pictures == [pen.draw(dots), pen.draw(line)]
    in_pieces = "".join(a + b for a, b in zip(drawing.still, [*drawing.pictures, ""], strict=True))
    assert in_pieces == "".join(pen.draw_whole(fig, []).still)


def test_artists_draw_themselves_again_after_a_whole(drawn):
    fig, _, line, _, pen = drawn
    pen.draw_whole(fig, [line])
    assert "draw" not in vars(line)


def test_words_stay_text_and_mathematics_becomes_shapes(drawn):
    _, ax, _, _, pen = drawn
    assert "<text" in pen.draw(ax.text(0, 0, "words"))
    formula = pen.draw(ax.text(0, 0, r"$\sigma$"))
    assert "<text" not in formula
    (glyph,) = re.findall(r'<use href="#([^"]+)"', formula)
    assert f'id="{glyph}"' in "".join(pen.definitions)


def test_images_keep_their_size_at_any_resolution():
    fig, ax = plt.subplots(dpi=200)
    image = ax.imshow(np.eye(3))
    fig.dpi = 72
    fig.draw_without_rendering()
    width, height = (ax.bbox.width, ax.bbox.height)
    picture = Pen(fig, 200).draw(image)
    assert " id=" not in picture
    for size, name in ((width, "width"), (height, "height")):
        assert float(re.search(rf' {name}="([\d.]+)"', picture)[1]) == pytest.approx(size, abs=0.5)


def test_only_public_parts_of_the_renderer_are_used():
    """What Pen overrides or calls must exist; a matplotlib without it should fail here first."""
    for name in ("open_group", "close_group", "draw_text", "finalize"):
        assert callable(getattr(RendererSVG, name))
