"""The command: what it prints, where it fails, and what it leaves behind."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys

import numpy as np
import pytest

from grpo_lessons import cli
from grpo_lessons.diagnosis import diagnose
from grpo_lessons.rollouts import counted_rollouts, read_rollouts, sample_log, write_verl


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Three steps as verl writes them."""
    folder = tmp_path_factory.mktemp("run")
    rng = np.random.default_rng(0)
    for step in range(3):
        write_verl(folder, step, counted_rollouts(np.arange(20), rng.binomial(4, 0.4, 20), 4, seed=step))
    return folder


def run(*arguments, **more):
    command = [sys.executable, "-W", "error", "-m", "grpo_lessons", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", **more)


def test_table(folder):
    ran = run("diagnose", folder)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout == str(diagnose(read_rollouts(folder)))


def test_json(folder, capsys):
    assert cli.main(["diagnose", str(folder), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said == diagnose(read_rollouts(folder)).to_dict()


def test_options(capsys):
    arguments = ["diagnose", str(sample_log("trl")), "--json"]
    assert cli.main([*arguments, "--success-threshold", "1.2"]) == 0
    assert json.loads(capsys.readouterr().out)["rule"] == "right: a reward of at least 1.2"
    assert cli.main([*arguments, "--reward-column", "fmt", "--group-size", "2"]) == 0
    assert json.loads(capsys.readouterr().out)["sizes"] == {"2": 16}


def test_group_column(tmp_path, capsys):
    (tmp_path / "run.csv").write_text("who,points\n1,0\n1,1\n2,1\n2,1\n")
    arguments = [str(tmp_path / "run.csv"), "--group-column", "who", "--reward-column", "points"]
    assert cli.main(["diagnose", *arguments, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["histogram"] == {"2": [0, 1, 1]}


class TestPage:
    def test_is_written_whole(self, folder, tmp_path, capsys):
        path = tmp_path / "report.html"
        path.write_text("old")
        assert cli.main(["diagnose", str(folder), "--html", str(path)]) == 0
        assert path.read_text(encoding="utf-8").endswith("</html>\n")
        assert "Advice" in capsys.readouterr().out
        assert os.listdir(tmp_path) == ["report.html"]

    def test_is_not_half_written(self, folder, tmp_path, monkeypatch, capsys):
        path = tmp_path / "report.html"
        path.write_text("old")

        def full(*_):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "replace", full)
        assert cli.main(["diagnose", str(folder), "--html", str(path)]) == 2
        assert (
            capsys.readouterr().err == f"grpo-lessons: {path}: cannot be written: No space left on device\n"
        )
        assert path.read_text() == "old"
        assert os.listdir(tmp_path) == ["report.html"]

    @pytest.mark.parametrize(
        ("place", "why"), [(".", "this is a folder"), ("no/report.html", "there is no folder")]
    )
    def test_has_a_place_before_anything_is_read(self, folder, tmp_path, monkeypatch, capsys, place, why):
        monkeypatch.chdir(tmp_path)
        assert cli.main(["diagnose", str(folder), "--html", place]) == 2
        assert why in capsys.readouterr().err


LINE = '{"input": "a", "output": "b", "score": 1, "step": 1}\n'


class TestUnusable:
    @pytest.mark.parametrize(
        ("text", "says"),
        [
            (LINE + '{"input": \n' + LINE, "line 2"),
            ("", "the file is empty"),
            ("\x00\x01", "bad.jsonl"),
        ],
    )
    def test_files(self, tmp_path, capsys, text, says):
        path = tmp_path / "bad.jsonl"
        path.write_text(text)
        code = cli.main(["diagnose", str(path)])
        said = capsys.readouterr()
        assert (code, said.out) == (2, "")
        assert said.err.startswith(f"grpo-lessons: {path}")
        assert says in said.err
        assert said.err.count("\n") == 1

    def test_no_such_file(self, capsys):
        assert cli.main(["diagnose", "nowhere\x1b[31m.jsonl"]) == 2
        said = capsys.readouterr().err
        assert "nowhere" in said
        assert "\x1b" not in said

    @pytest.mark.parametrize(
        "more", [["--success-threshold", "nan"], ["--success-threshold", "x"], ["--nothing"], []]
    )
    def test_commands(self, capsys, more):
        with pytest.raises(SystemExit) as left:
            cli.main(["diagnose", *more])
        assert left.value.code == 2
        assert "usage: grpo-lessons diagnose" in capsys.readouterr().err

    def test_group_size(self, folder, capsys):
        assert cli.main(["diagnose", str(folder), "--group-size", "1"]) == 2
        assert "at least 2" in capsys.readouterr().err


def test_a_reader_who_leaves(folder):
    """As in `grpo-lessons diagnose … | head -1`."""
    command = [sys.executable, "-W", "error", "-m", "grpo_lessons", "diagnose", str(folder), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_is_for_terminals():
    screen = Terminal()
    with cli._progress(screen) as progress:
        for share in (0.1, 0.101, 0.5, 1):
            progress(share)
    shown = screen.getvalue()
    assert shown.count("reading") == 3
    assert "100 %" in shown
    assert shown.endswith("\r\x1b[K")
    with cli._progress(io.StringIO()) as progress:
        assert progress is None


@pytest.mark.parametrize(("variable", "coloured"), [("", True), ("1", False)])
def test_colour_is_for_terminals_that_want_it(folder, monkeypatch, variable, coloured):
    screen = Terminal()
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setenv("NO_COLOR", variable)
    assert cli.main(["diagnose", str(folder)]) == 0
    assert ("\x1b[1m" in screen.getvalue()) == coloured


def test_a_terminal_without_the_letters(folder):
    ran = subprocess.run(
        [sys.executable, "-m", "grpo_lessons", "diagnose", str(folder)],
        capture_output=True,
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
    )
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert b"Advice" in ran.stdout


def test_what_is_asked_for_is_all_that_is_imported():
    """`--help` answers without scipy or matplotlib."""
    slow = "{'scipy', 'matplotlib', 'sympy'} & set(sys.modules)"
    program = f"import sys; from grpo_lessons.cli import _parser; _parser(); sys.exit(bool({slow}))"
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0
