"""F_G, its weight and the flow up it, against 40-digit arithmetic, quadrature and printed digits."""

from __future__ import annotations

import math

import mpmath as mp
import numpy as np
import pytest
import reference
import sympy
from reference import GROUP_SIZES, LARGE, PROBABILITIES, relative_error, shown
from scipy import integrate

from grpo_lessons import gradient_flow, objective, objective_weight, retry_weight, symbolic

METHODS = ["grpo", "dr_grpo", "rloo", "reinforce"]


@pytest.fixture(autouse=True)
def forty_digits():
    with mp.workdps(40):
        yield


def total_height(group_size):
    """Σ_{0<k<G} 1/√(k(G − k)) by its expansion in 1/G around π, of terms with zeta values."""
    half = mp.mpf(1) / 2
    terms = (
        mp.binomial(-half, j) * (-1) ** j * 2 * mp.zeta(half - j) * mp.mpf(group_size) ** (-j - half)
        for j in range(6)
    )
    return mp.pi + mp.fsum(terms)


class TestObjectiveWeight:
    @pytest.mark.parametrize("group_size", GROUP_SIZES)
    def test_is_exact(self, group_size):
        for p in PROBABILITIES:
            exact = reference.expected_std(p, group_size) / (mp.mpf(p) * (1 - mp.mpf(p)))
            assert relative_error(objective_weight(p, group_size), exact) < 1e-13

    @pytest.mark.parametrize(("p", "group_size"), LARGE)
    def test_is_exact_in_large_groups(self, p, group_size):
        exact = reference.expected_std(p, group_size) / (mp.mpf(p) * (1 - mp.mpf(p)))
        assert relative_error(objective_weight(p, group_size), exact) < 1e-13

    def test_printed_values(self):
        assert all(map(shown, objective_weight(0.5, [4, 8, 16, 64]), ["1.616", "1.856", "1.934", "1.984"]))
        np.testing.assert_allclose(
            objective_weight([[0], [1]], [2, 4, 10**6]), np.sqrt([[1, 3, 10**6 - 1]] * 2)
        )

    def test_weight_of_a_hard_prompt_relative_to_an_even_one(self):
        size = np.array([2, 3, 8, 16, math.inf])
        relative = objective_weight(0.05, size) / objective_weight(0.5, size)
        assert all(map(shown, relative, ["1.00", "1.00", "1.33", "1.69", "2.29"]))

    def test_two_and_three_responses(self):
        p = np.linspace(0, 1, 11)
        np.testing.assert_allclose(objective_weight(p, 2), 1, rtol=1e-14)
        np.testing.assert_allclose(objective_weight(p, 3), math.sqrt(2), rtol=1e-14)

    def test_limit(self):
        p = np.array([1e-3, 0.3, 0.5])
        np.testing.assert_allclose(objective_weight(p, math.inf), 1 / np.sqrt(p * (1 - p)), rtol=1e-15)
        np.testing.assert_allclose(objective_weight(p, 10**9), objective_weight(p, math.inf), rtol=1e-6)


class TestRetryWeight:
    @pytest.mark.parametrize("group_size", GROUP_SIZES)
    def test_is_exact(self, group_size):
        for p in PROBABILITIES:
            with mp.workdps(80):  # 40 are left where 1 − (1 − p)^G cancels
                x = mp.mpf(p)
                mixed = 1 - x**group_size - (1 - x) ** group_size
                exact = reference.expected_std(p, group_size) / (x * (1 - x)) / mixed
                assert relative_error(retry_weight(p, group_size), exact) < 1e-13

    def test_of_a_hard_prompt_relative_to_an_even_one(self):
        relative = retry_weight(0.05, [2, 8, math.inf]) / retry_weight(0.5, [2, 8, math.inf])
        assert all(map(shown, relative, ["5.26", "3.93", "2.29"]))

    def test_is_the_mean_deviation_of_groups_drawn_until_mixed(self):
        p, group_size = 0.05, 8
        k = np.random.default_rng(9).binomial(group_size, p, 400_000)
        deviation = np.sqrt(k * (group_size - k))[(k > 0) & (k < group_size)] / group_size / (p * (1 - p))
        error = deviation.std() / deviation.size**0.5
        assert abs(deviation.mean() - retry_weight(p, group_size)) < 4 * error

    def test_pairs_climb_half_the_logit(self):
        p = np.array([1e-9, 0.05, 0.5, 0.9])
        np.testing.assert_allclose(retry_weight(p, 2), 1 / (2 * p * (1 - p)), rtol=1e-14)


class TestObjective:
    @pytest.mark.parametrize("group_size", GROUP_SIZES)
    def test_is_exact(self, group_size):
        heights = [mp.mpf(0)]
        for k in range(1, group_size):
            heights.append(heights[-1] + 1 / mp.sqrt(k * (group_size - k)))
        for p in PROBABILITIES:
            exact = reference.binomial_mean(heights.__getitem__, p, group_size - 1)
            assert relative_error(objective(p, group_size), exact) < 1e-13

    @pytest.mark.parametrize(
        ("p", "group_size"), [(1e-12, 10**6), (1e-6, 10**6), (1.5e-4, 10**6), (1e-7, 10**9)]
    )
    def test_is_exact_in_large_groups(self, p, group_size):
        """H(k) by Hurwitz's zeta function, H(k + 1) − H(k) as it is."""
        height = mp.mpf(0)
        mean = mp.mpf(0)
        half = mp.mpf(1) / 2
        for k, weight in reference.binomial(p, group_size - 1):
            if mean == 0 and k > 0:
                height = mp.fsum(
                    mp.binomial(-half, j) * (-1) ** j * (mp.zeta(half - j) - mp.zeta(half - j, k + 1))
                    * mp.mpf(group_size) ** (-j - half)
                    for j in range(12)
                )  # fmt: skip
            elif k > 0:
                height += 1 / mp.sqrt(k * (mp.mpf(group_size) - k))
            mean += weight * height
        assert relative_error(objective(p, group_size), mean) < 1e-13

    @pytest.mark.parametrize("group_size", [64, 255, 256, 257, 1000, 10**6, 10**6 + 1, 10**9])
    def test_total_height(self, group_size):
        assert relative_error(objective(1, group_size), total_height(group_size)) < 1e-13
        assert relative_error(objective(0.5, group_size), total_height(group_size) / 2) < 1e-13

    def test_printed_heights(self):
        heights = objective(1, [2, 3, 4, 8, 16])
        assert all(map(shown, heights, ["1", "1.414", "1.655", "2.100", "2.408"]))
        assert objective(1, math.inf) == np.pi

    def test_two_and_three_responses(self):
        p = np.linspace(0, 1, 101)
        np.testing.assert_allclose(objective(p, 2), p, rtol=1e-14)
        np.testing.assert_allclose(objective(p, 3), math.sqrt(2) * p, rtol=1e-14)

    @pytest.mark.parametrize("group_size", [2, 4, 7, 16])
    def test_is_its_symbolic_twin_whose_slope_is_the_weight(self, group_size):
        p = sympy.Symbol("p")
        twin = symbolic.objective(p, group_size)
        for at in (sympy.Rational(1, 20), sympy.Rational(1, 2), sympy.Rational(4, 5)):
            assert objective(float(at), group_size) == pytest.approx(float(twin.subs(p, at)), rel=1e-13)
            slope = float(sympy.diff(twin, p).subs(p, at))
            assert objective_weight(float(at), group_size) == pytest.approx(slope, rel=1e-13)

    @pytest.mark.parametrize("group_size", [5, 64, 1000, math.inf])
    def test_is_the_integral_of_the_weight(self, group_size):
        rise, _ = integrate.quad(
            lambda p: objective_weight(p, group_size), 0.02, 0.9, epsrel=1e-11, limit=200
        )
        assert objective(0.9, group_size) - objective(0.02, group_size) == pytest.approx(rise, rel=1e-10)

    def test_the_limit_is_the_arcsine(self):
        p = np.array([1e-12, 0.1, 0.5, 0.9])
        np.testing.assert_allclose(objective(p, math.inf), 2 * np.arcsin(np.sqrt(p)), rtol=1e-15)
        assert relative_error(objective(1 - 1e-12, math.inf), 2 * mp.asin(mp.sqrt(mp.mpf(1 - 1e-12)))) < 1e-15
        gap = np.abs(objective(0.3, [10**3, 10**5, 10**7]) - objective(0.3, math.inf))
        assert np.all(gap < 3 / np.sqrt([10**3, 10**5, 10**7]))
        assert np.all(np.diff(gap) < 0)


class TestGradientFlow:
    @pytest.mark.parametrize("method", METHODS)
    @pytest.mark.parametrize("group_size", [2, 3, 8, math.inf])
    def test_sets_out_with_the_expected_gradient(self, method, group_size):
        p, time = np.array([0.02, 0.3, 0.5, 0.97]), 1e-4
        weight = {"grpo": objective_weight(p, group_size), "dr_grpo": 1 - 1 / group_size}.get(method, 1.0)
        speed = (p * (1 - p)) ** 2 * weight
        moved = (gradient_flow(p, time, group_size, method) - p) / time
        np.testing.assert_allclose(moved, speed, rtol=1e-4)

    @pytest.mark.parametrize("method", METHODS)
    @pytest.mark.parametrize("group_size", [2, 3, 8, 64, math.inf])
    def test_takes_the_time_that_quadrature_says(self, method, group_size):
        def slowness(theta):
            p = 1 / (1 + np.exp(-theta))
            weight = {"grpo": objective_weight(p, group_size), "dr_grpo": 1 - 1 / group_size}.get(method, 1.0)
            return 1 / (p * (1 - p) * weight)

        for start, end in [(0.01, 0.4), (0.3, 0.99), (0.9, 0.999)]:
            logits = np.log([start / (1 - start), end / (1 - end)])
            time, _ = integrate.quad(slowness, *logits, epsrel=1e-12, epsabs=0)
            assert gradient_flow(start, time, group_size, method) == pytest.approx(end, rel=1e-8)

    @pytest.mark.parametrize("method", METHODS)
    @pytest.mark.parametrize("group_size", [3, 8, math.inf])
    def test_two_whiles_are_one(self, method, group_size):
        halfway = gradient_flow([1e-6, 0.2, 0.9], 7.0, group_size, method)
        there = gradient_flow([1e-6, 0.2, 0.9], 30.0, group_size, method)
        np.testing.assert_allclose(gradient_flow(halfway, 23.0, group_size, method), there, rtol=1e-8)

    def test_rare_prompts_at_their_own_pace(self):
        """As p → 0: 1/p falls by t for ∇p, by √(G − 1) t for GRPO, and 1/√p by t/2 in the limit."""
        p = 1e-12
        assert gradient_flow(p, 5e11, method="rloo") == pytest.approx(2e-12, rel=1e-9, abs=0)
        assert gradient_flow(p, 5e11 / math.sqrt(7), 8) == pytest.approx(2e-12, rel=1e-8, abs=0)
        assert gradient_flow(p, 1e6, math.inf) == pytest.approx(4e-12, rel=1e-9, abs=0)

    def test_shape_order_and_ends(self):
        p, time = np.array([0, 1e-6, 0.1, 0.5, 1]), np.array([[0], [3], [20]])
        for group_size in (2, 8, math.inf):
            flow = gradient_flow(p, time, group_size)
            assert flow.shape == (3, 5)
            np.testing.assert_allclose(flow[0], p, rtol=1e-12)
            np.testing.assert_array_equal(flow[:, [0, -1]], [[0, 1]] * 3)
            assert np.all(np.diff(flow[:, 1:-1], axis=0) > 0)
            assert np.all(np.diff(flow, axis=1) > 0)

    def test_mixes_group_sizes_and_times_element_by_element(self):
        size, time = np.array([2, 8, math.inf, 64, 8]), np.array([1, 4, 2, 9, 0])
        each = [gradient_flow(0.2, t, g) for t, g in zip(time, size, strict=True)]
        np.testing.assert_allclose(gradient_flow(0.2, time, size), each, rtol=1e-9)

    def test_larger_groups_move_faster(self):
        assert np.all(np.diff(gradient_flow(0.1, 10, [2, 3, 4, 8, 64, math.inf])) > 0)
