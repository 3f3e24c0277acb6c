"""Chapter 11: what the theorems promise, and that prose, figures and package say the same.

Its tables, and the rare-prompt constants, are held to their printed digits in tests/test_group_sizes.py.
"""

import re

import numpy as np
import pytest
from scipy.stats import binom

import grpo_lessons as gl
from grpo_lessons import symbolic
from grpo_lessons.prose import percent


@pytest.mark.parametrize("size", [2, 3, 8, 33])
@pytest.mark.parametrize("p", [0.01, 0.3, 0.5])
def test_leaving_one_out_at_random_only_adds_noise(p, size):
    """The proof's two steps: a group of G is one of G + 1 with a random completion taken out, and Jensen."""
    k = np.arange(size + 2)
    larger, out_was_right = binom.pmf(k, size + 1, p), k / (size + 1)
    smaller = np.zeros(size + 1)
    np.add.at(smaller, np.maximum(k - 1, 0), larger * out_was_right)
    np.add.at(smaller, np.minimum(k, size), larger * (1 - out_was_right))
    np.testing.assert_allclose(smaller, binom.pmf(k[:-1], size, p), rtol=1e-10)
    inner = (
        out_was_right * gl.group_std(np.maximum(k - 1, 0), size)
        + (1 - out_was_right) * gl.group_std(np.minimum(k, size), size)
    )[1:-1]
    assert np.all(inner < gl.group_std(k, size + 1)[1:-1])


@pytest.mark.parametrize(("p", "size"), [(0.2, 8), (0.01, 64), (0.5, 2)])
def test_floor_without_an_expansion(p, size):
    k = np.arange(size + 1)
    spread = binom.pmf(k, size, p) @ (gl.group_std(k, size) / np.sqrt(p * (1 - p)) - 1) ** 2
    assert 1 - gl.fidelity(p, size) == pytest.approx(1 / (2 * size) + spread / 2, rel=1e-12)


def test_a_million_completions():
    three = float(symbolic.fidelity_expansion("1/20", 10**6, order=3)) * 0.0475**0.5
    assert gl.expected_std(0.05, 10**6) == pytest.approx(three, rel=1e-14)


@pytest.mark.parametrize("p", [0.5, 0.05, 0.001])
def test_only_the_division_relates_group_size_to_difficulty(p):
    for size in (2, 8, 64):
        k = np.arange(size + 1)
        undivided = binom.pmf(k, size, p) @ gl.group_std(k, size) ** 2 / (p * (1 - p))
        assert undivided == pytest.approx(1 - 1 / size)
        assert undivided * size / (size - 1) == pytest.approx(1)


def test_rare_prompts_see_only_the_mean_number_of_right_answers():
    assert gl.fidelity([1e-5, 1e-7], [334_466, 33_446_631]) == pytest.approx(0.95, abs=1e-6)


def test_law_is_not_below_the_exact_size_at_absurd_losses():
    assert gl.min_group_size(0.01, 0.9) == 3
    assert gl.group_size_law(0.01, 0.9) > 14
    prompts = np.array([0.5, 0.2, 0.05, 1e-3])[:, None]
    assert np.all(gl.group_size_law(prompts, [0.3, 0.1, 0.01]) < gl.min_group_size(prompts, [0.3, 0.1, 0.01]))


def test_prose_says_what_the_package_says(chapter):
    assert chapter.number("lost_hard") == pytest.approx(1 - gl.fidelity(0.05, 8), abs=5e-3)
    assert chapter.number("lost_even") == pytest.approx(0.072, abs=5e-3)
    assert chapter.number("keeps_8") == pytest.approx(0.928)
    assert [chapter.number(name) for name in ("law_half", "exact_half", "law_hard", "exact_hard")] == [
        10,
        11,
        52.6,
        69,
    ]
    assert [chapter.number(f"lambda_{share}") for share in (90, 95, 99)] == [2.041, 3.345, 12.976]
    assert [chapter.number(f"short_{share}") for share in (90, 95, 99)] == pytest.approx([0.39, 0.25, 0.037])
    assert chapter.number("phi_formula") == pytest.approx(1 - 1 / (8 * 8 * 0.0099), abs=5e-3)
    assert chapter.number("thread_formula") > chapter.number("thread_measured") + 0.09
    assert chapter.number("size_rare") == pytest.approx(3.3447e4, abs=2)


def test_direct_sum_dies_and_the_package_does_not(chapter):
    k = np.arange(1031.0)
    with np.errstate(all="ignore"):
        direct = np.sum(chapter.names["comb"](1030, k) * 0.05**k * 0.95 ** (1030 - k))
    assert np.isnan(direct)
    assert gl.expected_std(0.05, 1030) == pytest.approx(
        chapter.names["witness"](1030) * 0.0475**0.5, rel=1e-7
    )


def test_bernstein_explorer_says_what_the_package_says(chapter):
    said = chapter.explorers["bernstein"].value(G=8, p=0.05)
    assert f"deviation is {gl.expected_std(0.05, 8):.4f} and its limit {0.0475**0.5:.4f}" in said
    assert f"keeps {percent(gl.fidelity(0.05, 8))}" in said
    assert percent(0.95**8 + 0.05**8) in said


@pytest.mark.parametrize("p", [0.5, 0.02, 0.001])
@pytest.mark.parametrize("epsilon", [0.1, 0.05, 0.01])
def test_loss_explorer_says_what_the_package_says(chapter, p, epsilon):
    said = chapter.explorers["loss"].value(p=p, epsilon=epsilon)
    assert f"G must be {gl.min_group_size(p, epsilon):,}." in said
    assert f"The law says {gl.group_size_law(p, epsilon):,.1f}, " in said


def test_loss_explorer_agrees_with_the_prose(chapter):
    said = chapter.explorers["loss"].value(p=0.05, epsilon=0.05)
    assert f"G must be {chapter.glued['exact_hard']}" in said
    assert f"law says {chapter.glued['law_hard']}" in said
    lost = float(re.search(r"group of 53 loses ([\d.]+)", said)[1])
    assert lost / 100 == pytest.approx(1 - chapter.number("keeps_53"), abs=1e-9)


def test_rare_prompt_is_seldom_silent_at_its_group_size(chapter):
    size = int(chapter.number("size_rare"))
    assert chapter.number("silent_rare") == pytest.approx((1 - 1e-4) ** size, abs=5e-4)


def test_answers_to_the_exercise_on_pairs_and_threes():
    np.testing.assert_allclose(gl.fidelity(0.5, [2, 3]), [1 / 2, 1 / np.sqrt(2)], rtol=1e-12)
