"""What is counted without a model: variance, pass@k, draws without replacement, extremes."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from grpo_lessons import advantage_bound, advantages
from grpo_lessons.diagnosis import (
    count_cells,
    diagnose,
    extreme_advantages,
    held_out,
    pass_at,
    read_groups,
    silent_at_smaller,
    variance_split,
)
from tests.logs import counted, log_of

GROUPS = [[1, 0, 0, 1, 1], [0, 0, 2], [5, 5, 5, 5], [1, 1, 0, 0]]


def groups_of(log):
    return read_groups(log.group, log.step, log.prompt, log.reward)


def test_variance_is_unbiased():
    """Means over all outcomes of two prompts with p = .25 and .75 and three completions each."""
    p, chances, splits = (0.25, 0.75), [], []
    for outcome in range(64):
        rewards = np.array([(outcome >> i) & 1 for i in range(6)], float)
        right = np.repeat(p, 3)
        chances.append(np.prod(np.where(rewards == 1, right, 1 - right)))
        splits.append(variance_split(rewards, np.array([3, 3])))
    assert np.dot(chances, [split.within for split in splits]) == pytest.approx(0.25 * 0.75)
    assert np.dot(chances, [split.between for split in splits]) == pytest.approx(np.var(p, ddof=1))


def test_variance_of_groups_of_different_sizes():
    """Against the textbook's sums, written out."""
    rewards = [np.array(group, float) for group in GROUPS]
    sizes = np.array([len(group) for group in rewards])
    everyone = np.concatenate(rewards)
    within = sum(np.sum((group - group.mean()) ** 2) for group in rewards) / (16 - 4)
    between = sum(len(group) * (group.mean() - everyone.mean()) ** 2 for group in rewards) / 3
    spread = (between - within) / ((16 - np.sum(sizes**2) / 16) / 3)
    split = variance_split(everyone, sizes)
    assert (split.within, split.between) == pytest.approx((within, spread))
    assert split.between_share == pytest.approx(spread / (spread + within))


def test_variance_without_any():
    assert variance_split(np.ones(6), np.array([3, 3])).between_share is None
    assert variance_split(np.array([0.0, 1]), np.array([2])).between is None
    assert (
        variance_split(np.array([0.0, 1, 0, 1]), np.array([2, 2])).between_share == 0
    )  # chance took it below 0


def test_pass_at_k_is_a_mean_over_subsets():
    k = [0, 2, 5, 1]
    by_hand = {
        draws: np.mean(
            [np.mean([any(i < right for i in one) for one in combinations(range(5), draws)]) for right in k]
        )
        for draws in (1, 2, 4, 5)
    }
    assert pass_at(count_cells(k, 5)) == pytest.approx(by_hand)


def test_components_share_the_variance():
    rng = np.random.default_rng(1)
    parts = {"a": rng.random(60), "b": rng.integers(0, 2, 60).astype(float), "same": np.full(60, 0.3)}
    log = log_of(np.reshape(sum(parts.values()), (12, 5)).tolist(), components=parts)
    found = {one.name: one for one in diagnose(log).components}
    centred = {
        name: (part.reshape(12, 5) - part.reshape(12, 5).mean(1)[:, None]).ravel()
        for name, part in parts.items()
    }
    total = sum(centred.values())
    assert sum(one.share for one in found.values()) == pytest.approx(1)
    for name, one in found.items():
        assert one.share == pytest.approx(centred[name] @ total / (total @ total), abs=1e-12)
    assert (found["same"].silent, found["a"].silent) == (1, 0)
    assert found["a"].histogram is None
    assert sum(found["b"].histogram[5]) == 12


def test_a_function_that_gives_no_reward_adds_nothing():
    nan = np.nan
    right = np.array([[1, 0, nan, 1], [0, 0, 1, 1], [nan, 0, 0, nan], [1, 1, 0, 0]])
    form = np.array([[1, 1, 1, 0], [nan, 1, 1, 1], [1, 1, 1, 1], [nan, 1, 1, nan]])
    parts = {"right": right.ravel(), "form": form.ravel()}
    total = np.nansum([right, form], axis=0)
    log = log_of(total.tolist(), components=parts)
    found = {one.name: one for one in diagnose(log).components}
    assert found["right"].histogram == {4: [1, 0, 3, 0, 0]}
    assert found["form"].histogram == {4: [0, 0, 1, 2, 1]}
    assert (found["right"].silent, found["form"].silent) == (1 / 4, 1 / 4)
    assert (found["right"].mean, found["form"].mean) == (6 / 16, 12 / 16)
    away = total - total.mean(1)[:, None]
    assert found["right"].share == pytest.approx((np.nan_to_num(right) * away).sum() / (total * away).sum())


@pytest.mark.parametrize("size", [2, 3, 4])
def test_smaller_groups_are_parts_of_the_observed_ones(size):
    big = [group for group in GROUPS if len(group) >= size]
    by_hand = np.mean([np.mean([len(set(part)) == 1 for part in combinations(group, size)]) for group in big])
    value, low, high = silent_at_smaller(groups_of(log_of(GROUPS)), size)
    assert value == pytest.approx(by_hand)
    assert 0 <= low <= value <= high <= 1


def test_held_out_is_a_mean_over_the_other_groups():
    k, prompt = [1, 3, 0, 2, 3, 3, 0], [0, 0, 0, 1, 1, 1, 2]
    log = counted(k, 3, prompt=np.repeat(prompt, 3))
    found = held_out(groups_of(log))
    chances = []
    for i in range(6):
        others = [j < k[g] for g in range(6) if g != i and prompt[g] == prompt[i] for j in range(3)]
        chances.append(np.mean([len(set(part)) == 1 for part in combinations(others, 3)]))
    assert found.expected == pytest.approx(np.mean(chances))
    assert (found.groups, found.observed) == (6, 4 / 6)


def test_held_out_agrees_where_prompts_stay_and_not_where_they_move():
    prompt = np.repeat(np.arange(900) % 300, 8)
    agreed = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        p = rng.beta(1, 1, 300)
        still = held_out(groups_of(counted(rng.binomial(8, np.tile(p, 3)), 8, prompt=prompt)))
        agreed.append(still.low <= still.observed <= still.high)
        k = rng.binomial(8, np.concatenate([p**4, p, p**0.25]))
        moved = held_out(groups_of(counted(k, 8, prompt=prompt)))
        assert moved.observed > moved.high + 0.1
    assert sum(agreed) >= 15  # of 20 at a coverage of 0.9: fewer has a chance of 0.01


def test_held_out_needs_prompts():
    assert held_out(groups_of(counted([1, 2], 4))) is None
    assert held_out(groups_of(counted([1, 2], 4, prompt=np.repeat([0, 0], 4)))) is None
    pairs = np.repeat([0, 1, 0, 1], 4)  # the other group's share is this group's, seen from there
    assert held_out(groups_of(counted([1, 2, 0, 4], 4, prompt=pairs))) is None
    assert held_out(groups_of(log_of(GROUPS, prompt=np.zeros(16, int)))) is None


@pytest.mark.parametrize(
    ("preset", "bound"),
    [
        ("trl", advantage_bound(8, 1)),
        ("open_instruct_standard", advantage_bound(8, 0)),
        ("trl_none", 7 / 8),
        ("trl_rloo", 1),
        ("nemo_rl", None),
        ("trl_batch", None),
    ],
)
def test_bounds_in_a_conventions_own_units(preset, bound):
    log = counted([1, 4, 7, 0], 8, preset=preset)
    found = extreme_advantages(groups_of(log), log.advantage, preset)
    assert found.bound == (None if bound is None else pytest.approx(float(bound)))
    if bound is not None:
        assert found.largest == pytest.approx(float(bound), rel=2e-3)
        assert found.at_bound == pytest.approx(2 / 3)
        assert found.above_bound == 0


def test_extremes_without_a_column_are_the_textbooks():
    log = counted([1, 4, 0], 8)
    found = extreme_advantages(groups_of(log), None, None)
    assert (found.unit, found.logged) == ("textbook", False)
    assert found.largest == pytest.approx(float(advantages([1] + [0] * 7).max()))


def test_advantages_above_the_bound():
    log = counted([1, 4], 8, preset="trl")
    log.advantage[0] = 9
    assert extreme_advantages(groups_of(log), log.advantage, "trl").above_bound == 1
