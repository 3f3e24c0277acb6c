"""What is odd about a log, in sentences that say how many rows it touches."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from .columns import Columns, mixed
from .grouping import SORTED_AT_ONCE, batch_starts, changes, first_rows
from .log import Floats, Ints, Note


def repeated(columns: Columns) -> tuple[NDArray[np.bool_], list[Note]]:
    """Rows written again under the next step's number, and a note about them.

    Two steps may also agree by chance where completions are few. If two rows of one prompt are equal with
    probability c, then n rows in order agree with probability cⁿ at most (typically: Rényi's entropy of
    order 2 is below Shannon's). Rows are set aside where all matches together are less likely than one in a
    hundred, among all choices of as many steps. c comes from the pairs within a step; the larger of the
    step's and the log's counts.
    """
    starts = batch_starts(columns)
    ends = np.append(starts[1:], len(columns))
    place = np.unique(columns.step[starts], return_inverse=True)[1]
    last: dict[int, int] = {}
    again = np.zeros(len(columns), bool)
    matches = []
    for start, end, when in zip(starts, ends, place, strict=True):
        digest = hash(columns.row[start:end].tobytes())
        if digest in last and when - last[digest] <= 1:
            again[start:end] = True
            matches.append(columns[start:end])
        last[digest] = int(when)
    rows = int(again.sum())
    if not rows:
        return again, []
    steps = _listed(np.unique(columns.step[again]))
    usual = _agreement(columns)
    evidence = -sum(len(rows) * math.log(max(usual, _agreement(rows))) for rows in matches)
    if evidence < math.log(100) + _log_choose(len(starts) - 1, len(matches)):
        sentence = (
            f"{rows} rows, at {steps}, are the same as those of the step before; so few different "
            "completions can repeat by chance, so they were kept."
        )
        return np.zeros(len(columns), bool), [Note("possible-repeats", rows, sentence)]
    sentence = (
        f"{rows} rows, at {steps}, repeat one by one the rows of the step before, or of the same step in "
        "another file: a generation batch that serves several steps is written again each time; they were "
        "set aside."
    )
    return again, [Note("repeated-rows", rows, sentence)]


def steps_missing(step: Ints) -> list[Note]:
    """A note where step numbers jump."""
    steps = np.unique(step[changes(step)])
    jumps = np.diff(steps)
    if not jumps.size or jumps.max() == 1:
        return []
    if jumps.min() == jumps.max():
        every = int(jumps[0])
        sentence = (
            f"Steps come {every} apart, from {steps[0]} to {steps[-1]}: only the last batch of every "
            f"{every} steps was kept (logging_steps = {every} does that), so these {len(step)} rows are "
            f"about one in {every} of the run's."
        )
        return [Note("last-batch-only", len(step), sentence)]
    lost = int(steps[-1] - steps[0]) + 1 - len(steps)
    return [
        Note("missing-steps", 0, f"{lost} steps between {steps[0]} and {steps[-1]} are not in the files.")
    ]


def sizes(group: Ints, by_text: bool) -> list[Note]:
    """Notes on groups of unequal size, and of one row."""
    size = np.bincount(group)
    values, counts = np.unique(size, return_counts=True)
    usual = int(values[counts.argmax()])
    notes = []
    odd = size[size != usual]
    if odd.size:
        cause = (
            " A prompt asked twice in one step looks like one larger group, as only its text tells groups "
            "apart."
            if by_text and (odd % usual == 0).any()
            else ""
        )
        sentence = (
            f"{_count(odd.size, 'group')} with {_count(int(odd.sum()), 'row')} in all differ from the usual "
            f"{usual} rows a group (they have {odd.min()} to {odd.max()}); they were kept as they are.{cause}"
        )
        notes.append(Note("ragged-groups", int(odd.sum()), sentence))
    single = int((size == 1).sum())
    if single:
        whole = " That is all of them: is the group column a row's id?" if single == len(size) else ""
        sentence = (
            f"{_count(single, 'group')} of one row, with nothing to be compared to, can make no contrast; "
            f"kept as they are.{whole}"
        )
        notes.append(Note("singletons", single, sentence))
    return notes


def several_prompts(group: Ints, prompt: Ints, parts: int) -> list[Note]:
    """A note where rows of one group answer different prompts."""
    first = first_rows(group)
    foreign = np.zeros(len(first), bool)
    foreign[group[prompt != prompt[first][group]]] = True
    if not foreign.any():
        return []
    rows = int(foreign[group].sum())
    cause = (
        f" The last {parts} parts of an id, between underscores, were taken for the completion's: if they "
        "are not, name a column that tells groups apart with --group-column."
        if parts
        else ""
    )
    sentence = (
        f"{_count(int(foreign.sum()), 'group')} with {_count(rows, 'row')} in all hold more than one prompt; "
        f"they were kept as they are.{cause}"
    )
    return [Note("several-prompts", rows, sentence)]


def rewards(total: Floats, components: dict[str, Floats]) -> list[Note]:
    """Notes on missing rewards, and on more than two values."""
    notes = []
    missing = int(np.isnan(total).sum())
    if missing:
        sentence = (
            f"{_count(missing, 'row')} without a reward (missing, NaN or infinite) were kept as missing."
        )
        notes.append(Note("missing-reward", missing, sentence))
    partly = np.any([np.isnan(values) for values in components.values()], axis=0) & ~np.isnan(total)
    if partly.any():
        sentence = (
            f"{_count(int(partly.sum()), 'row')} lack the reward of some function; the others were summed, "
            "as TRL does."
        )
        notes.append(Note("missing-component", int(partly.sum()), sentence))
    values = _distinct(total)
    if len(values) > 2:
        sentence = (
            f"Rewards take {len(values)} different values, from {values[0]:g} to {values[-1]:g}, so a "
            f"group has no number right without a threshold; all {len(total)} rows were kept."
        )
        notes.append(Note("graded-rewards", len(total) - missing, sentence))
    return notes


def survivors(total: Floats, group: Ints) -> list[Note]:
    """A note where groups that are all right or all wrong have been filtered out.

    Whatever the prompts' difficulties, P(k)/C(G, k) is a moment of p and so log-convex in k. From n₁ groups
    with one right and n₂ with two there must have been about n₁²(G − 1)/(2Gn₂) groups or more with none.
    Both numbers are taken two standard deviations to the safe side, and the note needs five such groups to
    be missing.
    """
    size = np.bincount(group)
    usual = int(np.bincount(size).argmax())
    values = _distinct(total)
    if len(values) != 2 or usual < 2:
        return []
    right = np.bincount(group[total == values[1]], minlength=len(size))
    unknown = np.bincount(group[np.isnan(total)], minlength=len(size))
    counts = np.bincount(right[(unknown == 0) & (size == usual)], minlength=usual + 1)
    missing = []
    for end, name in ((counts, "wrong"), (counts[::-1], "right")):
        one, two = float(end[1]), float(end[2])
        least = (
            max(one - 2 * math.sqrt(one), 0) ** 2 * (usual - 1) / (2 * usual * (two + 2 * math.sqrt(two) + 1))
        )
        if end[0] == 0 and least >= 5:
            missing.append(
                f"none is all {name}, where those with one or two {_other(name)} imply {least:.0f} or more"
            )
    if not missing:
        return []
    rows = int(counts.sum()) * usual
    sentence = (
        f"Of {counts.sum()} groups of {usual}, {', and '.join(missing)}, whatever the prompts' difficulty: "
        f"the log holds only the survivors of a filter, so its {rows} rows say nothing about the silent "
        "share."
    )
    return [Note("survivors-only", rows, sentence)]


def weights(names: tuple[str, ...], chosen: tuple[int, ...] | None, logged: bool, rows: int) -> list[Note]:
    """Notes on reward columns whose weights are not in the file, and on columns that are no rewards."""
    if len(names) == 1:
        return []
    if chosen is None:
        checked = (
            "their plain sum does not give the logged advantages" if logged else "no advantages are logged"
        )
        sentence = (
            f"The weights of the reward columns {', '.join(names)} are not in the log, and {checked}; the "
            f"total of all {rows} rows is their sum with weight 1."
        )
        return [Note("unknown-weights", rows, sentence)]
    others = [name for place, name in enumerate(names) if place not in chosen]
    if not others:
        return []
    sentence = (
        f"{', '.join(others)} was left out of the reward in all {rows} rows: the logged advantages follow "
        "from the sum of the other columns alone."
    )
    return [Note("other-columns", rows, sentence)]


def _distinct(values: Floats) -> Floats:
    """The values that occur, NaN apart; piece by piece, as sorting takes memory."""
    pieces = np.array_split(values, 1 + len(values) // SORTED_AT_ONCE)
    return np.unique(np.concatenate([np.unique(piece[~np.isnan(piece)]) for piece in pieces]))


def _agreement(columns: Columns) -> float:
    """Share of the pairs of rows of one prompt and step that are equal; one more counts as equal."""
    unit = mixed(columns.step, columns.prompt, columns.group)
    equal, pairs = (
        int((counts * (counts - 1)).sum()) // 2
        for keys in (mixed(unit, columns.row.astype(np.int64)), unit)
        for counts in [np.unique(keys, return_counts=True)[1]]
    )
    return (equal + 1) / (pairs + 1)


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def _other(name: str) -> str:
    return "right" if name == "wrong" else "wrong"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _listed(steps: Ints) -> str:
    """`step 3`, `steps 2, 4, 6, …`."""
    shown = ", ".join(map(str, steps[:3]))
    return f"step {shown}" if len(steps) == 1 else f"steps {shown}{', …' if len(steps) > 3 else ''}"
