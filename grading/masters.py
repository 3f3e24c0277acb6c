"""A master notebook: its questions and tests, and what otter gets of it.

Otter makes the grader's tests from the whole master, and all that students get from one that never held a
hidden test.
"""

import ast
import copy
import json
import re
from pathlib import Path
from typing import Any

import jupytext
import yaml
from nbclient import NotebookClient
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

HIDDEN = re.compile(r"\s*#\s*HIDDEN\b", re.IGNORECASE)


def read_master(text: str) -> NotebookNode:
    """The master as a notebook; it must name its questions."""
    master = jupytext.reads(text, fmt="md:myst")
    master.metadata.pop("jupytext", None)
    if not questions(master):
        raise ValueError("the master has no '# BEGIN QUESTION'")
    return master


def marks(cell: NotebookNode, words: str) -> bool:
    """Whether this is the raw cell that otter reads as `# words`."""
    return cell.cell_type == "raw" and cell.source.lstrip().startswith(f"# {words}")


def questions(master: NotebookNode) -> dict[str, dict[str, Any]]:
    """Otter's configuration of each question, by name."""
    found = [yaml.safe_load(cell.source) for cell in master.cells if marks(cell, "BEGIN QUESTION")]
    return {each["name"]: each for each in found}


def tests(master: NotebookNode) -> list[tuple[str, NotebookNode]]:
    """Each test cell with the name of its question."""
    found, name, inside = [], "", False
    for cell in master.cells:
        if marks(cell, "BEGIN QUESTION"):
            name = yaml.safe_load(cell.source)["name"]
        inside = (inside or marks(cell, "BEGIN TESTS")) and not marks(cell, "END TESTS")
        if inside and cell.cell_type == "code":
            found.append((name, cell))
    return found


def is_hidden(cell: NotebookNode) -> bool:
    """Whether a test cell starts with `# HIDDEN`."""
    return bool(HIDDEN.match(cell.source))


def execute(master: NotebookNode, preamble: str, folder: Path) -> NotebookNode:
    """The master with outputs, run in `folder`; a check that the solutions do not pass stops the build."""
    done = copy.deepcopy(master)
    done.cells.insert(0, new_code_cell(preamble))
    quiet = ["--IPKernelApp.log_level=ERROR"]
    client = NotebookClient(
        done, timeout=120, extra_arguments=quiet, resources={"metadata": {"path": str(folder)}}
    )
    client.execute()
    del done.cells[0]
    for name, cell in tests(done):
        said = "".join(output.get("data", {}).get("text/plain", "") for output in cell.outputs)
        if not said.startswith(("Right.", "Of the right kind.")):
            raise ValueError(f"the solution of {name} does not pass its test:\n{cell.source}\n{said}")
    return done


def hint(source: str) -> str:
    """The `hint` that a test's check gives: what a student may read of a failed public test."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    words = [word.value for call in calls for word in call.keywords if word.arg == "hint"]
    return " ".join(word.value for word in words if isinstance(word, ast.Constant))


def without_hidden(master: NotebookNode) -> NotebookNode:
    """The master less its hidden tests."""
    made = copy.deepcopy(master)
    hidden = [id(cell) for _, cell in tests(made) if is_hidden(cell)]
    made.cells = [cell for cell in made.cells if id(cell) not in hidden]
    return made


def for_otter(master: NotebookNode, settings: dict[str, Any]) -> NotebookNode:
    """What otter gets: hidden tests have all the points; without any, the public ones share them."""
    made = copy.deepcopy(master)
    of_tests = tests(made)
    points = {"points": 0} if any(is_hidden(cell) for _, cell in of_tests) else {}
    for _, cell in of_tests:
        if not is_hidden(cell):
            config = {"failure_message": hint(cell.source)} | points
            lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in config.items()]
            cell.source = "\n".join(['""" # BEGIN TEST CONFIG', *lines, '""" # END TEST CONFIG', cell.source])
    for cell in made.cells:
        if marks(cell, "ASSIGNMENT CONFIG"):
            config = (yaml.safe_load(cell.source) or {}) | settings
            cell.source = "# ASSIGNMENT CONFIG\n" + yaml.safe_dump(config)
    return made


def solutions(executed: NotebookNode) -> NotebookNode:
    """The teacher's notebook: answers and public checks, with their outputs."""
    made = without_hidden(executed)
    made.cells = [cell for cell in made.cells if cell.cell_type != "raw"]
    for number, cell in enumerate(made.cells):
        cell.metadata, cell.id = NotebookNode(), f"cell-{number}"
    return made
