"""One conversation with one sandbox: lines of JSON over pipes, with time-outs and size limits both ways."""

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress

from grading import sandbox
from grading.box.grader_wire import AnswerError
from grading.watch import Watch

MAX_REPLY = 16 << 20
START_UP = 60


class Session:
    """Runs `cells` in a sandbox and answers questions about what they left behind.

    Parameters
    ----------
    cells : list of str
        The student's code.
    limits : dict
        See `assignment.LIMITS`.
    data : path, optional
        Folder that the code finds as ``data``.
    boxed : bool
        False runs the code without any protection.

    `states` holds a pair for each cell: one of the driver's words, and a detail. `failure` is
    None while the conversation lasts, else a status and a sentence.
    """

    def __init__(self, cells, limits, data=None, boxed=True):
        self.limits, self.failure, self.received = limits, None, bytearray()
        self.deadline = time.monotonic() + limits["wall"]
        self.folder = None if boxed else _unprotected_folder(data)
        driver = [sys.executable, str(sandbox.BOX / "driver.py")]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        if boxed:
            self.process = sandbox.start(driver, data, **pipes)
        else:
            place = {"cwd": self.folder, "env": sandbox.environment(self.folder)}
            self.process = subprocess.Popen(driver, start_new_session=True, **pipes, **place)
        os.set_blocking(self.process.stdin.fileno(), False)
        self.watch = Watch(self.process.pid, limits["all_memory_mb"] << 20, self._too_much_memory)
        self.watch.start()
        self.states = []
        with suppress(AnswerError):
            reply = self._exchange({"cells": cells, "limits": limits}, limits["total"] + START_UP)
            self.states = _states(reply, len(cells))

    def ask(self, question):
        """What the sandbox says to `question`: a dict of unknown content, or AnswerError."""
        seconds = self.limits["call"]
        reply = self._exchange(question | {"seconds": seconds}, seconds + self.limits["grace"] + 10)
        status, text = reply.get("status"), reply.get("answer")
        if status == "timeout":
            raise AnswerTimeout("took too long")
        if status in ("died", "hung"):
            self._fail("crashed" if status == "died" else "timeout", f"the kernel {status} over an answer")
            raise AnswerError(self.failure[1])
        if status != "ok" or type(text) is not str:
            raise AnswerError("gave no answer")
        return _loads(text)

    def close(self):
        """End it, with whatever still runs inside. A calm end first, so that its CPU time is counted."""
        self.watch.over.set()
        with suppress(OSError, subprocess.TimeoutExpired):
            self.process.stdin.close()
            self.process.wait(0.01 if self.failure else 3)
        self._kill()
        self.process.stdout.close()
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _exchange(self, message, seconds):
        if self.failure:
            raise AnswerError(self.failure[1])
        end = min(time.monotonic() + seconds, self.deadline)
        try:
            self._write(json.dumps(message).encode() + b"\n", end)
            return _loads(self._read_line(end))
        except TimeoutError:
            self._fail("timeout", "the sandbox gave no answer in time")
        except (OSError, EOFError):
            self._fail("crashed", "the sandbox ended")
        except AnswerError:
            self._fail("forged", "the sandbox did not keep to the protocol")
        raise AnswerError(self.failure[1])

    def _write(self, line, end):
        pipe = self.process.stdin.fileno()
        while line:
            if not select.select([], [pipe], [], max(0, end - time.monotonic()))[1]:
                raise TimeoutError
            line = line[os.write(pipe, line[:65536]) :]

    def _read_line(self, end):
        pipe = self.process.stdout.fileno()
        found = self.received.find(b"\n")
        while found < 0:
            if not select.select([pipe], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError
            got = os.read(pipe, 1 << 20)
            if not got:
                raise EOFError
            if (here := got.find(b"\n")) >= 0:
                found = len(self.received) + here
            self.received += got
            if len(self.received) > MAX_REPLY:
                raise AnswerError("too long")
        line = bytes(self.received[:found])
        del self.received[: found + 1]
        return line

    def _fail(self, status, sentence):
        self.failure = self.failure or (status, sentence)
        self._kill()

    def _too_much_memory(self):
        self._fail("memory", f"more than {self.limits['all_memory_mb']} MB of memory in all")

    def _kill(self):
        with suppress(ProcessLookupError):
            if self.process.poll() is None:
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


class AnswerTimeout(AnswerError):
    """A question that was stopped for its time."""


def _loads(text):
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        raise AnswerError("gave a malformed answer") from None
    if type(message) is not dict:
        raise AnswerError("gave a malformed answer")
    return message


def _states(reply, count):
    """A pair of short texts for each cell, whatever came."""
    states = reply.get("cells")
    if type(states) is not list or len(states) != count:
        return [("unknown", "")] * count
    return [
        tuple(str(part or "")[:80] for part in state[:2]) if type(state) is list else ("unknown", "")
        for state in states
    ]


def _unprotected_folder(data):
    folder = tempfile.mkdtemp(prefix="grading-")
    if data:
        shutil.copytree(data, f"{folder}/data")
    return folder
