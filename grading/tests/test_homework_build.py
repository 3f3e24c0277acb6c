"""What `make homework` makes: nothing of the teacher's for students, and full marks for the solution."""

import subprocess
import sys
import zipfile
from pathlib import Path

import homework_under_test as homework
import nbformat
import pytest
from homework_under_test import each_homework
from nbclient import NotebookClient

from grading import assignment, build, drawing, packing, sandbox, selftest
from grading.leaks import plain, secrets
from grading.workers import run_all


def teachers(name):
    """Pieces of text that only a teacher may have."""
    texts = [(homework.FOLDER / name / each).read_text("utf-8") for each in ("master.md", "grading.toml")]
    return secrets(*texts)


def contents(name):
    """Every file that a student may get, those in archives too, but for the wheel."""
    made = homework.built(name)
    files = {file.name: file.read_bytes() for file in (made / "student").iterdir()}
    for archive in made.glob("*.zip"):
        with zipfile.ZipFile(archive) as opened:
            files |= {f"{archive.name}/{entry}": opened.read(entry) for entry in opened.namelist()}
    return {file: content for file, content in files.items() if not file.endswith(".whl")}


@each_homework
def test_students_get_no_solution_and_no_hidden_test(name):
    wanted = teachers(name)
    for file, content in contents(name).items():
        text = plain(content.decode("utf-8"))
        assert not {piece for piece in wanted if piece in text}, file
        assert "'hidden':True" not in text
    with_them = plain((homework.built(name) / "solutions" / f"{name}.ipynb").read_text("utf-8"))
    tests = "".join(
        file.read_text("utf-8") for file in (homework.built(name) / "grading" / "tests").iterdir()
    )
    found = {piece for piece in wanted if piece in with_them + plain(tests)}
    assert len(found) >= len(wanted) / 4  # it can find them, although otter rewrites quotes


@each_homework
def test_student_notebook_holds_nothing_but_cells(name):
    notebook = nbformat.read(homework.built(name) / "student" / f"{name}.ipynb", as_version=4)
    nbformat.validate(notebook)
    assert set(notebook.metadata) == {"kernelspec", "language_info"}
    assert [cell.metadata for cell in notebook.cells if cell.metadata] == [{"tags": ["install"]}]
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in notebook.cells)
    assert "otter" not in "".join(cell.source for cell in notebook.cells)
    first = next(cell for cell in notebook.cells if cell.cell_type == "code")
    assert "%pip install" in first.source
    assert "except ModuleNotFoundError" in first.source


@each_homework
def test_unanswered_notebook_runs_alone_and_says_so(name, tmp_path):
    """Without its data beside it, as when it is opened in Colab."""
    notebook = nbformat.read(homework.built(name) / "student" / f"{name}.ipynb", as_version=4)
    quiet = ["--IPKernelApp.log_level=ERROR"]
    NotebookClient(notebook, extra_arguments=quiet, resources={"metadata": {"path": str(tmp_path)}}).execute()
    checks = [cell for cell in notebook.cells if cell.cell_type == "code" and "check." in cell.source]
    assert checks
    for cell in checks:
        assert "Not answered yet" in cell.outputs[0].data["text/plain"], cell.source


@pytest.mark.sandbox
@each_homework
def test_grader_gives_the_solution_all_points_and_the_stub_none(name):
    if trouble := sandbox.trouble():
        pytest.exit(f"grading: {trouble}", 1)
    made = homework.built(name)
    exam = assignment.load(str(made / "grading"))
    rows = selftest.score(exam, (made / "solutions" / f"{name}.ipynb").read_bytes())
    assert not [line for kind, row in rows.items() if (line := selftest.verdict(exam, kind, row))]
    stub = (made / "student" / f"{name}.ipynb").read_bytes()
    [(_, _, row)] = run_all(exam, [("stub", stub)], 1)
    assert (row["status"], row["total"]) == ("incomplete", 0)


@each_homework
def test_class_zip_has_what_a_student_needs(name):
    files = set(contents(name))
    assert {f"{name}-class.zip/{file}" for file in (f"{name}.ipynb", "README.txt")} <= files
    data = homework.built(name) / "grading" / "data"
    assert all(f"{name}-class.zip/data/{file.name}" in files for file in data.glob("*"))
    archive = packing.read_zip(homework.built(name) / f"{name}-class.zip")
    assert homework.wheel().name in archive
    assert f"pip install {homework.wheel().name}" in archive["README.txt"].decode()


def test_autograder_zip_grades_as_gradescope_does(tmp_path):
    """Public tests only, which share the points."""
    if not homework.NAMES:
        pytest.skip(f"no homework in {homework.FOLDER}")
    name = homework.NAMES[0]
    made = homework.built(name)
    command = [Path(sys.executable).with_name("otter"), "run", "-a", made / f"{name}-autograder.zip"]
    done = subprocess.run(
        [*command, "-o", tmp_path, made / "solutions" / f"{name}.ipynb"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    results = (tmp_path / "results.json").read_text("utf-8")
    assert '"status": "failed"' not in results
    assert '"status": "passed"' in results


def test_same_seed_same_bytes(tmp_path):
    if not homework.NAMES:
        pytest.skip(f"no homework in {homework.FOLDER}")
    name = homework.NAMES[-1]
    once = homework.built(name)
    again = build.build(homework.FOLDER / name, drawing.PUBLIC_SEED, tmp_path, homework.wheel())
    files = sorted(file.relative_to(once) for file in once.rglob("*") if file.is_file())
    assert files == sorted(file.relative_to(again) for file in again.rglob("*") if file.is_file())
    changed = [file for file in files if (once / file).read_bytes() != (again / file).read_bytes()]
    assert changed == []


def test_seed_file_must_be_a_secret(tmp_path):
    inside = drawing.ROOT / "pyproject.toml"
    with pytest.raises(ValueError, match="outside the repository"):
        drawing.read_seed(inside)
    (tmp_path / "link").symlink_to(inside)
    with pytest.raises(ValueError, match="outside the repository"):
        drawing.read_seed(tmp_path / "link")
    (tmp_path / "short").write_text("1234\n")
    with pytest.raises(ValueError, match="at least 16 characters"):
        drawing.read_seed(tmp_path / "short")
    (tmp_path / "seed").write_text("long enough to be one\n")
    assert drawing.read_seed(tmp_path / "seed") == "long enough to be one"


def test_folder_elsewhere_or_nowhere(tmp_path):
    with pytest.raises(ValueError, match="--homework DIR"):
        build.assignments(tmp_path, [])
    (tmp_path / "quiz").mkdir()
    (tmp_path / "quiz" / "master.md").write_text("")
    assert build.assignments(tmp_path, []) == [tmp_path / "quiz"]
    with pytest.raises(ValueError, match="no assignment hw09"):
        build.assignments(tmp_path, ["hw09"])
