"""Every solution passes, with any seed; near misses and empty-headed answers do not."""

import re
import tomllib

import homework_under_test as homework
import jupytext
import pytest
from homework_under_test import each_homework

from grading import drawing, masters

SEEDS = [drawing.PUBLIC_SEED, *(f"a secret of the teacher's, number {n}" for n in range(5))]


@each_homework
@pytest.mark.parametrize("seed", SEEDS)
def test_solution_passes(name, seed):
    assert all(all(passed.values()) for passed in homework.judge(name, seed=seed).values())


@each_homework
def test_near_misses_do_not(name):
    misses = tomllib.loads((homework.FOLDER / name / "near_misses.toml").read_text("utf-8"))
    assert list(misses) == list(homework.drawn(name)[1]["answers"])
    for question, answer in misses.items():
        passed = homework.judge(name, answer)
        assert not passed.pop(question)["hidden"], question
        assert all(all(each.values()) for each in passed.values()), question


@each_homework
def test_master_is_text_that_a_notebook_gives_back(name):
    text = (homework.FOLDER / name / "master.md").read_text("utf-8")
    again = jupytext.writes(jupytext.reads(text, fmt="md:myst"), fmt="md:myst")
    assert re.sub(r"^    (format|jupytext)_version: .*\n", "", again, flags=re.MULTILINE) == text


@each_homework
def test_every_question_has_public_and_hidden_tests_points_and_chapters(name):
    master, settings, _ = homework.drawn(name)
    text = "\n".join(cell.source for cell in master.cells if cell.cell_type == "markdown")
    titles = re.findall(r"^## Question (\d+) · .+ · (\d+) points$\n\n\*Chapters? \d\d", text, re.MULTILINE)
    questions = masters.questions(master)
    assert [(f"q{number}", int(points)) for number, points in titles] == [
        (question, config["points"]) for question, config in questions.items()
    ]
    for question in questions:
        kinds = {masters.is_hidden(cell) for owner, cell in masters.tests(master) if owner == question}
        assert kinds == {True, False}
        assert settings["answers"][question]
    hints = [masters.hint(cell.source) for _, cell in masters.tests(master) if not masters.is_hidden(cell)]
    assert sum(map(bool, hints)) >= len(questions)


@each_homework
def test_a_seed_of_ones_own_changes_text_data_and_hidden_inputs(name):
    texts = [homework.drawn(name, seed)[0] for seed in SEEDS[:3]]
    for kind in ("markdown", "code"):
        told = {"\n".join(c.source for c in text.cells if c.cell_type == kind) for text in texts}
        assert len(told) == 3
    hidden = [[cell.source for _, cell in masters.tests(text) if masters.is_hidden(cell)] for text in texts]
    assert hidden[0] != hidden[1] != hidden[2]
    assert "public example" in "".join(cell.source for cell in texts[0].cells)
    assert "public example" not in "".join(cell.source for cell in texts[1].cells)
    folders = [homework.drawn(name, seed)[2] / "data" for seed in SEEDS[:3]]
    data = [[file.read_bytes() for file in sorted(folder.glob("*"))] for folder in folders]
    assert not data[0] or data[0] != data[1]
