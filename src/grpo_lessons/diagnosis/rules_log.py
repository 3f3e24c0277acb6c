"""Rules of advice on what the log is: complete, trustworthy, and of one kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .advice import Advice
from .wording import between, counted, number, share

if TYPE_CHECKING:
    from .findings import Diagnosis


def no_groups(found: Diagnosis) -> Advice | None:
    if found.groups:
        return None
    return Advice(
        "no-groups",
        "Check the group column or give --group-size: there is no complete group to look at.",
        f"{counted(found.rows_read, 'row')}, {counted(found.incomplete, 'group')} with a missing reward, "
        f"{counted(found.singletons, 'completion')} alone.",
        "A run with one completion a prompt has no group to compare with, and no GRPO advantage.",
    )


def survivors(found: Diagnosis) -> Advice | None:
    if not _noted(found, "survivors-only"):
        return None
    return Advice(
        "survivors-only",
        "Log the groups before the filter: this log holds only what it let through.",
        f"All right or all wrong never comes in {counted(found.groups, 'group')}, which no p explains.",
        "The counts describe the survivors; the silent share and other sizes cannot be told from them.",
    )


def untrusted(found: Diagnosis) -> Advice | None:
    match = found.conventions
    if match is None or match.matches or match.nearest is None:
        return None
    return Advice(
        "unknown-convention",
        "Find out how the advantages are made before you trust them: no known convention gives them.",
        f"The nearest, {match.nearest}, agrees in {share(match.agreeing)} of "
        f"{counted(match.compared, 'group')} and is off by up to {number(match.residual)}.",
        "A penalty after the rewards were logged (length, KL), clipped or whitened advantages, or groups put "
        "together wrongly would all look like this.",
    )


def incomplete(found: Diagnosis) -> Advice | None:
    trouble = _noted(found, "last-batch-only", "repeated-rows", "possible-repeats", "cut-off-line")
    if found.incomplete == 0 and trouble is None:
        return None
    every = f"{found.groups + found.incomplete:,}"
    left_out = f"{counted(found.incomplete, 'group')} of {every} left out for a missing reward."
    return Advice(
        "incomplete-log",
        "Mend the log before you draw fine conclusions: part of the run is missing or doubtful.",
        trouble if found.incomplete == 0 and trouble else left_out,
        "If what is missing is like the rest, the shares still hold; but missing rewards are often "
        "time-outs, which come with hard prompts.",
    )


def graded(found: Diagnosis) -> Advice | None:
    if found.histogram is not None or not found.groups:
        return None
    counted_ones = [one.name for one in found.components if one.histogram is not None]
    column = f", or look at one column with --reward-column {counted_ones[0]}" if counted_ones[1:] else ""
    return Advice(
        "graded-rewards",
        f"Say from which reward on a completion counts as right (--success-threshold){column}.",
        f"The log has {found.rule}, so that there is no number right in a group.",
        "A group whose rewards differ has a gradient whether or not its completions pass a threshold.",
    )


def noisy_silence(found: Diagnosis) -> Advice | None:
    extreme = found.extremes
    if extreme is None or not extreme.logged or not extreme.silent_largest or extreme.silent_largest < 1e-6:
        return None
    return Advice(
        "silent-not-zero",
        "Zero the advantages of groups whose rewards are all equal: rounding moves them.",
        f"A group of equal rewards has an advantage of {number(extreme.silent_largest)} in the log.",
        "A baseline over the batch also gives silent groups an advantage, and means to.",
    )


def drift(found: Diagnosis) -> Advice | None:
    held = found.silence.held_out if found.silence else None
    if (
        held is None or abs(held.observed - held.expected) <= held.high - held.low
    ):  # twice the half of a 90 % interval
        return None
    return Advice(
        "held-out",
        "Do not read the expected share as a law: the prompts' other groups disagree with it.",
        f"{share(held.observed)} of {counted(held.groups, 'group')} are silent; by the prompts' others "
        f"it should be {share(held.expected)} ({share(held.low)} to {share(held.high)}).",
        "Training moves a prompt's p between its groups; completions that are not independent look the same.",
    )


def few_groups(found: Diagnosis) -> Advice | None:
    seen = found.silence.observed if found.silence else None
    if seen is None or seen.low is None or seen.high is None or seen.high - seen.low < 0.2:
        return None
    return Advice(
        "few-groups",
        "Look at more steps before you change anything: these are few groups.",
        f"{counted(found.groups, 'group')} put the silent share at {between(seen)}.",
        "The interval takes groups as independent; prompts that come up again make it too narrow.",
    )


def one_component(found: Diagnosis) -> Advice | None:
    known = [one for one in found.components if one.share is not None]
    if len(known) < 2:
        return None
    flat = [one for one in known if one.silent == 1 and one.weight]
    top = max(known, key=lambda one: one.share or 0)
    if flat:
        sentence = f"Drop or rework {flat[0].name}: it is the same for all completions of every group."
    elif (top.share or 0) >= 0.8:
        sentence = f"Watch {top.name}: it makes nearly all of what the advantages see."
    else:
        return None
    parts = ", ".join(f"{one.name} {share(one.share)}" for one in known)
    return Advice(
        "components",
        sentence,
        f"Shares of the within-group variance: {parts}.",
        "A reward function can matter later, when another one is saturated.",
    )


def _noted(found: Diagnosis, *traps: str) -> str | None:
    return next((note.sentence for note in found.notes if note.trap in traps), None)
