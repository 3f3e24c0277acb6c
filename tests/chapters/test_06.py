"""Chapter 06: the cap, the peak, the deviation without a cap, and what the simulation is said to show."""

import re

import mpmath
import numpy as np
import pytest
import sympy as sp

import grpo_lessons as gl
from grpo_lessons.conventions import CONVENTIONS
from grpo_lessons.published import FLOAT32


def h(rate):
    """The rare prompt's typical maximum times √p."""
    rate = mpmath.mpf(rate)
    terms = mpmath.nsum(lambda k: rate**k / mpmath.factorial(k) / mpmath.sqrt(k), [1, mpmath.inf])
    return mpmath.sqrt(rate) * terms / (mpmath.exp(rate) - 1)


def test_prose_says_the_cap(chapter):
    assert (chapter.number("lone_4"), chapter.number("lone_64")) == (1.73, 7.94)
    np.testing.assert_array_equal(gl.group_std(1, [2, 8]).round(3), [0.5, 0.331])
    assert gl.group_std(1, 64) == pytest.approx(np.sqrt(63) / 64)


def test_samuelson_for_symbolic_rewards():
    """The proof's identity, letter by letter, for groups of two to five."""
    for size in range(2, 6):
        rewards = sp.symbols(f"r:{size}")
        d = [r - sum(rewards) / size for r in rewards]
        others = sum((x + d[0] / (size - 1)) ** 2 for x in d[1:])
        assert sp.expand(others - sum(x**2 for x in d) + sp.Rational(size, size - 1) * d[0] ** 2) == 0


def test_rare_prompts_peak_near_four_right(chapter):
    with mpmath.workdps(40):
        top = mpmath.findroot(lambda rate: mpmath.diff(h, rate), 3.8)
    assert chapter.names["top"].x == pytest.approx(float(top), abs=1e-3)
    assert chapter.number("peak_rate") == round(float(top), 1) == 3.8
    assert float(h(top)) == pytest.approx(1.1, abs=1e-3)
    for p, name in ((0.05, "peak_05"), (0.01, "peak_01")):
        peak = chapter.number(name)
        typical = gl.expected_max_advantage(p, peak + np.array([-1, 0, 1]))
        assert typical[1] == typical.max()
        assert peak * p == pytest.approx(float(top), abs=0.04)
    assert gl.expected_max_advantage(1e-6, 3_000_000) * 1e-3 == pytest.approx(float(h(3)), rel=1e-5)


def test_prose_says_the_typical_maximum(chapter):
    assert chapter.number("peak_half") == 1.483
    assert chapter.number("four_half") == 1.418
    assert (chapter.number("max_8"), chapter.number("max_64")) == (2.48, 4.78)


def test_groups_of_five_never_exceed_two():
    assert np.all(gl.extreme_advantage_probability(np.linspace(0, 1, 21)[:, None], np.arange(2, 6), 2) == 0)
    assert np.all(gl.extreme_advantage_probability(np.linspace(0, 1, 21), 6, 2) > 0)


def test_prose_says_both_kinds_of_noise(chapter):
    assert chapter.number("error_2") == pytest.approx(1.294, abs=6e-3)
    assert chapter.number("error_64") == pytest.approx(0.243, abs=6e-3)
    assert (chapter.number("cv_2"), chapter.number("cv_64")) == (0, pytest.approx(0.246, abs=6e-3))
    assert chapter.number("true_std") == pytest.approx(np.sqrt(0.0475), abs=5e-4)


def test_where_the_divisor_is_loudest(chapter):
    """Var and mean of σ over the mixed groups, added up by mpmath."""

    p = mpmath.mpf("0.05")

    def variation(size):
        weights = [mpmath.binomial(size, k) * p**k * (1 - p) ** (size - k) for k in range(1, size)]
        stds = [mpmath.sqrt(k * (size - k)) / size for k in range(1, size)]
        mean = mpmath.fdot(weights, stds) / mpmath.fsum(weights)
        square = mpmath.fdot(weights, [std**2 for std in stds]) / mpmath.fsum(weights)
        return mpmath.sqrt(square - mean**2) / mean

    peak = int(chapter.number("loudest"))
    assert variation(peak - 1) < variation(peak) > variation(peak + 1)
    assert abs(peak - 48) <= 2  # as the figure's description says


def test_even_prompts_calm_down_from_six_on_but_for_a_ripple():
    typical = gl.expected_max_advantage(0.5, np.arange(5, 65))
    assert np.argmax(typical) == 0
    assert np.diff(typical).max() < 2e-3


class TestDeviationOfTheOthers:
    def test_follows_from_the_advantage(self):
        rewards = np.random.default_rng(8).random((200, 6))
        inside = gl.advantages(rewards)
        expected = inside * np.sqrt(6 / (5 - inside**2)) * np.sqrt(4 / 5)  # the others' ddof is 1
        found = CONVENTIONS["nemo_rl"].advantages(rewards, np.float64)
        np.testing.assert_allclose(found, expected, rtol=2e-3)

    @pytest.mark.parametrize(("spread", "advantage"), [(0.05, 17), (0.01, 85)])
    def test_by_hand(self, spread, advantage):
        group = [1, 0.15 - spread, 0.15, 0.15 + spread]
        found = CONVENTIONS["nemo_rl"].advantages(group, np.float64)[0]
        assert found == pytest.approx(advantage, rel=2e-4)
        assert gl.advantages(group)[0] < 3**0.5

    def test_rarest_success_is_pushed_least(self):
        groups = [(np.arange(8) < k).astype(float) for k in (1, 2, 3, 4)]
        pushes = [CONVENTIONS["nemo_rl"].advantages(group, np.float64)[0] for group in groups]
        assert pushes[0] == min(pushes) == 1
        assert pushes[1] > 2

    def test_recorded(self, chapter):
        assert chapter.glued["recorded"] == "17,851"
        assert FLOAT32["one_and_seven_of_0.15"]["nemo_rl"].value == 17_851
        assert chapter.number("undivided") == 0.85

    def test_figure(self, chapter):
        value = chapter.explorers["others"].value
        assert "the textbook gives 2.583, at most 2.646" in value(h=0.1, G=8)
        spread = np.std(np.linspace(-1, 1, 7), ddof=1)
        for h_, said in ((0.1, "11.8"), (1e-3, "1,179")):
            assert 0.85 / (h_ * spread + 1e-6) == pytest.approx(float(said.replace(",", "")), rel=5e-4)
            assert f"gives {said}" in value(h=h_, G=8)

    def test_thread(self, chapter):
        others = 1e-4 * np.sqrt(14 / 27)  # of seven even steps from -1 to 1, times the spread
        assert chapter.number("thread_advantage") == pytest.approx(1 / (others + 1e-6), rel=1e-3)


def test_cap_figure_says_what_the_package_says(chapter):
    for size in (2, 8, 64, 256):
        for p in (0.01, 0.2, 0.5):
            said = chapter.explorers["cap"].value(G=size, p=p)
            found = [float(x) for x in re.findall(r"\d+\.\d+", said.split("exceed ")[1])]
            exact = [
                gl.advantage_bound(size),
                gl.expected_max_advantage(p, size),
                100 * gl.extreme_advantage_probability(p, size, 2),
                np.sqrt((1 - p) / p),
            ]
            assert found == pytest.approx(exact, abs=0.051)
            values, weight = chapter.names["spread_of_largest"](size, p)
            assert values @ weight == pytest.approx(gl.expected_max_advantage(p, size), rel=1e-12)


def test_alarm_rings_first_at_27():
    assert gl.advantage_bound(26) == 5
    assert gl.advantage_bound(26, ddof=1) < 5 < gl.advantage_bound(27, ddof=1)


def test_all_presets_leave_unanimous_groups_alone(chapter):
    assert len(chapter.names["blown_up"]) == 20
    assert max(chapter.names["blown_up"].values()) == 0


class TestSimulation:
    def test_first_pass_clips_next_to_nothing(self, chapter):
        assert chapter.number("first_pass") < 1e-3

    def test_larger_advantages_are_clipped_more_in_every_later_pass(self, chapter):
        size = np.abs(chapter.names["values"])
        clipped = chapter.names["clipped"]
        for later in clipped[1:]:
            classes = ((size > low) & (size <= high) for low, high in ((0, 0.5), (0.5, 2), (2, 8)))
            shares = [later[members].mean() for members in classes]
            assert shares == sorted(shares)
            assert shares[2] > 0.2 > 0.05 > shares[0]

    def test_what_the_prose_says_of_small_groups(self, chapter):
        """Table rows: p, G, then "of all / of mixed" at three rates."""
        rows, error = chapter.names["clip_rows"], chapter.number("largest_error")
        shares = np.array([[[float(x) for x in cell.split(" / ")] for cell in row[2:]] for row in rows])
        hard, even = shares[:5], shares[5:]
        assert np.all(np.diff(even[:, :, 0], axis=0) > -2 * error)  # larger groups, more or as many
        assert np.all(np.diff(hard[:, :2, 0], axis=0) > -2 * error)
        assert [row[1] for row in rows[:5]] == [2, 4, 8, 16, 64]
        assert np.argmax(hard[:, :, 1], axis=0).tolist() == [2, 1, 0]  # G = 8, 4, 2
