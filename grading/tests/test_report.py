"""The table holds no formulas, the pages no text of a student's code, and no two students share a page."""

import csv

import pytest

from grading.report import EXPLAINED, feedback, page_name, safe_text, write_feedback, write_table
from grading.submissions import Submission

QUESTIONS = {"q1": 2, "q2": 3}
ROW = {
    "status": "incomplete",
    "reason": "=HYPERLINK(1); x raised <script>SECRET</script>",
    "scores": {"q1": 2.0, "q2": 0.5},
    "total": 2.5,
    "seconds": 1.5,
    "cells": ["ok", "error", "<b>SECRET</b>"],
    "public": {"q1": [["q1 - 1", True, "Well done."], ["q1 - 2", False, "Is 1 < 2?"]]},
}


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("=1+1", "'=1+1"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@x", "'@x"),
        ("＝1", "'＝1"),
        (" =1", "' =1"),
        ("a;=1;b; +2", "a;'=1;b;' +2"),
        ("=1;=2", "'=1;'=2"),
        ("\t=1", "\N{REPLACEMENT CHARACTER}=1"),
        ("a\nb\r\0", "a" + "\N{REPLACEMENT CHARACTER}b" + 2 * "\N{REPLACEMENT CHARACTER}"),
        ("\u202eevil", "\N{REPLACEMENT CHARACTER}evil"),
        ("\udcff", "\N{REPLACEMENT CHARACTER}"),
        ("李雷 a-b", "李雷 a-b"),
        ("", ""),
    ],
)
def test_text_for_a_spreadsheet(text, safe):
    assert safe_text(text) == safe


def test_table(tmp_path):
    old, new = Submission("=ada", "", "old.ipynb", "new.ipynb"), Submission("=ada", "", "new.ipynb")
    write_table(tmp_path / "grades.csv", QUESTIONS, [(old, None), (new, ROW)])
    with (tmp_path / "grades.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["id", "q1", "q2", "total", "seconds", "status", "reason", "file"]
    assert [row["id"] for row in rows] == ["'=ada", "'=ada"]
    assert rows[0]["status"] == "superseded"
    assert rows[0]["total"] == ""
    assert (rows[1]["q2"], rows[1]["total"], rows[1]["seconds"]) == ("0.5", "2.5", "1.5")
    assert rows[1]["reason"].startswith("'=")
    assert [path.name for path in tmp_path.iterdir()] == ["grades.csv"]


def test_a_page_says_what_a_student_may_know():
    page = feedback("Exam <1>", QUESTIONS, "a<b>", ROW)
    assert "SECRET" not in page
    assert "a&lt;b&gt;: 2.5 of 5 points" in page
    assert "Exam &lt;1&gt;" in page
    assert "Passed: q1 - 1. Well done." in page
    assert "Failed: q1 - 2. Is 1 &lt; 2?" in page
    assert "to their end: 2 (error)." in page


def test_every_status_is_explained():
    for status in EXPLAINED:
        assert EXPLAINED[status] in feedback("Exam", QUESTIONS, "ada", ROW | {"status": status})


def test_pages_have_names_for_every_system(tmp_path):
    students = [
        "ada",
        "../ada",
        "a/da",
        "..",
        "con:",
        "=x",
        "x" * 250,
        "x" * 251,
        "李" * 80,
        "a\nb",
        "a\0b",
        "\udcff",
        " ",
    ]
    names = [page_name(student) for student in students]
    assert len(set(names)) == len(students)
    assert all(len(name.encode()) <= 255 and "/" not in name and name[0] not in "=.-" for name in names)
    write_feedback(tmp_path / "pages", "Exam", QUESTIONS, [(Submission(s, "", ""), ROW) for s in students])
    assert {path.name for path in (tmp_path / "pages").iterdir()} == set(names)
