"""Chapter 14: the budget's figures in prose, and that both explorers say what the package says.

The variance, G* and best sizes are held to lists of all groups in tests/test_budget.py.
"""

import numpy as np
import pytest

import grpo_lessons as gl
from grpo_lessons.prose import percent
from grpo_lessons.published import SETTINGS


def test_published_group_sizes():
    sizes = {name: (one.group_size, one.prompts) for name, one in SETTINGS.items()}
    assert sizes == {
        "deepseekmath": (64, None),
        "dapo": (16, 512),
        "rlhf_book": (8, None),
        "two_grpo": (2, 256),
        "sixteen_grpo": (16, 32),
    }
    deepseek = SETTINGS["deepseekmath"]
    assert (deepseek.learning_rate, deepseek.kl, deepseek.updates) == (1e-6, 0.04, 1)
    assert deepseek.rewards == "reward model"


def test_prose_says_what_the_package_says(chapter):
    assert chapter.glued["var_8"] == "0.0074893"
    assert (chapter.glued["star_apart"], chapter.glued["best_apart"]) == ("3.51", "4")
    assert (chapter.glued["star_alike"], chapter.glued["best_alike"]) == ("9.06", "9")
    assert (chapter.glued["need_05"], chapter.glued["need_50"]) == ("69", "11")
    assert (chapter.glued["trl_rloo"], chapter.glued["two_time"]) == ("2", percent(0.21, 0))


def test_budget_simulation_agrees(chapter):
    for size, formula, simulated in chapter.names["rows_budget"]:
        mean, error = map(float, simulated.split(" ± "))
        assert abs(mean - float(formula)) < 5 * error, size


def test_published_explorer_says_what_the_package_says(chapter):
    say = chapter.explorers["published"].value
    said = say(m=0.1, spread="one p for all")
    assert f"{percent(0.81 + 0.01)} to {percent(gl.silent_probability(0.1, 64))}" in said
    assert f"{percent(0.81)} to {percent(0.9**64)}" in said
    assert f"heard from {256 * 0.18:.1f} to {8 * gl.mixed_probability(0.1, 64):.1f}" in said
    assert f"pays {gl.rollouts_per_mixed_group(0.1, 16):.1f} rollouts" in said
    assert "the four has G = 64." in said  # equal prompts: a second one adds nothing
    assert "the four has G = 2." in say(m=0.5, spread="split (c = 0.5)")


@pytest.mark.parametrize("spread", ["even (c = 2)", "split (c = 0.5)"])
def test_sixty_four_is_worst_for_spread_prompts(spread, chapter):
    for m in (0.01, 0.1, 0.5, 0.9):
        error = chapter.names["compared"](m, spread)[3]
        assert np.argmax(error) == 3
        assert 2 < error[3] / error.min() < 3.5
        assert np.argmin(chapter.names["compared"](m, "one p for all")[3]) == 3


def test_crowds_have_their_mean_and_their_silence(chapter):
    crowd = chapter.names["crowd"]
    for spread, c in chapter.names["crowds"].items():
        rates = crowd(0.3, spread)
        assert rates.mean() == pytest.approx(0.3, abs=2e-3)
        if c:
            exact = gl.beta_silent_probability(0.3 * c, 0.7 * c, 8)
            assert gl.silent_probability(rates, 8).mean() == pytest.approx(exact, abs=5e-3)


def test_guide_names_the_longest_bar(chapter):
    say, billed = chapter.explorers["decision"].value, chapter.names["billed"]
    signs = ["all right", "nothing right", "too few others", "too few prompts"]
    seen = set()
    for G in (2, 8, 64):
        for m in (0.02, 0.3, 0.97):
            for noise in (0, 10, 100):
                shares, moments = billed(G, m, 4, noise)
                said = say(G=G, m=m, c=4, noise=noise)
                found = [sign for sign in signs if sign in said]
                if shares.max() > 0.25:
                    assert found == [signs[int(np.argmax(shares))]]
                else:
                    assert not found
                    assert "Leave G alone" in said
                seen.update(found or ["none"])
                if "least at" in said or "least error" in said:
                    assert f"G = {gl.best_group_size(moments)}" in said
    assert seen == {*signs, "none"}


def test_guide_bars_are_shares_of_the_error(chapter):
    shares, moments = chapter.names["billed"](8, 0.3, 4, 10)
    rest = gl.error_terms(moments).single / gl.scaled_error(moments, 8)
    assert shares[2] + shares[3] + rest == pytest.approx(1)


def test_noise_is_that_of_independent_score_components(chapter):
    p, noise = 0.3, 4.0
    policy = np.array([p, p, 1 - p, 1 - p]) / 2  # right or wrong, and a fair coin in the scores
    coin = np.array([1, -1, 1, -1]) * np.sqrt(noise)
    scores = np.stack([[1 - p, 1 - p, -p, -p], coin], axis=1)
    listed = gl.prompt_moments(policy, scores, [1, 1, 0, 0])
    found = chapter.names["noisy_moments"](np.array([p]), noise)
    assert found.own[0] == pytest.approx(listed.own)
    assert found.crossed[0] == pytest.approx(listed.crossed)
    assert found.squared_gradient[0] == pytest.approx(listed.squared_gradient)


def test_noisy_limit(chapter):
    moments = chapter.names["noisy_moments"](np.array([0.3, 0.5, 0.7]), 1e8)
    sizes = np.array([2, 8, 64])
    errors = gl.scaled_error(moments, sizes)
    np.testing.assert_allclose(errors / errors[-1], sizes / (sizes - 1) / (64 / 63), rtol=1e-5)
    assert chapter.number("noisy_8") == pytest.approx(1 / 7, abs=5e-3)


def test_dead_half():
    assert gl.optimal_group_size(gl.one_logit_moments([0.5, 0.0])) == 3


def test_worst_setting_is_off_by_what_the_prose_says(chapter):
    compared, means = chapter.names["compared"], np.linspace(0.01, 0.99, 50)
    ratios = [
        error[3] / error.min()
        for spread in ("even (c = 2)", "split (c = 0.5)")
        for error in (compared(m, spread)[3] for m in means)
    ]
    assert min(ratios) >= chapter.number("worst_from") - 0.05
    assert max(ratios) <= chapter.number("worst_to") + 0.05


def test_eight_saves_six_sevenths_of_what_any_group_saves_over_a_pair():
    pair, eight, ideal = 2 / 1, 8 / 7, 1
    assert (pair - eight) / (pair - ideal) == pytest.approx(6 / 7)
