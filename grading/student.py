"""What a student gets: the notebook that otter stripped, with plain checks in place of otter's own.

It needs the course's package and nothing else, in Lab, Colab and JupyterLite alike.
"""

import base64
import re
import zlib
from pathlib import Path

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

from . import masters

CHECK = re.compile(r'grader\.check\("(\w+)"\)')
INSTALL = """\
# Nothing to do in Lab and JupyterLite. {elsewhere}
try:
    import grpo_lessons
except ModuleNotFoundError:
    %pip install --quiet {wheel}"""
UNPACK = """\
# The data, where they do not lie beside this notebook
import base64
import zlib
from pathlib import Path

Path("data").mkdir(exist_ok=True)
for name, packed in {packed}.items():
    if not Path("data", name).exists():
        Path("data", name).write_bytes(zlib.decompress(base64.b85decode(packed)))"""


def student_notebook(stripped: NotebookNode, public: NotebookNode, wheel: str, data: Path) -> NotebookNode:
    """The student's notebook.

    Parameters
    ----------
    stripped : otter's student notebook, made from the edition without hidden tests
    public : that edition's master, for the public checks as they were written
    wheel : what pip installs, a file's name or an address
    data : folder of data files; need not exist
    """
    checks: dict[str, list[NotebookNode]] = {name: [] for name in masters.questions(public)}
    for name, cell in masters.tests(public):
        checks[name].append(new_code_cell(cell.source))
    cells: list[NotebookNode] = []
    for cell in stripped.cells:
        asked = CHECK.fullmatch(cell.source.strip())
        cells += checks[asked[1]] if asked else [cell]
    first = next(i for i, cell in enumerate(cells) if cell.cell_type == "code")
    cells[first:first] = [new_code_cell(source) for source in [install_cell(wheel), *unpack_cells(data)]]
    for number, cell in enumerate(cells):
        cell.metadata, cell.id = NotebookNode(), f"cell-{number}"
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    cells[first].metadata.tags = ["install"]  # the chapters' notebooks have it, and `make live` leaves it out
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return new_notebook(cells=cells, metadata={"kernelspec": kernel, "language_info": {"name": "python"}})


def install_cell(wheel: str) -> str:
    """The line that Colab needs, which does nothing where the package is there."""
    at_hand = "" if "://" in wheel else f"In Colab, first upload {wheel} beside this notebook."
    return INSTALL.format(elsewhere=at_hand or "Colab installs the course's package.", wheel=wheel)


def unpack_cells(data: Path) -> list[str]:
    """A cell that writes the data files where only the notebook was opened; none for none."""
    files = sorted(data.glob("*"))
    packed = {file.name: base64.b85encode(zlib.compress(file.read_bytes(), 9)).decode() for file in files}
    return [UNPACK.format(packed=packed)] if files else []
