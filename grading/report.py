"""The table for the teacher, and a page for each student with nothing but public messages."""

import csv
import hashlib
import html
import os
import re
import tempfile
from pathlib import Path

FORMULA = re.compile(r"(^|;)(?=\s*[=+\-@＝＋－＠])")  # where a cell may start: some spreadsheets split at ";"

EXPLAINED = {
    "ok": "Everything ran.",
    "incomplete": "A cell stopped with an error, or an answer was missing or of an unexpected kind.",
    "timeout": "A cell or a function took too long and was stopped.",
    "crashed": "Your code ended the kernel it ran in.",
    "memory": "Your code took too much memory and was stopped.",
    "forged": "Your code interfered with the grading and was stopped.",
    "costly": "Judging an answer took too long.",
    "refused": "The file could not be read as a notebook. Save it again as .ipynb and hand it in anew.",
    "error": "The grader failed. Your teacher will look at it.",
}

STATES = {"error", "timeout", "hung", "died", "skipped"}
"""What a page says of a cell. Only these words of the driver's: the sandbox could say anything."""


def safe_text(text):
    """`text` for a cell of a spreadsheet: one line, printable, and not a formula."""
    text = "".join(one if one.isprintable() else "\N{REPLACEMENT CHARACTER}" for one in str(text))
    return FORMULA.sub(r"\1'", text)


def write_table(path, questions, rows):
    """Write grades.csv in one step: readers see the old table or the new one.

    `rows` holds pairs of a `Submission` and its row; None for a file that a newer one replaces.
    """
    handle, temporary = tempfile.mkstemp(dir=Path(path).resolve().parent, prefix=".grades-", suffix=".csv")
    with os.fdopen(handle, "w", newline="", encoding="utf-8") as stream:
        table = csv.writer(stream)
        table.writerow([*map(safe_text, ("id", *questions, "total", "seconds", "status", "reason", "file"))])
        for submission, row in rows:
            about = [safe_text(submission.student)]
            if row is None:
                numbers = [""] * (len(questions) + 2)
                words = ["superseded", f"{submission.newer} is newer"]
            else:
                numbers = [*(row["scores"][question] for question in questions), row["total"], row["seconds"]]
                words = [row["status"], row["reason"]]
            table.writerow([*about, *numbers, *map(safe_text, words), safe_text(submission.file)])
    os.chmod(temporary, 0o644 & ~_umask())
    os.replace(temporary, path)


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def page_name(student):
    """A file name that any system takes, different for different students."""
    plain = re.sub(r"[^\w.-]", "_", student).strip(".-_")[:60] or "student"
    if plain == student:
        return f"{plain}.html"
    return f"{plain}-{hashlib.sha256(student.encode(errors='surrogatepass')).hexdigest()[:8]}.html"


def feedback(title, questions, student, row):
    """The page of one student: points, public tests, and in our words what went wrong. No text of theirs."""
    lines = [
        f"<h1>{html.escape(title)}</h1>",
        f"<p>{html.escape(safe_text(student))}: {row['total']:g} of {sum(questions.values()):g} points.</p>",
        f"<p>{EXPLAINED[row['status']]}</p>",
    ]
    troubles = [f"{i} ({state})" for i, state in enumerate(row["cells"], 1) if state in STATES]
    if troubles:
        lines.append(f"<p>Code cells that did not run to their end: {', '.join(troubles)}.</p>")
    for question, points in questions.items():
        lines.append(f"<h2>{html.escape(question)}: {row['scores'][question]:g} of {points:g}</h2>")
        for name, passed, message in row["public"].get(question, []):
            said = f"{'Passed' if passed else 'Failed'}: {name}{f'. {message}' if message else ''}"
            lines.append(f"<p>{html.escape(said)}</p>")
    head = ["<!doctype html>", '<meta charset="utf-8">', f"<title>{html.escape(title)}</title>"]
    return "\n".join([*head, *lines, ""])


def write_feedback(folder, title, questions, rows):
    """A page for each graded row into `folder`."""
    folder.mkdir(exist_ok=True)
    for submission, row in rows:
        if row is not None:
            page = feedback(title, questions, submission.student, row)
            (folder / page_name(submission.student)).write_text(page, encoding="utf-8")
