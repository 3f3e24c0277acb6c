"""Rules of advice on prompts and group sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .advice import Advice
from .what_if import AnotherSize, Estimate
from .wording import between, counted, number, share

if TYPE_CHECKING:
    from .findings import Diagnosis

MANY_SILENT = 0.2
"""The silent share from which on something should be done about it."""


def all_silent(found: Diagnosis) -> Advice | None:
    if not found.groups or found.mixed_groups:
        return None
    easy, hard = _sides(found)
    way = {True: "harder", False: "easier"}.get(easy > hard, "other") if easy != hard else "other"
    return Advice(
        "all-silent",
        f"Change the prompts to {way} ones, or the reward: nothing here has a gradient.",
        f"All {counted(found.groups, 'group')} are silent: {share(easy)} all right, {share(hard)} all wrong.",
        "A KL term or an entropy bonus still moves the policy; and a broken reward function looks the same.",
    )


def too_hard(found: Diagnosis) -> Advice | None:
    easy, hard = _sides(found)
    if hard + easy < MANY_SILENT or hard < 2 * easy or not found.mixed_groups:
        return None
    return Advice(
        "too-hard",
        "Bring in easier prompts, or hints: most silent groups are too hard.",
        f"{share(hard)} of groups are all wrong and {share(easy)} all right; {_pass(found)}.",
        "A prompt solved once in fifty tries looks like one that never is: drop none after a silent group.",
    )


def too_easy(found: Diagnosis) -> Advice | None:
    easy, hard = _sides(found)
    if hard + easy < MANY_SILENT or easy < 2 * hard or not found.mixed_groups:
        return None
    return Advice(
        "too-easy",
        "Set solved prompts aside for a while: most silent groups are too easy.",
        f"{share(easy)} of groups are all right and {share(hard)} all wrong; {_pass(found)}.",
        "A prompt that is always right can be forgotten: ask it again now and then.",
    )


def draw_again(found: Diagnosis) -> Advice | None:
    """Drawing silent groups again at the same G is always the cheaper way to mixed groups than a larger G."""
    size = found.usual_size
    here = _row(found, size)
    if found.fit is None or here is None or here.silent.value is None or here.cost.value is None:
        return None
    if here.silent.value < MANY_SILENT:
        return None
    enough = found.smallest.get(0.05)
    reach = "no G up to a million has" if enough is None else f"it takes G = {enough:,} to have"
    return Advice(
        "draw-again",
        f"For more mixed groups, draw silent ones again at G = {size} rather than raise G.",
        f"A mixed group costs {number(here.cost.value)} rollouts ({between(here.cost, 'number')}) if silent "
        f"ones are drawn again; {reach} at most 5 % silent.",
        "That gives seldom mixed prompts more weight; a larger G also makes updates less noisy.",
    )


def larger(found: Diagnosis) -> Advice | None:
    """Whether the group is small for the limit that it should come near to."""
    size = found.usual_size
    here, double = _row(found, size), _row(found, 2 * size)
    if here is None or double is None or here.fidelity.high is None or here.fidelity.high > 0.75:
        return None
    return Advice(
        "larger-group",
        f"Try G = {2 * size}: at G = {size} the weights of prompts are far from those of a large group.",
        f"Fidelity is {share(here.fidelity.value)} at G = {size} and {share(double.fidelity.value)} at "
        f"G = {2 * size}; {share(double.silent.value)} would be silent, not {share(here.silent.value)}.",
        "The learning rate can make up for the common part of what is lost; half as many prompts cannot.",
    )


def smaller(found: Diagnosis) -> Advice | None:
    """Whether half the group would do."""
    size = found.usual_size
    half = _row(found, size // 2)
    if found.fit is None or half is None or half.silent.high is None or half.fidelity.low is None:
        return None
    if half.silent.high > MANY_SILENT / 2 or half.fidelity.low < 0.9:
        return None
    return Advice(
        "smaller-group",
        f"Try G = {size // 2} and twice the prompts: G = {size} is larger than silence asks for.",
        f"At G = {size // 2} {between(half.silent)} of groups would be silent, and fidelity would be "
        f"{between(half.fidelity)}.",
        "Each prompt's update gets noisier; only the average over twice the prompts is as good.",
    )


def leave(found: Diagnosis) -> Advice | None:
    seen = found.silence.observed if found.silence else Estimate(None)
    if seen.value is None or seen.high is None or seen.value >= MANY_SILENT or seen.high > 0.35:
        return None
    return Advice(
        "leave",
        "Leave the group size alone for now: silence is not what holds this run back.",
        f"{share(seen.value)} of groups are silent ({between(seen)}).",
        "A mixed group can still teach the wrong thing: this looks at rewards, not at what they reward.",
    )


def watch(found: Diagnosis) -> Advice | None:
    rates = [1 - step.mixed / step.groups for step in found.steps]
    seen = (
        f"Over {counted(len(rates), 'step')} the silent share of a step ran from {share(min(rates))} to "
        f"{share(max(rates))}."
        if rates
        else "There is no step to compare."
    )
    return Advice(
        "watch",
        "Plot the silent share by step, all right and all wrong apart: it shows early where training goes.",
        seen,
        "Single steps hold few groups; look at the trend over many.",
    )


def compare(found: Diagnosis) -> Advice | None:
    rows = [row for row in found.what_if if row.cost.value is not None]
    cheapest = min(rows, key=lambda row: row.cost.value or 0, default=None)
    return Advice(
        "compare",
        "When you compare group sizes, give each the same rollouts, and tune the learning rate anew.",
        f"A mixed group is cheapest at G = {cheapest.group_size}: {number(cheapest.cost.value)} rollouts."
        if cheapest
        else "Group sizes differ in cost, in noise and in the size of the update, all at once.",
        "That is one of three bills; the noise of the update and the generator's speed are the others.",
    )


def _sides(found: Diagnosis) -> tuple[float, float]:
    if found.silence is None or found.silence.too_easy is None or found.silence.too_hard is None:
        return 0.0, 0.0
    return found.silence.too_easy, found.silence.too_hard


def _row(found: Diagnosis, size: int) -> AnotherSize | None:
    return next((row for row in found.what_if if row.group_size == size), None)


def _pass(found: Diagnosis) -> str:
    k, value = max((found.pass_at or {1: 0.0}).items())
    return f"pass@{k} is {share(value)}"
