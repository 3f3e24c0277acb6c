"""How a row is made of what came: nothing that was not reached counts as passed."""

import dataclasses
import os
import signal
import sys
import time

import pytest
from cells import RIGHT, notebook
from otter.test_files import abstract_test

from grading import trusted
from grading.box.grader_wire import AnswerError
from grading.workers import run_all


class Sandbox:
    """Stands for a session: fixed answers, no process."""

    def __init__(self, answers, failure=None):
        self.answers, self.failure, self.states = answers, failure, [("ok", "")]

    def ask(self, question):
        return self.answers.get(question["name"], {"missing": True})


VARIANCE = "Mul(Pow(Symbol('G'), Integer(-1)), Symbol('p'), Add(Integer(1), Mul(Integer(-1), Symbol('p'))))"
GOOD = {
    "share": {"value": {"float": (0.25).hex()}},
    "advantages": {"value": {"list": [{"float": x.hex()} for x in (0.75, -0.25, -0.25, -0.25)]}},
    "variance": {"value": {"sympy": VARIANCE}},
}


def function(answers):
    """The stand-in for the exam's function."""
    found = {}
    answers.fetch("silent", found)
    return found["silent"]


def judged(exam, answers, **changes):
    for test in exam.tests:
        test.test_case_results = []
    return trusted._judge(dataclasses.replace(exam, **changes), Sandbox(answers))


def test_plain_answers_are_scored(exam):
    row = judged(exam, GOOD)
    assert row["scores"] == {"q1": 2, "q2": 2, "q3": 0, "q4": 2}
    assert (row["status"], row["reason"]) == ("incomplete", "silent missing")
    assert row["public"]["q1"] == [["q1 - 1", True, ""]]


@pytest.mark.parametrize(
    "reply", [{}, {"value": 1, "error": 1}, {"error": ["x"]}, {"function": 1}, {"value": {"a": 1}}]
)
def test_odd_replies_are_no_answers(exam, reply):
    row = judged(exam, GOOD | {"share": reply})
    assert row["scores"]["q1"] == 0


def test_a_test_that_stops_half_way_has_failed(exam, monkeypatch):
    q1 = exam.tests[0]

    def stops(_):
        q1.test_case_results = []
        raise trusted.TooCostly

    monkeypatch.setattr(q1, "run", stops)
    for all_or_nothing in (True, False):
        monkeypatch.setattr(q1, "all_or_nothing", all_or_nothing)
        row = judged(exam, GOOD)
        assert row["scores"]["q1"] == 0
        assert [passed for _, passed, _ in row["public"]["q1"]] == [False]


def test_an_endless_judgement_is_stopped(exam, monkeypatch):
    def endless(_):
        while True:
            pass

    monkeypatch.setattr(exam.tests[1], "run", endless)
    row = judged(exam, GOOD, limits=exam.limits | {"tests": 0.2})
    assert row["status"] == "costly"
    assert row["scores"]["q2"] == 0


def test_an_answer_that_is_costly_to_read_costs_itself(exam, monkeypatch):
    def endless(text, symbols):
        while True:
            pass

    monkeypatch.setattr("grading.answers.read_expression", endless)
    row = judged(exam, GOOD, limits=exam.limits | {"tests": 0.2})
    assert row["status"] == "costly"
    assert row["scores"] == {"q1": 2, "q2": 2, "q3": 0, "q4": 0}


def test_messages_of_hidden_tests_stay_here(exam):
    q1 = exam.tests[0]
    q1.test_case_results = [
        abstract_test.TestCaseResult(case, "SECRET trace", False) for case in q1.test_cases
    ]
    assert trusted._public(q1) == [["q1 - 1", False, "A share lies between 0 and 1."]]


def test_calls_are_limited_and_asked_twice(exam):
    asked = []

    class Counting(Sandbox):
        def ask(self, question):
            asked.append(question)
            return {"value": 1} if "args" in question else {"function": True}

    answers = trusted.Answers(Counting({}), dataclasses.replace(exam, limits=exam.limits | {"calls": 5}))
    silent = function(answers)
    assert silent(0.5, group_size=2) == 1
    assert len(asked) == 3
    assert asked[-1] == {"name": "silent", "args": {"list": [{"float": "0x1.0000000000000p-1"}]},
                         "kwargs": {"dict": [["group_size", 2]]}}  # fmt: skip
    with pytest.raises(AnswerError, match="too often"):
        [silent(0.5, 2) for _ in range(2)]


@pytest.mark.parametrize("use", [bool, len, float, lambda f: f == 1, lambda f: f < 1, lambda f: f + 1, hash])
def test_a_function_is_no_value(exam, use):
    answers = trusted.Answers(Sandbox({name: {"function": True} for name in exam.answers}), exam)
    with pytest.raises((AnswerError, TypeError)):
        use(function(answers))


def test_a_grading_process_that_dies_has_a_row(exam, monkeypatch):
    def dies(*_):
        os._exit(3)

    def is_killed(*_):
        os.kill(os.getpid(), signal.SIGKILL)

    def fails(*_):
        raise RuntimeError("a slip of ours")

    for broken, status, word in (
        (dies, "costly", "died"),
        (is_killed, "error", "was killed"),
        (fails, "error", "a slip of ours"),
    ):
        monkeypatch.setattr(trusted, "grade", broken)
        [(_, _, row)] = run_all(exam, [("ada", notebook(*RIGHT))], 1)
        assert (row["status"], row["total"]) == (status, 0)
        assert word in row["reason"]


def test_a_grading_process_that_hangs_is_stopped(exam, monkeypatch):
    def hangs(*_):
        time.sleep(60)

    monkeypatch.setattr(trusted, "grade", hangs)
    monkeypatch.setattr("grading.workers.SPARE", 1)
    quick = dataclasses.replace(exam, limits=exam.limits | {"wall": 0, "tests": 0})
    [(_, _, row)] = run_all(quick, [("ada", b"")], 1)
    assert (row["status"], row["reason"]) == ("costly", "stopped by the grader")


@pytest.mark.skipif(sys.platform != "linux", reason="Linux keeps processes to processors")
def test_each_submission_keeps_to_a_processor(exam, monkeypatch):
    def judged(*_):
        time.sleep(0.3)
        return trusted.refused(exam, str(os.sched_getaffinity(0)))

    monkeypatch.setattr(trusted, "grade", judged)
    allowed = os.sched_getaffinity(0)
    rows = [row for *_, row in run_all(exam, [("ada", b""), ("bob", b"")], 2)]
    assert {row["reason"] for row in rows} == {str({core}) for core in sorted(allowed)[:2]}
    assert os.sched_getaffinity(0) == allowed
