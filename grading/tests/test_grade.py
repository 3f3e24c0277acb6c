"""The command itself: rows for every file, feedback, and going on after an interruption."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cells import EXAM, RIGHT, SECRETS, notebook

from grading import grade, sandbox
from grading.__main__ import main

NAMES = ["李雷.ipynb", "=1+1.ipynb", "x" * 249 + ".ipynb", "two\nlines.ipynb", "-.ipynb", '@a, "b".ipynb']


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "submissions"
    place.mkdir()
    return place


def table(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def command(folder, out, *words):
    return main(["grade", str(EXAM), str(folder), "--out", str(out), *words])


@pytest.mark.sandbox
def test_a_class(folder, tmp_path, capsys):
    (folder / "ada.ipynb").write_bytes(notebook(*RIGHT))
    (folder / "bob (1).ipynb").write_bytes(notebook(*RIGHT[:2]))
    (folder / "bob.ipynb").write_bytes(notebook(*RIGHT))
    os.utime(folder / "bob.ipynb", (1, 1))
    (folder / "empty.ipynb").write_bytes(b"")
    (folder / "broken.ipynb").write_bytes(b'{"cells": [')
    with (folder / "large.ipynb").open("wb") as file:
        file.truncate(200 << 20)
    (folder / "link.ipynb").symlink_to(folder / "ada.ipynb")
    odd = json.loads(notebook(*RIGHT)) | {
        "metadata": {"kernelspec": {"name": "julia", "display_name": "../x"}}
    }
    (folder / "odd.ipynb").write_text(json.dumps(odd))
    for name in NAMES:
        (folder / name).write_bytes(b"no notebook")
    out = tmp_path / "grades.csv"

    assert command(folder, out, "--jobs", "2") == 0
    rows = {row["file"]: row for row in table(out)}
    assert len(rows) == len(list(folder.iterdir()))
    said = {name: (row["id"], row["total"], row["status"]) for name, row in rows.items()}
    assert said["ada.ipynb"] == ("ada", "10.0", "ok")
    assert said["odd.ipynb"] == ("odd", "10.0", "ok")
    assert said["bob (1).ipynb"] == ("bob", "4.0", "incomplete")
    assert said["bob.ipynb"] == ("bob", "", "superseded")
    assert said["'=1+1.ipynb"] == ("'=1+1", "0", "refused")
    for name in ("empty", "broken", "large", "link"):
        assert said[f"{name}.ipynb"] == (name, "0", "refused")
    pages = list((tmp_path / "grades.feedback").iterdir())
    assert len(pages) == len(rows) - 1
    text = out.read_text() + "".join(page.read_text() for page in pages)
    assert not any(secret in text for secret in SECRETS)
    assert "13/13" in capsys.readouterr().err

    before = {name: row["seconds"] for name, row in rows.items()}
    (folder / "bob (1).ipynb").write_bytes(notebook(*RIGHT))
    started = (tmp_path / "grades.csv.journal").read_text().count("\n")
    assert command(folder, out) == 0
    again = {row["file"]: row for row in table(out)}
    assert again["bob (1).ipynb"]["total"] == "10.0"
    assert again["ada.ipynb"]["seconds"] == before["ada.ipynb"]
    assert (tmp_path / "grades.csv.journal").read_text().count("\n") == started + 1


@pytest.mark.sandbox
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_an_interrupted_run_goes_on(folder, tmp_path, how):
    quick = [f"s{i}.ipynb" for i in range(2)]
    for name in quick:
        (folder / name).write_bytes(notebook(*RIGHT))
    (folder / "slow.ipynb").write_bytes(notebook("import time\ntime.sleep(14)"))
    out, journal = tmp_path / "grades.csv", tmp_path / "grades.csv.journal"
    words = [
        sys.executable,
        "-m",
        "grading",
        "grade",
        str(EXAM),
        str(folder),
        "--out",
        str(out),
        "--jobs",
        "3",
    ]
    process = subprocess.Popen(words, cwd=sandbox.ROOT, stderr=subprocess.DEVNULL)
    while not (journal.exists() and journal.read_bytes().count(b"\n") == 2):
        time.sleep(0.1)
        assert process.poll() is None
    process.send_signal(how)
    status = process.wait(20)
    if how != signal.SIGKILL:
        assert status == 130
        assert [(row["file"], row["total"]) for row in table(out)] == [(name, "10.0") for name in quick]

    (folder / "slow.ipynb").write_bytes(b"")
    kept = {json.loads(line)["file"]: line for line in journal.read_text().splitlines()}
    assert subprocess.run(words, cwd=sandbox.ROOT, capture_output=True).returncode == 0
    assert [row["status"] for row in table(out)] == ["ok", "ok", "refused"]
    lines = journal.read_text().splitlines()
    assert lines[:2] == list(kept.values())
    assert len(lines) == 3


def test_without_a_sandbox_it_refuses(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(sandbox, "trouble", lambda: "bubblewrap is not installed")
    assert command(folder, tmp_path / "grades.csv").startswith(
        "grading: no sandbox: bubblewrap is not installed"
    )
    assert not (tmp_path / "grades.csv").exists()


def test_without_a_sandbox_every_row_says_so(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(sandbox, "trouble", lambda: "bubblewrap is not installed")
    (folder / "ada.ipynb").write_bytes(notebook(*RIGHT))
    (folder / "bob.ipynb").write_bytes(b"")
    assert command(folder, tmp_path / "grades.csv", "--unsafe-no-sandbox") == 0
    ada, bob = table(tmp_path / "grades.csv")
    assert (ada["total"], ada["status"], ada["reason"]) == ("10.0", "ok", "NO SANDBOX; ")
    assert bob["reason"] == "NO SANDBOX; the file is empty"


def test_a_table_among_the_submissions_would_be_one(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(grade, "check_sandbox", lambda *_: True)
    assert "lies among the submissions" in command(folder, folder / "grades.csv")
    assert "a folder; give a file" in command(folder, tmp_path)
    assert not list(folder.iterdir())


def test_what_the_sandbox_can_see_is_no_place_for_submissions(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(sandbox, "trouble", lambda: None)
    monkeypatch.setattr(sandbox, "shown", lambda: [tmp_path])
    assert "the sandbox can see this folder" in command(folder, tmp_path / "grades.csv")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "usage: python -m grading {build,grade,selftest}"),
        (["judge"], "usage: python -m grading {build,grade,selftest}"),
        (["grade", "hw99", ".", "--out", "x.csv"], "no assignment 'hw99'"),
        (["grade", str(EXAM), "/nowhere", "--out", "x.csv"], "/nowhere is not a folder"),
        (["grade", str(EXAM), ".", "--out", "x.csv", "--jobs", "0"], "--jobs must be at least 1, not 0"),
        (["grade", str(EXAM), str(EXAM), "--out", "/nowhere/x.csv"], "/nowhere/x.csv"),
    ],
)
def test_slips_are_said_in_one_line(words, said, monkeypatch):
    monkeypatch.setattr(grade, "check_sandbox", lambda *_: True)
    answer = main(words)
    assert said in answer
    assert "\n" not in answer


def test_another_python_is_told_which_to_use(tmp_path):
    bare = [sys.executable, "-S", "-E", "-m", "grading", "grade"]
    done = subprocess.run(bare, cwd=Path(sandbox.ROOT), capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert ".venv-grading/bin/python" in done.stderr
