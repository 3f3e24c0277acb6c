"""The executor does not change a run, and intervals over seeds cover as often as they say."""

import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import numpy as np
import pytest
from distributed import Client, LocalCluster

from grpo_lessons import sweeps
from grpo_lessons.family import FAMILY
from grpo_lessons.sweeps import seed_interval, sweep
from grpo_lessons.training import beta_population, train_prompts

SETTINGS = [
    {"p0": beta_population(50), "algorithm": FAMILY[name], "steps": 5, "seed": seed}
    for name in ("GRPO", "RLOO")
    for seed in (0, 1)
]


@contextmanager
def dask_cluster():
    with (
        LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None) as cluster,
        Client(cluster) as client,
        client.get_executor() as executor,
    ):
        yield executor


@pytest.mark.parametrize(
    "make",
    [lambda: ThreadPoolExecutor(2), sweeps.processes, dask_cluster],
    ids=["threads", "processes", "dask"],
)
def test_an_executor_gives_the_same_runs_in_order(make):
    alone = sweep(train_prompts, SETTINGS)
    with make() as executor:
        spread = sweep(train_prompts, SETTINGS, executor=executor)
    assert len(alone) == len(spread) == 4
    for one, other in zip(alone, spread, strict=True):
        np.testing.assert_array_equal(one.final, other.final)
    assert not np.array_equal(alone[0].final, alone[1].final)


def test_a_browser_has_no_processes(monkeypatch):
    monkeypatch.setattr(sys, "platform", "emscripten")
    with sweeps.processes() as executor:
        assert executor is None


def test_a_refused_setting_is_heard():
    with ThreadPoolExecutor(1) as executor, pytest.raises(ValueError, match="steps must be"):
        sweep(train_prompts, [{"p0": [0.5], "steps": 0}], executor=executor)


def test_interval_covers():
    values = np.random.default_rng(0).normal(3, 2, size=(5, 4000))
    mean, half = seed_interval(values)
    covered = np.mean(np.abs(mean - 3) < half)
    assert covered == pytest.approx(0.95, abs=5 * np.sqrt(0.95 * 0.05 / 4000))


def test_interval_by_hand():
    mean, half = seed_interval([1.0, 3.0], level=0.5)  # Student's t with one degree is Cauchy: quartile 1
    assert (mean, half) == pytest.approx((2, 1))


@pytest.mark.parametrize("values", [[1.0], 2.0])
def test_one_seed_has_no_interval(values):
    with pytest.raises(ValueError, match="values must hold at least 2 seeds"):
        seed_interval(values)
