"""The teacher's page agrees with the chapters, with the homework and with the package."""

import re
from pathlib import Path

import pytest
import yaml

from grpo_lessons import check

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "book" / "for-teachers.md").read_text("utf-8")
CHAPTERS = sorted((ROOT / "notebooks").glob("*.md"))
MASTERS = sorted((ROOT / "homework").glob("*/master.md"))


def table(heading: str) -> list[list[str]]:
    """The rows below a heading, as cells, less the first two lines."""
    section = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows[2:]]


def test_goals_are_the_chapters_own():
    goals = [
        re.search(r"^You will be able to (.+)$", c.read_text("utf-8"), re.MULTILINE)[1] for c in CHAPTERS
    ]
    links = [f"{{doc}}`{c.name[:2]} <../notebooks/{c.stem}>`" for c in CHAPTERS]
    wanted = dict(zip(links, goals, strict=True))
    assert dict(table("What students will be able to do")) == wanted


def test_plan_covers_every_chapter_once():
    weeks = [re.match(r"(\d\d) to (\d\d)", row[1]) for row in table("Four weeks")]
    numbers = [n for week in weeks for n in range(int(week[1]), int(week[2]) + 1)]
    assert numbers == [int(chapter.name[:2]) for chapter in CHAPTERS]


def test_page_is_in_the_book():
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
    files = [chapter["file"] for part in contents["parts"] for chapter in part["chapters"]]
    assert "book/for-teachers" in files


@pytest.mark.skipif(not MASTERS, reason="homework/ is not here")
def test_questions_are_the_masters_own():
    question = r"^## Question (\d+) · (.+) · (\d+) points\n\n\*(Chapters? [^*]+)\*"
    wanted = [
        [f"{master.parent.name}, {number}", title, ", ".join(re.findall(r"\b\d\d\b", chapters)), points]
        for master in MASTERS
        for number, title, points, chapters in re.findall(question, master.read_text("utf-8"), re.MULTILINE)
    ]
    assert [[*row[:3], row[4]] for row in table("Which questions test what")] == wanted


def test_wheel_is_of_this_version():
    assert set(re.findall(r"grpo_lessons-([\d.]+)-py3", PAGE)) == {
        re.search(r'^version = "(.+)"', (ROOT / "pyproject.toml").read_text("utf-8"), re.MULTILINE)[1]
    }


def test_checks_that_the_page_names_exist():
    for name in re.findall(r"`check\.(\w+)`", PAGE):
        assert callable(getattr(check, name))
