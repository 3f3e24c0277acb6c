"""First process inside the sandbox: starts one kernel, runs the cells, then passes questions on to it.

It talks to the trusted side in lines of JSON over its own stdin and stdout. The student's code runs beside it
as the same user and may stop it, or speak in its place: the trusted side believes neither.
"""

import ast
import contextlib
import json
import os
import queue
import resource
import subprocess
import sys
import time

from jupyter_client.manager import KernelManager

SET_UP = "import grader_answers; get_ipython().ask_exit = lambda: None"
FATAL = ("died", "hung")
ASK = "__import__('grader_answers').answer({!r})"


class Kernel:
    """One IPython kernel, of which only the shell channel is used: nobody collects what cells print."""

    def __init__(self, grace):
        self.grace = grace
        self.manager = KernelManager(kernel_name="python3", transport="ipc" if os.name == "posix" else "tcp")
        self.manager.start_kernel(
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            extra_arguments=["--HistoryManager.enabled=False"],
        )
        self.client = self.manager.blocking_client()
        self.client.start_channels(shell=True, iopub=False, stdin=False, hb=False)
        self.run(SET_UP, 60)

    def run(self, code, seconds, expression=None):
        """A status and the value of `expression`, or an exception's name.

        "ok", "error"; "timeout" if it had to be interrupted, "hung" if that did not help; "died".
        """
        expressions = {"answer": expression} if expression else {}
        sent = self.client.execute(
            code, store_history=False, allow_stdin=False, stop_on_error=False, user_expressions=expressions
        )
        reply = self.wait(sent, seconds)
        if reply is None:
            alive = self.manager.is_alive()
            if alive:
                self.manager.interrupt_kernel()
                if self.wait(sent, self.grace):
                    return "timeout", None
            self.stop()
            return "hung" if alive else "died", None
        if reply["status"] != "ok":
            return "error", str(reply.get("ename"))[:80]
        if not expression:
            return "ok", None
        value = reply["user_expressions"]["answer"]
        if value["status"] != "ok":
            return "error", str(value.get("ename"))[:80]
        return "ok", ast.literal_eval(value["data"]["text/plain"])

    def wait(self, sent, seconds):
        """The reply to message `sent`; None where the time is up or the kernel is gone."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            try:
                message = self.client.get_shell_msg(timeout=min(0.2, left))
            except queue.Empty:
                if not self.manager.is_alive():
                    return None
                continue
            if message["parent_header"].get("msg_id") == sent:
                return message["content"]
        return None

    def stop(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


def run_cells(cells, limits):
    """The last kernel, and a status for each cell. A cell that ends the kernel sits out a second try."""
    end = time.monotonic() + limits["total"]
    fatal = {}
    while True:
        kernel, states = Kernel(limits["grace"]), dict(fatal)
        for i in [i for i in range(len(cells)) if i not in fatal]:
            left = end - time.monotonic()
            states[i] = kernel.run(cells[i], min(limits["cell"], left)) if left > 0 else ("skipped", None)
            if states[i][0] in FATAL:
                break
        else:
            return kernel, [states[i] for i in range(len(cells))]
        if fatal:
            return None, [states.get(i, ("skipped", None)) for i in range(len(cells))]
        fatal[i] = states[i]


def set_limits(limits):
    """For this process and every process that it starts."""
    for what, most in (
        (resource.RLIMIT_AS, limits["memory_mb"] << 20),
        (resource.RLIMIT_NPROC, limits["processes"]),
        (resource.RLIMIT_FSIZE, limits["file_mb"] << 20),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, 256),
    ):
        with contextlib.suppress(ValueError, OSError):  # macOS has not all of them
            resource.setrlimit(what, (most, most))


def main():
    """One line with cells and limits, one with their states; then questions and answers, line by line."""
    questions, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)

    def say(message):
        replies.write(json.dumps(message).encode() + b"\n")
        replies.flush()

    job = json.loads(questions.readline())
    set_limits(job["limits"])
    kernel, states = run_cells(job["cells"], job["limits"])
    say({"cells": states})
    if kernel is None:
        sys.exit()
    for line in questions:
        seconds = json.loads(line).pop("seconds")
        status, text = kernel.run("", seconds, ASK.format(line.decode().strip()))
        say({"status": status, "answer": text})
        if status in FATAL:
            sys.exit()
    kernel.stop()


if __name__ == "__main__":
    main()
