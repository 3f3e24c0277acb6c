"""Keeps an eye on the memory of a process and everything it started."""

import os
import threading
from pathlib import Path

SECONDS_BETWEEN = 0.25
PAGE = os.sysconf("SC_PAGE_SIZE")


def resident(root):
    """Bytes of resident memory for each process at or below process `root`."""
    children, sizes = {}, {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        pid = int(entry.name)
        children.setdefault(int(fields[1]), []).append(pid)
        sizes[pid] = int(fields[21]) * PAGE
    found, todo = {}, [root]
    while todo:
        pid = todo.pop()
        found[pid] = sizes.get(pid, 0)
        todo += children.get(pid, [])
    return found


def proportional(pid, otherwise=0):
    """Bytes of process `pid`, pages that it shares counted in proportion (Pss)."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        return sum(int(line.split()[1]) << 10 for line in lines if line.startswith("Pss:"))
    except OSError:
        return otherwise


def memory(root, enough):
    """Bytes that the tree at `root` takes: the quick sum if that is below `enough`, else the fair one."""
    sizes = resident(root)
    quick = sum(sizes.values())
    return quick if quick <= enough else sum(proportional(pid, size) for pid, size in sizes.items())


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
