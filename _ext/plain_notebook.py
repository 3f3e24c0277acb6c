"""A MyST chapter rewritten as a notebook that stands alone in any Jupyter."""

import re

import jupytext
import nbformat
from plain_markdown import plain
from plain_spans import Say

KERNEL = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
HIDDEN = {  # what a tag folds on the page, or removes from it
    "hide-input": {"source_hidden"},
    "remove-input": {"source_hidden"},
    "hide-output": {"outputs_hidden"},
    "remove-output": {"outputs_hidden"},
    "hide-cell": {"source_hidden", "outputs_hidden"},
    "remove-cell": {"source_hidden", "outputs_hidden"},
}


def open_gate(source: str) -> str:
    """The `{solution-start}` directive that a cell leaves open for the next ones."""
    last = source[source.rfind("{solution-end}") + 1 :]
    start = re.search(r"^(`{3,}|:{3,})\{solution-start\}.*?^\1$", last, re.MULTILINE | re.DOTALL)
    return start[0] if start else ""


INSTALL = """\
try:
    import grpo_lessons
except ModuleNotFoundError:
    %pip install --quiet {wheel}
"""


def opening(title: str, wheel: str, online: str) -> list[nbformat.NotebookNode]:
    """The first cells, tagged `install`: code that installs the wheel from `online`, or how to do it."""
    text = f"This is **{title}** of *GRPO Lessons*. "
    tagged = {"metadata": {"tags": ["install"]}}
    if online:
        text += "Where the course's package is missing, as on Colab, the next cell installs it."
        code = [nbformat.v4.new_code_cell(INSTALL.format(wheel=f"{online}/{wheel}").strip(), **tagged)]
    else:
        text += (
            f"To run it, install the course's package once: put `{wheel}` (it is in the zip of all "
            f"notebooks) beside this notebook and run\n\n```\n%pip install {wheel}\n```"
        )
        code = []
    return [nbformat.v4.new_markdown_cell(text, **tagged), *code]


def plain_notebook(source: str, title: str, wheel: str, online: str, say: Say) -> nbformat.NotebookNode:
    """A MyST chapter as a notebook: plain Markdown, no outputs, folded where the page is."""
    notebook = jupytext.reads(source, fmt="md:myst")
    notebook.metadata = nbformat.from_dict(KERNEL)
    gate = ""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = f"{gate}\n{cell.source}"
            gate = open_gate(cell.source)
            cell.source = plain(cell.source, say)
        elif cell.cell_type == "code":
            tags = [*cell.metadata.get("tags", []), *(["hide-cell"] if gate else [])]
            if hidden := set().union(*(HIDDEN.get(tag, set()) for tag in tags)):
                cell.metadata["jupyter"] = dict.fromkeys(sorted(hidden), True)
    notebook.cells = [*opening(title, wheel, online), *(cell for cell in notebook.cells if cell.source)]
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"
    return notebook
