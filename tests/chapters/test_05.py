"""Chapter 05: the constants, the counts of constants, and that prose, figures and package say the same."""

import re

import numpy as np
import pytest

import grpo_lessons as gl
from grpo_lessons.conventions import CONVENTIONS
from grpo_lessons.published import FIGURES, FLOAT32, SETTINGS


@pytest.mark.parametrize(
    ("group_size", "ratio"), [(2, 0.707), (4, 0.866), (8, 0.935), (16, 0.968), (64, 0.992)]
)
def test_ddof_1_over_ddof_0(group_size, ratio):
    rewards = np.random.default_rng(group_size).normal(size=group_size)
    quotient = gl.advantages(rewards, ddof=1) / gl.advantages(rewards)
    np.testing.assert_allclose(quotient, np.sqrt(1 - 1 / group_size))
    assert quotient[0] == pytest.approx(ratio, abs=5e-4)


def test_prose_says_the_ratio(chapter):
    assert [chapter.number(f"ddof_{size}") for size in (2, 8, 64)] == [0.707, 0.935, 0.992]
    assert chapter.number("sweep") == pytest.approx(0.992157 / 0.707107 - 1, abs=5e-3)


@pytest.mark.parametrize("name", [name for name, c in CONVENTIONS.items() if c.trainer == "TRL"])
def test_plus_minus_one_is_twice_or_the_same(name):
    rewards = np.random.default_rng(1).integers(0, 2, (50, 8))
    rewards = rewards[rewards.std(axis=1) > 0]
    signed, plain = (CONVENTIONS[name].advantages(r, np.float64) for r in (2 * rewards - 1, rewards))
    np.testing.assert_allclose(signed, plain * (2 if CONVENTIONS[name].scale == "none" else 1), rtol=2e-4)


def test_twenty_settings_of_eight_trainers_have_six_formulas():
    formulas = {
        (c.baseline, c.scale) if c.scale == "none" else (c.baseline, c.scale, c.ddof)
        for c in CONVENTIONS.values()
    }
    trainers = {c.trainer for c in CONVENTIONS.values()}
    assert (len(CONVENTIONS), len(trainers), len(formulas)) == (20, 8, 6)


def test_opening_table(chapter):
    assert chapter.number("spread") == pytest.approx(7**0.5 / 0.875, abs=5e-3)


def test_a_tiny_bonus_is_not_normalised(chapter):
    deviation = np.std([1e-4, 0], ddof=0) * np.sqrt(8 / 7)
    assert chapter.number("tiny_kept") == pytest.approx(deviation / (deviation + 1e-4), abs=5e-3)


def test_which_constants_have_a_float64_deviation(chapter):
    found = {size: chapter.names["hit"][size] for size in (2, 3, 4, 7, 8, 12, 16, 32, 64)}
    assert found == {2: 0, 3: 21, 4: 0, 7: 44, 8: 0, 12: 66, 16: 0, 32: 0, 64: 41}
    assert np.std([0.1, 0.1, 0.1]) > 0


def test_equal_rewards_are_as_loud_as_a_group(chapter):
    squares = np.sum(CONVENTIONS["openrlhf"].advantages(8 * [0.3]) ** 2)
    mixed = np.sum(CONVENTIONS["openrlhf"].advantages([1, 0, 0, 0, 0, 1, 0, 0]) ** 2)
    assert chapter.number("loud") == pytest.approx(squares / mixed, abs=6e-3)


def test_quoted_failures(chapter):
    assert chapter.number("claim_openrlhf") == pytest.approx(
        FLOAT32["eight_of_0.3"]["openrlhf"].value, abs=5e-4
    )
    assert chapter.number("slime_advantage") == -976.6
    assert chapter.number("verl_advantage") == -0.93


def test_metric_misses_as_many_as_recorded(chapter):
    missed = np.sum(chapter.names["deviation"] > 1e-8)
    assert missed == FIGURES["trl_missed_silent_groups"].value == 39


def test_rewards_of_the_papers():
    assert (SETTINGS["dapo"].rewards, SETTINGS["deepseekmath"].rewards) == ("±1", "reward model")


def numbers(text):
    return [float(found) for found in re.findall(r"[-+]?\d+\.\d+", text.replace("−", "-"))]


@pytest.mark.parametrize(
    ("trainer", "options"),
    [
        ("trl", {"ddof": 1, "eps": 1e-4}),
        ("open_instruct_standard", {}),
        ("prime_rl", {"scale": "none"}),
        ("verl_rloo", {"scale": "none", "baseline": "leave_one_out"}),
    ],
)
def test_trainers_figure_says_what_the_formula_says(chapter, trainer, options):
    explorer, counts = chapter.explorers["trainers"], chapter.names["counts"]
    for size in (2, 4, 8, 16, 32, 64):
        for name, count in counts.items():
            right, said = count(size), explorer.value(trainer=trainer, G=size, k=name)
            assert f"{right} of {size} right" in said
            if right in (0, size):
                assert "every advantage is 0" in said
                continue
            rewards = (np.arange(size) < right).astype(float)
            expected = gl.advantages(rewards, **options)[[0, -1]]
            ratio = expected[0] / gl.advantages(rewards)[0]
            assert numbers(said) == pytest.approx([*expected, ratio], abs=6e-4)


def test_trainers_figure_at_the_edges(chapter):
    value = chapter.explorers["trainers"].value
    assert "1 of 2 right" in value(trainer="trl", G=2, k="G/4")
    assert "dropped" in value(trainer="open_instruct", G=8, k="G")
    assert "stays in the batch" in value(trainer="trl", G=8, k="0")
    assert "0.378 and 1.000 times" in value(trainer="nemo_rl", G=8, k="1")
    assert len(chapter.names["lines"]) == 19


def test_constants_figure_says_what_was_recorded(chapter):
    said = chapter.explorers["constants"].value(c=0.3, G=8)
    for name in ("openrlhf", "rlhf_book", "verl", "trl"):
        assert f"{CONVENTIONS[name].trainer} {FLOAT32['eight_of_0.3'][name].value:.3g}" in said
    seven = chapter.explorers["constants"].value(c=0.3, G=7)
    assert f"OpenRLHF {FLOAT32['seven_of_0.3']['openrlhf'].value:.3g}" in seven
    assert "every advantage is 0" in chapter.explorers["constants"].value(c=0.25, G=8)


def test_constants_figure_counts(chapter):
    for size in range(2, 9):
        groups = np.repeat(np.arange(1, 101)[:, None] / 100, size, axis=1)
        hit = np.sum(CONVENTIONS["openrlhf"].advantages(groups)[:, 0] != 0)
        said = chapter.explorers["constants"].value(c=0.25, G=size)
        assert f"1.00, {hit} are not silent at G = {size}" in said


def test_rounding_formula(chapter):
    assert chapter.names["worst"] < 1e-6


def test_equal_rewards_push_their_own_probability():
    """Given that all eight got 0.3, the expected gradient is the common advantage times ∇ log P(0.3)."""
    policy, scores = gl.softmax_scores([0.4, -1.0, 0.3])
    pays = np.array([True, False, True])  # the first and third action pay 0.3
    common = float(CONVENTIONS["openrlhf"].advantages(8 * [0.3])[0])
    given = policy[pays] / policy[pays].sum()

    def log_chance(logits):
        return np.log(gl.softmax_scores(logits)[0][pays].sum())

    logits = np.array([0.4, -1.0, 0.3])
    numeric = [(log_chance(logits + h) - log_chance(logits - h)) / 2e-6 for h in 1e-6 * np.eye(3)]
    np.testing.assert_allclose(common * given @ scores[pays], common * np.array(numeric), atol=1e-9)
    assert common * numeric[0] > 0.05


def test_undivided_advantages_never_pass_one():
    for name, convention in CONVENTIONS.items():
        if convention.scale in ("none", "others"):
            for size in (2, 4, 8, 16, 32, 64):
                lone = convention.advantages([1.0] + (size - 1) * [0.0], np.float64)
                assert np.abs(lone).max() <= 1 + 1e-9, name
