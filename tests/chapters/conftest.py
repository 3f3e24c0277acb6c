"""Chapters as tests see them: their code run once, with what they glue and what they explore."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jupytext
import matplotlib.pyplot as plt
import pytest

import grpo_lessons
from grpo_lessons import prose

ROOT = Path(__file__).parents[2]


@dataclass
class Chapter:
    """What running a chapter left behind."""

    glued: dict[str, str] = field(default_factory=dict)
    explorers: dict[str, Any] = field(default_factory=dict)
    names: dict[str, Any] = field(default_factory=dict)

    def number(self, name: str) -> float:
        """The first number in a glued text, a percentage as a share."""
        text = self.glued[name]
        value = float(re.search(r"-?\d+(\.\d+)?", text.replace("−", "-").replace(",", ""))[0])
        return value / 100 if "%" in text else value


@pytest.fixture(scope="module")
def chapter(request: pytest.FixtureRequest) -> Chapter:
    """The page that the test module is named after: 07 is notebooks/07-*.md, report is book/report.md."""
    name = Path(request.path).stem.removeprefix("test_")
    (source,) = [*ROOT.glob(f"notebooks/{name}-*.md"), *ROOT.glob(f"book/{name}.md")]
    done = Chapter()

    def keep(make: Any) -> Any:
        def made(*args: Any, name: str, **kwargs: Any) -> Any:
            done.explorers[name] = make(*args, name=name, **kwargs)
            return done.explorers[name]

        return made

    with pytest.MonkeyPatch.context() as patch, plt.rc_context():  # chapters set the house style
        patch.setattr(grpo_lessons, "explore", keep(grpo_lessons.explore), raising=False)
        patch.setattr(grpo_lessons, "still", keep(grpo_lessons.still), raising=False)
        patch.setattr(
            prose, "glue", lambda **values: done.glued.update({k: str(v) for k, v in values.items()})
        )
        for cell in jupytext.read(source).cells:
            if cell.cell_type == "code":
                exec(compile(cell.source, source.name, "exec"), done.names)
    plt.close("all")
    return done
