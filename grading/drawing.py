"""An assignment's numbers, drawn from a seed: into its text, its tests and its data.

A master holds `<<name>>` wherever a drawn value belongs. The `draw.py` beside it says how values are drawn:
`draw(rng)` returns them by name, and `data(rng, values, folder)`, where there is one, writes files.
"""

import hashlib
import re
import runpy
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
PUBLIC_SEED = "public example"
"""Of the masters as they are shipped: everybody can have their solutions."""
NOTICE = (
    "> **This is the public example.** Its numbers and its solutions are open to everybody. What a class is\n"
    "> graded on is drawn anew from its teacher's seed."
)
PLACE = re.compile(r"<<(\w+)>>")


def read_seed(path: Path | None) -> str:
    """The teacher's secret, from a file that no commit can catch; the public seed without one."""
    if path is None:
        return PUBLIC_SEED
    if path.resolve().is_relative_to(ROOT):
        raise ValueError(f"the seed file must lie outside the repository {ROOT}, got {path.resolve()}")
    seed = path.read_text(encoding="utf-8").strip()
    if len(seed) < 16:
        raise ValueError(f"the seed in {path} must have at least 16 characters, got {len(seed)}")
    return seed


def draw(folder: Path, seed: str, data: Path) -> dict[str, Any]:
    """The values of the assignment in `folder`; its data files are written into `data`."""
    digest = hashlib.sha256(f"{seed}/{folder.name}".encode()).digest()
    rng = np.random.default_rng(np.frombuffer(digest, np.uint32))
    source = runpy.run_path(str(folder / "draw.py"))
    values = source["draw"](rng)
    values["seed"] = int(rng.integers(2**31))
    values["notice"] = NOTICE if seed == PUBLIC_SEED else ""
    if "data" in source:
        data.mkdir(parents=True, exist_ok=True)
        source["data"](rng, values, data)
    return values


def fill(text: str, values: dict[str, Any], source: Path) -> str:
    """`text` with every `<<name>>` replaced by its value."""
    if unknown := sorted(set(PLACE.findall(text)) - set(values)):
        raise ValueError(f"{source}: draw.py draws no {', '.join(unknown)}; it draws {', '.join(values)}")
    return PLACE.sub(lambda match: str(values[match[1]]), text)
