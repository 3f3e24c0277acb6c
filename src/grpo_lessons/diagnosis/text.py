"""A diagnosis as a table for a terminal: plain text, 80 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from .findings import Diagnosis, Step
from .wording import NO_BREAK, between, counted, kept, number, share

WIDTH = 80
BAR = 26
ROWS = 8
"""The most steps shown, evenly spread; JSON has all of them."""

BOLD, BLUE, ORANGE, FAINT = "1", "34", "33", "2"


def render(found: Diagnosis, colour: bool = False) -> str:
    """The whole diagnosis.

    Parameters
    ----------
    found : the diagnosis
    colour : whether to use a terminal's colours and bold type
    """
    parts = (_head, _notes, _counts, _silence, _by_step, _rewards, _conventions, _sizes, _advice)
    blocks = ["\n".join(part(found)) for part in parts]
    text = "\n\n".join(block for block in blocks if block) + "\n"
    return text if colour else _plain(text)


def printable(text: str) -> str:
    """Text of unknown origin without control characters, which could steer a terminal."""
    return "".join(one if one.isprintable() else "\N{REPLACEMENT CHARACTER}" for one in text)


def _head(found: Diagnosis) -> Iterator[str]:
    first = found.paths[0] if found.paths else "nothing"
    more = f" and {counted(len(found.paths) - 1, 'other file')}" if found.paths[1:] else ""
    yield _ink(printable(f"{first}{more}"), BOLD)
    yield from _wrapped(f"Read as {found.format}. {found.why}")
    left_out = [
        f"{counted(found.incomplete, 'group')} with a missing reward" if found.incomplete else "",
        f"{counted(found.singletons, 'completion')} alone in a group" if found.singletons else "",
    ]
    sizes = ", ".join(f"{count:,} of {size}" for size, count in list(found.sizes.items())[:6])
    more = f", and {len(found.sizes) - 6} other sizes" if len(found.sizes) > 6 else ""
    steps = f" in {counted(len(found.steps), 'step')}" if found.steps else ""
    yield from _wrapped(
        f"{counted(found.rows, 'completion')} in {counted(found.groups, 'group')}{steps}"
        f"{f' (groups: {sizes}{more})' if sizes else ''}; {found.rule}."
    )
    if weighted(found):
        yield from _wrapped(weighted(found))
    if any(left_out):
        yield from _wrapped(f"Left out: {' and '.join(filter(None, left_out))}.")


def _notes(found: Diagnosis) -> Iterator[str]:
    if found.notes:
        yield _ink("What to know about the log", BOLD)
    for note in found.notes:
        yield from _wrapped(note.sentence, "- ")


def _counts(found: Diagnosis) -> Iterator[str]:
    for size, counts in list((found.histogram or {}).items())[:3]:
        yield _ink(f"Right completions in the groups of {size}", BOLD)
        total, top = sum(counts), max(counts)
        for low, high in bins(size):
            part = sum(counts[low : high + 1])
            label = f"{low}" if low == high else f"{low} to {high}"
            says = {0: "all wrong, no gradient", size: "all right, no gradient"}.get(low, "")
            bar = "█" * round(BAR * part / max(top, part)) or ("▏" if part else "")
            paint = {0: ORANGE, size: BLUE}.get(low, FAINT)
            many = f"{part:>9,} {share(part / total):>8}  {says}"
            yield f"{label:>8}  {_ink(bar.ljust(BAR), paint)} {many}".rstrip()


def bins(size: int, most: int = 17) -> list[tuple[int, int]]:
    """Ranges of k from 0 to G: the ends alone, and between them at most so many."""
    width = -(-(size - 1) // (most - 2))
    return [(0, 0), *((low, min(low + width, size) - 1) for low in range(1, size, width)), (size, size)]


def _silence(found: Diagnosis) -> Iterator[str]:
    seen = found.silence
    if seen is None:
        return
    yield _ink("Groups without a gradient", BOLD)
    rows = [("silent", share(seen.observed.value), f"90 % interval {between(seen.observed)}")]
    if seen.too_easy is not None and seen.too_hard is not None:
        rows.append(("all right", share(seen.too_easy), "too easy"))
        rows.append(("all wrong", share(seen.too_hard), "too hard"))
    if seen.expected is not None and found.fit is not None:
        rows.append(("expected", share(seen.expected.value), f"90 % interval {between(seen.expected)}"))
    if seen.held_out is not None:
        held = seen.held_out
        span = f"{share(held.low)} to {share(held.high)}, observed {share(held.observed)}"
        rows.append(("held out", share(held.expected), f"by the prompts' other groups: {span}"))
    rows.append(
        (
            "effective batch",
            share(found.mixed_groups / found.groups),
            f"{counted(found.mixed_groups, 'group')}, {counted(found.mixed_rollouts, 'completion')}"
            f"; {number(found.mixed_groups / len(found.steps))} groups a step",
        )
    )
    yield from (f"  {name:<16}{value:>8}   {says}".rstrip() for name, value, says in rows)
    if found.fit is not None:
        yield from _wrapped(
            f"Difficulty of the prompts: {found.fit.mixture}. {found.fit.remark}".strip(), "  "
        )


def _by_step(found: Diagnosis) -> Iterator[str]:
    if len(found.steps) < 2:
        return
    yield _ink("Step by step", BOLD)
    yield f"  {'step':>8}{'groups':>10}{'mixed':>10}{'all right':>12}{'all wrong':>12}{'mean reward':>14}"
    for step in spread(found.steps, ROWS):
        easy, hard = ("—" if one is None else f"{one:,}" for one in (step.all_right, step.all_wrong))
        numbers = f"{step.groups:>10,}{step.mixed:>10,}{easy:>12}{hard:>12}"
        yield f"  {step.step:>8}{numbers}{number(step.mean_reward):>14}"
    if len(found.steps) > ROWS:
        yield f"  {ROWS} of {len(found.steps):,} steps, evenly spread"


def spread(steps: Sequence[Step], most: int) -> list[Step]:
    """At most so many of the steps, evenly spread, with the first and the last."""
    if len(steps) <= most:
        return list(steps)
    return [steps[round(i * (len(steps) - 1) / (most - 1))] for i in range(most)]


def _rewards(found: Diagnosis) -> Iterator[str]:
    split = found.variance
    if split is None:
        return
    yield _ink("Rewards", BOLD)
    yield f"  mean {number(found.mean_reward)}"
    if split.between is not None:
        apart = (
            f", so that {share(split.between_share)} is between prompts"
            if split.between_share is not None
            else ""
        )
        yield from _wrapped(
            f"variance within groups {number(split.within)}, between them {number(split.between)}{apart}",
            "  ",
        )
    if found.pass_at:
        yield from _wrapped(", ".join(f"pass@{k} {share(value)}" for k, value in found.pass_at.items()), "  ")
    if len(found.components) > 1:
        yield f"  {'reward function':<30}{'weight':>8}{'mean':>10}{'silent':>10}{'of the variance':>18}"
    for one in found.components if len(found.components) > 1 else ():
        name = textwrap.shorten(printable(one.name), 28, placeholder="…") or "…"
        plain = f"{number(one.weight):>8}{number(one.mean):>10}{share(one.silent):>10}"
        yield f"  {name:<30}{plain}{share(one.share):>18}"


def _conventions(found: Diagnosis) -> Iterator[str]:
    match, extreme = found.conventions, found.extremes
    if match is not None:
        yield _ink("Whose advantages these are", BOLD)
        yield from _wrapped(conventions_said(found), "  ")
    if extreme is not None and extreme.largest is not None:
        if match is None:
            yield _ink("Extreme advantages", BOLD)
        yield from _wrapped(extremes_said(found), "  ")


def conventions_said(found: Diagnosis) -> str:
    """Which presets match, in a sentence or two."""
    match = found.conventions
    if match is None:
        return "The log has no advantages to compare."
    if match.nearest is None:
        return f"{match.precision[0].upper()}{match.precision[1:]}."
    compared = f"in all of {counted(match.compared, 'mixed group')} compared ({match.precision})"
    if not match.matches:
        return (
            f"No known convention gives them. The nearest, {match.nearest}, agrees in "
            f"{share(match.agreeing)} of {counted(match.compared, 'mixed group')} and is off by up to "
            f"{number(match.residual)}."
        )
    names = ", ".join(one.preset for one in match.matches)
    tie = " The log cannot tell these apart." if len(match.matches) > 1 else ""
    said = f"{names} {compared}.{tie}"
    others = [one for one in match.matches if one.weights != match.matches[0].weights]
    for one in others:
        said += f" For {one.preset} the reward would be {_total(one.weights)}."
    return said


def weighted(found: Diagnosis) -> str:
    """The total reward, where its weights were fitted, in a sentence."""
    if found.conventions is None or not any(match.weights for match in found.conventions.matches):
        return ""
    return f"Reward: {_total(found.weights)}, with weights fitted to the advantages."


def _total(weights: Mapping[str, float]) -> str:
    return " + ".join(f"{number(weight)} × {name}" for name, weight in weights.items())


def extremes_said(found: Diagnosis) -> str:
    """The largest advantage against its bound, in a sentence."""
    extreme = found.extremes
    if extreme is None or extreme.largest is None:
        return ""
    whose = "logged advantage" if extreme.logged else "advantage, computed from the rewards,"
    said = f"The largest {whose} is {number(extreme.largest)}"
    if extreme.bound is None:
        return said + "; nothing bounds it under this convention."
    said += (
        f" of at most {number(extreme.bound)} ({extreme.unit}); {share(extreme.at_bound)} of mixed groups "
        "reach their bound."
    )
    if extreme.above_bound:
        said += f" {counted(extreme.above_bound, 'completion')} are above it, which cannot be."
    return said


def _sizes(found: Diagnosis) -> Iterator[str]:
    if not found.what_if:
        return
    yield _ink("With another group size, for the same prompts (90 % intervals)", BOLD)
    yield f"  {'G':>4}{'silent':>10}{'':>18}{'rollouts a mixed group':>24}{'fidelity':>20}"
    for row in found.what_if:
        here = "  < this run" if row.group_size in found.sizes and len(found.sizes) == 1 else ""
        silent = f"{share(row.silent.value):>10}{between(row.silent):>18}"
        yield (
            f"  {row.group_size:>4}{silent}{number(row.cost.value):>14}{share(row.fidelity.value):>20}{here}"
        )
    if found.smallest:
        yield from _wrapped(smallest_said(found), "  ")


def smallest_said(found: Diagnosis) -> str:
    """The smallest G for each of a few silent shares, in a sentence."""
    reach = [f"{'none' if g is None else f'{g:,}'} for {100 * at:g} %" for at, g in found.smallest.items()]
    return f"Smallest G for a silent share of at most …: {', '.join(reach)}."


def _advice(found: Diagnosis) -> Iterator[str]:
    yield _ink("Advice", BOLD)
    for place, advice in enumerate(found.advice, 1):
        yield from chain(
            (_ink(line, BOLD) for line in _wrapped(advice.sentence, f"{place}. ")),
            _wrapped(advice.evidence, "   "),
            _wrapped(f"But: {advice.caveat}", "   "),
        )


def _wrapped(text: str, indent: str = "") -> Iterable[str]:
    """Lines of the table's width; a number stays with its sign."""
    after = " " * len(indent)
    whole = kept(printable(text))
    lines = textwrap.wrap(
        whole, WIDTH, initial_indent=indent, subsequent_indent=after, break_on_hyphens=False
    )
    return [line.replace(NO_BREAK, " ") for line in lines]


def _ink(text: str, code: str) -> str:
    return f"\x1b[{code}m{text}\x1b[0m"


def _plain(text: str) -> str:
    for code in (BOLD, BLUE, ORANGE, FAINT, "0"):
        text = text.replace(f"\x1b[{code}m", "")
    return "\n".join(line.rstrip() for line in text.split("\n"))
