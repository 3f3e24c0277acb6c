"""Many runs at once, through any `concurrent.futures.Executor`, and an interval over their seeds.

Processes on this machine, or a cluster through `dask.distributed` (extra ``cluster``), look alike:

    with processes() as executor:
        runs = sweep(train_prompts, settings, executor=executor)

    executor = dask.distributed.Client(address).get_executor()
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

from . import validation as check
from .training import Run, Step, record

Floats = NDArray[np.float64]
Trainer = Callable[..., Iterator[Step]]


def sweep(
    trainer: Trainer, settings: Iterable[Mapping[str, Any]], *, executor: Executor | None = None
) -> list[Run]:
    """One recorded run for each setting, in the order of the settings.

    Parameters
    ----------
    trainer : `train_prompts` or `train_sequences`
    settings : the trainer's keyword arguments, one mapping a run
    executor : where the runs go; one after the other in this process if None

    Returns
    -------
    list of Run
        A run depends on its setting alone, so the executor does not change it.

    Raises
    ------
    ValueError
        As the trainer, for the first setting that it refuses.
    """
    if executor is None:
        return [_run(trainer, setting) for setting in settings]
    waiting = [executor.submit(_run, trainer, setting) for setting in settings]
    return [future.result() for future in waiting]


def processes() -> AbstractContextManager[Executor | None]:
    """One process for each core of this machine; no executor in a browser, which cannot start any."""
    if sys.platform == "emscripten":
        return nullcontext()
    from concurrent.futures import ProcessPoolExecutor  # not even to be imported where there are no processes
    from multiprocessing import get_context

    # started afresh: a fork of a process with threads, as every kernel is, can hang
    return ProcessPoolExecutor(mp_context=get_context("spawn"))


def _run(trainer: Trainer, setting: Mapping[str, Any]) -> Run:
    return record(trainer(**setting))


def seed_interval(values: ArrayLike, level: float = 0.95) -> tuple[Floats, Floats]:
    """Mean over seeds and the half-width of its interval, by Student's t.

    Parameters
    ----------
    values : (seeds, ...) array, at least 2 seeds
    level : chance that the interval covers the expectation, were the values normal

    Returns
    -------
    mean, half_width : (...) arrays

    Raises
    ------
    ValueError
        For fewer than two seeds, numbers that are not finite, or a level outside (0, 1).
    """
    runs = check.finite(values, "values")
    inside = check.single(check.open_unit(level, "level"), "level")
    if runs.ndim == 0 or len(runs) < 2:
        raise ValueError(f"values must hold at least 2 seeds, got shape {runs.shape}")
    error = runs.std(axis=0, ddof=1) / np.sqrt(len(runs))
    return runs.mean(axis=0), np.asarray(error * stdtrit(len(runs) - 1, (1 + inside) / 2))[()]
