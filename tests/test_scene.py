"""What update returns, and every refusal of what would make a wrong picture."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest

from grpo_lessons.pen import Pen
from grpo_lessons.scene import Scene, artists_in

X = np.linspace(0, 1, 9)


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


@pytest.fixture
def panel():
    fig, ax = plt.subplots()
    (line,) = ax.plot(X, X)
    fig.dpi = 72
    fig.draw_without_rendering()
    return fig, ax, line


def play(fig, update):
    """Run `update` over a = 1, 2, 3 as a recording does."""
    pen = Pen(fig, 100)
    scene = Scene(fig, update, {"a": 1}, pen)
    for a in (1, 2, 3):
        scene.change({"a": a})
        scene.check_sum([pen.draw(artist) for artist in scene.artists], {"a": a})


def test_artists_in_containers_and_lists(panel):
    _, ax, line = panel
    bars, errors = ax.bar([1, 2], [1, 2]), ax.errorbar([1], [1], [1])
    assert artists_in(line) == [line]
    assert artists_in([line, (bars, line), None]) == [line, *bars]
    assert artists_in(errors) == [errors[0], *errors[1], *errors[2]]


def test_an_artist_inside_a_returned_one_is_left_to_it(panel):
    _, ax, line = panel
    assert artists_in([line, ax]) == [ax]


@pytest.mark.parametrize("returned", [None, [], (None, [])])
def test_nothing_returned(returned):
    with pytest.raises(ValueError, match="update returned no artist: return the artists that it changes"):
        artists_in(returned)


def test_something_else_returned(panel):
    with pytest.raises(ValueError, match="must return the artists that it changes, got 3"):
        artists_in([panel[2], 3])


def test_a_fair_update_passes(panel):
    fig, ax, line = panel
    word = ax.text(0.5, 0.5, "")

    def update(a):
        line.set_ydata(a * X / 3)
        word.set_text(f"{a}" if a > 1 else "")
        return word, line

    play(fig, update)


def test_changed_limits(panel):
    fig, ax, line = panel

    def update(a):
        line.set_ydata(a * X)
        ax.set_ylim(0, a)
        return line

    with pytest.raises(ValueError, match=r"limits of Axes.* changed at a=2: fix them .* or return the Axes"):
        play(fig, update)


def test_limits_that_scale_themselves(panel):
    fig, ax, line = panel

    def update(a):
        line.set_ydata(a * X)
        ax.relim()
        ax.autoscale_view()
        return line

    with pytest.raises(ValueError, match="limits of Axes"):
        play(fig, update)


def test_limits_of_a_returned_axes_may_change(panel):
    fig, ax, line = panel

    def update(a):
        line.set_ydata(a * X)
        ax.set(ylim=(0, a), yticks=[0, a], title=f"{a}")
        return ax

    play(fig, update)


def test_changed_but_not_returned(panel):
    fig, ax, line = panel
    title = ax.set_title("q")

    def update(a):
        line.set_ydata(a * X)
        title.set_text(f"at {a}")
        return line

    with pytest.raises(ValueError, match=r"changed Text\(.*'at 2'\) at a=2 but did not return it"):
        play(fig, update)


def test_changed_where_matplotlib_does_not_notice(panel):
    fig, ax, line = panel
    note = ax.annotate("here", (0.5, 0.5), (0.1, 0.8), arrowprops={"arrowstyle": "->"})

    def update(a):
        line.set_ydata(a * X / 3)
        note.xy = (a / 4, 0.5)  # a plain attribute: the artist is not marked as stale
        return line

    with pytest.raises(ValueError, match=r"changed Annotation\(.*'here'\) at a=2 but did not return it"):
        play(fig, update)


def test_a_new_artist_every_time(panel):
    fig, ax, _ = panel
    with pytest.raises(ValueError, match=r"other artists at a=1 than at a=1: .*PolyColl.*fill: set_verts\("):
        play(fig, lambda a: ax.fill_between(X, 0, a * X / 3))


def test_a_new_artist_that_is_not_returned(panel):
    fig, ax, line = panel

    def update(a):
        line.set_ydata(a * X / 3)
        ax.axhline(a / 4)
        return line

    with pytest.raises(ValueError, match="made or returned other artists at a=1"):
        play(fig, update)


def test_sometimes_another_artist(panel):
    fig, ax, line = panel
    (other,) = ax.plot(X, 1 - X)
    with pytest.raises(ValueError, match="made or returned other artists at a=2 than at a=1"):
        play(fig, lambda a: [line, other] if a == 1 else line)


def test_an_artist_that_its_parent_places(panel):
    fig, ax, _ = panel
    ax.plot(X, X, label="b")
    text = ax.legend(loc="center").get_texts()[0]

    def update(a):
        text.set_text("wide" * a)
        return text

    with pytest.raises(ValueError, match=r"differently alone .*: return what places it \(its Legend"):
        play(fig, update)


def test_an_artist_of_another_figure(panel):
    (stranger,) = plt.subplots()[1].plot(X, X)
    with pytest.raises(ValueError, match="which this figure does not draw"):
        play(panel[0], lambda a: stranger)


def test_an_animated_artist(panel):
    fig, _, line = panel
    line.set_animated(True)
    with pytest.raises(ValueError, match="animated=True"):
        play(fig, lambda a: line)
