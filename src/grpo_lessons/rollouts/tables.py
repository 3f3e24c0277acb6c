"""Rows from parquet and CSV files.

CSV is read by the standard library: it knows every line's number, needs no extra, and reads text where
pyarrow's reader would guess a column's type from its first block.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from .json_lines import Batch, by_column, cut_off, not_utf8
from .lines import LINE_LIMIT, Lines
from .log import Note, RolloutError

CSV_ROWS, PARQUET_ROWS = 1024, 256  # of a batch: texts of 100 KB then take some 100 and 25 MB


class Row(NamedTuple):
    """One row of a CSV."""

    line: int
    cells: list[str]
    finished: bool
    """False where the file ends without a line break, as when its writer is still at it."""


def csv_columns(path: Path) -> dict[str, str]:
    """Column → `number` or `text`, from the header and the first row."""
    with Lines(path) as lines:
        rows = _csv_rows(path, lines)
        header = next(rows).cells
        if len(set(header)) < len(header):
            raise RolloutError(path, f"a column's name comes twice in {', '.join(header)}", 1)
        for row in rows:
            if len(row.cells) != len(header):
                raise RolloutError(
                    path, f"{len(row.cells)} cells where the header has {len(header)}", row.line
                )
            return {
                name: "number" if _numeric(cell) else "text"
                for name, cell in zip(header, row.cells, strict=True)
            }
    raise RolloutError(path, "a header without rows")


def csv_batches(path: Path, wanted: Sequence[str], notes: list[Note]) -> Iterator[Batch]:
    """The wanted columns of all rows; an empty cell is None."""
    with Lines(path) as lines:
        reader = _csv_rows(path, lines)
        header = next(reader).cells
        places = [header.index(name) for name in wanted]
        rows: list[tuple[Any, ...]] = []
        numbers: list[int] = []
        for line, cells, finished in reader:
            if len(cells) != len(header):
                if finished:
                    raise RolloutError(path, f"{len(cells)} cells where the header has {len(header)}", line)
                notes.append(cut_off(path, line))
                break
            rows.append(tuple([cells[place] or None for place in places]))
            numbers.append(line)
            if len(rows) == CSV_ROWS:
                yield Batch(by_column(rows, wanted), numbers, lines.done())
                rows, numbers = [], []
        if rows:
            yield Batch(by_column(rows, wanted), numbers, 1.0)


def parquet_columns(path: Path) -> dict[str, str]:
    """Column → `number`, `text` or `other`, from the schema."""
    types = load_pyarrow().types
    numeric = (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal, types.is_null)
    textual = (types.is_string, types.is_large_string)
    kinds = {}
    with _ParquetFile(path) as file:
        if file.metadata.num_rows == 0:
            raise RolloutError(path, "the file has no rows")
        for field in file.schema_arrow:
            if field.name in kinds:
                raise RolloutError(path, f"two columns are named {field.name}")
            number = any(test(field.type) for test in numeric)
            text = any(test(field.type) for test in textual)
            kinds[field.name] = "number" if number else "text" if text else "other"
    return kinds


def parquet_batches(path: Path, wanted: Sequence[str], notes: list[Note]) -> Iterator[Batch]:
    """The wanted columns of all rows; null is None."""
    del notes  # a parquet file is whole or broken
    with _ParquetFile(path) as file:
        total, done = file.metadata.num_rows, 0
        for batch in file.iter_batches(batch_size=PARQUET_ROWS, columns=list(wanted), use_threads=False):
            done += batch.num_rows
            yield Batch({name: batch.column(name).to_pylist() for name in wanted}, None, done / total)


class _ParquetFile:
    """pyarrow's reader, whose many errors become one."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> Any:
        pyarrow = load_pyarrow()
        self.errors = (pyarrow.ArrowException, OSError, ValueError)
        try:
            self.file = pyarrow.parquet.ParquetFile(self.path)
        except self.errors as problem:
            raise self._error(problem) from problem
        return self.file

    def __exit__(self, kind: object, problem: BaseException | None, trace: object) -> None:
        self.file.close()
        if isinstance(problem, self.errors) and not isinstance(problem, RolloutError):
            raise self._error(problem) from problem

    def _error(self, problem: BaseException) -> RolloutError:
        return RolloutError(self.path, f"a parquet file that cannot be read: {str(problem).splitlines()[0]}")


def load_pyarrow() -> Any:
    """pyarrow, or an ImportError that says what to install."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as problem:
        raise ImportError("parquet files need pyarrow: pip install 'grpo-lessons[runs]'") from problem
    return pyarrow


def _csv_rows(path: Path, lines: Lines) -> Iterator[Row]:
    """The rows with a cell in them, the header first."""
    line, finished = 0, True

    def text() -> Iterator[str]:
        nonlocal line, finished
        for line, raw in lines:
            finished = raw.endswith(b"\n")
            try:
                yield raw.decode("utf-8-sig" if line == 1 else "utf-8")
            except UnicodeDecodeError as problem:
                raise not_utf8(path, line, problem) from None

    source = text()
    first = next(source)
    delimiter = max(",;\t", key=first.count)
    before = csv.field_size_limit(LINE_LIMIT)  # the default refuses long completions
    try:
        for part in (iter([first]), source):
            for cells in csv.reader(part, delimiter=delimiter, strict=True):
                if cells:
                    yield Row(line, cells, finished)
    except csv.Error as problem:
        if finished:
            raise RolloutError(path, f"not a CSV row: {problem}", line) from None
        yield Row(line, [], False)
    finally:
        csv.field_size_limit(before)


def _numeric(cell: str) -> bool:
    try:
        float(cell or "nan")
    except ValueError:
        return cell.lower() in ("true", "false", "none", "null")
    return True
