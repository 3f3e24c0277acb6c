"""The homework under test: its masters, drawn and built, and a quick judge without a sandbox."""

import ast
import contextlib
import functools
import os
import tempfile
import tomllib
from pathlib import Path

import pytest

from grading import build, drawing, masters, packing

FOLDER = Path(os.environ.get("HOMEWORK", build.HOMEWORK))
NAMES = sorted(master.parent.name for master in FOLDER.glob("*/master.md"))
SCRATCH = tempfile.TemporaryDirectory()

each_homework = pytest.mark.parametrize(
    "name", NAMES or [pytest.param("", marks=pytest.mark.skip(reason=f"no homework in {FOLDER}"))]
)


@functools.cache
def wheel():
    """The package's wheel."""
    return packing.build_wheel(Path(SCRATCH.name, "wheel"))


@functools.cache
def built(name, seed=drawing.PUBLIC_SEED):
    """The folder of an assignment's products."""
    return build.build(FOLDER / name, seed, Path(SCRATCH.name, "".join(map(str, seed.encode()))), wheel())


@functools.cache
def drawn(name, seed=drawing.PUBLIC_SEED):
    """A master, its settings, and the folder that it runs in."""
    work = Path(tempfile.mkdtemp(dir=SCRATCH.name))
    values = drawing.draw(FOLDER / name, seed, work / "data")
    master, settings = (
        drawing.fill((FOLDER / name / each).read_text("utf-8"), values, FOLDER)
        for each in ("master.md", "grading.toml")
    )
    return masters.read_master(master), tomllib.loads(settings), work


def judge(name, changes="", seed=drawing.PUBLIC_SEED):
    """Run the solution, then `changes`, then the tests: by question, whether public and hidden ones pass."""
    master, settings, work = drawn(name, seed)
    tests = masters.tests(master)
    of_tests = [id(cell) for _, cell in tests]
    space = {}
    with contextlib.chdir(work), contextlib.redirect_stdout(None):
        for cell in master.cells:
            if cell.cell_type == "code" and id(cell) not in of_tests:
                exec(cell.source, space)
        exec(changes, space)
        said = {question: {"public": True, "hidden": True} for question in settings["answers"]}
        answers = {answer: space[answer] for names in settings["answers"].values() for answer in names}
        for question, cell in tests:
            trusted = {}
            exec(settings["preamble"], trusted)
            *setup, check = ast.parse(cell.source).body
            trusted |= answers
            exec(compile(ast.Module(setup, []), "test", "exec"), trusted)
            kind = "hidden" if masters.is_hidden(cell) else "public"
            said[question][kind] &= bool(eval(compile(ast.Expression(check.value), "test", "eval"), trusted))
    return said
