"""What `import grpo_lessons` gives at once, and what it fetches when first used."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import grpo_lessons

ROOT = Path(__file__).parents[1]


def run(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True)


def test_starts_without_the_slow_libraries():
    slow = {"scipy", "sympy", "matplotlib", "ipywidgets", "anywidget"}
    assert run(f"import grpo_lessons, sys; sys.exit(bool({slow} & set(sys.modules)))").returncode == 0


@pytest.mark.parametrize("use", ["symbolic.rlhf_policy(1, 1)", "conventions.CONVENTIONS['trl']", "explore"])
def test_fetches_what_is_used(use):
    ran = run(f"import grpo_lessons; grpo_lessons.{use}")
    assert ran.returncode == 0, ran.stderr


def test_every_public_name_is_there():
    assert all(hasattr(grpo_lessons, name) for name in grpo_lessons.__all__)
    assert {"explore", "still", "symbolic", "conventions"} <= set(dir(grpo_lessons))


@pytest.mark.parametrize("name", [name for name in grpo_lessons.__all__ if name[0].islower()])
def test_every_public_function_says_where_it_comes_from(name):
    doc = inspect.cleandoc(getattr(grpo_lessons, name).__doc__)
    assert re.search(r"^Notes\n-----\n\w", doc, re.MULTILINE)


def test_types_seen_by_a_strict_user(tmp_path):
    """The annotations reach a reader's own code: what is wrong there is reported, and nothing else."""
    (tmp_path / "user.py").write_text(
        "import numpy as np\n"
        "import grpo_lessons as gl\n"
        "print(gl.expected_std([0.1, 0.2], 8) * 2, gl.min_group_size(0.5, 0.05))\n"
        "print(gl.identity_terms(np.ones((2, 1)), [1, 0]).std)\n"
        "print(gl.conventions.CONVENTIONS['trl'].advantages([1, 0], dtype='float32'))\n"
        "print(gl.symbolic.silent_probability('p', 3), gl.explore.__doc__, gl.still.__doc__)\n"
        "gl.advantages([1, 0], baseline='loo')\n"
    )
    command = [sys.executable, "-m", "mypy", str(tmp_path / "user.py")]  # strict, by the project's settings
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout
    assert said.count(" error: ") == 1, said
    assert 'user.py:7: error: Argument "baseline" to "advantages"' in said
