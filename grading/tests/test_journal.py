"""Finished rows are kept, whatever interrupts the writing, and only while nothing they depend on changes."""

import pytest

from grading.journal import Journal

ROW = {"status": "ok", "total": 3}


def kept(path, conditions="one", content=b"notebook", add=None):
    journal = Journal(path, conditions)
    if add:
        journal.add("ada.ipynb", content, add)
    row = journal.row("ada.ipynb", content)
    journal.close()
    return row


def test_rows_are_kept(tmp_path):
    path = tmp_path / "journal"
    assert kept(path, add=ROW) == ROW
    assert kept(path) == ROW
    assert kept(path, add={"status": "ok", "total": 4})["total"] == 4
    assert kept(path)["total"] == 4


def test_another_submission_or_assignment_is_another_row(tmp_path):
    path = tmp_path / "journal"
    kept(path, add=ROW)
    assert kept(path, content=b"changed") is None
    assert kept(path, conditions="two") is None
    assert kept(path) == ROW


def test_what_the_grader_failed_at_is_not_finished(tmp_path):
    assert kept(tmp_path / "journal", add={"status": "error"}) is None


@pytest.mark.parametrize("cut", [1, 10, 60])
def test_a_torn_line_costs_only_itself(tmp_path, cut):
    path = tmp_path / "journal"
    kept(path, add=ROW)
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:-cut])
    assert kept(path) == ROW
    assert path.read_bytes() == whole
    path.write_bytes(whole[:-cut])
    assert kept(path) is None
    assert kept(path, add=ROW) == ROW
    assert kept(path) == ROW


def test_two_runs_do_not_write_to_one_file(tmp_path):
    journal = Journal(tmp_path / "journal", "one")
    with pytest.raises(ValueError, match="another run"):
        Journal(tmp_path / "journal", "one")
    journal.close()


def test_a_line_that_is_no_row_is_named(tmp_path):
    path = tmp_path / "journal"
    kept(path, add=ROW)
    with path.open("a") as file:
        file.write('{"file": "bob.ipynb"}\n')
    with pytest.raises(ValueError, match="journal, line 2: not a row"):
        kept(path)
