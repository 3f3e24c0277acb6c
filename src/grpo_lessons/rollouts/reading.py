"""A run's rollout files, read into columns of numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from . import columns as numeric
from . import files, grouping, json_lines, layouts, tables, traps
from .json_lines import Batch
from .log import Note, RolloutError, RolloutLog
from .weights import reproducing_columns, summed

COLUMNS: dict[str, Callable[[Path], dict[str, str]]] = {
    "parquet": tables.parquet_columns,
    "jsonl": json_lines.columns,
    "csv": tables.csv_columns,
}
BATCHES: dict[str, Callable[[Path, Sequence[str], list[Note]], Iterator[Batch]]] = {
    "parquet": tables.parquet_batches,
    "jsonl": json_lines.batches,
    "csv": tables.csv_batches,
}


def read_rollouts(
    paths: str | Path | Iterable[str | Path],
    *,
    group_column: str | None = None,
    reward_column: str | None = None,
    group_size: int | None = None,
    progress: Callable[[float], None] | None = None,
) -> RolloutLog:
    """Read a run's rollout files: TRL, verl, open-instruct, NeMo-RL, or any table with groups and rewards.

    Files are parquet, JSON lines or CSV, the latter two also gzipped; what they are is told from their
    content. They are read in pieces, and of each row some 40 bytes are kept. Rows come in the order of
    their steps, whatever the order of the files. Texts are compared by 64-bit hashes and not kept.

    Parameters
    ----------
    paths : files, folders or patterns such as ``run/*.jsonl``; a folder means its log files, or those of the
        one folder below it that has some
    group_column : what makes the groups, together with the step; None recognises it
    reward_column : None recognises it
    group_size : whole number of at least 2: groups are blocks of so many consecutive rows; None infers it
    progress : is called with the share of bytes that has been read, rising to 1

    Returns
    -------
    RolloutLog

    Raises
    ------
    RolloutError
        For files that cannot be used, with path, line and reason.
    ImportError
        For parquet without pyarrow: install ``grpo-lessons[runs]``.
    ValueError
        For a group size that is no whole number of at least 2, or together with a group column.

    Notes
    -----
    Field names as in TRL 1.16, verl 0.9, open-instruct and NeMo-RL of autumn 2026. Without orjson, JSON is
    read by the standard library, several times as slowly.
    """
    if group_size is not None and (
        isinstance(group_size, bool) or group_size != int(group_size) or group_size < 2
    ):
        raise ValueError(f"group_size must be a whole number of at least 2, got {group_size!r}")
    if group_size is not None and group_column is not None:
        raise ValueError(
            f"group_column and group_size exclude each other, got {group_column!r} and {group_size}"
        )
    found, notes = files.find(paths)
    kinds = [files.kind(path) for path in found]
    options = (group_column, reward_column, group_size)
    layout = _layout(found, kinds, options)
    names = [str(path) for path in found]
    sizes = [path.stat().st_size for path in found]
    total = sum(sizes)
    growing = numeric.Growing()
    cut: set[int] = set()
    done = 0
    for number, (path, kind) in enumerate(zip(found, kinds, strict=True)):
        before = len(notes)
        for batch in BATCHES[kind](path, layout.columns, notes):
            growing.add(numeric.converted(batch, layout, path, number))
            if progress is not None:
                progress((done + batch.done * sizes[number]) / total)
        done += sizes[number]
        if len(notes) > before:
            cut.add(number)
    rows = growing.whole()
    if rows is None:  # a parquet file whose number of rows is a lie
        raise RolloutError(found[0], "no rows")
    if np.any(rows.step[1:] < rows.step[:-1]):
        rows.keep(np.argsort(rows.step, kind="stable"))
    again, said = traps.repeated(rows)
    read = len(rows)
    if again.any():
        rows.keep(~again)
    return _log(rows, layout, group_size, names, cut, notes + said, read)


def _log(
    rows: numeric.Columns,
    layout: layouts.Layout,
    group_size: int | None,
    names: list[str],
    cut: set[int],
    notes: list[Note],
    read: int,
) -> RolloutLog:
    """The rows as a log: groups, total reward, and what is odd."""
    group = grouping.groups(rows, layout, group_size, names, cut).astype(np.intp, copy=False)
    logged = bool(np.isfinite(rows.advantage).any())
    every = tuple(range(len(layout.rewards)))
    chosen: tuple[int, ...] | None = every if len(every) == 1 else None
    if chosen is None and logged:
        chosen = reproducing_columns(rows.rewards, rows.advantage[:, 0], group, rows.step)
    used = every if chosen is None else chosen
    total = summed(rows.rewards, used)
    components = {layout.rewards[place]: np.ascontiguousarray(rows.rewards[:, place]) for place in used}
    order = dict.fromkeys([*rows.file[grouping.batch_starts(rows)].tolist(), *range(len(names))])
    prompt = grouping.prompt_numbers(rows, group) if layout.prompt else np.full(len(rows), -1)
    said = [
        *traps.steps_missing(rows.step),
        *traps.several_prompts(group, prompt, layout.parts),
        *traps.sizes(group, by_text=layout.group is not None and layout.group == layout.prompt),
        *traps.rewards(total, components),
        *traps.weights(layout.rewards, chosen, logged, len(rows)),
        *traps.survivors(total, group),
    ]
    return RolloutLog(
        layout.format,
        layout.why,
        tuple(names[file] for file in order),
        rows.step,
        group,
        prompt,
        total,
        components,
        rows.advantage[:, 0] if logged else None,
        (*notes, *said),
        read,
    )


def _layout(
    found: list[Path], kinds: list[str], options: tuple[str | None, str | None, int | None]
) -> layouts.Layout:
    """The one layout of all files."""
    first: layouts.Layout | None = None
    for path, kind in zip(found, kinds, strict=True):
        layout = layouts.recognise(path, COLUMNS[kind](path), *options)
        first = first or layout
        if layout != first:
            reason = f"this file's columns are not those of {found[0].name}: {layout.why} against {first.why}"
            raise RolloutError(path, f"{reason} Read them apart.")
    assert first is not None  # `find` gives at least one file
    return first
