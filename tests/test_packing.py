"""Packing gives back what it was given: texts exactly, coordinates to a tenth."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest

from grpo_lessons.packing import THEME, fill, pack, read, split_svg, split_words, themed
from grpo_lessons.style import PALETTE


@pytest.mark.parametrize(
    "words",
    [
        "t = 0.50, G = 16",
        "0.0 and -0.0 and -0 and −3",
        "1e-05 of 007 bars, v1.2.3, 3.14159265358979, 12345678901",
        "-1.5 to -2",
        "no numbers: é < & >",
        "",
    ],
)
def test_words_come_back_letter_for_letter(words):
    assert fill(*split_words(words)) == words


def test_words_that_differ_in_numbers_share_a_template():
    assert split_words("G = 8, p = 0.50")[0] == split_words("G = 64, p = 0.95")[0]
    assert split_words("p = 0.5")[0] != split_words("p = 0.50")[0]


def test_coordinates_keep_a_tenth():
    svg = '<path d="M 1.26 -0.01 L 300.04 5 z" style="fill: none"/><use x="1.449" y="-7" href="#m12"/>'
    assert fill(*split_svg(svg)) == (
        '<path d="M 1.3 0.0 L 300.0 5.0 z" style="fill: none"/><use x="1.4" y="-7.0" href="#m12"/>'
    )


def test_what_is_no_coordinate_stays():
    svg = (
        '<g transform="translate(1 2) scale(0.0937 -0.0937)"><use href="#DejaVuSans-3c3"/></g>'
        '<path clip-path="url(#p0123456789)"/><image href="data:image/png;base64,aB3/d=" width="5"/>'
    )
    assert fill(*split_svg(svg)) == svg.replace("(1 2)", "(1.0 2.0)").replace('"5"', '"5.0"')


def test_coordinates_beyond_a_browsers_precision_are_cut():
    assert fill(*split_svg('<path d="M 0 1234567890.5 L -1e0 0"/>')).startswith('<path d="M 0.0 1000000.0')


def test_styles_keep_a_thousandth():
    svg = '<path style="fill: #12ab34; opacity: 0.4567; stroke-dasharray: 7.4,3.2; stroke: url(#h0123)"/>'
    assert fill(*split_svg(svg)) == (
        '<path style="fill: #12ab34; opacity: 0.457; stroke-dasharray: 7.400,3.200; stroke: url(#h0123)"/>'
    )


@pytest.mark.parametrize("colour", ["#000000", "#ffffff", *PALETTE.values(), "#123456", "#00000a"])
def test_colours_of_the_theme_become_variables(colour):
    shown = THEME.get(colour, colour)
    assert fill(*split_svg(f'<path style="fill: {colour}; stroke: {colour}"/>')) == (
        f'<path style="fill: {shown}; stroke: {shown}"/>'
    )
    assert themed(f'<rect fill="{colour}" style="stroke: {colour}"/>') == (
        f'<rect fill="{shown}" style="stroke: {shown}"/>'
    )


def test_the_default_font_is_left_to_the_figure():
    font = "font-family: 'DejaVu Sans', 'Verdana', sans-serif; "
    svg = f'<text style="font-size: 9px; {font}fill: #123456">a</text>'
    assert fill(*split_svg(svg)) == '<text style="font-size: 9.000px; fill: #123456">a</text>'
    own = "<text style=\"font-family: 'Comic Neue', cursive\">a</text>"
    assert fill(*split_svg(own)) == own


def round_trip(texts, shape, split):
    """Pack one text a setting, through JSON, and read all settings back."""
    distinct = {text: i for i, text in enumerate(dict.fromkeys(texts))}
    packed = pack(list(distinct), np.reshape([distinct[text] for text in texts], shape), split)
    packed = json.loads(json.dumps(packed))
    return packed, [read(packed, shape, at) for at in itertools.product(*map(range, shape))]


def test_pack_gives_back_every_setting():
    shape = (3, 4, 5)
    texts = [
        f'<path d="M {a * 1.1:.6f} {b**3} L 5 {c - 2}"/>' if a != 1 else f"<text>{b}: {c / 4:.2f}</text>"
        for a, b, c in itertools.product(*map(range, shape))
    ]
    _, back = round_trip(texts, shape, split_svg)
    assert back == [fill(*split_svg(text)) for text in texts]


def test_pack_drops_axes_that_do_not_matter_and_columns_that_do_not_change():
    texts = [f"always 7, now {b}" for _, b in itertools.product(range(6), range(3))]
    packed, back = round_trip(texts, (6, 3), split_words)
    assert back == texts
    assert packed["axes"] == [False, True]
    assert packed["index"] == [0, 1, 1]
    ((template, steps, rows, columns),) = packed["groups"]
    assert (template, steps, rows, columns) == ("always 7, now \ue000", [0, 1, 1], 3, 1)


def test_pack_without_axes_is_the_text():
    packed = pack(["Six lines."], np.reshape([0], ()), split_words)
    assert read(packed, (), ()) == "Six lines."


def test_a_random_walk_of_numbers_and_colours_comes_back():
    rng = np.random.default_rng(0)
    texts = [
        f'<path d="M {x} {y}" style="fill: #{rng.integers(2**24):06x}"/>'
        for x, y in rng.integers(-(10**6), 10**6, (40, 2)) / 10
    ]
    _, back = round_trip(texts, (8, 5), split_svg)
    assert back == texts
