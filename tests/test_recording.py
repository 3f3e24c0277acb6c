"""A recording's pieces: what each setting shows, a layout that holds still, a figure left as it was."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest

from grpo_lessons.recording import record, record_still

X = np.linspace(0, 1, 9)
SETTINGS = [{"a": a, "b": b} for a in (1, 2, 3) for b in (1, 2)]


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


@pytest.fixture
def panel():
    fig, ax = plt.subplots(layout="constrained")
    (line,) = ax.plot(X, X)
    dot = ax.scatter([0], [0])

    def update(a, b):
        line.set_ydata(a * X / 3)
        dot.set_offsets([[b / 3, 0.5]])
        return line, dot

    return fig, ax, update


def test_equal_pictures_are_kept_once(panel):
    fig, _, update = panel
    recording = record(fig, update, SETTINGS, SETTINGS[0])
    dot, line = recording.slots  # in the order in which matplotlib draws them
    assert line.name.startswith("Line2D")
    assert line.shown == [0, 0, 1, 1, 2, 2]
    assert len(line.pictures) == 3
    assert dot.shown == [0, 1, 0, 1, 0, 1]
    assert len(dot.pictures) == 2
    assert len(recording.still) == 3


def test_the_figure_is_left_at_the_start_and_at_its_own_resolution(panel):
    fig, ax, update = panel
    dpi = fig.dpi
    record(fig, update, SETTINGS, {"a": 2, "b": 1})
    assert fig.dpi == dpi
    np.testing.assert_allclose(ax.lines[0].get_ydata(), 2 * X / 3)
    assert fig.patch.get_visible()
    assert ax.patch.get_visible()


def test_the_layout_is_the_one_of_savefig(panel, tmp_path):
    fig, ax, update = panel
    twin, twin_ax = plt.subplots(layout="constrained")
    for each in (ax, twin_ax):
        each.set(ylabel="a label\nof two lines", title="a title", xlim=(0, 1), ylim=(0, 1))
    twin.savefig(tmp_path / "settled.svg")
    record(fig, update, SETTINGS, SETTINGS[0])
    np.testing.assert_allclose(ax.get_position().bounds, twin_ax.get_position().bounds, rtol=1e-9)


def test_the_layout_holds_still(panel):
    """A wider label would move a constrained layout; the pieces were recorded in one layout."""
    fig, ax, update = panel
    record(fig, update, SETTINGS, SETTINGS[0])
    before = ax.get_position().bounds
    ax.set_ylabel("a label\nof two lines")
    fig.draw_without_rendering()
    assert ax.get_position().bounds == before


def test_a_white_ground_is_left_out_and_another_kept(panel):
    fig, ax, update = panel
    assert "#ffffff" not in record(fig, update, SETTINGS, SETTINGS[0]).still[0]
    ax.set_facecolor("#fafad2")
    assert "#fafad2" in record(fig, update, SETTINGS, SETTINGS[0]).still[0]


def test_a_line_keeps_all_its_points():
    """Simplified, it would have other points at every setting, and a template of its own for each."""
    fig, ax = plt.subplots()
    x = np.linspace(0, 1, 300)
    (curve,) = ax.plot(x, x)

    def update(a):
        curve.set_ydata(x**a)
        return curve

    (slot,) = record(fig, update, [{"a": a} for a in (1, 2, 3)], {"a": 1}).slots
    assert [picture.count(" L ") for picture in slot.pictures] == [299, 299, 299]


def test_images_are_not_merged():
    fig, ax = plt.subplots()
    ax.imshow(np.eye(3), alpha=0.5)
    image = ax.imshow(np.eye(3), alpha=0.5)

    def update(a):
        image.set_data(np.eye(3) * a)
        return image

    (slot,) = record(fig, update, [{"a": a} for a in (0, 1)], {"a": 1}).slots
    assert len(slot.pictures) == 2


def test_definitions_serve_every_setting():
    fig, ax = plt.subplots()
    (dots,) = ax.plot(X, X, "o")

    def update(a):
        dots.set_markersize(a)
        return dots

    recording = record(fig, update, [{"a": a} for a in (2, 3, 4)], {"a": 3})
    (slot,) = recording.slots
    markers = {picture.partition('href="#')[2].partition('"')[0] for picture in slot.pictures}
    assert len(markers) == 3
    for marker in markers:
        assert recording.definitions.count(f'id="{marker}"') == 1


def test_a_refusal_leaves_the_resolution_as_it_was(panel):
    fig, _, _ = panel
    dpi = fig.dpi
    with pytest.raises(ValueError, match="returned no artist"):
        record(fig, lambda a, b: None, SETTINGS, SETTINGS[0])
    assert fig.dpi == dpi


def test_a_change_that_only_the_whole_figure_shows(panel):
    """zorder moves a picture between the pieces, which no single picture tells."""
    fig, ax, update = panel

    def restack(a, b):
        ax.lines[0].set_zorder(a)
        return update(a, b)

    with pytest.raises(ValueError, match=r"update changed .* but did not return it"):
        record(fig, restack, SETTINGS, SETTINGS[0])


def test_a_change_in_the_midst_of_a_large_grid():
    """matplotlib does not mark an annotation's point as changed; a sample of whole drawings finds it."""
    fig, ax = plt.subplots()
    (line,) = ax.plot(X, X)
    note = ax.annotate("here", (0.5, 0.5), (0.1, 0.8), arrowprops={"arrowstyle": "->"})

    def update(a):
        line.set_ydata(a * X / 100)
        note.xy = (0.5, 0.5 if a in (0, 99) else 0.7)
        return line

    with pytest.raises(ValueError, match=r"changed Annotation\(.*'here'\) at a=25 but did not return it"):
        record(fig, update, [{"a": a} for a in range(100)], {"a": 0})


def test_a_still_is_one_piece(panel):
    recording = record_still(panel[0])
    assert recording.slots == []
    assert len(recording.still) == 1
    assert (recording.width, recording.height) == pytest.approx((6.4 * 72, 4.8 * 72))
