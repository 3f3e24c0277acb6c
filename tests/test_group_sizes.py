"""E[σ], the fidelity and the smallest groups, against enumeration, 40-digit arithmetic and printed digits."""

from __future__ import annotations

import itertools
import math

import mpmath as mp
import numpy as np
import pytest
import reference
from reference import GROUP_SIZES, LARGE, PROBABILITIES, relative_error, shown

from grpo_lessons import (
    expected_std,
    fidelity,
    group_size_law,
    min_group_size,
    rare_prompt_constant,
    symbolic,
)


@pytest.fixture(autouse=True)
def forty_digits():
    with mp.workdps(40):
        yield


class TestExpectedStd:
    @pytest.mark.parametrize("group_size", GROUP_SIZES)
    def test_is_exact(self, group_size):
        for p in PROBABILITIES:
            exact = reference.expected_std(p, group_size)
            assert relative_error(expected_std(p, group_size), exact) < 1e-13
            assert (
                relative_error(fidelity(p, group_size), exact / mp.sqrt(mp.mpf(p) * (1 - mp.mpf(p)))) < 1e-13
            )

    @pytest.mark.parametrize(("p", "group_size"), [*LARGE, (0.001, 10**7), (1e-12, 10**13)])
    def test_is_exact_in_large_groups(self, p, group_size):
        assert relative_error(expected_std(p, group_size), reference.expected_std(p, group_size)) < 1e-13

    def test_is_exact_in_the_largest_groups(self):
        """At G p (1 − p) = 2.5·10⁸ the expansion in 1/G is exact to 1e-26."""
        x, size = mp.mpf("0.5"), mp.mpf(10) ** 9
        v = x * (1 - x)
        exact = mp.sqrt(v) * (1 - 1 / (8 * size * v) - (7 - 16 * v) / (128 * size**2 * v**2))
        assert relative_error(expected_std(0.5, 10**9), exact) < 1e-13

    @pytest.mark.parametrize("group_size", [2, 3, 5, 10])
    @pytest.mark.parametrize("p", [0.03, 0.3, 0.5, 0.9])
    def test_is_the_expected_gradient_of_a_one_logit_policy(self, p, group_size):
        """Every group enumerated; the score is 1 − p if right and −p if wrong."""
        rewards = np.array(list(itertools.product([0, 1], repeat=group_size)))
        std = rewards.std(axis=1)
        centred = rewards - rewards.mean(axis=1, keepdims=True)
        gradient = np.mean(centred * (rewards - p), axis=1) / np.where(std > 0, std, 1)
        probability = np.prod(np.where(rewards == 1, p, 1 - p), axis=1)
        assert expected_std(p, group_size) == pytest.approx(probability @ gradient)

    def test_one_and_two_other_completions_make_no_difficulty_bias(self):
        p = np.linspace(0.01, 0.99, 99)
        np.testing.assert_allclose(expected_std(p, 2) / (p * (1 - p)), 1, rtol=1e-14)
        np.testing.assert_allclose(expected_std(p, 3) / (p * (1 - p)), math.sqrt(2), rtol=1e-14)

    def test_limit(self):
        p = np.array([1e-9, 0.2, 0.5, 0.8])
        np.testing.assert_array_equal(
            expected_std(p, math.inf), np.sqrt(np.minimum(p, 1 - p) * np.maximum(p, 1 - p))
        )
        np.testing.assert_allclose(expected_std(p[1:], 10**9), expected_std(p[1:], math.inf), rtol=1e-8)

    def test_simulated(self):
        k = np.random.default_rng(11).binomial(16, 0.15, 200_000)
        std = np.sqrt(k * (16 - k)) / 16
        assert abs(std.mean() - expected_std(0.15, 16)) < 4 * std.std() / std.size**0.5


class TestFidelity:
    def test_rises_with_the_group_and_stays_below_one(self):
        phi = fidelity(np.array([1e-6, 0.01, 0.3, 0.5])[:, None], np.arange(2, 500))
        assert np.all(np.diff(phi, axis=1) > 0)
        assert phi.max() < 1

    @pytest.mark.parametrize("p", [0.5, 0.2, 0.07])
    def test_expansion_to_second_order(self, p):
        """What the expansion leaves out shrinks eightfold when G doubles."""
        size, v = np.array([500, 1000]), p * (1 - p)
        left = fidelity(p, size) - (1 - 1 / (8 * size * v) - (7 - 16 * v) / (128 * size**2 * v**2))
        assert left[0] / left[1] == pytest.approx(8, rel=0.15)

    def test_the_second_article_said_95_percent(self):
        assert shown(100 * fidelity(0.5, 8), "92.8")


TABLE = {  # p: exact smallest G and law, rounded up, at 90, 95 and 99 %
    0.5: ([7, 11, 51], [5, 10, 50]),
    0.3: ([9, 14, 61], [6, 12, 60]),
    0.2: ([12, 19, 80], [8, 16, 79]),
    0.1: ([22, 36, 144], [14, 28, 139]),
    0.05: ([42, 69, 273], [27, 53, 264]),
    0.02: ([103, 169, 661], [64, 128, 638]),
    0.01: ([205, 336, 1310], [127, 253, 1263]),
}
LOST = [0.1, 0.05, 0.01]


class TestMinGroupSize:
    @pytest.mark.parametrize("p", TABLE)
    def test_printed_table(self, p):
        exact, law = TABLE[p]
        assert min_group_size(p, LOST).tolist() == exact
        assert min_group_size(1 - p, LOST).tolist() == exact
        assert np.ceil(group_size_law(p, LOST)).tolist() == law

    @pytest.mark.parametrize(
        ("p", "epsilon"),
        [(0.5, 0.05), (0.05, 0.05), (1e-4, 0.01), (1e-6, 0.2), (0.37, 1e-5), (1e-9, 0.01), (1e-12, 0.1)],
    )
    def test_reaches_the_target_and_one_less_does_not(self, p, epsilon):
        size = min_group_size(p, epsilon)
        assert isinstance(size, int)
        limit = mp.sqrt(mp.mpf(p) * (1 - mp.mpf(p)))
        assert reference.expected_std(p, size) / limit >= 1 - mp.mpf(epsilon)
        assert reference.expected_std(p, size - 1) / limit < 1 - mp.mpf(epsilon)

    def test_is_what_trying_every_group_size_finds(self):
        phi = fidelity(np.linspace(0.03, 0.97, 48)[:, None], np.arange(2, 400))
        for epsilon in (0.3, 0.1, 0.04):
            tried = 2 + np.argmax(phi >= 1 - epsilon, axis=1)
            np.testing.assert_array_equal(min_group_size(np.linspace(0.03, 0.97, 48), epsilon), tried)

    def test_a_tie_counts_as_reached(self):
        """φ_2 = √(pq) and φ_3 = √(2pq): .5, .4, .3 at G = 2."""
        assert min_group_size([0.5, 0.2, 0.8, 0.1], [0.5, 0.6, 0.6, 0.7]).tolist() == [2, 2, 2, 2]

    def test_shape_and_type(self):
        sizes = min_group_size(np.array([[0.5], [0.1]]), LOST)
        assert sizes.dtype == np.int64
        np.testing.assert_array_equal(sizes, [[7, 11, 51], [22, 36, 144]])

    @pytest.mark.parametrize(("p", "epsilon"), [(0.5, 1e-8), (0.5, 1e-15), (1e-12, 0.01)])
    def test_refuses_what_rounding_would_decide(self, p, epsilon):
        with pytest.raises(ValueError, match=f"epsilon must be at least .* at p = {p:g} .* got {epsilon:g}"):
            min_group_size(p, epsilon)
        with pytest.raises(ValueError, match=f"got {epsilon:g}"):
            min_group_size([0.5, p], [0.1, epsilon])

    @pytest.mark.parametrize("p", [5e-324, 1e-300, 1e-15, 1 - 2**-53])
    def test_refuses_success_probabilities_that_no_epsilon_suits(self, p):
        with pytest.raises(ValueError, match=f"p must be at least 1.25e-15 from 0 and 1 .* got {p!r}"):
            min_group_size([0.5, p], 0.5)

    def test_is_exact_where_the_fidelity_is_rounded_too_coarsely(self):
        """At p = ½, 1 − φ = 1/(2G) + 3/(8G²) to 1e-13 of itself; 1 − ε as a float is wrong for some."""
        epsilon = np.linspace(8e-8, 1.2e-7, 100)
        for lost, size in zip(epsilon, min_group_size(0.5, epsilon), strict=True):
            short = [1 / (2 * mp.mpf(g)) + 3 / (8 * mp.mpf(g) ** 2) for g in (int(size), int(size) - 1)]
            assert short[0] <= mp.mpf(float(lost)) < short[1]

    def test_the_smallest_epsilon_it_takes(self):
        assert min_group_size(0.5, 1e-7) == 5_000_001
        assert min_group_size(0.5, 1e-7) == math.ceil(group_size_law(0.5, 1e-7, order=2))


class TestGroupSizeLaw:
    def test_printed_values(self):
        assert shown(group_size_law(0.5, 0.05), "10")
        assert shown(group_size_law(0.05, 0.05), "52.6")

    def test_epsilon_is_taken_as_given(self):
        assert group_size_law(0.5, 0.1) == 5
        assert math.ceil(group_size_law(0.5, 1 - 0.9)) == 6  # 1 − 0.9 is below 0.1

    @pytest.mark.parametrize("order", [1, 2])
    def test_solves_the_expansion_cut_at_its_order(self, order):
        p, epsilon = np.array([[0.5], [0.1], [1e-3]]), np.array([0.3, 0.01])
        size, v = group_size_law(p, epsilon, order), p * (1 - p)
        second = (7 - 16 * v) / (128 * size**2 * v**2) if order == 2 else 0
        np.testing.assert_allclose(
            1 / (8 * size * v) + second, np.broadcast_to(epsilon, size.shape), rtol=1e-14
        )

    def test_is_its_symbolic_twin(self):
        for order in (1, 2):
            exact = symbolic.group_size_law("3/10", "1/20", order)
            assert group_size_law(0.3, 0.05, order) == pytest.approx(float(exact), rel=1e-14)

    def test_second_order_is_closer(self):
        p = np.array(list(TABLE))[:, None]
        exact = min_group_size(p, LOST)
        assert np.all(exact - group_size_law(p, LOST, order=2) < exact - group_size_law(p, LOST))


class TestRarePrompts:
    def test_printed_constants(self):
        constants = rare_prompt_constant([0.1, 0.05, 0.02, 0.01])
        assert all(map(shown, constants, ["2.041", "3.345", "6.820", "12.976"]))
        np.testing.assert_allclose(1 / (8 * np.array([0.1, 0.05, 0.02, 0.01])), [1.25, 2.5, 6.25, 12.5])

    def test_law_stays_short_of_it(self):
        short = 1 - 1 / (8 * np.array([0.1, 0.05, 0.01])) / rare_prompt_constant([0.1, 0.05, 0.01])
        assert all(map(shown, 100 * short, ["39", "25", "3.7"]))

    @pytest.mark.parametrize("epsilon", [0.999, 0.5, 0.1, 0.01, 1e-3])
    def test_solves_the_poisson_equation(self, epsilon):
        rate = mp.mpf(float(rare_prompt_constant(epsilon)))
        weight = lambda k: mp.exp(k * mp.log(rate) - rate - mp.loggamma(k + 1))  # noqa: E731
        reach = int(rate + 14 * mp.sqrt(rate) + 60)
        short = 1 - mp.fsum(weight(k) * mp.sqrt(k / rate) for k in range(1, reach))
        assert relative_error(epsilon, short) < 1e-13

    @pytest.mark.parametrize("epsilon", [0.6, 0.999, 1 - 1e-6, 1 - 1e-10, 1 - 2**-53])
    def test_keeps_its_digits_where_nearly_all_may_be_lost(self, epsilon):
        """E[√K]/√λ as a series in λ: what is kept is 1 − ε to all its digits."""
        rate = mp.mpf(float(rare_prompt_constant(epsilon)))
        terms = (mp.sqrt(k) * rate ** (k - 1) / mp.factorial(k) for k in range(1, 60))
        kept = mp.sqrt(rate) * mp.exp(-rate) * mp.fsum(terms)
        assert relative_error(1 - epsilon, kept) < 1e-14

    @pytest.mark.parametrize("epsilon", [1e-6, 1e-9, 1.25e-11])
    def test_tends_to_the_law_and_its_second_order(self, epsilon):
        law = (1 + math.sqrt(1 + 14 * epsilon)) / (16 * epsilon)  # that of group_size_law as p → 0
        assert rare_prompt_constant(epsilon) == pytest.approx(law, rel=50 * epsilon**2 + 1e-13)

    @pytest.mark.parametrize("epsilon", [0.1, 0.05, 0.01])
    def test_smallest_group_tends_to_it(self, epsilon):
        constant = rare_prompt_constant(epsilon)
        for p in (1e-5, 1e-7):
            assert abs(p * min_group_size(p, epsilon) / constant - 1) < 2 * p / epsilon

    def test_refuses_a_sum_of_millions_of_terms(self):
        with pytest.raises(ValueError, match=r"epsilon must be at least 1.25e-11, got 1e-12"):
            rare_prompt_constant([0.1, 1e-12])
