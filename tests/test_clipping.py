"""The clip simulation against PPO's objective written out and the arithmetic of orthogonal scores."""

from __future__ import annotations

import numpy as np
import pytest

from grpo_lessons import clipping
from grpo_lessons.clipping import simulate_clipping


def test_the_same_seed_gives_the_same_run():
    first, again, other = (simulate_clipping(0.5, 8, seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.advantages, again.advantages)
    np.testing.assert_array_equal(first.clipped, again.clipped)
    assert not np.array_equal(first.clipped, other.clipped)


def test_groups_of_grpo_at_the_success_rate():
    right = []
    for seed in range(40):
        gains, clipped = simulate_clipping(0.2, 8, seed)
        assert gains.shape == (64, 8)
        assert clipped.shape == (4, 64, 8)
        k = np.sum(gains > 0, axis=1)
        mixed = k > 0
        np.testing.assert_allclose(gains.max(axis=1)[mixed], np.sqrt((8 - k) / np.maximum(k, 1))[mixed])
        right.append(k[mixed].sum() / 512)
    exact = 0.2 - 0.2**8  # right completions of groups that are all right have advantage 0
    assert abs(np.mean(right) - exact) < 4 * np.sqrt(0.16 / (40 * 512))


@pytest.mark.parametrize("own_step", [0.3, 0.8])
def test_each_update_climbs_the_clipped_objective(monkeypatch, own_step):
    """Numerical gradients of min(ρA, clip(ρ)A) in three dimensions: the same completions have none."""
    monkeypatch.setattr(clipping, "DIMENSION", 3)
    monkeypatch.setattr(clipping, "COMPLETIONS", 32)
    gains, clipped = simulate_clipping(0.4, 8, 5, own_step)

    rng = np.random.default_rng(5)
    points, gain = rng.normal(size=(32, 3)), gains.ravel()

    def terms(theta, visited):
        old = -np.sum(points[visited] ** 2, axis=1) / 2
        new = -np.sum((points[visited] - theta) ** 2, axis=1) / 2
        ratio = np.exp(new - old)
        return np.minimum(ratio * gain[visited], np.clip(ratio, 0.8, 1.2) * gain[visited])

    theta, h = np.zeros(3), 1e-6
    for cut in clipped.reshape(4, 32):
        for visited in rng.permutation(32).reshape(4, 8):
            around = [terms(theta + e, visited) - terms(theta - e, visited) for e in h * np.eye(3)]
            slopes = np.array(around).T / (2 * h)
            flat = np.all(np.abs(slopes) < 1e-9, axis=1)
            np.testing.assert_array_equal(cut[visited], flat & (gain[visited] != 0))
            theta = theta + own_step / 3 * slopes.sum(axis=0)
    assert 0 < clipped.mean() < 1


def test_who_is_clipped_is_nearly_the_arithmetic_of_orthogonal_scores():
    """After n visits of 0.05 each: surely beyond 1.6 thresholds, hardly ever below a third of one."""
    runs = [simulate_clipping(p, 64, seed) for p in (0.05, 0.95) for seed in range(6)]
    gains = np.concatenate([run.advantages.ravel() for run in runs])
    clipped = np.concatenate([run.clipped.reshape(4, -1) for run in runs], axis=1)
    for visits in (1, 2, 3):
        threshold = np.where(gains > 0, np.log(1.2), -np.log(0.8)) / (0.05 * visits)
        assert clipped[visits][np.abs(gains) > 1.6 * threshold].mean() > 0.95
        assert clipped[visits][np.abs(gains) < threshold / 3].mean() < 0.02
    assert clipped[0].mean() < 0.001


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((0.0, 8, 1), "p must be strictly between 0 and 1, got 0"),
        (([0.1, 0.2], 8, 1), "p must be one number"),
        ((0.5, 3, 1), "group_size must be a divisor of 512, got 3"),
        ((0.5, 1, 1), "group_size must be a whole number of at least 2"),
        ((0.5, 8, 1, 0), "own_step must be finite and above 0, got 0"),
    ],
)
def test_refuses(arguments, complaint):
    with pytest.raises(ValueError, match=complaint):
        simulate_clipping(*arguments)
