"""Silence without a model: from a prompt's other groups, and for smaller groups from parts of those seen.

Both count draws without replacement, which is unbiased as the law of k in them is the binomial's. A prompt's
groups must be alike: where training moved its p between them, held-out groups say what silence was expected
of a mixture of both times.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .by_group import Floats, Ints
from .groups import Groups

NORMAL = 1.6449  # of a 90 % interval


@dataclass(frozen=True)
class HeldOut:
    """Groups of prompts that come up three times or more, against the same prompts' other groups.

    Attributes
    ----------
    groups : how many groups have enough others
    observed : silent share of them
    expected : by their prompts' other groups
    low, high : around `expected`, 90 % interval of where `observed` should be; prompts are the units
    """

    groups: int
    observed: float
    expected: float
    low: float
    high: float


def held_out(groups: Groups) -> HeldOut | None:
    """The comparison; None where not two prompts come up three times, or nothing says who is right."""
    if groups.k is None or groups.number == 0 or groups.prompt.min() < 0:
        return None
    prompt = np.unique(groups.prompt, return_inverse=True)[1]
    total, right = (
        np.bincount(prompt, each)[prompt].astype(np.int64) - each for each in (groups.size, groups.k)
    )
    use = total >= 2 * groups.size  # with one other group both shares would be of the same groups
    if len(np.unique(prompt[use])) < 2:
        return None
    size, total, right, prompt = groups.size[use], total[use], right[use], prompt[use]
    expected = _without_replacement(right, total, size) + _without_replacement(total - right, total, size)
    silent = groups.silent[use].astype(float)
    off = np.bincount(prompt, expected - silent)  # a prompt's groups depend on each other
    off, count = off[np.bincount(prompt) > 0], len(silent)
    number = len(off)
    error = np.sqrt(number / (number - 1) * np.sum((off - off.mean()) ** 2)) / count
    mean, seen = float(expected.mean()), float(silent.mean())
    return HeldOut(count, seen, mean, max(mean - NORMAL * error, 0.0), min(mean + NORMAL * error, 1.0))


def silent_at_smaller(groups: Groups, group_size: int) -> tuple[float, float, float]:
    """Share of silent groups of G, of any rewards, from the observed ones of at least G, with its interval.

    Parameters
    ----------
    groups : the complete groups
    group_size : at most the size of the largest

    Returns
    -------
    value, low, high : the mean chance that G of a group's completions, drawn from it, are all equal
    """
    label = groups.label
    order = np.lexsort([groups.reward, label])
    reward, label = groups.reward[order], label[order]
    new = np.concatenate([[True], (reward[1:] != reward[:-1]) | (label[1:] != label[:-1])])
    first = np.flatnonzero(new)
    equal = np.diff(np.append(first, len(reward)))  # how often each value comes in its group
    size = groups.size[label[first]]
    enough = size >= group_size
    part = _without_replacement(equal[enough], size[enough], np.full(int(enough.sum()), group_size))
    share = np.bincount(label[first][enough], part, groups.number)[groups.size >= group_size]
    mean = float(share.mean())
    error = NORMAL * float(share.std(ddof=1)) / np.sqrt(len(share)) if len(share) > 1 else 1.0
    return mean, max(mean - error, 0.0), min(mean + error, 1.0)


def _without_replacement(of: Ints, total: Ints, drawn: Ints) -> Floats:
    """C(of, drawn)/C(total, drawn): the chance that all drawn are among `of`."""
    from scipy.special import gammaln

    able = of >= drawn
    kept = np.where(able, of, drawn)
    log = gammaln(kept + 1) - gammaln(kept - drawn + 1) - gammaln(total + 1) + gammaln(total - drawn + 1)
    return np.asarray(np.where(able, np.exp(log), 0.0))
