"""Chapter 08: a refilled batch drawn for real, and that prose, figures and package say the same.

The bill's table, 23.8 against 59, and the accuracy of mixed groups are held in tests/test_counts.py; the
weights relative to a coin flip in tests/test_objectives.py.
"""

import numpy as np
import pytest

import grpo_lessons as gl
from grpo_lessons.prose import percent


def test_refill_keeps_what_retry_distorts():
    """Steps filled one group at a time, from three prompts that share a logit."""
    rng = np.random.default_rng(80)
    p, share = np.array([0.05, 0.5, 0.9]), np.array([0.5, 0.3, 0.2])
    prompt = rng.choice(3, size=300_000, p=share)
    k = rng.binomial(4, p[prompt])
    mixed = (k > 0) & (k < 4)
    kept, sigma = prompt[mixed], gl.group_std(k[mixed], 4)
    for x in range(3):
        pull = (kept == x) * sigma / (share[x] * p[x] * (1 - p[x]))
        error = pull.std() / pull.size**0.5
        refill = gl.objective_weight(p[x], 4) / (share @ gl.mixed_probability(p, 4))
        assert abs(pull.mean() - refill) < 4 * error


@pytest.mark.parametrize("group_size", [4, 8, 16])
def test_waiting_for_a_rare_right_completion_and_half_a_group(group_size):
    for p in (1e-3, 1e-4):
        cost = gl.rollouts_per_mixed_group(p, group_size)
        assert cost - 1 / p == pytest.approx((group_size - 1) / 2, abs=group_size**2 * p)


@pytest.mark.parametrize("group_size", [2, 3, 8, 64])
def test_retry_has_no_ceiling(group_size):
    p = 1e-9
    assert p * gl.retry_weight(p, group_size) == pytest.approx(np.sqrt(group_size - 1) / group_size, rel=1e-6)
    assert gl.objective_weight(p, group_size) <= np.sqrt(group_size - 1) * (1 + 1e-12)


def test_prose_says_what_the_package_says(chapter):
    assert chapter.glued["grown"] == "59"
    assert chapter.glued["cost_filter"] == "23.8"
    assert chapter.number("cost_grow") == pytest.approx(59 / (1 - 0.95**59 - 0.05**59), abs=0.05)
    assert chapter.number("all_wrong") == pytest.approx(0.2401)
    assert chapter.number("silent_4") == pytest.approx(0.2482)
    assert chapter.number("scale_uniform") == pytest.approx(9 / 7, abs=5e-3)
    assert chapter.number("factor_01") * 8 == pytest.approx(gl.rollouts_per_mixed_group(0.01, 8), rel=0.01)
    assert (chapter.number("more_05"), chapter.number("more_01")) == (0.36, 0.07)  # 28.6/21.1, 107.7/101
    told = [chapter.number(name) for name in ("refill_2", "retry_2", "refill_8", "retry_8")]
    assert told == [1.00, 5.26, 1.33, 3.93]
    assert (chapter.number("aime_others"), chapter.number("aime_last")) == (12, 8)


def test_rare_completions_cost_the_same_either_way(chapter):
    names = chapter.names
    filtered, grown = names["wrong_filter"] / names["cost_filter"], names["wrong_grow"] / names["cost_grow"]
    assert filtered == pytest.approx(0.05, rel=1e-9)
    assert grown == pytest.approx(0.05, rel=1e-9)


def test_sampled_rules_agree_with_the_theorem(chapter):
    for _, hard, hard_sampled, even, even_sampled in chapter.names["sampled"]:
        for formula, sampled in ((hard, hard_sampled), (even, even_sampled)):
            mean, error = map(float, sampled.split(" ± "))
            assert abs(mean - float(formula)) < 4 * error + 1e-3


def test_weights_explorer_says_what_the_package_says(chapter):
    say = chapter.explorers["three-weights"].value
    assert "1.00 times a coin flip's weight" in say(G=2, p=0.05)
    assert "5.26 times if the prompt is retried (2.29 in the limit)" in say(G=2, p=0.05)
    assert "1.33 times" in say(G=8, p=0.05)
    assert "3.93 times if" in say(G=8, p=0.05)
    assert "1.69 times" in say(G=16, p=0.05)
    tries = 1 / gl.mixed_probability(0.99, 4)
    assert f"takes {tries:.1f} tries" in say(G=4, p=0.99)


def test_cost_explorer_says_what_the_package_says(chapter):
    said = chapter.explorers["filter-or-grow"].value(p=0.95, G=8, share=0.95)
    assert "takes 23.8 rollouts" in said
    assert f"{percent(0.95, 0)} of groups speak from G = 59 on, at 62.0 rollouts" in said
    assert "one completion in 20 is" in said
    idle = chapter.explorers["filter-or-grow"].value(p=0.5, G=32, share=0.95)
    assert "takes 32.0 rollouts" in idle
    assert "G = 6 on" in idle
