"""Runs gradings, a few at a time, each in a process forked from this one, which has otter loaded."""

import ctypes
import itertools
import json
import multiprocessing
import os
import signal
import sys
import time
from multiprocessing.connection import wait

from grading import trusted

SPARE = 30
PR_SET_PDEATHSIG = 1


def run_all(assignment, contents, jobs, boxed=True):
    """Yield (key, content, row) as gradings end. Whatever happens to one of them, it has a row.

    `contents` are pairs of a key and a notebook's bytes, taken when there is a place free.
    """
    waiting, running = iter(contents), {}
    longest = assignment.limits["wall"] + assignment.limits["tests"] * (len(assignment.tests) + 1) + SPARE
    try:
        while True:
            for key, content in itertools.islice(waiting, jobs - len(running)):
                process, pipe = _start(assignment, content, boxed)
                running[pipe] = process, key, content, time.monotonic()
            if not running:
                return
            for pipe in wait(list(running), timeout=0.5):
                process, key, content, _ = running.pop(pipe)
                yield key, content, _row(assignment, process, pipe)
            for pipe, (process, key, content, started) in list(running.items()):
                if time.monotonic() - started > longest:
                    del running[pipe]
                    _end(process, pipe)
                    yield key, content, trusted.refused(assignment, "stopped by the grader", "costly")
    finally:
        for pipe, (process, *_) in running.items():
            process.kill()
            _end(process, pipe)


def _start(assignment, content, boxed):
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_grade, args=(theirs, assignment, content, boxed))
    process.start()
    theirs.close()
    return process, ours


def _grade(pipe, assignment, content, boxed):
    """The forked process: one row into the pipe, and an end without ceremony."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)  # nothing goes on when the grader is killed
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        row = trusted.grade(assignment, content, boxed)
    except BaseException as error:
        row = trusted.refused(
            assignment, f"the grader failed: {type(error).__name__}: {error}"[:300], "error"
        )
    pipe.send_bytes(json.dumps(row).encode())
    os._exit(0)


def _row(assignment, process, pipe):
    try:
        row = json.loads(pipe.recv_bytes())
    except EOFError:  # it died, of an answer that broke Python itself or of its memory
        row = trusted.refused(assignment, "the grading process died", "costly")
    _end(process, pipe)
    return row


def _end(process, pipe):
    process.join(2)
    process.kill()
    process.join()
    pipe.close()
