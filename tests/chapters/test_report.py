"""The report: its sentences at settings worked out by hand, and links that set what they promise."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import parse_qsl

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import beta

import grpo_lessons as gl
from grpo_lessons.prose import percent

TEXT = (Path(__file__).parents[2] / "book" / "report.md").read_text("utf-8")


def test_silence_of_one_prompt(chapter):
    said = chapter.explorers["silence"].value(G=8, m=0.95, spread="one p for all", bearable=0.05)
    assert f"{percent(0.95**8 + 0.05**8)} of groups are silent" in said
    assert f"costs {8 / (1 - 0.95**8 - 0.05**8):.1f} rollouts" in said
    assert f"At most {percent(0.05, 0)} are silent from G = 59 on." in said
    assert 0.95**58 > 0.05 >= 0.95**59


@pytest.mark.parametrize(("spread", "c"), [("spread (c = 8)", 8), ("split (c = 0.5)", 0.5)])
def test_silence_of_many_prompts_is_the_mean_over_them(chapter, spread, c):
    law = beta(0.2 * c, 0.8 * c)
    wrong, _ = quad(lambda p: (1 - p) ** 16 * law.pdf(p), 0, 1, limit=200)
    right, _ = quad(lambda p: p**16 * law.pdf(p), 0, 1, limit=200)
    said = chapter.explorers["silence"].value(G=16, m=0.2, spread=spread, bearable=0.2)
    assert f"{percent(right)} all right and {percent(wrong)} all wrong" in said
    enough, silent = chapter.names["smallest"](0.2, spread, 0.5), chapter.names["silent"]
    assert sum(silent(0.2, spread, enough)) <= 0.5 < sum(silent(0.2, spread, enough - 1))


def test_some_prompts_no_group_size_repairs(chapter):
    said = chapter.explorers["silence"].value(G=128, m=0.01, spread="split (c = 0.5)", bearable=0.05)
    assert said.endswith("are silent only beyond G = 10,000.")
    assert sum(chapter.names["silent"](0.01, "split (c = 0.5)", 10_000)) > 0.05


@pytest.mark.parametrize(("G", "p"), [(2, 0.5), (8, 0.1), (64, 0.98)])
def test_baseline_errs_by_the_standard_error(chapter, G, p):
    said = chapter.explorers["baseline"].value(G=G, p=p)
    rewards = np.random.default_rng(G).random((200_000, G)) < p
    spread = rewards.mean(axis=1).std()
    assert float(re.search(r"off by ([\d.]+)\.", said)[1]) == pytest.approx(spread, abs=7e-4)
    assert f"gives {G / (G - 1):.3f} times" in said
    assert percent(1 - 1 / G) in said


@pytest.mark.parametrize("method", ["dr_grpo", "grpo"])
def test_leaving_oneself_out_is_a_factor_only_without_the_deviation(method):
    """One logit at p = 0.3, all pairs: half of the leave-one-out update, or all of it."""
    rewards, chance = gl.enumerate_groups(0.3, 2)
    scores = (rewards - 0.3)[..., None]
    kept, left_out = (
        gl.exact_moments(gl.group_gradient(scores, rewards, way), chance)[0][0] for way in (method, "rloo")
    )
    assert kept / left_out == pytest.approx(0.5 if method == "dr_grpo" else 1)


def test_published_settings_are_those_that_the_page_names(chapter):
    assert chapter.names["named"] == {2: "2-GRPO", 8: "RLHF Book", 16: "DAPO", 64: "DeepSeekMath"}


def test_published_settings_hear_their_mixed_groups(chapter):
    said = chapter.explorers["settings"].value(m=0.1, spread="one p for all")
    told = [f"{512 / G * gl.mixed_probability(0.1, G):.1f} of {512 // G}" for G in (2, 8, 16, 64)]
    assert re.findall(r"[\d.]+ of \d+", said) == told


def test_pair_hears_most_prompts_and_is_silent_most(chapter):
    silent = chapter.names["silent"]
    for spread in chapter.names["spreads"]:
        for m in chapter.names["means"]:
            shares = np.array([sum(silent(m, spread, G)) for G in (2, 8, 16, 64)])
            assert np.argmax((1 - shares) / np.array([2, 8, 16, 64])) == 0
            assert np.argmax(shares) == 0


@pytest.mark.parametrize(("p", "lost"), [(0.05, 0.05), (0.5, 0.1), (0.002, 0.01)])
def test_smallest_group_and_law(chapter, p, lost):
    said = chapter.explorers["fidelity"].value(p=p, lost=lost)
    size = int(re.search(r"take G = ([\d,]+)", said)[1].replace(",", ""))
    assert gl.fidelity(p, size) >= 1 - lost > gl.fidelity(p, size - 1)
    assert f"law says {1 / (8 * lost * p * (1 - p)):,.1f}" in said


def test_guide_names_the_longest_bar_and_the_best_size(chapter):
    explorer, billed = chapter.explorers["bottleneck"], chapter.names["billed"]
    for G in (2, 8, 64):
        for m in (0.02, 0.5, 0.97):
            shares, best = billed(G, m, 4, 10)
            said = explorer.value(G=G, m=m, c=4, noise=10)
            named = [n for n, bill in enumerate(chapter.names["bills"]) if bill in said]
            assert named == ([int(np.argmax(shares))] if shares.max() > 0.25 else [])
            assert said.endswith(f"least at G = {best}.")


LINKS = re.findall(r'href="#([a-z]+):([^"]+)"', TEXT)


@pytest.mark.parametrize(("name", "setting"), LINKS)
def test_links_set_what_exists(chapter, name, setting):
    """Read as a page reads them; a value off the grid is a ValueError."""
    numbers = dict(parse_qsl(setting.replace(",", "&")))
    grid = chapter.explorers[name]._grid.values
    found = {key: type(grid[key][0])(value) for key, value in numbers.items()}
    assert chapter.explorers[name].value(**found)


def test_guide_shows_each_symptom_where_the_text_says(chapter):
    shown = [dict(parse_qsl(setting.replace(",", "&"))) for name, setting in LINKS if name == "bottleneck"]
    longest = []
    for setting in shown:
        shares, _ = chapter.names["billed"](*(float(setting[key]) for key in ("G", "m", "c", "noise")))
        assert shares.max() > 0.25
        longest.append(int(np.argmax(shares)))
    assert longest == [0, 1, 2, 3]


def test_prose_says_what_the_package_says(chapter):
    assert chapter.number("even_8") == pytest.approx(2**-7, abs=5e-4)
    law = beta(0.25, 0.25)
    half, _ = quad(lambda p: p**8 * law.pdf(p), 0, 1, limit=200)
    assert chapter.number("split_8") == pytest.approx(2 * half, abs=1e-3)
    assert (chapter.number("flip_2"), chapter.number("flip_64")) == (0.25, 0.04)
    assert (chapter.glued["keeps_8"], chapter.number("need_half")) == (percent(0.928), 11)
    assert (chapter.number("easy_size"), chapter.number("easy_filter")) == (59, 23.8)
    assert chapter.number("budget") == 512
