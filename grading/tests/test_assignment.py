"""An assignment is checked before it grades anybody."""

import shutil

import pytest
from cells import EXAM

from grading import assignment


@pytest.fixture
def copy(tmp_path):
    """A copy of the exam, and a way to change its files."""
    folder = tmp_path / "exam" / "grading"
    shutil.copytree(EXAM, folder)

    def change(name, old, new):
        text = (folder / name).read_text()
        assert old in text
        (folder / name).write_text(text.replace(old, new))
        return folder

    return change


def test_the_exam(exam):
    assert exam.questions == {"q1": 2, "q2": 2, "q3": 4, "q4": 2}
    assert exam.answers == ("share", "advantages", "silent", "variance")
    assert set(exam.symbols) == {"p", "G"}
    assert exam.limits["cell"] == assignment.LIMITS["cell"]
    assert exam.limits["tests"] == 3
    assert exam.data == EXAM / "data"


def test_questions_have_their_natural_order(copy):
    folder = copy("grading.toml", "q4 =", "q10 =")
    copy("tests/q4.py", '"q4"', '"q10"')
    (folder / "tests" / "q4.py").rename(folder / "tests" / "q10.py")
    assert list(assignment.load(str(folder)).questions) == ["q1", "q2", "q3", "q10"]
    assert assignment.load(str(folder.parent)).name == "exam"


def test_any_change_is_another_assignment(copy, exam):
    folder = copy("data/share.txt", "0.25", "0.30")
    assert assignment.load(str(folder)).digest != exam.digest


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("grading.toml", 'q1 = ["share"]', 'q1 = ["part"]', r"q1 use \['share'\]"),
        ("grading.toml", 'q3 = ["silent"]', 'q3 = ["quiet"]', r"q3 use \['silent'\]"),
        ("grading.toml", "import numpy as np", "import numpy", r"q2 use \['np'\]"),
        ("grading.toml", "drawn =", "share = drawn =", r"\['share'\] are both"),
        ("grading.toml", "q4 =", "q5 =", "answers"),
        ("grading.toml", "repeat = 2", "repeats = 2", r"unknown key \['repeats'\]"),
        ("grading.toml", "wall =", "walls =", r"unknown limit \['walls'\]"),
        ("grading.toml", "repeat = 2", "repeat =", "grading.toml"),
        ("tests/q1.py", ">>> bool(0 < share", ">>> bool(lower < share", r"q1 use \['lower'\]"),
    ],
)
def test_a_slip_is_named(copy, name, old, new, said):
    folder = copy(name, old, new)
    with pytest.raises(ValueError, match=said):
        assignment.load(str(folder))


def test_names_that_a_test_makes_itself_are_its_own(copy):
    code = r">>> import math as m\n>>> def f(x): return [m.sin(y) for y in x]\n>>> z = f([0])\n"
    code += ">>> bool(0 < share"
    assert assignment.load(str(copy("tests/q1.py", ">>> bool(0 < share", code)))


def test_a_missing_assignment_is_named():
    with pytest.raises(ValueError, match="no assignment 'hw99'"):
        assignment.load("hw99")
