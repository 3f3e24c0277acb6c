"""Every solution passes, with any seed; near misses and empty-headed answers do not."""

import re

import pytest

import homework
from grading import drawing, masters
from homework import each_homework

SEEDS = [drawing.PUBLIC_SEED, *(f"a secret of the teacher's, number {n}" for n in range(5))]

NEAR_MISSES = {
    ("hw01", "q1"): "right_count = lambda a, n: n / (1 + a**2)",  # right for right answers only
    ("hw01", "q2"): "old = group_behind; group_behind = lambda *a: [old(*a)[0], old(*a)[0] - old(*a)[1]]",
    ("hw01", "q3"): "best = 1 - p",
    ("hw01", "q4"): "leave_one_out = lambda r, f: f * (r - np.mean(r)) * len(r) / (len(r) - 1)",
    ("hw01", "q5"): "threshold = G * (1 - d)",
    ("hw01", "q6"): "share = k / G",
    ("hw01", "q7"): "delta = 2 * epsilon",
    ("hw02", "q1"): "silent_share = gl.silent_probability(shares @ chances, 8)",  # of the mean prompt
    ("hw02", "q2"): "old = kinds; kinds = lambda *a: old(*a)[::-1]",
    ("hw02", "q3"): "silent_graded = lambda a, n: a[0]**n + (1 - a[0])**n",
    ("hw02", "q4"): "price = G * (1 - s**R) / (1 - s)",
    ("hw02", "q5"): "best_size = lambda p, c: 3",
    ("hw02", "q6"): "chosen = 4 * v - v / 2",  # right for a coin
    ("hw03", "q1"): "variance_of_two = v / 4",  # right for a coin
    ("hw03", "q2"): """
def measured_fidelity(counts):  # with the plug-in estimate of v
    size, share = len(counts) - 1, counts / counts.sum()
    p = share @ np.arange(size + 1) / size
    return share @ gl.group_std(np.arange(size + 1), size) / np.sqrt(np.mean(p * (1 - p)) * (1 - 1 / size))
""",
    ("hw03", "q3"): "height = height + p**2",
    ("hw03", "q4"): "push_shares = lambda ps, n: ps * (1 - ps) / (ps * (1 - ps)).sum()",
    ("hw03", "q5"): "rest = (1 - beta + sp.sqrt((1 - beta)**2 + 4 * beta * p_ref)) / 2",
    ("hw03", "q6"): "best_reference = 1 - 1 / (2 * beta)",
    ("hw04", "q1"): "old = bills; bills = lambda n, y: old(n + 1, y)",
    ("hw04", "q2"): "best_size = lambda a, b, c, h: round(1 + (c / a)**0.5)",
    ("hw04", "q3"): "variance = v / 2",
    ("hw04", "q4"): """
def predicted(p, n, rate, steps):  # with the push of the first step all along
    return 1 / (1 + (1 / p - 1) * np.exp(-rate * steps * gl.expected_std(p, n)))
""",
    ("hw04", "q5"): "gain = 1 / (1 - s)",
    ("hw04", "q6"): "old = moved_rate; moved_rate = lambda r, p, a, b, ddof: old(r, p, a, b, 0)",
    ("hw05", "q1"): """
def right_counts(rows, n):  # of incomplete groups too, and duplicates twice
    names = dict.fromkeys(row["uid"] for row in rows)
    return [sum(row["score"] for row in rows if row["uid"] == name) for name in names]
""",
    ("hw05", "q2"): "silent_by_step = silent_by_step[::-1]",
    ("hw05", "q3"): "silent_if = lambda k, n, m: (k / n)**m + (1 - k / n)**m",  # drawn with replacement
    ("hw05", "q4"): "old = standard_errors; standard_errors = lambda *a: -old(*a)",
    ("hw05", "q5"): "only_right = only_right * (15 / 16) ** 0.5",
    ("hw05", "q6"): "wasted = 1 - wasted",
    ("hw05", "q7"): "push_from_hard = lambda k, n, m: (k <= m).mean()",  # groups, not their pushes
}  # fmt: skip
"""For each question an answer that a student could well give."""


@each_homework
@pytest.mark.parametrize("seed", SEEDS)
def test_solution_passes(name, seed):
    assert all(all(passed.values()) for passed in homework.judge(name, seed=seed).values())


@pytest.mark.parametrize(("name", "question"), NEAR_MISSES, ids=map("-".join, NEAR_MISSES))
def test_near_miss_does_not(name, question):
    if name not in homework.NAMES:
        pytest.skip(f"no {name} in {homework.FOLDER}")
    passed = homework.judge(name, NEAR_MISSES[name, question])
    assert not passed.pop(question)["hidden"]
    assert all(all(each.values()) for each in passed.values())


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
