"""What of a master no student may see, and whether it stands in a text, whatever form that has."""

import re
import tomllib
from html import unescape

from . import masters
from .drawing import PLACE

SHORTEST = 25
"""Characters without spaces; shorter pieces of code say nothing of where they come from."""


def plain(text: str) -> str:
    """A page, a notebook or a script with neither tags, escapes nor white space."""
    text = unescape(re.sub(r"</?(?:span|a|b|i|em|strong|code|pre|div)\b[^>]*>", "", text))
    return re.sub(r"\\n|\\(?=[\"'\\])|\s", "", text)


def secrets(master: str, settings: str = "") -> set[str]:
    """Pieces of the hidden tests and the solutions of a master's text, as `plain` gives them.

    With the text of `grading.toml`, of its preamble too.
    Drawn values are cut out, so they are the same for every seed. What students get to read as well is none.
    """
    teachers: list[str] = tomllib.loads(settings).get("preamble", "").splitlines()
    students: list[str] = []
    notebook = masters.read_master(master)
    hidden = [id(cell) for _, cell in masters.tests(notebook) if masters.is_hidden(cell)]
    for cell in notebook.cells:
        if id(cell) in hidden:
            teachers += cell.source.splitlines()[1:]
        elif cell.cell_type != "code":
            students += cell.source.splitlines()
        else:
            inside = False
            for line in cell.source.splitlines():
                ends = line.strip().startswith("# END SOLUTION")
                inside = (inside or line.strip().startswith("# BEGIN SOLUTION")) and not ends
                told = inside or line.rstrip().endswith("# SOLUTION")
                (teachers if told else students).append(line.removesuffix("# SOLUTION"))
    pieces = {plain(piece) for line in teachers for piece in PLACE.sub("\0", line).split("\0")}
    read = plain("\n".join(students))
    return {piece for piece in pieces if len(piece) >= SHORTEST and piece not in read}
