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
    cores = sorted(os.sched_getaffinity(0)) if sys.platform == "linux" else []
    longest = assignment.limits["wall"] + assignment.limits["tests"] * (len(assignment.tests) + 1) + SPARE
    try:
        while True:
            for key, content in itertools.islice(waiting, jobs - len(running)):
                core = min(cores, key=[each for *_, each in running.values()].count, default=None)
                process, pipe = _start(assignment, content, boxed, core)
                running[pipe] = process, key, content, time.monotonic(), core
            if not running:
                return
            for pipe in wait(list(running), timeout=0.5):
                process, key, content, *_ = running.pop(pipe)
                yield key, content, _row(assignment, process, pipe)
            for pipe, (process, key, content, started, _) in list(running.items()):
                if time.monotonic() - started > longest:
                    del running[pipe]
                    _end(process, pipe)
                    yield key, content, trusted.refused(assignment, "stopped by the grader", "costly")
    finally:
        for pipe, (process, *_) in running.items():
            process.kill()
            _end(process, pipe)


def _start(assignment, content, boxed, core):
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_grade, args=(theirs, assignment, content, boxed, core))
    process.start()
    theirs.close()
    return process, ours


def _grade(pipe, assignment, content, boxed, core):
    """The forked process: one row into the pipe, and an end without ceremony."""
    if sys.platform == "linux":
        os.sched_setaffinity(0, [core])  # and its sandbox's: a hundred busy threads there slow nobody else
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
        _end(process, pipe)
    except EOFError:
        _end(process, pipe)
        if process.exitcode == -signal.SIGKILL:  # somebody's doing, or the machine's: not the answers'
            row = trusted.refused(assignment, "the grading process was killed", "error")
        else:  # an answer broke Python itself
            row = trusted.refused(assignment, "the grading process died", "costly")
    return row


def _end(process, pipe):
    process.join(2)
    process.kill()
    process.join()
    pipe.close()
