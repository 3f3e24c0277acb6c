"""A small GRPO in numpy: thousands of one-logit prompts, or one softmax policy over short sequences.

Both trainers are iterators, one `Step` a step: stop when you have seen enough, or let `record` run them to
their end.

>>> run = record(train_prompts([0.1, 0.5, 0.9], steps=20, learning_rate=0.5))
>>> bool(run.success[-1] > run.success[0])
True
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv, expit, log_expit, logit

from . import sampling
from . import validation as check
from .counts import silent_probability
from .family import FAMILY, Algorithm, Batch, group_advantages, objective

Floats = NDArray[np.float64]

BASELINE_RATE = 0.1
"""How fast REINFORCE's baseline, the running mean of earlier rewards, follows the rewards."""


class Step(NamedTuple):
    """What one step did."""

    before: Floats
    """Success probabilities before it: (n,) of the prompts, (1,) of the small language."""
    after: Floats
    logits: Floats
    """The policy after it: (n,) of the prompts, (T, V) of the small language."""
    silent: float
    """Share of the sampled groups that were silent."""
    silent_expected: float
    """The same by the closed form, for one group of every prompt before the step."""
    clipped: float
    """Share of tokens on which the clip held: a mean over the step's updates and its groups that speak."""
    rollouts: int
    """Completions sampled, those thrown away included."""
    length: float
    """Expected number of tokens of a completion after the step."""
    prompts: NDArray[np.intp]
    """(m,) which prompts the groups belong to that the step learnt from."""
    k: NDArray[np.intp]
    """(m,) how many of each group's completions are right."""


@dataclass(frozen=True)
class Run:
    """A finished run, as curves. Arrays of `steps` + 1 numbers start before the first step."""

    success: Floats
    """(steps + 1,) mean success probability."""
    silent: Floats
    silent_expected: Floats
    clipped: Floats
    length: Floats
    """(steps,) as in `Step`."""
    rollouts: Floats
    """(steps + 1,) completions sampled so far."""
    final: Floats
    """(n,) success probabilities at the end."""


def record(steps: Iterable[Step]) -> Run:
    """Run a trainer to its end and keep the curves."""
    done = list(steps)
    if not done:
        raise ValueError("steps must hold at least one step, got none")
    return Run(
        success=np.array([done[0].before.mean(), *(step.after.mean() for step in done)]),
        silent=np.array([step.silent for step in done]),
        silent_expected=np.array([step.silent_expected for step in done]),
        clipped=np.array([step.clipped for step in done]),
        length=np.array([step.length for step in done]),
        rollouts=np.cumsum([0.0, *(step.rollouts for step in done)]),
        final=done[-1].after,
    )


def beta_population(number: int, a: float = 1.0, b: float = 3.0) -> Floats:
    """Success probabilities of prompts spread as Beta(a, b): its quantiles at (i + ½)/number."""
    return np.asarray(betaincinv(a, b, (np.arange(number) + 0.5) / number))


def train_prompts(
    p0: ArrayLike,
    algorithm: Algorithm = FAMILY["GRPO"],
    *,
    group_size: int = 8,
    learning_rate: float = 0.1,
    steps: int = 150,
    updates: int = 1,
    kl: float = 0.0,
    batch: int | None = None,
    seed: int = 0,
) -> Iterator[Step]:
    """Train a population of prompts, each with one logit of its own and completions of one token.

    Parameters
    ----------
    p0 : (n,) success probabilities at the start, strictly between 0 and 1; also the policy that `kl` pulls to
    algorithm : an entry of `FAMILY`, or one changed by `dataclasses.replace`
    group_size : whole number of at least 2
    learning_rate : above 0, times each group's own gradient: no prompt shares a parameter with another, so
        the mean over the batch is left to it
    steps : whole number of at least 1
    updates : gradient steps on the same groups; from the second on ratios differ from 1 and clips can hold
    kl : weight of the k3 penalty, at least 0 (β for "DPO on pairs")
    batch : prompts a step, all if None; needed to "refill"
    seed : of the random numbers

    Yields
    ------
    Step

    Raises
    ------
    ValueError
        For arguments outside these ranges, before the first step.

    Notes
    -----
    Equation ``eq-lab-update``. One step of 6,000 prompts costs about 2 ms at G = 8.
    """
    start = np.atleast_1d(check.open_unit(p0, "p0"))
    if start.ndim != 1:
        raise ValueError(f"p0 must be a number or a vector, got shape {start.shape}")
    size = checked_settings(group_size, learning_rate, steps, updates, kl)
    many = (
        start.size if batch is None else int(check.single(check.group_size(batch, "batch", least=1), "batch"))
    )
    if many > start.size:
        raise ValueError(f"batch must be a whole number from 1 to the {start.size} prompts, got {batch!r}")
    if algorithm.silent == "refill" and many == start.size:
        raise ValueError(f"batch must be below the {start.size} prompts to refill from, got {batch!r}")

    def run() -> Iterator[Step]:
        rng = np.random.default_rng(seed)
        theta, baseline = logit(start), np.full(start.size, 0.5)
        reference = _log_probs(theta)
        by_count = np.tril(np.ones((size + 1, size)), -1)  # row k: k right, then G − k wrong
        p = start
        for _ in range(steps):
            groups = sampling.draw_groups(rng, p, size, algorithm.silent, None if batch is None else many)
            who, counts = groups.prompts, np.stack([groups.k, size - groups.k], axis=-1).astype(np.float64)
            if algorithm.advantage == "reinforce":
                advantages = np.array([1.0, 0.0]) - baseline[who, None]
            else:
                advantages = group_advantages(by_count, algorithm.advantage)[groups.k][:, [0, -1]]
            baseline[who] += BASELINE_RATE * (groups.k / size - baseline[who])
            old, said = _log_probs(theta[who]), np.ones((who.size, 2, 1), dtype=bool)
            clipped = []
            for _ in range(updates):
                now = theta[who]
                data = Batch(_log_probs(now), old, said, advantages, counts, reference[who], old)
                done = objective(algorithm, data, kl)
                scores = np.stack([expit(-now), -expit(now)], axis=-1)  # ∇log p and ∇log(1 − p)
                theta[who] += learning_rate * np.sum(done.slope[..., 0] * scores, axis=-1)
                clipped.append(done.clipped)
            before, p = p, expit(theta)
            yield Step(
                before=before,
                after=p,
                logits=theta.copy(),
                silent=groups.silent / groups.drawn,
                silent_expected=float(np.mean(silent_probability(before, size))),
                clipped=clipped_share(clipped),
                rollouts=size * groups.drawn,
                length=1.0,
                prompts=who,
                k=groups.k,
            )

    return run()


def _log_probs(theta: Floats) -> Floats:
    """(n, 2, 1): log p and log(1 − p), the two kinds of completion of one token."""
    return np.stack([log_expit(theta), log_expit(-theta)], axis=-1)[..., None]


def clipped_share(updates: list[Floats]) -> float:
    """Mean over the groups of all updates that have a share, 0 if none has."""
    shares = np.concatenate([np.empty(0), *updates])
    heard = shares[~np.isnan(shares)]
    return float(heard.mean()) if heard.size else 0.0


def checked_settings(group_size: int, learning_rate: float, steps: int, updates: int, kl: float) -> int:
    """The checks that both trainers share; the group size as an int."""
    check.single(check.positive(learning_rate, "learning_rate"), "learning_rate")
    check.single(check.nonnegative(kl, "kl"), "kl")
    for name, value in (("steps", steps), ("updates", updates)):
        check.single(check.group_size(value, name, least=1), name)
    return int(check.single(check.group_size(group_size), "group_size"))
