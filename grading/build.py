"""`python -m grading build`: from each master in `homework/` to all that a class and its teacher need.

For each assignment, `dist/homework/<name>/` gets

- `student/<name>.ipynb`, without solutions and hidden tests, and `<name>-class.zip` around it;
- `<name>-autograder.zip` for Gradescope, with the public tests only;
- `solutions/<name>.ipynb`, executed, and `grading/` for `python -m grading grade`: for the teacher alone.
"""

import argparse
import ast
import contextlib
import io
import shutil
import tempfile
import tomllib
from pathlib import Path
from typing import Any

import nbformat

from . import drawing, masters, packing
from .leaks import plain, secrets
from .student import student_notebook

HOMEWORK = drawing.ROOT / "homework"
OUT = drawing.ROOT / "dist" / "homework"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("names", nargs="*", help="assignments, such as hw01; all without any")
    parser.add_argument(
        "--homework", type=Path, default=HOMEWORK, metavar="DIR", help="where the masters are"
    )
    parser.add_argument("--seed-file", type=Path, metavar="PATH", help="your secret, outside the repository")
    parser.add_argument("--out", type=Path, default=OUT, metavar="DIR", help="where to write")


def run(arguments: argparse.Namespace) -> int:
    """The command; its exit status."""
    seed = drawing.read_seed(arguments.seed_file)
    folders = assignments(arguments.homework, arguments.names)
    with tempfile.TemporaryDirectory() as scratch:
        wheel = packing.build_wheel(Path(scratch))
        for folder in folders:
            print(build(folder, seed, arguments.out, wheel))
    return 0


def assignments(homework: Path, names: list[str]) -> list[Path]:
    """The folders of the named assignments, or of all."""
    found = {master.parent.name: master.parent for master in sorted(homework.glob("*/master.md"))}
    if not found:
        raise ValueError(f"no <name>/master.md in {homework}; say where they are with --homework DIR")
    if unknown := sorted(set(names) - set(found)):
        raise ValueError(f"no assignment {', '.join(unknown)} in {homework}; there are {', '.join(found)}")
    return [found[name] for name in names or found]


def build(folder: Path, seed: str, out: Path, wheel: Path) -> Path:
    """Make everything for one assignment aside, then put it in place of what was there."""
    name = folder.name
    with tempfile.TemporaryDirectory() as scratch:
        work, made = Path(scratch, "work"), Path(scratch, name)
        for place in (work, made / "student", made / "solutions", made / "grading"):
            place.mkdir(parents=True)
        data = work / "data"
        values = drawing.draw(folder, seed, data)
        text, config = (
            drawing.fill((folder / each).read_text(encoding="utf-8"), values, folder / each)
            for each in ("master.md", "grading.toml")
        )
        settings = tomllib.loads(config)
        master = masters.read_master(text)
        if set(settings["answers"]) != set(masters.questions(master)):
            raise ValueError(f"{folder / 'grading.toml'}: [answers] must name the questions of master.md")
        executed = masters.execute(master, settings["preamble"], work)
        nbformat.write(masters.solutions(executed), made / "solutions" / f"{name}.ipynb")

        (made / "grading" / "grading.toml").write_text(config, encoding="utf-8")
        _, graded = assign(executed, name, work / "whole", wheel)
        for file, content in graded.items():
            if file.startswith("tests/"):
                (made / "grading" / file).parent.mkdir(exist_ok=True)
                (made / "grading" / file).write_bytes(content)

        public = masters.without_hidden(executed)
        stripped, shared = assign(public, name, work / "public", wheel)
        student = made / "student" / f"{name}.ipynb"
        handed_out = student_notebook(stripped, public, packing.wheel_address(wheel), data)
        refuse_leaks(handed_out, folder)
        nbformat.write(handed_out, student)
        packing.write_zip(made / f"{name}-autograder.zip", shared)
        packing.class_zip(made / f"{name}-class.zip", settings["title"], student, data, wheel)
        if data.is_dir():
            shutil.copytree(data, made / "grading" / "data")
        shutil.rmtree(out / name, ignore_errors=True)
        out.mkdir(parents=True, exist_ok=True)
        return Path(shutil.move(made, out / name))


def refuse_leaks(notebook: nbformat.NotebookNode, folder: Path) -> None:
    """Stop if a student's notebook holds a piece of what it must not, or is no Python any more."""
    for cell in notebook.cells:
        if cell.cell_type == "code" and not cell.source.startswith("# Nothing to do"):
            try:
                ast.parse(cell.source)
            except SyntaxError:
                raise ValueError(f"a '# SOLUTION' must end a statement of one line:\n{cell.source}") from None
    text = plain("\n".join(cell.source for cell in notebook.cells))
    source, settings = ((folder / each).read_text(encoding="utf-8") for each in ("master.md", "grading.toml"))
    if leaks := sorted(piece for piece in secrets(source, settings) if piece in text):
        raise ValueError(f"the student's notebook would show {leaks[0]!r}")


def assign(
    master: nbformat.NotebookNode, name: str, work: Path, wheel: Path
) -> tuple[nbformat.NotebookNode, dict[str, bytes]]:
    """Otter's student notebook and its autograder archive."""
    from otter.assign import main as otter_assign  # takes seconds to import

    work.mkdir()
    shutil.copy(wheel, work)
    (work / "requirements.txt").write_text(f"/autograder/source/files/{wheel.name}\n", encoding="utf-8")
    settings: dict[str, Any] = {"autograder_files": [wheel.name], "requirements": "requirements.txt"}
    nbformat.write(masters.for_otter(master, settings), work / f"{name}.ipynb")
    with contextlib.redirect_stdout(io.StringIO()):
        otter_assign(str(work / f"{name}.ipynb"), str(work / "dist"), no_run_tests=True)
    (archive,) = (work / "dist" / "autograder").glob("*.zip")
    stripped = nbformat.read(work / "dist" / "student" / f"{name}.ipynb", as_version=4)
    return stripped, packing.read_zip(archive)
