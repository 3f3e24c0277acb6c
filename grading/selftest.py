"""Score the solution, a blank notebook, and impostors: answers of the right shape and the wrong value.

The solution must have all points. What each impostor may have is in `[selftest]` of `grading.toml`: nothing,
unless it says otherwise.
"""

import json
from pathlib import Path

from grading import assignment as assignments
from grading.grade import check_sandbox
from grading.notebook import code_cells
from grading.workers import run_all

IMPOSTORS = {
    "zeros": "0",
    "nan": "float('nan')",
    "empty": "np.array([])",
    "symbol": "__import__('sympy').Symbol('x', positive=True)",
    "always_equal": "AlwaysEqual()",
}

DISGUISE = """
import numpy as np

class AlwaysEqual:
    __eq__ = __lt__ = __le__ = __gt__ = __ge__ = __bool__ = lambda *_: True
    __call__ = __getattr__ = __getitem__ = __abs__ = lambda self, *_: self
    __hash__ = lambda _: 0

def disguise(value):
    if callable(value) and type(value).__module__.split(".")[0] != "sympy":
        return lambda *args, **kwargs: disguise(value(*args, **kwargs))
    if isinstance(value, np.ndarray) and {kind!r} in ("zeros", "nan"):
        return np.full(value.shape, {wrong})
    if type(value) in (list, tuple) and {kind!r} != "empty":
        return type(value)(map(disguise, value))
    if type(value) is dict:
        return {{key: disguise(item) for key, item in value.items()}}
    return {wrong}

for name in {names!r}:
    globals()[name] = disguise(globals()[name])
"""


def add_arguments(parser):
    parser.add_argument("assignment", help="its name (hw01), or its folder")
    parser.add_argument(
        "--solution", type=Path, help="the solved notebook (default: the one that build made)"
    )
    parser.add_argument("--jobs", type=int, default=2, help="notebooks scored at a time (default 2)")
    parser.add_argument(
        "--unsafe-no-sandbox", action="store_true", help="run the notebooks without protection"
    )


def run(options):
    """Print a table; 1 if a bound is broken."""
    boxed = check_sandbox(options.unsafe_no_sandbox, options.assignment)
    assignment = assignments.load(options.assignment)
    solution = options.solution or assignment.folder.parent / "solutions" / f"{assignment.name}.ipynb"
    rows = score(assignment, solution.read_bytes(), options.jobs, boxed)
    print(table(assignment, rows))
    broken = [line for kind in rows if (line := verdict(assignment, kind, rows[kind]))]
    for line in broken:
        print(f"BROKEN: {line}")
    return int(bool(broken))


def score(assignment, solution, jobs=2, boxed=True):
    """Rows of the solution, a blank and each impostor, by name."""
    cells = code_cells(solution)
    contents = {"solution": notebook(cells), "blank": notebook([])}
    for kind, wrong in IMPOSTORS.items():
        code = DISGUISE.format(kind=kind, wrong=wrong, names=assignment.answers)
        contents[kind] = notebook([*cells, code])
    rows = {kind: row for kind, _, row in run_all(assignment, contents.items(), jobs, boxed)}
    return {kind: rows[kind] for kind in contents}


def notebook(cells):
    """A notebook's bytes with these code cells."""
    return json.dumps({"cells": [{"cell_type": "code", "source": cell} for cell in cells]}).encode()


def verdict(assignment, kind, row):
    """What is wrong with a score, or None."""
    total, possible = row["total"], sum(assignment.questions.values())
    if kind == "solution":
        if total < possible or row["status"] != "ok":
            return f"solution has {total:g} of {possible:g} points ({row['status']}: {row['reason']})"
        return None
    most = assignment.selftest.get(kind, 0)
    return f"{kind} has {total:g} points, at most {most:g} are allowed" if total > most else None


def table(assignment, rows):
    """The scores, a line for each notebook."""
    lines = [f"{'':14}" + "".join(f"{question:>8}" for question in [*assignment.questions, "total"])]
    for kind, row in {"points": None, **rows}.items():
        scores = assignment.questions if row is None else row["scores"]
        lines.append(
            f"{kind:14}" + "".join(f"{score:8g}" for score in [*scores.values(), sum(scores.values())])
        )
    return "\n".join(lines)
