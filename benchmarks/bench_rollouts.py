"""Two gigabytes of rollouts as JSON lines: speed and peak memory of reading and diagnosing them, printed.

verl's fields, prompts of 0.4 KB and completions of 1.2 KB on average, groups of 8: shorter than most real
rollouts, so that the cost of a row counts as well as the cost of a byte.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from pathlib import Path

SIZE = 2 * 10**9
READ = """
import resource, sys, time
from grpo_lessons.diagnosis import diagnose
from grpo_lessons.rollouts import read_rollouts
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.process_time()
log = read_rollouts(sys.argv[1])
seconds = time.process_time() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
diagnose(log)
both = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(len(log.step), int(log.group[-1]) + 1, seconds, before, peak, both)
"""


def write(path: Path, size: int) -> int:
    """About `size` bytes of rollouts, 64 prompts a step; the number of rows."""
    draw = random.Random(0)
    text = "".join(draw.choices("abcdefghij klmno, prstuvwxyz\n", k=200_000))
    rows = written = step = 0
    with path.open("w", encoding="utf-8") as file:
        while written < size:
            step += 1
            for prompt in range(64):
                start = draw.randrange(100_000)
                question = text[start : start + draw.randrange(200, 600)]
                for sample in range(8):
                    start = draw.randrange(100_000)
                    line = {
                        "input": question,
                        "output": text[start : start + draw.randrange(400, 2000)],
                        "gts": "42",
                        "score": float(draw.random() < 0.3),
                        "step": step,
                        "uid": f"{step}-{prompt}_{sample}_0",
                    }
                    written += file.write(json.dumps(line) + "\n")
                    rows += 1
    return rows


def bench_two_gigabytes(tmp_path):
    path = tmp_path / "1.jsonl"
    rows = write(path, SIZE)
    start = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", READ, str(path)], capture_output=True, text=True, check=True)
    wall = time.perf_counter() - start
    read, groups, seconds, before, peak, both = map(float, done.stdout.split())
    size = path.stat().st_size / 1e6
    path.unlink()
    print(
        f"\n{size:.0f} MB, {rows} rows: {size / seconds:.0f} MB/s of one core ({wall:.1f} s with the start), "
        f"peak {peak / 1024:.0f} MB, of which {before / 1024:.0f} MB are Python and its imports; "
        f"with the diagnosis {both / 1024:.0f} MB"
    )
    assert (read, groups) == (rows, rows / 8)
