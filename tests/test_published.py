"""Quotations: complete with sources, consistent among themselves and with the recorded outputs."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError
from pathlib import Path

import numpy as np
import pytest

from grpo_lessons.conventions import CONVENTIONS
from grpo_lessons.published import DEFAULTS, FIGURES, FLOAT32, SETTINGS

RECORDED = json.loads((Path(__file__).parent / "data" / "peer_advantages.json").read_text(encoding="utf-8"))
GROUPS = {group["id"]: group for group in RECORDED["groups"]}


@pytest.mark.parametrize(
    ("name", "group"),
    [
        ("eight_of_0.3", "const_G8_0.3"),
        ("seven_of_0.3", "const_G7_0.3"),
        ("sixteen_of_0.7", "const_G16_0.7"),
        ("one_and_fifteen_of_0.15", "singleton_spike_G16_1_vs_0.15"),
    ],
)
def test_float32_values_are_the_recorded_ones(name, group):
    for preset, quoted in FLOAT32[name].items():
        first = GROUPS[group]["advantages"][preset]["float32"][0]
        assert quoted.value == pytest.approx(first, rel=1e-6)


@pytest.mark.parametrize(
    ("name", "rewards"),
    [
        ("eight_of_0.3", 8 * [0.3]),
        ("seven_of_0.3", 7 * [0.3]),
        ("eight_of_10000.1", 8 * [10000.1]),
        ("one_and_seven_of_0.15", [1.0] + 7 * [0.15]),
    ],
)
def test_float32_values_are_what_the_presets_show(name, rewards):
    for preset, quoted in FLOAT32[name].items():
        shown = CONVENTIONS[preset].advantages(rewards, np.float32)[0]
        assert shown == pytest.approx(quoted.value, rel=1e-2 if "10000" in name else 1e-4)


def test_quotations_name_their_source():
    for quoted in [*FIGURES.values(), *SETTINGS.values(), *DEFAULTS.values()]:
        assert quoted.source
    assert "NeMo-RL 7ea279ab, nemo_rl/" in FLOAT32["one_and_seven_of_0.15"]["nemo_rl"].source
    with pytest.raises(FrozenInstanceError):
        FIGURES["dapo_aime"].value = 51
    with pytest.raises(TypeError):
        FIGURES["dapo_aime"] = None


def test_two_grpo_shares_follow_from_its_settings():
    two, sixteen = SETTINGS["two_grpo"], SETTINGS["sixteen_grpo"]
    # an eighth of the rollouts per prompt, the same number per step
    assert two.group_size / sixteen.group_size == FIGURES["two_grpo_rollouts"].value
    assert two.group_size * two.prompts == sixteen.group_size * sixteen.prompts == 512


def test_printed_settings():
    deepseekmath, dapo = SETTINGS["deepseekmath"], SETTINGS["dapo"]
    assert (deepseekmath.group_size, deepseekmath.learning_rate, deepseekmath.kl, deepseekmath.updates) == (
        64,
        1e-6,
        0.04,
        1,
    )
    assert deepseekmath.prompts is None
    assert (dapo.prompts, dapo.group_size, dapo.clip_low, dapo.clip_high, dapo.updates) == (
        512,
        16,
        0.2,
        0.28,
        16,
    )
    assert {name: setting.group_size for name, setting in DEFAULTS.items()} == {
        "trl": 8,
        "trl_rloo": 2,
        "verl": 1,
        "openrlhf": 1,
        "openrlhf_dapo": 8,
        "rlhf_book": 8,
        "nemo_rl": 16,
        "open_instruct": 4,
    }
    gain = FIGURES["dapo_aime_before_dynamic_sampling"].value - FIGURES["dapo_aime_naive"].value
    assert gain == 12
