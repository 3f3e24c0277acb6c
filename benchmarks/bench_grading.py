"""A class of 300 through the grader: CPU seconds for a submission and memory of each of two workers.

Printed, not asserted. The assignment is that of the grader's own tests: numpy and sympy in every submission.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "grading" / "tests"))

from cells import EXAM, RIGHT, notebook

from grading.sandbox import ROOT
from grading.watch import processes, proportional

STUDENTS = 300
CLOCK = 100  # ticks of /proc/<pid>/stat in a second


def children(tree: dict, root: int) -> list[int]:
    """The workers among the processes below `root`."""
    return [pid for pid, process in tree.items() if process.parent == root and pid != root]


def bench_three_hundred_submissions(tmp_path, capsys):
    submissions = tmp_path / "submissions"
    submissions.mkdir()
    (submissions / "s000.ipynb").write_bytes(notebook(*RIGHT))
    for i in range(1, STUDENTS):
        shutil.copy(submissions / "s000.ipynb", submissions / f"s{i:03}.ipynb")
    python = ROOT / ".venv-grading" / "bin" / "python"
    words = [
        python,
        "-m",
        "grading",
        "grade",
        EXAM,
        submissions,
        "--out",
        tmp_path / "grades.csv",
        "--jobs",
        "2",
    ]
    start = time.perf_counter()
    run = subprocess.Popen(words, cwd=ROOT, stderr=subprocess.DEVNULL)
    spent: dict[tuple[int, int], float] = {}
    peak = 0
    while run.poll() is None:
        tree = processes(run.pid)
        spent |= {(pid, process.started): process.ticks / CLOCK for pid, process in tree.items()}
        for worker in children(tree, run.pid):
            peak = max(peak, sum(proportional(pid) for pid in processes(worker)))
        time.sleep(0.1)
    wall = time.perf_counter() - start
    rows = (tmp_path / "grades.csv").read_text().count(",ok,")
    with capsys.disabled():
        print(
            f"\n{rows} of {STUDENTS} submissions graded in {wall:.0f} s, two at a time: "
            f"{sum(spent.values()) / STUDENTS:.2f} CPU-s each, at most {peak >> 20} MB (Pss) a worker"
        )
    assert run.returncode == 0
    assert rows == STUDENTS
