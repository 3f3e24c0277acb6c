"""A teacher's slips in a new assignment stop the build with a line that says what to do."""

import shutil

import pytest

from grading import build, drawing

MASTER = """\
---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---

```{raw-cell}
# ASSIGNMENT CONFIG
init_cell: false
export_cell: false
```

# A quiz

```{code-cell}
from grpo_lessons import check
```

```{raw-cell}
# BEGIN QUESTION
name: q1
points: 1
```

What is <<n>> squared?

```{raw-cell}
# BEGIN SOLUTION
```

```{code-cell}
square = <<n>> ** 2  # SOLUTION
```

```{raw-cell}
# END SOLUTION
```

```{raw-cell}
# BEGIN TESTS
```

```{code-cell}
check.within(square, 0, 1000)
```

```{code-cell}
# HIDDEN
check.number(square, <<n>> * <<n>> + 0 * len("a hidden test"))
```

```{raw-cell}
# END TESTS
```

```{raw-cell}
# END QUESTION
```
"""
SETTINGS = """\
title = "A quiz"
preamble = "from grpo_lessons import check"

[answers]
q1 = ["square"]
"""
DRAW = "def draw(rng):\n    return {'n': int(rng.integers(2, 9))}\n"


@pytest.fixture
def make(tmp_path):
    """Build the quiz with something changed."""

    def made(master=MASTER, settings=SETTINGS, draw=DRAW):
        folder = tmp_path / "homework" / "quiz"
        folder.mkdir(parents=True)
        for name, text in (("master.md", master), ("grading.toml", settings), ("draw.py", draw)):
            (folder / name).write_text(text, encoding="utf-8")
        wheel = tmp_path / "some-0-py3-none-any.whl"
        wheel.write_bytes(b"a wheel")
        return build.build(folder, drawing.PUBLIC_SEED, tmp_path / "out", wheel)

    return made


def test_smallest_assignment_builds(make):
    made = make()
    assert "square = ..." in (made / "student" / "quiz.ipynb").read_text("utf-8")
    shutil.rmtree(made)


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"master": MASTER.replace("<<n>> squared", "<<m>> squared")}, "draws no m; it draws n"),
        ({"master": MASTER.replace("** 2  #", "** 3  #")}, "solution of q1 does not pass"),
        ({"master": MASTER.replace("<<n>> ** 2  #", "(\n    <<n>>**2\n)  #")}, "statement of one line"),
        ({"master": MASTER.replace("BEGIN QUESTION", "BEGIN")}, "no '# BEGIN QUESTION'"),
        ({"settings": SETTINGS.replace("q1", "q2")}, "must name the questions"),
    ],
)
def test_slip_is_named(make, tmp_path, changed, says):
    with pytest.raises(ValueError, match=says):
        make(**changed)
    assert not (tmp_path / "out").exists()
