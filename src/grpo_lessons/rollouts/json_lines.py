"""Rows from JSON lines, fast where orjson is installed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from .lines import Block, Lines
from .log import Note, RolloutError

try:
    import orjson
except ImportError:  # without the extra `runs`, and in a browser: the standard parser alone
    orjson = None  # type: ignore[assignment]

FIRST = 100
"""Lines that tell which columns there are."""

BLANK = b" \t\r\n\xef\xbb\xbf"


class Batch(NamedTuple):
    """Some rows of a file by column; texts live no longer than their batch."""

    values: dict[str, Sequence[Any]]
    lines: Sequence[int] | None
    """Each row's line, from 1; None where the file has no lines."""
    done: float
    """Share of the file read by its end."""


def columns(path: Path) -> dict[str, str]:
    """Column → `number`, `text` or `other`, from the first rows: one may lack a key, or hold null there."""
    found: dict[str, Any] = {}
    with Lines(path) as lines:
        for number, line in islice(lines, FIRST):
            if not line.strip(BLANK):
                continue
            try:
                record = _record(path, number, line)
            except RolloutError:
                if not found:
                    raise
                break  # which is said when the rows are read
            for name, value in record.items():
                if found.get(name) is None:
                    found[name] = value
    if not found:
        raise RolloutError(path, "the file is empty")
    return {name: _kind(value) for name, value in found.items()}


def batches(path: Path, wanted: Sequence[str], notes: list[Note]) -> Iterator[Batch]:
    """The wanted columns of all rows; a key that a row lacks is None."""
    with Lines(path) as lines:
        for block in lines.blocks():
            numbers: Sequence[int] = range(block.first, block.first + len(block.lines))
            try:
                rows = _quickly(block, wanted)
            except (ValueError, TypeError, KeyError, RecursionError):  # a line that is not as usual
                rows, numbers = _carefully(path, block, wanted, notes)
            if rows:
                yield Batch(by_column(rows, wanted), numbers, lines.done())


def by_column(rows: list[tuple[Any, ...]], wanted: Sequence[str]) -> dict[str, Sequence[Any]]:
    """Rows turned into columns."""
    return dict(zip(wanted, zip(*rows, strict=True), strict=True))


def cut_off(path: Path, number: int) -> Note:
    """Note on a last line that a running trainer has not finished."""
    sentence = (
        f"The last line of {path.name} (line {number}) breaks off, as in a file that is still being written; "
        "that row was left out, the rest was read."
    )
    return Note("cut-off-line", 1, sentence)


def not_utf8(path: Path, number: int, problem: UnicodeDecodeError) -> RolloutError:
    """The error for a line in another encoding."""
    return RolloutError(
        path, f"byte 0x{problem.object[problem.start]:02x} is not UTF-8: convert the file (Latin-1?)", number
    )


def _quickly(block: Block, wanted: Sequence[str]) -> list[tuple[Any, ...]]:
    """The rows of a block in which every line is an object with all keys."""
    records = map(orjson.loads if orjson else _standard, block.lines)
    if len(wanted) == 1:
        return [(record[wanted[0]],) for record in records]
    return list(map(itemgetter(*wanted), records))


def _carefully(
    path: Path, block: Block, wanted: Sequence[str], notes: list[Note]
) -> tuple[list[tuple[Any, ...]], list[int]]:
    """The rows of any block, and their lines."""
    rows, numbers = [], []
    for number, line in enumerate(block.lines, block.first):
        if not line.strip(BLANK):
            continue
        try:
            record = _record(path, number, line)
        except RolloutError:
            if block.finished or number == 1:
                raise
            notes.append(cut_off(path, number))
            break
        rows.append(tuple([record.get(name) for name in wanted]))
        numbers.append(number)
    return rows, numbers


def _record(path: Path, number: int, line: bytes) -> dict[str, Any]:
    """One line's object."""
    if number == 1:
        line = line.removeprefix(b"\xef\xbb\xbf")
    try:
        value = orjson.loads(line) if orjson else _standard(line)
    except ValueError:
        try:  # what orjson refuses and Python writes: NaN, Infinity, lone surrogates
            value = _standard(line)
        except UnicodeDecodeError as problem:
            raise not_utf8(path, number, problem) from None
        except ValueError as problem:
            raise RolloutError(path, f"not a JSON object: {problem}", number) from None
        except RecursionError:
            raise RolloutError(path, "nested too deeply for a rollout", number) from None
    except RecursionError:
        raise RolloutError(path, "nested too deeply for a rollout", number) from None
    if not isinstance(value, dict):
        raise RolloutError(
            path, f"each line must be a JSON object, this one is a {type(value).__name__}", number
        )
    return value


def _standard(line: bytes) -> Any:
    return json.loads(line.decode("utf-8"))


def _kind(value: Any) -> str:
    while isinstance(value, list) and value:  # some trainers wrap each value into a list
        value = value[0]
    if value is None or isinstance(value, (bool, int, float)):
        return "number"
    return "text" if isinstance(value, str) else "other"
