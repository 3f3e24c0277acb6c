"""Which files a log is made of, and what each is by its content."""

from __future__ import annotations

import glob
import re
from collections.abc import Iterable
from pathlib import Path

from .lines import Lines
from .log import Note, RolloutError

SUFFIXES = (".parquet", ".jsonl", ".ndjson", ".csv", ".tsv")
PICKLES = (".pt", ".pth", ".pkl", ".pickle")
TRAINERS = (  # file names as trainers write them; what else lies beside them is not the log
    r"completions_\d+\.parquet",
    r"train_data_step\d+\.jsonl",
    r".*_rollouts_\d+\.jsonl",
    r"\d+\.jsonl",
)
PICKLED = "a pickle: opening one runs whatever code it holds, so it is refused; save the rows as JSON lines"
MAGIC = {  # first bytes of what is refused
    b"\x80\x02": PICKLED, b"\x80\x03": PICKLED, b"\x80\x04": PICKLED, b"\x80\x05": PICKLED,
    b"(lp0\n": PICKLED, b"(dp0\n": PICKLED, b"]q\x00": PICKLED, b"}q\x00": PICKLED, b"ccopy_reg\n": PICKLED,
    b"PK\x03\x04": "a zip archive, as torch.save makes: the pickle inside runs code, so it is refused",
    b"\x28\xb5\x2f\xfd": "compressed by zstd: decompress it first",
    b"BZh": "compressed by bzip2: decompress it first",
    b"\xfd7zXZ\x00": "compressed by xz: decompress it first",
    b"ARROW1": "an Arrow or Feather file: save it as parquet",
    b"\x93NUMPY": "a numpy array, which has no columns: save a table with a group and a reward column",
    b"\xff\xfe": "UTF-16 text: save it as UTF-8",
    b"\xfe\xff": "UTF-16 text: save it as UTF-8",
}  # fmt: skip


def find(paths: str | Path | Iterable[str | Path]) -> tuple[list[Path], list[Note]]:
    """The files that are meant by files, folders and patterns, in the order of the numbers in their names."""
    given = [paths] if isinstance(paths, (str, Path)) else list(paths)
    if not given:
        raise RolloutError("no path", "name at least one file, folder or pattern")
    found: dict[Path, None] = {}
    notes: list[Note] = []
    for one in given:
        for path in _expanded(one):
            if path.is_dir():
                files, left = _in_folder(path)
                notes += left
            else:
                files = [path]
            found |= dict.fromkeys(files)
    return sorted(found, key=lambda path: (number_in_name(path), str(path))), notes + _namesakes(list(found))


def kind(path: Path) -> str:
    """`parquet`, `jsonl` or `csv`, told from the first bytes; a RolloutError for everything else."""
    if path.suffix.lower() in PICKLES:
        raise RolloutError(path, PICKLED)
    with Lines(path) as lines:
        head = lines.peek()
    if head.startswith(b"PAR1"):
        return "parquet"
    for magic, reason in MAGIC.items():
        if head.startswith(magic):
            raise RolloutError(path, f"this is {reason}")
    if b"\0" in head:
        raise RolloutError(
            path, "this is no text (it holds NUL bytes): binary, or UTF-16; text must be UTF-8"
        )
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not text:
        raise RolloutError(path, "the file is empty")
    if text.startswith(b"["):
        raise RolloutError(path, "a JSON list, not JSON lines: write one object a line (jq -c '.[]')", 1)
    if text.startswith(b"{"):
        return "jsonl"
    if {".jsonl", ".ndjson", ".json"} & set(path.suffixes):
        raise RolloutError(path, "this is not JSON: each line must be an object in braces", 1)
    if path.suffix == ".parquet":
        raise RolloutError(path, "this is no parquet file: its first bytes must be PAR1")
    if not re.search(rb"[,;\t]", text.partition(b"\n")[0]):
        raise RolloutError(path, "neither parquet nor JSON lines, nor a CSV with several columns", 1)
    return "csv"


def number_in_name(path: Path) -> int:
    """The last number in a file's name, which trainers make the step; 0 where there is none."""
    digits = re.findall(r"\d+", path.name.split(".")[0])
    return int(digits[-1]) if digits and len(digits[-1]) < 16 else 0


def _expanded(one: str | Path) -> list[Path]:
    """The paths a user means by a path or a pattern."""
    if one == "":
        raise RolloutError("an empty path", "name a file, folder or pattern; the current folder is .")
    path = Path(one)
    try:
        if path.exists():
            return [path]
        matches = [Path(match) for match in glob.glob(str(path), recursive=True)]
    except (OSError, ValueError) as problem:
        raise RolloutError(str(one), str(problem)) from problem
    if not matches:
        raise RolloutError(path, "there is no such file or folder, nor a file that matches")
    return matches


def _in_folder(folder: Path) -> tuple[list[Path], list[Note]]:
    """A folder's own log files; where it has none, those of the one folder below it that has some."""
    holders = {folder: _logs(folder)}
    if not holders[folder]:
        below = sorted(path for path in folder.rglob("*") if path.is_dir())
        holders = {path: logs for path in below if (logs := _logs(path))}
    if not holders:
        pickles = [path for path in folder.rglob("*") if path.suffix.lower() in PICKLES]
        if pickles:
            raise RolloutError(pickles[0], PICKLED)
        raise RolloutError(folder, f"no log in this folder: no file that ends in {', '.join(SUFFIXES)}")
    if len(holders) > 1:
        names = ", ".join(str(path.relative_to(folder)) for path in holders)
        raise RolloutError(folder, f"logs in several folders: name one of {names}")
    ((place, files),) = holders.items()
    for pattern in TRAINERS:
        chosen = [path for path in files if re.fullmatch(pattern, path.name.removesuffix(".gz"))]
        if chosen:
            break
    else:
        chosen = files
    others = [path.name for path in files if path not in chosen]
    sentence = (
        f"{len(others)} other files in {place} were not read, as their names are not a trainer's: "
        f"{', '.join(others[:3])}{', …' if len(others) > 3 else ''}."
    )
    return chosen, [Note("other-files", 0, sentence)] if others else []


def _logs(folder: Path) -> list[Path]:
    try:
        return [path for path in folder.iterdir() if path.is_file() and _log_name(path)]
    except OSError as problem:
        raise RolloutError(folder, str(problem)) from problem


def _log_name(path: Path) -> bool:
    return path.name.lower().removesuffix(".gz").endswith(SUFFIXES)


def _namesakes(paths: list[Path]) -> list[Note]:
    """A note where files of one name come from several folders: often two runs."""
    names = {path.name for path in paths}
    folders = {path.parent for path in paths}
    if len(names) == len(paths):
        return []
    sentence = (
        f"Files of the same name come from {len(folders)} folders and are read as one run; "
        "read runs apart, or their groups of one step mix."
    )
    return [Note("several-folders", 0, sentence)]
