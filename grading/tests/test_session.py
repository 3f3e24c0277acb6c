"""The trusted end of the pipes against a driver that says and does what it likes."""

import sys
import time

import pytest

from grading import sandbox
from grading.assignment import LIMITS
from grading.box.grader_wire import AnswerError
from grading.session import MAX_REPLY, AnswerTimeout, Session

STATES = '{"cells": [["ok", null]]}'


@pytest.fixture
def talk(tmp_path, monkeypatch):
    """A session whose driver is this code; it runs outside the sandbox, for it is ours."""
    sessions = []

    def started(code, **limits):
        (tmp_path / "driver.py").write_text(
            f"import os, sys, time\nsay = lambda t: print(t, flush=True)\n{code}"
        )
        monkeypatch.setattr(sandbox, "BOX", tmp_path)
        sessions.append(
            Session(["x = 1"], LIMITS | {"call": 0, "grace": 0, "wall": 20} | limits, boxed=False)
        )
        return sessions[-1]

    yield started
    for session in sessions:
        session.close()
        assert session.process.returncode is not None


def replies(*lines):
    """A driver that answers whatever it is asked with these lines, in order."""
    return f"for line in {lines!r}:\n    sys.stdin.readline()\n    say(line)\nsys.stdin.read()"


def test_an_honest_driver(talk):
    session = talk(replies(STATES, '{"status": "ok", "answer": "{\\"value\\": 1}"}'))
    assert session.states == [("ok", "")]
    assert session.ask({"name": "x"}) == {"value": 1}
    assert session.failure is None


@pytest.mark.parametrize(
    "line",
    ["", "nonsense", "[]", "1", "null", "[" * 100_000, '{"a":' * 100_000, "9" * 100_000, "\\u0000", '"{}"'],
    ids=range(10),
)
def test_what_is_no_object_ends_it(talk, line):
    session = talk(replies(line))
    assert session.failure[0] == "forged"
    assert session.states == []
    with pytest.raises(AnswerError, match="protocol"):
        session.ask({"name": "x"})


@pytest.mark.parametrize("states", ["1", "[]", "{}", '[["ok"], ["ok"]]', "[1]", "[null]", '"ok"'])
def test_states_of_another_shape_are_unknown(talk, states):
    session = talk(replies(f'{{"cells": {states}}}'))
    assert session.states == [("unknown", "")]


def test_states_are_cut_to_short_texts(talk):
    session = talk(replies('{"cells": [["' + "o" * 1000 + '", {"a": ["' + "b" * 1000 + '"]}, 3, 4]]}'))
    assert [len(part) for part in session.states[0]] == [80, 80]


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        ('{"status": "timeout"}', AnswerTimeout),
        ('{"status": "ok"}', AnswerError),
        ('{"status": "ok", "answer": {"value": 1}}', AnswerError),
        ('{"status": "ok", "answer": "[1]"}', AnswerError),
        ('{"status": "ok", "answer": "nonsense"}', AnswerError),
        ('{"status": ["ok"], "answer": "{}"}', AnswerError),
        ('{"score": 99}', AnswerError),
    ],
)
def test_answers_of_another_shape_are_none(talk, reply, error):
    session = talk(replies(STATES, reply, '{"status": "ok", "answer": "{}"}'))
    with pytest.raises(error):
        session.ask({"name": "x"})
    assert session.failure is None
    assert session.ask({"name": "x"}) == {}


@pytest.mark.parametrize(("word", "status"), [("died", "crashed"), ("hung", "timeout")])
def test_a_lost_kernel_ends_it(talk, word, status):
    session = talk(replies(STATES, f'{{"status": "{word}"}}'))
    with pytest.raises(AnswerError):
        session.ask({"name": "x"})
    assert session.failure[0] == status


def test_too_long_a_line_ends_it(talk):
    session = talk(f"while True: sys.stdout.write('x' * {MAX_REPLY // 8})")
    assert session.failure[0] == "forged"


def test_silence_ends_it(talk):
    started = time.monotonic()
    session = talk("time.sleep(60)", wall=1)
    assert session.failure[0] == "timeout"
    assert time.monotonic() - started < 20


def test_a_driver_that_does_not_listen_ends_it(talk):
    session = talk(f"say({STATES!r})\ntime.sleep(60)", wall=2)
    with pytest.raises(AnswerError):
        session.ask({"name": "x", "args": "y" * (1 << 20)})
    assert session.failure[0] == "timeout"


def test_an_end_is_noticed(talk):
    assert talk("sys.exit()").failure[0] == "crashed"


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_of_all_its_processes_is_counted(talk):
    hogs = "for _ in range(4):\n    if os.fork() == 0: hog = b'x' * (60 << 20); break\ntime.sleep(60)"
    assert talk(hogs, all_memory_mb=150).failure[0] == "memory"
    assert talk(hogs, all_memory_mb=600, wall=2).failure[0] == "timeout"
