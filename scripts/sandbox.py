"""`python scripts/sandbox.py`: see that grading has its sandbox, or install it, or say what to do.

On Linux that is bubblewrap; without it grading refuses to work, and so do its tests. Elsewhere there is none,
and its tests say so.
"""

import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from debian import install

from grading.sandbox import trouble

if __name__ == "__main__":
    if sys.platform != "linux":
        print(f"sandbox: none on {sys.platform}; grading is tested without it")
        sys.exit()
    if not shutil.which("bwrap"):
        print("No bubblewrap found; installing it", flush=True)
        install("bubblewrap")
    if said := trouble():
        sys.exit(f"sandbox: {said}")
    print("Sandbox for grading: bubblewrap")
