"""The command `grpo-lessons`: `grpo-lessons diagnose PATH…` says what the groups of a run are doing.

Exit codes: 0, or 2 for a command or input that cannot be used, with the reason on stderr.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TextIO

UNUSABLE = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; `arguments` are those of the process if not given.

    Returns
    -------
    int, the exit code
    """
    parsed = _parser().parse_args(arguments)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal that cannot show a letter shows a question mark
            stream.reconfigure(errors="replace")
    try:
        code = _diagnose(parsed)
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # whoever read the output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="grpo-lessons", description="What the groups of a run do")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    one = commands.add_parser(
        "diagnose",
        help="say what the groups of a run are doing",
        description="Read a run's rollout files (TRL, verl, open-instruct, NeMo-RL, or any CSV, JSON lines "
        "or parquet with groups and rewards) and say what its groups are doing.",
    )
    one.add_argument("paths", nargs="+", metavar="PATH", help="file, folder or pattern")
    one.add_argument("--group-column", metavar="NAME", help="the column that tells groups apart")
    one.add_argument("--reward-column", metavar="NAME", help="the column of rewards")
    one.add_argument("--group-size", type=int, metavar="G", help="groups are blocks of G rows")
    one.add_argument(
        "--success-threshold",
        type=_finite,
        metavar="R",
        help="rewards of at least R count as right completions",
    )
    one.add_argument("--json", action="store_true", help="print all numbers as JSON instead of the table")
    one.add_argument("--html", type=Path, metavar="FILE", help="also write a page with figures that move")
    return parser


def _finite(text: str) -> float:
    with contextlib.suppress(ValueError):
        if math.isfinite(value := float(text)):
            return value
    raise argparse.ArgumentTypeError(f"must be a finite number, got {text!r}")


def _diagnose(parsed: argparse.Namespace) -> int:
    from .diagnosis import diagnose
    from .diagnosis.page import report_page
    from .diagnosis.text import render
    from .rollouts import read_rollouts

    try:
        if parsed.html is not None:
            _check_place(parsed.html)
        with _progress(sys.stderr) as progress:
            log = read_rollouts(
                parsed.paths,
                group_column=parsed.group_column,
                reward_column=parsed.reward_column,
                group_size=parsed.group_size,
                progress=progress,
            )
    except (ValueError, ImportError, OSError) as problem:
        return _refused(str(problem))
    found = diagnose(log, parsed.success_threshold)
    if parsed.html is not None:
        try:
            _write(parsed.html, report_page(found))
        except OSError as problem:
            return _refused(f"{parsed.html}: cannot be written: {problem.strerror}")
    if parsed.json:
        print(json.dumps(found.to_dict(), ensure_ascii=False, allow_nan=False))
    else:
        print(render(found, colour=sys.stdout.isatty() and not os.environ.get("NO_COLOR")), end="")
    return 0


def _refused(reason: str) -> int:
    from .diagnosis.text import printable

    print(f"grpo-lessons: {printable(reason)}", file=sys.stderr)
    return UNUSABLE


def _check_place(path: Path) -> None:
    """Before anything is read: whether the page will have a place."""
    if path.is_dir() or not path.parent.is_dir():
        why = "this is a folder" if path.is_dir() else f"there is no folder {path.parent}"
        raise ValueError(f"{path}: cannot be written: {why}")


def _write(path: Path, text: str) -> None:
    """The whole file or none: written beside its place, then moved there."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_text(text, "utf-8", errors="replace")
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


@contextlib.contextmanager
def _progress(stream: TextIO) -> Iterator[Callable[[float], None] | None]:
    """A bar on a terminal, which is gone at the end; nothing elsewhere."""
    if not stream.isatty():
        yield None
        return
    shown = -1

    def show(done: float) -> None:
        nonlocal shown
        if (percent := int(100 * done)) != shown:
            shown = percent
            stream.write(f"\rreading {'█' * (percent * 40 // 100):<40} {percent:3} %")
            stream.flush()

    try:
        yield show
    finally:
        stream.write("\r\x1b[K")
        stream.flush()
