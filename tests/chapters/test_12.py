"""Chapter 12: the theorem's bound, the ends of the ride, and that prose, figures and package say the same.

The weights and heights of its first table are held to 40 digits in tests/test_objectives.py.
"""

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp
from scipy.stats import binom

import grpo_lessons as gl
from grpo_lessons.prose import percent


@pytest.mark.parametrize("size", [2, 3, 8, 64, 1000])
def test_bound_of_the_theorem(size):
    p = np.linspace(0, 1, 201)
    gap = np.sqrt(p * (1 - p)) - gl.expected_std(p, size)
    assert np.all(gap <= (p * (1 - p) / size) ** 0.25 + 1e-15)
    assert np.all(gap >= -1e-15)


@pytest.mark.parametrize("size", [4, 8, 64])
def test_flow_is_what_a_general_solver_finds(size):
    k = np.arange(size + 1)

    def speed(_, p):
        return p * (1 - p) * (binom.pmf(k, size, p[0]) @ np.sqrt(k * (size - k))) / size

    general = solve_ivp(speed, (0, 30), [0.02], "DOP853", rtol=1e-11, atol=1e-13).y[0, -1]
    assert gl.gradient_flow(0.02, 30, size) == pytest.approx(general, rel=1e-8)


@pytest.mark.parametrize("size", [2, 3, 8, 64])
def test_failures_of_a_finite_group_end_as_one_over_time(size):
    failing = 1 - gl.gradient_flow(0.5, 1e7, size)
    assert failing * 1e7 * np.sqrt(size - 1) == pytest.approx(1, rel=2e-4)


def test_failures_of_the_limit_end_as_one_over_time_squared():
    assert (1 - gl.gradient_flow(0.5, 1e4)) * 1e8 == pytest.approx(4, rel=1e-4)


def test_dr_grpo_is_reinforce_on_a_slower_clock():
    assert gl.gradient_flow(0.1, 16, 8, "dr_grpo") == pytest.approx(gl.gradient_flow(0.1, 14, 8, "reinforce"))
    assert gl.gradient_flow(0.1, 16, 2) == pytest.approx(gl.gradient_flow(0.1, 16, 8, "reinforce"))


@pytest.mark.parametrize(("size", "clock"), [(2, "clock_1"), (np.inf, "clock_limit")])
def test_clocks_are_the_times_of_the_flow(chapter, size, clock):
    p = chapter.names["p"]
    time = -float(chapter.names[clock].subs(p, 0.01))
    assert gl.gradient_flow(0.01, time, size) == pytest.approx(0.5, rel=1e-9)
    assert time == pytest.approx(
        quad(lambda p: 1 / (gl.objective_weight(p, size) * (p * (1 - p)) ** 2), 0.01, 0.5)[0]
    )


def test_prose_says_what_the_package_says(chapter):
    assert chapter.number("edge_8") == pytest.approx(7**0.5, abs=5e-4)
    assert chapter.number("lean_4") == pytest.approx(3**0.5 / 1.6160254 - 1, abs=5e-4)
    assert chapter.number("fid_01") == pytest.approx(gl.fidelity(0.01, 8), abs=5e-3)
    assert chapter.number("lean_05") == pytest.approx(1.33, abs=1e-9)
    assert chapter.number("thread_dr") == pytest.approx(63 / 64 / (7 / 8), abs=5e-3)
    assert chapter.number("w_01") > chapter.number("w_50")  # weighted up, though less than in the limit
    assert chapter.number("left_limit") < chapter.number("left_plain")


def test_one_logit_has_the_sum_and_four_have_not(chapter):
    scores = np.array([[0.7], [-0.3]])  # ∇log π of right and wrong for one logit at p = 0.3
    actions, chance = gl.enumerate_actions([0.3, 0.7], 6)
    one_logit, _ = gl.exact_moments(gl.group_gradient(scores[actions], 1.0 - actions), chance)
    assert one_logit[0] == pytest.approx(gl.expected_std(0.3, 6))
    assert chapter.number("length_6") != pytest.approx(chapter.number("sum_6"), rel=0.05)
    np.testing.assert_allclose(chapter.names["mean"], chapter.names["slope"], rtol=1e-6)


def test_arcsine_steadies_the_noise(chapter):
    noise = chapter.names["noise"]

    def arcsine(x):
        return 2 * np.arcsin(np.sqrt(x))

    plain = [noise(lambda x: x, p, 256) for p in (0.5, 0.01)]
    assert plain == pytest.approx([0.25, 0.0099])
    assert noise(arcsine, 0.05, 256) == pytest.approx(1, abs=0.05)
    assert noise(arcsine, 0.01, 256) > 1.4  # too few right answers


def test_objective_explorer_says_what_the_package_says(chapter):
    say = chapter.explorers["objective"].value
    assert "weight 1.00: 1.00 times that of a coin flip" in say(G=2, p=0.01)
    said = say(G=8, p=0.01)
    assert f"weight {chapter.glued['w_01']}" in said
    assert f"{percent(gl.fidelity(0.01, 8))} of the limit" in said
    assert "more than 2.65; the whole climb is 2.100." in said


def test_population_explorer_says_what_the_package_says(chapter):
    say = chapter.explorers["drift"].value
    prompts = chapter.names["prompts"]
    rates = gl.gradient_flow(prompts, 8, 16, "grpo")
    assert f"mean success {rates.mean():.3f}; {percent(np.mean(rates < 0.1))}" in say(
        t=8, G=16, method="GRPO"
    )
    tails = {say(t=8, G=2, method=name).split(":")[1] for name in ("GRPO", "REINFORCE")}
    assert len(tails) == 1
    assert say(t=8, G=2, method="GRPO, G → ∞") == say(t=8, G=128, method="GRPO, G → ∞")


def test_methods_are_stopped_at_equal_progress(chapter):
    for when, rates in chapter.names["stopped"].values():
        assert rates.mean() == pytest.approx(0.8, abs=0.005)
        assert when < 31
