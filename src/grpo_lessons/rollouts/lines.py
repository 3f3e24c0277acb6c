"""The lines of a file, plain or gzipped, in blocks that never fill the memory."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from .log import RolloutError

BLOCK = 2**20
"""Bytes read at once."""

LINE_LIMIT = 64 * 2**20
"""Bytes: a longer line is no rollout, and would not fit the memory this reader promises."""


class Block(NamedTuple):
    """Some lines, without their line breaks."""

    first: int
    """Number of the first line, from 1."""
    lines: list[bytes]
    finished: bool
    """False for a last line that no line break ends."""


class Lines:
    """A file opened for its lines; the errors of reading it are RolloutErrors."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            if not path.is_file():
                raise RolloutError(path, "not a regular file" if path.exists() else "there is no such file")
            self.raw = path.open("rb", buffering=0)
            self.size = max(path.stat().st_size, 1)
        except OSError as problem:
            raise RolloutError(path, str(problem)) from problem
        plain = io.BufferedReader(self.raw, BLOCK)
        zipped = plain.peek(2).startswith(b"\x1f\x8b")
        self.file: io.BufferedIOBase = gzip.GzipFile(fileobj=plain) if zipped else plain

    def __enter__(self) -> Lines:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()
        self.raw.close()

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        """(number from 1, line with its line break)"""
        for block in self.blocks():
            for number, line in enumerate(block.lines, block.first):
                yield number, line + b"\n" if block.finished else line

    def blocks(self) -> Iterator[Block]:
        """All lines."""
        number = 1
        rest: list[bytes] = []  # pieces of a line that has not ended yet
        while chunk := self._read(BLOCK, number):
            rest.append(chunk)
            if b"\n" in chunk:
                *lines, last = b"".join(rest).split(b"\n")
                sizes = list(map(len, lines))
                self._check(max(sizes), number + sizes.index(max(sizes)))
                yield Block(number, lines, True)
                number, rest = number + len(lines), [last]
            self._check(sum(map(len, rest)), number)
        if any(rest):
            yield Block(number, [b"".join(rest)], False)

    def peek(self) -> bytes:
        """The first bytes."""
        return self._read(4096)

    def done(self) -> float:
        """Share of the file that has been read."""
        return self.raw.tell() / self.size

    def _check(self, size: int, line: int) -> None:
        if size > LINE_LIMIT:
            raise RolloutError(self.path, f"a line of more than {LINE_LIMIT >> 20} MB is refused", line)

    def _read(self, size: int, line: int | None = None) -> bytes:
        try:
            return self.file.read(size)
        except (OSError, EOFError, zlib.error) as problem:
            raise RolloutError(self.path, f"cannot be read: {problem}", line) from problem
