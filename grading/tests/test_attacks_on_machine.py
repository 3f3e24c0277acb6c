"""Code that reaches for files, the network, memory or processes: what it may not have it does not get."""

import os
import socket
import threading
from pathlib import Path

import pytest
from cells import ADVANTAGES, EXAM, RIGHT, SHARE, SILENT, VARIANCE

from grading import sandbox

pytestmark = pytest.mark.sandbox

READ = """
import os
found = []
for top, folders, names in os.walk("/"):
    folders[:] = [name for name in folders if os.path.join(top, name) not in ("/usr", "/proc", "/dev")]
    if "site-packages" in top or "/lib/python" in top: continue
    for name in names:
        try: text = open(os.path.join(top, name), "rb").read(1 << 20)
        except OSError: continue
        if b"SECRET-" in text or b"OK_FORMAT =" in text or name.endswith(".ipynb"): found.append(top + name)
for process in filter(str.isdigit, os.listdir("/proc")):
    for part in ("environ", "cmdline", "cwd", "maps"):
        try: text = open(f"/proc/{process}/{part}", "rb").read()
        except OSError: continue
        if b"SECRET-ENVIRONMENT" in text: found.append(process + part)
share = 0.25 if found or "SECRET-ENVIRONMENT" in str(os.environ) else 0.5
"""
WRITE = """
import os, sys, sysconfig
import grader_answers, grpo_lessons, numpy
places = [os.path.dirname(m.__file__) for m in (grader_answers, grpo_lessons, numpy, os)]
places += [sysconfig.get_path("purelib"), sys.prefix, sys.base_prefix]
places += ["/", "/usr", "/dev", "/etc", "/root", "/work", "data"]
done = []
for place in places:
    for name in ("pwned.py", "sitecustomize.py", "usercustomize.py"):
        try:
            open(os.path.join(place, name), "w").write("import os; os.environ['PWNED'] = '1'")
            done.append(place)
        except OSError: pass
    try: os.chmod(place, 0o777); done.append(place)
    except OSError: pass
share = 0.25 if done else 0.5
"""
LEAVE = """
import os
before = os.path.exists("/box/left") or os.path.exists("/tmp/left") or os.path.exists("/dev/shm/left")
for place in ("/box", "/tmp", "/dev/shm"): open(place + "/left", "w").write("x")
share = 0.25 if before else 0.5
"""
NETWORK = """
import socket, subprocess
done = []
for family, address in ((socket.AF_INET, ("127.0.0.1", PORT)), (socket.AF_INET, ("1.1.1.1", 53)),
                        (socket.AF_UNIX, "\\0grading-test-PORT")):
    try:
        with socket.socket(family, socket.SOCK_STREAM) as client:
            client.settimeout(1)
            client.connect(address)
            done.append(address)
    except OSError: pass
share = 0.25 if done else 0.5
"""
NAMESPACES = """
import ctypes, os
libc = ctypes.CDLL(None)
done = [flag for flag in (0x10000000, 0x20000000, 0x40000000, 0x00020000) if libc.unshare(flag) == 0]
done += [1] if libc.mount(b"none", b"/box", b"tmpfs", 0, None) == 0 else []
done += [1] if os.getuid() == 0 else []
share = 0.25 if done else 0.5
"""
OUTSIDE = """
import os
done = []
for pid in [TEACHER, *range(5, 40)]:
    try:
        if pid != os.getpid(): os.kill(pid, 0); done.append(pid)
    except OSError: pass
share = 0.25 if done and not os.path.exists(f"/proc/{done[0]}") else 0.5
try:
    os.kill(TEACHER, 9); share = 0.25
except OSError: pass
"""
FORKS = "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass"
MANY = """
import os, time
for _ in range(6):
    if os.fork() == 0:
        hog = bytearray(300 << 20)
        for i in range(0, len(hog), 4096): hog[i] = 1
        time.sleep(60)
time.sleep(60)
"""
HIDDEN_MEMORY = """
import ctypes, mmap, os
libc = ctypes.CDLL(None)
done = []
try: done.append(os.memfd_create("hog"))
except (OSError, AttributeError): pass
if libc.shmget(0, 1 << 20, 0o1600) >= 0: done.append("shm")
if libc.syscall(425, 8, ctypes.create_string_buffer(256)) >= 0: done.append("io_uring")
share = 0.25 if done else 0.5
"""
FILL = """
import os
written = 0
for place in ("/box", "/tmp", "/dev/shm"):
    for i in range(12):
        try:
            with open(f"{place}/{i}", "wb") as file: written += file.write(b"x" * (60 << 20))
        except OSError: pass
for place in ("/box", "/tmp", "/dev/shm"):
    for i in range(12):
        if os.path.exists(f"{place}/{i}"): os.remove(f"{place}/{i}")
share = 0.25 if written > (300 << 20) else 0.5
"""
SOCKETS = """
import os, socket
done = []
for family in (38, 40):
    try: socket.socket(family, socket.SOCK_STREAM); done.append(family)
    except OSError as error: done += [family] if error.errno != 1 else []
one, other = socket.socketpair()
try: one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 << 20); done.append("buffer")
except OSError: pass
try: os.sched_setaffinity(0, range(64)); done.append("processors")
except OSError: pass
share = 0.25 if done else 0.5
"""
BUFFERS = """
import os, socket, time
for _ in range(20):
    if os.fork() == 0:
        kept = []
        try:
            while True: kept.append(socket.socketpair())
        except OSError: time.sleep(20)
time.sleep(20)
"""
ZOMBIES = "import subprocess\nkept = [subprocess.Popen(['true']) for _ in range(30)]"
INOTIFY = "import ctypes\nlibc = ctypes.CDLL(None)\nkept = [libc.inotify_init() for _ in range(2000)]"
FLOOD = "import sys\nfor _ in range(300): print('x' * 10**6)\nfor _ in range(3000): display('y' * 1000)"

# name: (cells, status, total, a word of the reason, limits)
ATTACKS = {
    "reads every file": ([*RIGHT, READ], "ok", 8, "", {"cell": 30}),
    "writes everywhere": ([*RIGHT, WRITE], "ok", 8, "", {}),
    "makes namespaces": ([*RIGHT, NAMESPACES], "ok", 8, "", {}),
    "signals the teacher": ([*RIGHT, OUTSIDE.replace("TEACHER", str(os.getpid()))], "ok", 8, "", {}),
    "fork bomb": ([*RIGHT, FORKS], "timeout", 10, "cell 5", {"cell": 6, "total": 40}),
    "three gigabytes": ([*RIGHT, "hog = np.ones(3 * 10**9 // 8)"], "incomplete", 10, "MemoryError", {}),
    "gigabytes of many processes": ([*RIGHT, MANY], "memory", 0, "MB of memory", {}),
    "memory that belongs to nobody": ([*RIGHT, HIDDEN_MEMORY], "ok", 8, "", {}),
    "other networks, buffers, processors": ([*RIGHT, SOCKETS], "ok", 8, "", {}),
    "memory of sockets": ([*RIGHT, BUFFERS], "memory", 0, "MB of memory", {"all_memory_mb": 1000}),
    "full disks": ([*RIGHT, FILL], "ok", 8, "", {}),
    "zombies": ([*RIGHT, ZOMBIES], "ok", 10, "", {}),
    "watches": ([*RIGHT, INOTIFY], "ok", 10, "", {}),
    "300 MB of output": ([*RIGHT, FLOOD], "ok", 10, "", {}),
    "deletes what it can": ([*RIGHT, "!rm -rf ./* data; true"], "ok", 10, "", {}),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_attack(grade, name, monkeypatch):
    monkeypatch.setenv("TOKEN", "SECRET-ENVIRONMENT")
    cells, status, total, word, limits = ATTACKS[name]
    row = grade(*cells, **limits)
    assert (row["status"], row["total"]) == (status, total), row
    assert word in row["reason"]


def test_nothing_is_written_where_others_would_find_it(grade):
    for cell in (LEAVE, LEAVE, WRITE):
        assert grade(*RIGHT, cell)["scores"]["q1"] == 0
    for folder in (sandbox.BOX, sandbox.ROOT / "src" / "grpo_lessons", EXAM / "data"):
        assert not list(Path(folder).glob("*pwned*")) + list(Path(folder).glob("*customize*"))


def test_no_connection_leaves_the_sandbox(grade):
    heard = []
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as abstract:
        port = server.getsockname()[1]
        abstract.bind(f"\0grading-test-{port}")
        abstract.listen()
        listener = threading.Thread(target=lambda: heard.append(server.accept()[0].close()), daemon=True)
        listener.start()
        row = grade(SHARE, ADVANTAGES, SILENT, VARIANCE, NETWORK.replace("PORT", str(port)))
        assert not heard
        socket.create_connection(("127.0.0.1", port)).close()
        listener.join(5)
    assert (row["status"], row["total"]) == ("ok", 8)
    assert heard
