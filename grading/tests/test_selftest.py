"""The self-test tells good tests from weak ones."""

import shutil

import pytest
from cells import EXAM, RIGHT, notebook

from grading.__main__ import main

pytestmark = pytest.mark.sandbox


def test_the_exams_tests_are_strong(tmp_path, capsys):
    solution = tmp_path / "solution.ipynb"
    solution.write_bytes(notebook(*RIGHT))
    assert main(["selftest", str(EXAM), "--solution", str(solution)]) == 0
    lines = {line.split()[0]: line.split()[1:] for line in capsys.readouterr().out.splitlines()}
    assert lines["solution"] == lines["points"] == ["2", "2", "4", "2", "10"]
    for impostor in ("blank", "zeros", "nan", "empty", "symbol", "always_equal"):
        assert lines[impostor][-1] == "0"


def test_weak_tests_and_wrong_solutions_are_found(tmp_path, capsys):
    shutil.copytree(EXAM, tmp_path / "exam" / "grading")
    q2 = tmp_path / "exam" / "grading" / "tests" / "q2.py"
    q2.write_text(
        q2.read_text().replace("np.allclose(advantages, [0.75] + [-0.25] * 3)", "np.all(advantages < 1)")
    )
    (tmp_path / "exam" / "solutions").mkdir()
    (tmp_path / "exam" / "solutions" / "exam.ipynb").write_bytes(notebook(*RIGHT[:3]))
    assert main(["selftest", str(tmp_path / "exam")]) == 1
    said = capsys.readouterr().out
    assert "BROKEN: solution has 8 of 10 points (incomplete: variance missing)" in said
    assert "BROKEN: zeros has 2 points, at most 0 are allowed" in said
