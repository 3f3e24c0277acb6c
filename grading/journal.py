"""Remembers finished rows, so that an interrupted run goes on where it was and nothing is graded twice."""

import fcntl
import hashlib
import json
import os
from pathlib import Path


class Journal:
    """Lines of JSON beside the table: one for each finished row, written at once.

    Parameters
    ----------
    path : path
        The file; it is made, or continued.
    conditions : str
        What a grade depends on besides the submission. Rows of other conditions do not count.
    """

    def __init__(self, path, conditions):
        self.path, self.conditions, self.rows = Path(path), conditions, {}
        self.stream = self.path.open("a+b")
        try:
            fcntl.flock(self.stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self.stream.close()
            raise ValueError(f"{path}: another run is writing to it") from None
        self.stream.seek(0)
        content = self.stream.read()
        whole = content.rfind(b"\n") + 1
        self.stream.truncate(whole)  # the last line may be torn
        for number, line in enumerate(content[:whole].splitlines(), 1):
            try:
                record = json.loads(line)
                self.rows[record["file"]] = {key: record[key] for key in ("file", "seal", "row")}
            except (ValueError, LookupError, TypeError):
                self.stream.close()
                raise ValueError(
                    f"{path}, line {number}: not a row of this journal; delete the line"
                ) from None

    def row(self, file, content):
        """The finished row of `file` if its content is still the same, else None."""
        record = self.rows.get(file)
        return record["row"] if record and record["seal"] == self.seal(content) else None

    def add(self, file, content, row):
        """Keep a row. What the grader itself failed at is not finished."""
        if row["status"] == "error":
            return
        record = {"file": file, "seal": self.seal(content), "row": row}
        self.rows[file] = record
        self.stream.write(json.dumps(record).encode() + b"\n")
        self.stream.flush()
        os.fsync(self.stream.fileno())

    def seal(self, content):
        """Stands for a submission under these conditions."""
        return hashlib.sha256(self.conditions.encode() + b"\0" + content).hexdigest()

    def close(self):
        self.stream.close()
