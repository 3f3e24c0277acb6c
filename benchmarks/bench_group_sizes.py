"""Speed beside the plain sums. In each table the number in brackets is the ratio to the fastest."""

from __future__ import annotations

import numpy as np
import plain
import pytest

from grpo_lessons import expected_std, min_group_size, objective, objective_weight

GRID = np.arange(1, 1000) / 1000


@pytest.mark.parametrize(
    "code", [expected_std, plain.expected_std, plain.expected_std_comb], ids=["package", "plain", "comb"]
)
@pytest.mark.benchmark(group="one expected_std, p = .3, G = 1000")
def bench_one(benchmark, code):
    assert benchmark(code, 0.3, 1000) == pytest.approx(expected_std(0.3, 1000))


@pytest.mark.parametrize("code", [expected_std, plain.expected_std], ids=["package", "plain"])
@pytest.mark.benchmark(group="one expected_std, p = .001, G = 10^6 (at most 1 ms)")
def bench_large_rare(benchmark, code):
    assert benchmark(code, 0.001, 10**6) == pytest.approx(expected_std(0.001, 10**6))


@pytest.mark.parametrize("code", [expected_std, plain.expected_std], ids=["package", "plain"])
@pytest.mark.benchmark(group="one expected_std, p = .5, G = 10^6 (at most 2.5 ms)")
def bench_large_even(benchmark, code):
    assert benchmark(code, 0.5, 10**6) == pytest.approx(expected_std(0.5, 10**6))


@pytest.mark.parametrize("group_size", [10**3, 10**5, 10**7, 10**9])
@pytest.mark.benchmark(group="one expected_std, p = .5, cost as √G")
def bench_growth(benchmark, group_size):
    benchmark(expected_std, 0.5, group_size)


@pytest.mark.parametrize("code", [expected_std, plain.expected_std], ids=["package", "plain"])
@pytest.mark.parametrize("group_size", [2, 8, 64, 1024])
def bench_grid(benchmark, group_size, code):
    benchmark.group = f"expected_std at 999 p, G = {group_size}"
    np.testing.assert_allclose(benchmark(code, GRID, group_size), expected_std(GRID, group_size))


@pytest.mark.parametrize("code", [objective_weight, plain.objective_weight], ids=["package", "plain"])
@pytest.mark.benchmark(group="objective_weight at 999 p, G = 1024")
def bench_weight(benchmark, code):
    np.testing.assert_allclose(benchmark(code, GRID, 1024), objective_weight(GRID, 1024))


@pytest.mark.benchmark(group="objective at 999 p, G = 1024")
def bench_objective(benchmark):
    benchmark(objective, GRID, 1024)


@pytest.mark.parametrize("code", [min_group_size, plain.min_group_size], ids=["package", "plain"])
@pytest.mark.benchmark(group="min_group_size(1e-4, .01)")
def bench_min_group_size(benchmark, code):
    assert benchmark(code, 1e-4, 0.01) == 129_772


@pytest.mark.parametrize("code", [min_group_size, plain.min_group_size], ids=["package", "plain"])
@pytest.mark.benchmark(group="min_group_size(.05, .05)")
def bench_small_min_group_size(benchmark, code):
    assert benchmark(code, 0.05, 0.05) == 69
