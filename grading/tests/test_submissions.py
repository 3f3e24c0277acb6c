"""Whose a file is, and which of a student's files counts."""

import os

import pytest

from grading.submissions import collect, student_id


@pytest.mark.parametrize(
    ("name", "student"),
    [
        ("ada.ipynb", "ada"),
        ("ada.IPYNB", "ada"),
        ("ada__hw01.ipynb", "ada"),
        ("ada__hw01__final.ipynb", "ada"),
        ("ada (1).ipynb", "ada"),
        ("ada-Copy2.ipynb", "ada"),
        ("ada - Copy (2).ipynb", "ada"),
        ("a.b@c.org__1.ipynb", "a.b@c.org"),
        ("ada_lovelace-2.ipynb", "ada_lovelace-2"),
        ("Zoe\u0308.ipynb", "Zoë"),
        ("李雷__hw01.ipynb", "李雷"),
        ("=cmd().ipynb", "=cmd()"),
        ("__.ipynb", "__"),
        (".ipynb", ""),
        ("ada", "ada"),
    ],
)
def test_student_of_a_file(name, student):
    assert student_id(name) == student


def test_the_newest_counts_and_all_are_listed(tmp_path):
    for seconds, name in enumerate(["ada (1).ipynb", "bob.ipynb", "ada.ipynb", "ada__late.ipynb"]):
        (tmp_path / name).write_text("{}")
        os.utime(tmp_path / name, (1000 - seconds, 1000 - seconds))
    listed = {one.file: (one.student, one.newer) for one in collect(tmp_path)}
    assert listed == {
        "ada (1).ipynb": ("ada", None),
        "ada.ipynb": ("ada", "ada (1).ipynb"),
        "ada__late.ipynb": ("ada", "ada (1).ipynb"),
        "bob.ipynb": ("bob", None),
    }


def test_files_of_one_time_have_an_order(tmp_path):
    for name in ("ada (1).ipynb", "ada.ipynb"):
        (tmp_path / name).write_text("{}")
        os.utime(tmp_path / name, (1000, 1000))
    assert [one.file for one in collect(tmp_path) if one.newer is None] == ["ada.ipynb"]


def test_folders_are_students(tmp_path):
    for name in ("ada/hw01.ipynb", "ada/.ipynb_checkpoints/hw01.ipynb", "bob__5/a/b.ipynb", "eve/notes.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("{}")
    assert [(one.student, one.file) for one in collect(tmp_path)] == [
        ("ada", "ada/hw01.ipynb"),
        ("bob", "bob__5/a/b.ipynb"),
        ("eve", "eve"),
    ]


def test_nothing_is_lost_but_what_no_student_made(tmp_path):
    for name in (
        ".DS_Store",
        ".ada.ipynb",
        "notes.txt",
        "work.zip",
        "x" * 249 + ".ipynb",
        "two\nlines.ipynb",
    ):
        (tmp_path / name).write_text("{}")
    (tmp_path / ".ipynb_checkpoints").mkdir()
    (tmp_path / "link.ipynb").symlink_to("/etc/passwd")
    (tmp_path / "folder").symlink_to("/etc")
    found = {one.file for one in collect(tmp_path)}
    assert found == {p.name for p in tmp_path.iterdir()} - {".DS_Store", ".ipynb_checkpoints"}


def test_a_deep_folder_stops_nothing(tmp_path, monkeypatch):
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / "hw01.ipynb").write_text("{}")
    monkeypatch.chdir(tmp_path / "ada")
    for _ in range(1500):  # a path that is longer than any call takes
        os.mkdir("abc")
        os.chdir("abc")
    found = [one.file for one in collect(tmp_path)]
    for _ in range(1500):  # no clearing up afterwards could go that deep
        os.chdir("..")
        os.rmdir("abc")
    assert found == ["ada/hw01.ipynb"]


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(ValueError, match="nowhere"):
        collect(tmp_path / "nowhere")
