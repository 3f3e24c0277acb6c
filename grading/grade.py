"""Grade a folder of submissions: a table for the teacher and a page for each student."""

import signal
import sys
from pathlib import Path

from grading import assignment as assignments
from grading import report, sandbox, submissions, trusted
from grading.journal import Journal
from grading.notebook import Refused, read_bytes
from grading.workers import run_all

UNSAFE = "NO SANDBOX"


def add_arguments(parser):
    parser.add_argument("assignment", help="its name (hw01), or its folder")
    parser.add_argument("submissions", help="folder with a notebook, or a folder of them, for each student")
    parser.add_argument("--out", required=True, type=Path, help="the table, for example grades.csv")
    parser.add_argument("--jobs", type=int, default=2, help="submissions graded at a time (default 2)")
    parser.add_argument(
        "--unsafe-no-sandbox", action="store_true", help="run students' code as yourself, unprotected"
    )


def run(options):
    """0 if every submission has a finished row, 1 if the grader failed at one, 130 if it was interrupted."""
    if options.jobs < 1:
        raise ValueError(f"--jobs must be at least 1, not {options.jobs}")
    boxed = check_sandbox(options.unsafe_no_sandbox, options.assignment, options.submissions)
    assignment = assignments.load(options.assignment)
    found = submissions.collect(options.submissions)
    check_out(options.out, options.submissions)
    journal = Journal(f"{options.out}.journal", f"{assignment.digest} {boxed}")
    rows, interrupted = {}, False
    try:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        grade_all(assignment, found, journal, rows, options.jobs, boxed)
    except KeyboardInterrupt:
        interrupted = True
    finally:
        journal.close()
        listed = [(one, rows.get(one.path)) for one in found if one.newer or one.path in rows]
        report.write_table(options.out, assignment.questions, listed)
        report.write_feedback(
            options.out.with_suffix(".feedback"), assignment.title, assignment.questions, listed
        )
    if interrupted:
        print(
            f"\ngrading: interrupted with {len(rows)} rows finished; the same command goes on",
            file=sys.stderr,
        )
        return 130
    return int(any(row["status"] == "error" for row in rows.values()))


def check_sandbox(unsafe, *paths):
    """Whether code will be boxed; ValueError where it should be and cannot."""
    if unsafe:
        return False
    if trouble := sandbox.trouble():
        raise ValueError(f"no sandbox: {trouble}. --unsafe-no-sandbox would run students' code as you")
    for path in paths:
        if sandbox.can_see(path):
            raise ValueError(f"{path}: the sandbox can see this folder; move it somewhere else")
    return True


def check_out(out, folder):
    """ValueError where the table cannot be written, or would be taken for a submission the next time."""
    if out.is_dir():
        raise ValueError(f"--out {out}: a folder; give a file such as {out / 'grades.csv'}")
    if out.resolve().is_relative_to(Path(folder).resolve()):
        raise ValueError(f"--out {out}: lies among the submissions; put it somewhere else")


def grade_all(assignment, found, journal, rows, jobs, boxed):
    """Fill `rows`, a dict by path, from the journal and by grading."""
    counted = [one for one in found if one.newer is None]

    def keep(one, row):
        rows[one.path] = row
        progress(len(rows), len(counted), report.safe_text(one.student))

    def unfinished():
        for one in counted:
            try:
                content = read_bytes(one.path, assignment.limits["notebook_mb"])
            except Refused as refusal:
                keep(one, trusted.refused(assignment, str(refusal)))
                continue
            if row := journal.row(one.file, content):
                keep(one, row)
            else:
                yield one, content

    for one, content, row in run_all(assignment, unfinished(), jobs, boxed):
        if not boxed:
            row["reason"] = f"{UNSAFE}; {row['reason']}"
        journal.add(one.file, content, row)
        keep(one, row)


def progress(done, total, student, width=30):
    """A bar on a terminal; elsewhere a line for each."""
    filled = width * done // total
    line = f"[{'#' * filled}{'.' * (width - filled)}] {done}/{total} {student[:30]}"
    if sys.stderr.isatty():
        print(f"\r{line:<80}", end="\n" if done == total else "", file=sys.stderr, flush=True)
    else:
        print(line, file=sys.stderr, flush=True)
