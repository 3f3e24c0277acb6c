"""The same algorithms on a policy whose completions have several tokens, and lengths that differ.

All but the sampling is exact: p and the expected length of the small language are sums over its sequences.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import policies
from . import validation as check
from .counts import silent_probability
from .family import FAMILY, Algorithm, Batch, group_advantages, objective
from .policies import Sequences
from .training import BASELINE_RATE, Step, checked_settings, clipped_share

Floats = NDArray[np.float64]

MOST_DRAWS = 100
"""How many times a step's number of groups is drawn at most until all are mixed."""


class GroupGradient(NamedTuple):
    """Each group's objective (...), its gradient in the logits (..., T·V), and its clipped share (...)."""

    value: Floats
    gradient: Floats
    clipped: Floats


def sequence_gradient(
    logits: ArrayLike,
    sequences: Sequences,
    rewards: ArrayLike,
    actions: NDArray[np.intp],
    algorithm: Algorithm = FAMILY["GRPO"],
    *,
    old: ArrayLike | None = None,
    sampler: ArrayLike | None = None,
    reference: ArrayLike | None = None,
    kl: float = 0.0,
    baseline: float = 0.5,
) -> GroupGradient:
    """What an algorithm makes of groups of sequences.

    Parameters
    ----------
    logits : (T, V) array, the policy that is differentiated
    sequences : the language, n sequences
    rewards : (n,) array, one for each sequence
    actions : (..., G) array of sequence numbers
    algorithm : an entry of `FAMILY`
    old : (T, V) logits before the first update on these groups; `logits` if None (the ratio is then 1)
    sampler : (T, V) logits that drew the groups; `old` if None
    reference : (T, V) logits of the KL term and of DPO; `old` if None
    kl : weight of the KL term, DPO's β
    baseline : what "reinforce" subtracts

    Returns
    -------
    GroupGradient

    Raises
    ------
    ValueError
        For logits of another shape, and as `group_advantages`.
    """
    before = logits if old is None else old
    now, then, ref, drew = (
        policies.token_log_probs(each, sequences)[actions]
        for each in (
            logits,
            before,
            before if reference is None else reference,
            before if sampler is None else sampler,
        )
    )
    advantages = group_advantages(
        np.asarray(rewards, dtype=np.float64)[actions], algorithm.advantage, baseline
    )
    data = Batch(now, then, sequences.said[actions], advantages, np.ones_like(advantages), ref, drew)
    done = objective(algorithm, data, kl)
    scores = policies.token_scores(logits, sequences)[actions]
    return GroupGradient(done.value, np.einsum("...gt,...gtd->...d", done.slope, scores), done.clipped)


def train_sequences(
    logits: ArrayLike,
    sequences: Sequences,
    rewards: ArrayLike,
    algorithm: Algorithm = FAMILY["GRPO"],
    *,
    group_size: int = 8,
    groups: int = 32,
    learning_rate: float = 0.5,
    steps: int = 150,
    updates: int = 1,
    kl: float = 0.0,
    sampler_grid: float = 0.0,
    seed: int = 0,
) -> Iterator[Step]:
    """Train the softmax policy over short sequences on one prompt.

    Parameters
    ----------
    logits : (T, V) array, where it starts; also the policy that `kl` pulls to
    sequences, rewards : the language, and each sequence's reward, 0 or 1
    algorithm : an entry of `FAMILY`; "refill" and "retry" both draw until all groups are mixed,
        `MOST_DRAWS` times a step's groups at most
    group_size : whole number of at least 2
    groups : groups a step
    learning_rate : above 0
    steps : whole number of at least 1
    updates : minibatches that a step's groups are split into, at most one a group
    kl : weight of the k3 penalty, at least 0 (β for "DPO on pairs")
    sampler_grid : the sampler's logits are the learner's rounded to multiples of this; 0 for the same numbers
    seed : of the random numbers

    Yields
    ------
    Step

    Raises
    ------
    ValueError
        For arguments outside these ranges, before the first step.
    """
    size = checked_settings(group_size, learning_rate, steps, updates, kl)
    check.single(check.nonnegative(sampler_grid, "sampler_grid"), "sampler_grid")
    each = check.finite(rewards, "rewards")
    if each.shape != sequences.lengths.shape or np.any((each != 0) & (each != 1)):
        raise ValueError(
            f"rewards must be 0 or 1 for each of the {len(sequences.tokens)} sequences, got {rewards!r}"
        )
    if not updates <= groups:
        raise ValueError(f"updates must be at most the {groups} groups, got {updates}")
    policies.token_log_probs(logits, sequences)  # refuses logits that do not fit
    start = np.array(logits, dtype=np.float64)

    def run() -> Iterator[Step]:
        rng = np.random.default_rng(seed)
        now, baseline, p = start, 0.5, float(policies.sequence_probabilities(start, sequences) @ each)
        for _ in range(steps):
            sampler = np.round(now / sampler_grid) * sampler_grid if sampler_grid else now
            drawn = _draw(rng, sampler, sequences, each, size, groups, algorithm.silent)
            old, clipped = now, []
            parts = np.array_split(drawn.kept, min(updates, len(drawn.kept))) if len(drawn.kept) else []
            for part in parts:
                done = sequence_gradient(
                    now, sequences, each, part, algorithm,
                    old=old, sampler=sampler, reference=start, kl=kl, baseline=baseline,
                )  # fmt: skip
                now = now + learning_rate * done.gradient.mean(axis=0).reshape(start.shape)
                baseline += BASELINE_RATE / len(parts) * (float(each[part].mean()) - baseline)
                clipped.append(done.clipped)
            chances = policies.sequence_probabilities(now, sequences)
            before, p = p, float(chances @ each)
            yield Step(
                before=np.array([before]),
                after=np.array([p]),
                logits=now,
                silent=drawn.silent / drawn.drawn,
                silent_expected=float(silent_probability(min(before, 1.0), size)),
                clipped=clipped_share(clipped),
                rollouts=size * drawn.drawn,
                length=float(chances @ sequences.lengths),
                prompts=np.zeros(len(drawn.kept), dtype=np.intp),
                k=each[drawn.kept].sum(axis=1).astype(np.intp),
            )

    return run()


class _Drawn(NamedTuple):
    kept: NDArray[np.intp]
    """(groups, G) sequence numbers."""
    drawn: int
    silent: int


def _draw(
    rng: np.random.Generator,
    logits: Floats,
    sequences: Sequences,
    rewards: Floats,
    size: int,
    groups: int,
    silent: str,
) -> _Drawn:
    """A step's groups, and how many were drawn and were silent on the way to them."""
    chances = policies.sequence_probabilities(logits, sequences)
    kept, drawn = np.empty((0, size), dtype=np.intp), 0
    for _ in range(MOST_DRAWS):
        actions = rng.choice(chances.size, size=(groups, size), p=chances / chances.sum())
        right = rewards[actions].sum(axis=1)
        mixed = np.flatnonzero((right > 0) & (right < size))
        if silent == "keep":
            return _Drawn(actions, groups, groups - len(mixed))
        missing = groups - len(kept)
        kept = np.concatenate([kept, actions[mixed[:missing]]])
        if len(mixed) >= missing:
            drawn += int(mixed[missing - 1]) + 1
            break
        drawn += groups
    return _Drawn(kept, drawn, drawn - len(kept))
