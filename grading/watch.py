"""Keeps an eye on the memory of a process and everything it started."""

import os
import threading
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

SECONDS_BETWEEN = 0.25
SOCKET = 256 << 10  # what one may hold by default, with what the kernel needs for it
PAGE = os.sysconf("SC_PAGE_SIZE")


class Process(NamedTuple):
    """What the watch knows of a process."""

    parent: int
    ticks: int
    started: int
    resident: int


def processes(root):
    """Every process at or below process `root`, by its number."""
    everything, children = {}, {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parent, pid = int(fields[1]), int(entry.name)
        ticks = int(fields[11]) + int(fields[12])
        everything[pid] = Process(parent, ticks, int(fields[19]), int(fields[21]) * PAGE)
        children.setdefault(parent, []).append(pid)
    found, todo = {}, [root]
    while todo:
        pid = todo.pop()
        if pid in everything:
            found[pid] = everything[pid]
        todo += children.get(pid, [])
    return found


def proportional(pid, otherwise=0):
    """Bytes of process `pid`, pages that it shares counted in proportion (Pss)."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        return sum(int(line.split()[1]) << 10 for line in lines if line.startswith("Pss:"))
    except OSError:
        return otherwise


def sockets(pids):
    """Bytes that sockets of these processes' network may hold, which the kernel charges to nobody."""
    for pid in sorted(pids, reverse=True):  # the youngest is inside the box; bubblewrap itself is outside
        with suppress(OSError):
            if not os.path.samefile(f"/proc/{pid}/ns/net", "/proc/self/ns/net"):
                return int(Path(f"/proc/{pid}/net/sockstat").read_text().split()[2]) * SOCKET
    return 0


def memory(root, enough):
    """Bytes that the tree at `root` takes: the quick sum if that is below `enough`, else the fair one."""
    sizes = {pid: process.resident for pid, process in processes(root).items()}
    buffers = sockets(sizes)
    quick = sum(sizes.values()) + buffers
    return quick if quick <= enough else buffers + sum(proportional(*each) for each in sizes.items())


class Watch(threading.Thread):
    """Calls `stop` once if the tree at `root` takes more than `most` bytes."""

    def __init__(self, root, most, stop):
        super().__init__(daemon=True)
        self.root, self.most, self.stop = root, most, stop
        self.over = threading.Event()

    def run(self):
        while not self.over.wait(SECONDS_BETWEEN):
            if memory(self.root, self.most) > self.most:
                self.stop()
                return
