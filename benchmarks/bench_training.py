"""The training lab's speed: the population's loop beside one that samples every completion."""

from __future__ import annotations

import numpy as np
import pytest

from grpo_lessons.family import FAMILY
from grpo_lessons.policies import odd_language
from grpo_lessons.sequence_training import train_sequences
from grpo_lessons.training import beta_population, record, train_prompts

PROMPTS, STEPS, SIZE = 6000, 150, 8


def plain_grpo(p0, steps, learning_rate=0.1):
    """What one writes first: a matrix of rewards a step, GRPO on-policy."""
    rng, theta = np.random.default_rng(0), np.log(p0 / (1 - p0))
    for _ in range(steps):
        p = 1 / (1 + np.exp(-theta))
        rewards = (rng.random((p.size, SIZE)) < p[:, None]).astype(float)
        std = rewards.std(axis=1, keepdims=True)
        advantages = (rewards - rewards.mean(axis=1, keepdims=True)) / np.where(std > 0, std, 1)
        theta += learning_rate * np.mean(advantages * (rewards - p[:, None]), axis=1)
    return 1 / (1 + np.exp(-theta))


@pytest.mark.benchmark(group="GRPO, 6,000 prompts × 150 steps × G = 8 (at most 500 ms)", max_time=2)
@pytest.mark.parametrize("code", ["package", "plain"])
def bench_population(benchmark, code):
    p0 = beta_population(PROMPTS)
    if code == "plain":
        assert benchmark(plain_grpo, p0, STEPS).mean() == pytest.approx(0.857, abs=0.01)
    else:
        run = benchmark(lambda: record(train_prompts(p0, group_size=SIZE, steps=STEPS)))
        assert run.success[-1] == pytest.approx(0.857, abs=0.01)


@pytest.mark.parametrize("name", ["Dr. GRPO", "REINFORCE", "DAPO, retry", "CISPO"])
@pytest.mark.benchmark(group="others, 6,000 prompts × 15 steps × G = 8")
def bench_family(benchmark, name):
    benchmark(lambda: record(train_prompts(beta_population(PROMPTS), FAMILY[name], steps=STEPS // 10)))


@pytest.mark.benchmark(group="small language, 32 groups of 8, 150 steps of 4 minibatches")
def bench_sequences(benchmark):
    benchmark(lambda: record(train_sequences(*odd_language(), steps=STEPS, updates=4)))
