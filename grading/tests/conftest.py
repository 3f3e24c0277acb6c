"""The exam, and a way to grade one notebook as the command does: in a process forked for it."""

import dataclasses
import json
import sys

import pytest
from cells import EXAM, SECRETS, notebook

from grading import assignment, report, sandbox
from grading.workers import run_all


def pytest_configure(config):
    """On Linux no test is skipped: without a sandbox none runs."""
    if sys.platform == "linux" and not hasattr(config, "workerinput") and sandbox.trouble():
        pytest.exit(f"grading: {sandbox.trouble()}", 1)


def pytest_collection_modifyitems(items):
    """Elsewhere than on Linux the sandbox's tests are skipped, and say so."""
    if sys.platform != "linux":
        for item in items:
            if item.get_closest_marker("sandbox"):
                item.add_marker(pytest.mark.skip(reason=f"the sandbox needs Linux, this is {sys.platform}"))


@pytest.fixture(scope="session")
def exam():
    """The assignment of the fixture."""
    return assignment.load(str(EXAM))


@pytest.fixture(scope="session")
def grade(exam):
    """Grade cells, or a notebook's bytes, with some limits changed: the row."""

    def graded(*cells, **limits):
        content = cells[0] if isinstance(cells[0], bytes) else notebook(*cells)
        changed = dataclasses.replace(exam, limits=exam.limits | limits)
        [(_, _, row)] = run_all(changed, [("only", content)], 1)
        page = report.feedback(exam.title, exam.questions, "ada", row)
        assert not any(secret in json.dumps(row) + page for secret in SECRETS)
        return row

    return graded
