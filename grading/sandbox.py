"""The command line that shuts a process in: bubblewrap, or nothing at all where the teacher insists.

Inside there is no network, a read-only system without the repository (only Python, its packages, ours, the
box and the assignment's data), three small scratch disks in memory, an unprivileged user who may not make
namespaces, no other process, and not every system call. Limits on time, memory and processes are the driver's
and the session's.
"""

import os
import shlex
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

from grading import syscalls

ROOT = Path(__file__).resolve().parent.parent
BOX = ROOT / "grading" / "box"
HOME = "/box"
NOBODY = "65534"
SCRATCH_MB = {HOME: 256, "/tmp": 16, "/dev/shm": 16}

PROBE = """
import os, socket, numpy
assert [name for _, name in socket.if_nameindex()] == ["lo"], "there is a network"
assert not os.path.exists({secret!r}), "the repository can be seen"
assert os.fork() or os._exit(0), "no process can be started"
os.wait()
open("probe", "w").close()
"""


def environment(home):
    """Variables for the sandboxed Python: one thread for linear algebra, and writes only under `home`."""
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": home,
        "TMPDIR": home,
        "LANG": "C.UTF-8",
        "LD_LIBRARY_PATH": f"{sys.base_prefix}/lib",
        "PYTHONPATH": str(BOX),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONNOUSERSITE": "1",
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
        "MPLBACKEND": "agg",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
    }


def shown():
    """The folders, beside /usr, that sandboxed code can read: Python, its packages, ours, the box."""
    return sorted({Path(sys.base_prefix).resolve(), Path(sys.prefix), ROOT / "src", BOX} - {Path("/usr")})


def can_see(path):
    """Whether sandboxed code could read `path`."""
    return any(Path(path).resolve().is_relative_to(folder) for folder in [Path("/usr"), *shown()])


def start(words, data=None, **pipes):
    """A process that runs the command `words` shut in, with the folder `data` at ``data``."""
    filter_end, our_end = os.pipe()
    os.write(our_end, syscalls.program())
    os.close(our_end)
    try:
        command = [*_command(data), "--seccomp", str(filter_end), *words]
        own = {"PATH": os.environ["PATH"]}  # nothing else: code inside can read what bubblewrap started with
        return subprocess.Popen(command, pass_fds=[filter_end], start_new_session=True, env=own, **pipes)
    finally:
        os.close(filter_end)


def _command(data):
    places = {folder: str(folder) for folder in shown()}
    if data:
        places[Path(data).resolve()] = f"{HOME}/data"
    words = [
        "bwrap",
        "--unshare-all",
        "--unshare-user",
        "--disable-userns",
        "--die-with-parent",
        "--new-session",
    ]
    words += ["--clearenv", "--cap-drop", "ALL", "--hostname", "box", "--ro-bind", "/usr", "/usr"]
    for name in ("lib", "lib64", "bin"):
        words += ["--symlink", f"usr/{name}", f"/{name}"]
    words += ["--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache", "--proc", "/proc", "--dev", "/dev"]
    for place, size in SCRATCH_MB.items():
        words += ["--size", str(size << 20), "--tmpfs", place]
    before = []
    if os.geteuid() == 0:
        before, places = _as_nobody(places)
    for source, place in places.items():
        words += ["--ro-bind", str(source), place]
    for name, value in environment(HOME).items():
        words += ["--setenv", name, value]
    return [*before, *words, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", HOME]


def _as_nobody(places):
    """Root gives up being root. A mount namespace of its own shows at /mnt what nobody may not reach."""
    staged = {f"/mnt/{i}": place for i, place in enumerate(places.values())}
    steps = ["mount -t tmpfs -o mode=0755 none /mnt"]
    for source, place in zip(places, staged, strict=True):
        steps.append(f"mkdir {place} && mount --bind {shlex.quote(str(source))} {place}")
    script = " && ".join([*steps, 'exec "$@"'])
    become = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--no-new-privs"]
    return ["unshare", "--mount", "sh", "-c", script, "sh", *become], staged


@cache
def trouble():
    """None where the sandbox works here (found by running it), else one line that says why not."""
    if not shutil.which("bwrap"):
        return "bubblewrap is not installed (Debian and Ubuntu: apt-get install bubblewrap)"
    if not syscalls.known():
        return "the sandbox is made for x86-64 and arm64"
    probe = [sys.executable, "-c", PROBE.format(secret=str(ROOT / "grading" / "sandbox.py"))]
    try:
        process = start(
            probe, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        said = process.communicate(timeout=60)[1].strip()
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap does not work here: {error}"
    if process.returncode:
        return f"bubblewrap does not work here: {(said.splitlines() or ['it failed'])[-1]}"
    return None
