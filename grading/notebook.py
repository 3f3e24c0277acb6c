"""Reads the code cells of a notebook that anybody may have written. What is not plainly one is refused."""

import json
import os
import stat

MAX_CELLS = 500


class Refused(Exception):
    """A file that is not run; the text says why."""


def read_bytes(path, most_mb):
    """Content of a plain file of at most `most_mb` megabytes; a link, a pipe or a device is not opened."""
    try:
        file = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        raise Refused("the file is a link, or cannot be opened") from None
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise Refused("not a plain file")
    with os.fdopen(file, "rb") as stream:
        content = stream.read((most_mb << 20) + 1)
    if len(content) > most_mb << 20:
        raise Refused(f"the file has more than {most_mb} MB")
    return content


def code_cells(content):
    """Sources of the code cells, in order, empty ones left out.

    Kernel names, outputs and metadata are not looked at.
    """
    if not content.strip():
        raise Refused("the file is empty")
    try:
        notebook = json.loads(content)
    except (ValueError, RecursionError, MemoryError):
        raise Refused("not a notebook (no JSON)") from None
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list):
        raise Refused("not a notebook (no cells)")
    sources = []
    for cell in cells:
        if not isinstance(cell, dict):
            raise Refused("not a notebook (a cell is no cell)")
        if cell.get("cell_type") == "code":
            source = _text(cell.get("source", ""))
            if source.strip():
                sources.append(source)
    if len(sources) > MAX_CELLS:
        raise Refused(f"more than {MAX_CELLS} code cells")
    return sources


def _text(source):
    lines = source if isinstance(source, list) else [source]
    if not all(isinstance(line, str) for line in lines):
        raise Refused("not a notebook (a cell's source is no text)")
    return "".join(lines).encode("utf-8", "replace").decode()
