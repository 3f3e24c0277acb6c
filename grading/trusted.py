"""Judges one submission: asks its sandbox for answers and runs otter's tests on them. Runs no student code.

Meant for a process of its own (`workers`): it limits that process, and a hostile answer that breaks it breaks
this one row.
"""

import contextlib
import resource
import signal
import time

from otter.test_files.abstract_test import TestCaseResult

from grading.answers import Answers
from grading.notebook import Refused, code_cells
from grading.session import Session

OWN_MEMORY = 2 << 30


class TooCostly(BaseException):
    """Judging an answer took too much CPU time. No `except Exception` on the way may swallow it."""


def grade(assignment, content, boxed=True):
    """A row of plain data for the notebook with these bytes: scores, status, reason, public tests."""
    started = time.monotonic()
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (OWN_MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    try:
        cells = code_cells(content)
    except Refused as refusal:
        return refused(assignment, str(refusal))
    session = Session(cells, assignment.limits, assignment.data, boxed)
    try:
        row = _judge(assignment, session)
    finally:
        session.close()
    return row | {"seconds": round(time.monotonic() - started, 1)}


def refused(assignment, reason, status="refused"):
    """The row of a file that was not run, or not to its end."""
    return {
        "status": status,
        "reason": reason,
        "scores": dict.fromkeys(assignment.questions, 0),
        "total": 0,
        "seconds": 0,
        "cells": [],
        "public": {},
    }


def _judge(assignment, session):
    answers, found, costly = Answers(session, assignment), {}, []
    for name in assignment.answers:  # all of them before any function is called
        with _cpu_limit(assignment.limits["tests"], costly):
            answers.fetch(name, found)
    for test in assignment.tests:
        with _cpu_limit(assignment.limits["tests"], costly):
            test.run({**assignment.trusted, **found})
        for case in test.test_cases[len(test.test_case_results) :]:  # otter counts none run as all passed
            test.test_case_results.append(TestCaseResult(case, "not reached", False))
    scores = {test.name: round(float(test.score), 4) for test in assignment.tests}
    status, reason = _verdict(session, answers, costly)
    return {
        "status": status,
        "reason": reason,
        "scores": scores,
        "total": round(sum(scores.values()), 4),
        "cells": [state for state, _ in session.states],
        "public": {test.name: _public(test) for test in assignment.tests},
    }


@contextlib.contextmanager
def _cpu_limit(seconds, costly):
    """Leave the block after so many CPU seconds of this process, or an error; `costly` then is not empty."""

    def stop(*_):
        costly.append(True)
        raise TooCostly

    signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, 1)
    try:
        yield
    except (TooCostly, Exception):  # an answer may raise anything in a test; what was not reached has failed
        pass
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _public(test):
    """Name, outcome and message of each public test case: all that a student may see."""
    return [
        [result.test_case.name, result.passed, _message(result) or ""]
        for result in test.test_case_results
        if not result.test_case.hidden
    ]


def _message(result):
    return result.test_case.success_message if result.passed else result.test_case.failure_message


def _verdict(session, answers, costly):
    """One word and a sentence for the teacher. The sentence may quote the student's code: teachers only."""
    states = [f"cell {i + 1} {state} {detail}".strip() for i, (state, detail) in enumerate(session.states)
              if state != "ok"]  # fmt: skip
    names = [f"{name} {note}" for name, note in answers.notes.items()]
    words = {state for state, _ in session.states}
    if costly:
        status, first = "costly", ["judging took too much time"]
    elif session.failure:
        status, first = session.failure[0], [session.failure[1]]
    else:
        first = []
        status = "ok"
        if states or names:
            status = "incomplete"
        if answers.slow or words & {"timeout", "hung", "skipped"}:
            status = "timeout"
        if words & {"died", "unknown"}:
            status = "crashed"
    return status, "; ".join(first + states + names)[:500]
