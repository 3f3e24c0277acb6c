"""Files that are no notebooks, or are meant to hurt whoever reads them."""

import json
import os

import pytest
from cells import RIGHT, notebook

from grading.notebook import MAX_CELLS, Refused, code_cells, read_bytes


def test_code_cells_come_in_order_and_as_text():
    cells = [
        {"cell_type": "markdown", "source": "# x = 1"},
        {"cell_type": "code", "source": ["a = 1\n", "b = 2"]},
        {"cell_type": "code", "source": " \n"},
        {"cell_type": "raw", "source": "c"},
        {"cell_type": "code"},
        {"cell_type": "code", "source": "lone = '\ud800'"},
    ]
    assert code_cells(json.dumps({"cells": cells}).encode()) == ["a = 1\nb = 2", "lone = '?'"]


def test_kernel_names_metadata_and_doubled_keys_do_not_matter():
    odd = json.loads(notebook(*RIGHT))
    odd |= {
        "metadata": {"kernelspec": {"name": "../../evil"}, "language_info": {"name": "bash"}},
        "nbformat": -1,
    }
    assert code_cells(json.dumps(odd).encode()) == RIGHT
    assert code_cells(json.dumps(odd | {"metadata": {"bomb": "x" * 9_000_000}}).encode()) == RIGHT
    assert code_cells(b'{"cells": [1, 2], "x": Infinity, "cells": []}') == []


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"", "empty"),
        (b" \n\t", "empty"),
        (b"PK\x03\x04zip", "no JSON"),
        (b"\xff\xfe\x00", "no JSON"),
        (b'{"cells": [', "no JSON"),
        (b"[" * 1_000_000, "no JSON"),
        (b'{"cells":' * 200_000 + b"1" + b"}" * 200_000, "no JSON"),
        (b"9" * 100_000, "no JSON"),
        (b"[]", "no cells"),
        (b"null", "no cells"),
        (b'{"cells": {}}', "no cells"),
        (b'{"worksheets": []}', "no cells"),
        (b'{"cells": [1]}', "no cell"),
        (b'{"cells": [{"cell_type": "code", "source": 1}]}', "no text"),
        (b'{"cells": [{"cell_type": "code", "source": ["a", null]}]}', "no text"),
        (notebook(*["x"] * (MAX_CELLS + 1)), "more than"),
        (b'{"cells": [' + b'{"cell_type":"code","source":"x"},' * 250_000 + b"{}]}", "more than"),
    ],
    ids=range(17),
)
def test_content_is_refused(content, word):
    with pytest.raises(Refused, match=word):
        code_cells(content)


def test_files_that_are_not_plain_are_not_opened(tmp_path):
    plain = tmp_path / "plain.ipynb"
    plain.write_bytes(notebook(*RIGHT))
    (tmp_path / "link").symlink_to(plain)
    (tmp_path / "device").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    assert code_cells(read_bytes(plain, 1)) == RIGHT
    for name in ("link", "device", "pipe", "folder", "nothing"):
        with pytest.raises(Refused):
            read_bytes(tmp_path / name, 1)


def test_large_files_are_not_read(tmp_path):
    large = tmp_path / "large.ipynb"
    with large.open("wb") as file:
        file.truncate(200 << 20)
    with pytest.raises(Refused, match="more than 10 MB"):
        read_bytes(large, 10)
