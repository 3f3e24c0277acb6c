"""Which files are submissions, whose they are, and which of two counts.

In ``submissions/`` a file is a submission; its student's id is its name without ``.ipynb``, up to a double
underscore if there is one (``ada__hw01.ipynb`` is ada's), without the mark that a browser or Jupyter gives to
a second copy (``ada (1).ipynb``, ``ada-Copy1.ipynb``). In a folder (``submissions/ada/hw01.ipynb``) all
notebooks are those of the student that the folder's name gives, read the same way.
"""

import os
import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

COPY = re.compile(r"( \(\d+\)|-Copy\d+| - Copy( \(\d+\))?)$")
MAX_PATH = 2000  # bytes; folders deeper than that are not looked into
NOT_SUBMITTED = {".ipynb_checkpoints", "__MACOSX"}


@dataclass(frozen=True)
class Submission:
    """One file; `newer` names the file of the same student that is graded instead, if there is one."""

    student: str
    path: str
    file: str
    newer: str | None = None


def student_id(name):
    """The student whose file, or folder, is called `name`."""
    stem = re.sub(r"\.ipynb$", "", unicodedata.normalize("NFC", name), flags=re.IGNORECASE)
    return COPY.sub("", stem.split("__")[0].strip()).strip() or stem


def collect(folder):
    """All submissions in `folder`, by student and file name; of one student's files the newest counts."""
    if not Path(folder).is_dir():
        raise ValueError(f"submissions: {folder} is not a folder")
    found = {}
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        files = [entry.path]
        if entry.is_dir(follow_symlinks=False):
            if entry.name in NOT_SUBMITTED:
                continue
            files = _notebooks(entry.path) or files
        elif entry.name.startswith(".") and not entry.name.lower().endswith(".ipynb"):
            continue
        found.setdefault(student_id(entry.name), []).extend(files)
    return [one for student in sorted(found) for one in _newest_counts(student, found[student], folder)]


def _notebooks(folder):
    """Paths of all notebooks below `folder`, however deep: no recursion that a deep folder could end."""
    found, todo = [], [folder]
    while todo:
        with os.scandir(todo.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    if entry.name not in NOT_SUBMITTED and len(os.fsencode(entry.path)) < MAX_PATH:
                        todo.append(entry.path)
                elif entry.name.lower().endswith(".ipynb"):
                    found.append(entry.path)
    return found


def _newest_counts(student, paths, folder):
    newest = max(paths, key=lambda path: (os.lstat(path).st_mtime_ns, path))
    name = os.path.relpath(newest, folder)
    return [
        Submission(student, path, os.path.relpath(path, folder), None if path == newest else name)
        for path in sorted(paths)
    ]
