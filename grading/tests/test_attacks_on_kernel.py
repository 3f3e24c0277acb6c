"""Code that breaks its kernel or its driver, never ends, or speaks in their place: a row, no point more."""

import pytest
from cells import ADVANTAGES, RIGHT, SHARE, SILENT, VARIANCE

pytestmark = pytest.mark.sandbox

SWALLOW = """
while True:
    try:
        while True: pass
    except BaseException: pass
"""
BUSY = "def silent(p, group_size):" + SWALLOW.replace("\n", "\n    ")
DRIVER = "import os, signal\ndriver = os.getppid()\n"
PIPES = """
import ctypes, json, os
libc = ctypes.CDLL(None)
def say(*messages):
    driver = libc.syscall(434, os.getppid(), 0)  # pidfd_open
    for number in range(3, 30):
        mine = libc.syscall(438, driver, number, 0)  # pidfd_getfd
        if mine >= 0 and os.readlink(f"/proc/self/fd/{mine}").startswith("pipe"):
            try:
                with os.fdopen(mine, "wb", buffering=0) as pipe:
                    for message in messages: pipe.write(message + b"\\n")
            except OSError: pass
"""
FORGED = (
    PIPES
    + """
full = {"value": {"float": (99.0).hex()}, "score": 99, "scores": {"q1": 99}, "total": 99}
say(*[json.dumps({"cells": [["ok", ""]] * 2, "status": "ok", "answer": json.dumps(full)}).encode()] * 20)
"""
)
PTRACE = (
    DRIVER
    + """
import ctypes
libc = ctypes.CDLL(None)
libc.ptrace(16, driver, None, None)
"""
)
MEMORY = (
    DRIVER
    + """
for line in open(f"/proc/{driver}/maps"):
    span, rights = line.split()[:2]
    if "w" in rights:
        first, last = (int(x, 16) for x in span.split("-"))
        try:
            with open(f"/proc/{driver}/mem", "r+b", buffering=0) as memory:
                memory.seek(first)
                memory.write(b"\\xff" * min(last - first, 1 << 20))
        except OSError: pass
"""
)
PATCHED_KERNEL = """
import json, grader_answers, grader_wire
reply = json.dumps({"value": {"float": "0x1p-1"}})
json.dumps = lambda *_, **__: reply
grader_answers.answer = lambda *_: reply
get_ipython().user_expressions = lambda _: {"answer": {"status": "ok", "data": {"text/plain": repr(reply)}}}
"""
NONSENSE = """
import grader_answers
grader_answers.answer = lambda *_: [RUBBISH]
"""
BLOCKED_IMPORT = "import builtins\ndel builtins.__import__"
NO_FILES = "import os\nos.closerange(0, 256)"
LATE_BOMB = """
import atexit, os, threading, time
atexit.register(lambda: time.sleep(1000))
threading.Thread(target=lambda: (time.sleep(1000), os._exit(1))).start()
"""
DAEMON = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0: time.sleep(100)
    os._exit(0)
"""
THREADS = """
import threading
def spin():
    while True: pass
for _ in range(3): threading.Thread(target=spin, daemon=True).start()
"""

QUICK = {"cell": 6, "total": 25, "call": 3, "grace": 2}

# name: (cells, status, total, a word of the reason, limits)
ATTACKS = {
    "endless cell": ([*RIGHT, "while True: pass"], "timeout", 10, "cell 5 timeout", QUICK),
    "endless function": (
        [SHARE, ADVANTAGES, "def silent(p, group_size):\n    while True: pass", VARIANCE],
        "timeout",
        6,
        "silent took too long",
        QUICK,
    ),
    "swallowed interrupts": ([*RIGHT, SWALLOW], "timeout", 10, "cell 5", QUICK),
    "swallowed interrupts in a function": ([SHARE, ADVANTAGES, BUSY, VARIANCE], "timeout", 6, "", QUICK),
    "ignored interrupts": (
        ["import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass", *RIGHT],
        "timeout",
        10,
        "cell 1 hung",
        QUICK,
    ),
    "long C call": ([*RIGHT, "sum(range(10**12))"], "timeout", 10, "cell 5 hung", QUICK),
    "many slow cells": ([*RIGHT, *["while True: pass"] * 5], "timeout", 10, "skipped", QUICK | {"total": 9}),
    "os._exit in a cell": (["import os\nos._exit(0)", *RIGHT], "crashed", 10, "cell 1 died", {}),
    "os._exit in two cells": (
        ["import os\nos._exit(0)", "import os\nos._exit(1)", *RIGHT],
        "crashed",
        0,
        "",
        {},
    ),
    "os._exit in a function": (
        [SHARE, ADVANTAGES, "import os\nsilent = lambda *_, **__: os._exit(0)", VARIANCE],
        "crashed",
        6,
        "died",
        {},
    ),
    "stops itself": ([*RIGHT, "import os\nos.kill(os.getpid(), 19)"], "timeout", 10, "cell 5 hung", QUICK),
    "leaves a daemon": ([*RIGHT, DAEMON], "ok", 10, "", {}),
    "segmentation fault": (["import ctypes\nctypes.string_at(0)", *RIGHT], "crashed", 10, "cell 1 died", {}),
    "endless recursion": ([*RIGHT, "def down(): down()\ndown()"], "incomplete", 10, "RecursionError", {}),
    "exit and quit": (["exit()", *RIGHT, "quit()"], "ok", 10, "", {}),
    "sys.exit": (["import sys\nsys.exit(1)", *RIGHT], "incomplete", 10, "SystemExit", {}),
    "waits for input": ([*RIGHT, "input('?')"], "incomplete", 10, "StdinNotImplementedError", {}),
    "awaits": ([*RIGHT, "import asyncio\nawait asyncio.sleep(0.01)"], "ok", 10, "", {}),
    "awaits for ever": (
        [*RIGHT, "import asyncio\nwhile True: await asyncio.sleep(0.1)"],
        "timeout",
        10,
        "cell 5",
        QUICK,
    ),
    "magics": (
        ["%time x = 1", "!echo hello; exit 3", "%%bash\necho hello", "%pylab_of_old", *RIGHT],
        "incomplete",
        10,
        "cell 4",
        {},
    ),
    "a window": (
        [*RIGHT, "import matplotlib.pyplot as plt\nplt.plot([1])\nplt.show(block=True)"],
        "ok",
        10,
        "",
        {},
    ),
    "warnings as errors": (["import warnings\nwarnings.simplefilter('error')", *RIGHT], "ok", 10, "", {}),
    "bombs for the end": ([*RIGHT, LATE_BOMB], "ok", 10, "", {}),
    "threads that go on": ([*RIGHT, THREADS], "ok", 10, "", {}),
    "no import any more": ([*RIGHT, BLOCKED_IMPORT], "timeout", 10, "cell 5 hung", QUICK),
    "no files any more": ([*RIGHT, NO_FILES], "crashed", 10, "cell 5", {}),
    "emptied namespace": ([*RIGHT, "%reset -f"], "incomplete", 0, "share missing", {}),
    "patched kernel": ([PATCHED_KERNEL], "crashed", 0, "", {}),
    "answers of lists": ([*RIGHT, NONSENSE.replace("RUBBISH", "'[' * 10**6")], "incomplete", 0, "", {}),
    "answers of nonsense": ([*RIGHT, NONSENSE.replace("RUBBISH", "b'\\0'")], "crashed", 0, "", {}),
    "forged replies": ([FORGED], "incomplete", 0, "missing", {}),
    "kills its driver": (
        [DRIVER + "os.kill(driver, signal.SIGKILL)", *RIGHT],
        "crashed",
        0,
        "sandbox ended",
        {},
    ),
    "kills everything": (["import os\nos.kill(-1, 9)", *RIGHT], "crashed", 0, "sandbox ended", {}),
    "stops its driver": (
        [DRIVER + "os.kill(driver, signal.SIGSTOP)", *RIGHT],
        "timeout",
        0,
        "in time",
        {"wall": 8},
    ),
    "traces its driver": ([PTRACE, *RIGHT], "ok", 10, "", {}),
    "overwrites its driver": ([MEMORY, *RIGHT], "crashed", 0, "", {}),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_attack(grade, name):
    cells, status, total, word, limits = ATTACKS[name]
    row = grade(*cells, **limits)
    assert (row["status"], row["total"]) == (status, total), row
    assert word in row["reason"]


def test_right_answers_survive_what_others_tried(grade):
    assert grade(SHARE, ADVANTAGES, SILENT, VARIANCE)["status"] == "ok"
