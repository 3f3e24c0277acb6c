"""Files that cannot be used: every refusal names the path, the line where there is one, and the reason."""

from __future__ import annotations

import gzip
import json
import os
import pickle
import random

import numpy as np
import pytest
import rows

from grpo_lessons.rollouts import RolloutError, read_rollouts, sample_log

GOOD = "".join(json.dumps(row) + "\n" for row in rows.verl(1, [1, 2])).encode()
CSV = b"group,reward\na,1\na,0\nb,1\nb,1\n"
LINE = GOOD.splitlines(keepends=True)[0]

BAD = {
    "empty": (b"", None, "the file is empty"),
    "blank": (b"\n \r\n\n", None, "the file is empty"),
    "list": (b"[" + LINE.strip() + b"]", 1, "a JSON list, not JSON lines"),
    "pretty": (json.dumps(rows.verl(1, [1])[0], indent=1).encode(), 1, "not a JSON object"),
    "not an object": (LINE + b"3\n", 2, "must be a JSON object, this one is a int"),
    "broken in the middle": (LINE + b'{"input": \n' + LINE, 2, "not a JSON object"),
    "broken at the end": (LINE + b'{"input": \n', 2, "not a JSON object"),
    "only a piece": (LINE[:30], 1, "not a JSON object"),
    "UTF-16": (GOOD.decode().encode("utf-16"), None, "UTF-16 text: save it as UTF-8"),
    "UTF-16 without mark": (GOOD.decode().encode("utf-16-le"), None, "binary, or UTF-16"),
    "Latin-1": (LINE + LINE.replace(b"answer", "Übung".encode("latin-1")), 2, "byte 0xdc is not UTF-8"),
    "binary": (bytes(range(256)), None, "binary"),
    "text": (b"step 1 loss 0.0\n", 1, "not JSON"),
    "deep": (LINE + b'{"input": ' + b"[" * 10**6 + b"]" * 10**6 + b"}\n", 2, "nested too deeply"),
    "reward a word": (LINE + LINE.replace(b"1.0", b'"high"'), 2, "score must be a number, got 'high'"),
    "reward an object": (LINE + LINE.replace(b"1.0", b'{"a": 1}'), 2, "score must be a number, got {'a': 1}"),
    "reward a list": (LINE + LINE.replace(b"1.0", b"[1, 0]"), 2, r"score must be a number, got \[1, 0\]"),

    "step a half": (LINE.replace(b'"step": 1', b'"step": 1.5'), 1, "step must be a whole number, got 1.5"),
    "step missing": (LINE + LINE.replace(b'"step"', b'"stop"'), 2, "step must be a whole number, got None"),
    "step huge": (LINE.replace(b'"step": 1', b'"step": 1e300'), 1, "step must be a whole number"),
    "group missing": (LINE + LINE.replace(b'"uid"', b'"vid"'), 2, "no value in uid"),
    "no reward": (b'{"prompt": "a", "text": "b"}\n', None, "reward column is not recognised.*--reward"),
    "two rewards": (b'{"group": 1, "reward": 1, "score": 0}\n', None, "could be reward or score: give"),
    "no group": (b'{"reward": 1, "text": "b"}\n', None, "--group-column .* --group-size .*: reward, text"),
    "two groups": (b'{"uid": 1, "task_id": 1, "reward": 1}\n', None, "group column could be uid or task_id"),
    "csv short row": (CSV + b"a\nb,1\n", 6, "1 cells where the header has 2"),
    "csv open quote": (CSV + b'"a,1\nb,1\n', 7, "not a CSV row"),
    "csv only a piece": (b'group,reward\n"a\nb', 3, "0 cells where the header has 2"),
    "csv twice": (b"group,reward,group\na,1,b\n", 1, "column's name comes twice"),
    "csv header": (b"group,reward\n", None, "a header without rows"),
    "csv word": (CSV + b"a,high\n", 6, "reward must be a number, got 'high'"),
    "csv Latin-1": (CSV + "é,1\n".encode("latin-1"), 6, "byte 0xe9 is not UTF-8"),
    "csv one column": (b"reward\n1\n0\n", 1, "neither parquet nor JSON lines"),
    "zip": (b"PK\x03\x04" + bytes(50), None, "torch.save"),
    "zstd": (b"\x28\xb5\x2f\xfd" + bytes(50), None, "zstd"),
    "gzip cut": (gzip.compress(GOOD * 99)[:300], None, "cannot be read"),
    "gzip broken": (b"\x1f\x8b" + bytes(50), None, "cannot be read"),
    "parquet cut": (b"PAR1" + bytes(50), None, "a parquet file that cannot be read"),
}  # fmt: skip


def suffix(case):
    return ".csv" if case.startswith("csv") else ".jsonl"


@pytest.mark.parametrize("case", [case for case in BAD if BAD[case][2]])
def test_refusal(tmp_path, case):
    content, line, reason = BAD[case]
    path = tmp_path / f"1{suffix(case)}"
    path.write_bytes(content)
    with pytest.raises(RolloutError, match=reason) as caught:
        read_rollouts(path)
    assert (caught.value.path, caught.value.line) == (str(path), line or caught.value.line)
    assert str(caught.value).startswith(str(path) if line is None else f"{path}, line {line}: ")


@pytest.mark.parametrize("protocol", range(6))
@pytest.mark.parametrize("value", [[1, 2], {"rewards": [1.0]}])
def test_pickles_are_refused(tmp_path, protocol, value):
    for name in ("a.jsonl", "a.csv", "a.pt", "a"):
        (tmp_path / name).write_bytes(pickle.dumps(value, protocol))
        with pytest.raises(RolloutError, match="opening one runs whatever code it holds"):
            read_rollouts(tmp_path / name)


def test_folder_with_nothing_but_pickles(tmp_path):
    (tmp_path / "7.pt").write_bytes(pickle.dumps([1]))
    with pytest.raises(RolloutError, match=r"7\.pt: a pickle"):
        read_rollouts(tmp_path)


def test_long_line(tmp_path, monkeypatch):
    path = tmp_path / "1.jsonl"
    path.write_bytes(LINE + LINE.replace(b"answer", b"a" * 64 * 2**20) + LINE)
    with pytest.raises(RolloutError, match="line 2: a line of more than 64 MB is refused"):
        read_rollouts(path)
    monkeypatch.setattr("grpo_lessons.rollouts.lines.LINE_LIMIT", len(LINE) - 1)
    path.write_bytes(LINE + LINE)
    assert len(read_rollouts(path).reward) == 2  # the limit itself is allowed


@pytest.mark.parametrize("end", [b"\r\n", b"\n\n", b"\n  \n"])
def test_line_ends_and_byte_order_mark(tmp_path, end):
    for name, content in (("1.jsonl", GOOD), ("1.csv", CSV)):
        (tmp_path / name).write_bytes(content)
        expected = read_rollouts(tmp_path / name).reward
        (tmp_path / name).write_bytes(b"\xef\xbb\xbf" + content.replace(b"\n", end).rstrip())
        if name == "1.csv" and b" " in end:
            continue  # a CSV row with one blank cell
        log = read_rollouts(tmp_path / name)
        np.testing.assert_array_equal(log.reward, expected)
        assert not [note for note in log.notes if note.trap == "cut-off-line"]


@pytest.mark.parametrize(
    ("content", "name"), [(GOOD + LINE[:40], "1.jsonl"), (CSV + b'b,"1', "1.csv"), (CSV + b"b", "1.csv")]
)
def test_last_line_cut_off(tmp_path, content, name):
    """As a trainer leaves it that is writing: the rest is read, and a note says so."""
    path = tmp_path / name
    path.write_bytes(content)
    log = read_rollouts(path)
    assert len(log.reward) == content.count(b"\n") - name.endswith("csv")
    (note,) = [note for note in log.notes if note.trap == "cut-off-line"]
    assert note.rows == 1
    assert f"line {content.count(10) + 1}" in note.sentence


def test_blocks_with_a_row_cut_off(tmp_path):
    given = rows.lines(tmp_path / "train_data_step1.jsonl", rows.nemo_rl(1, [0, 1, 3, 2]))
    given.write_bytes(given.read_bytes()[:-9])
    for size in (None, 4):
        log = read_rollouts(given, group_size=size)
        assert np.bincount(log.group).tolist() == [4, 4, 4, 3]
        assert [note.trap for note in log.notes] == ["cut-off-line", "ragged-groups"]


def test_paths(tmp_path):
    (tmp_path / "sub").mkdir()
    os.mkfifo(tmp_path / "pipe.jsonl")
    for path, reason in {
        tmp_path / "none.jsonl": "there is no such file or folder",
        str(tmp_path / "*.parquet"): "there is no such file or folder, nor a file that matches",
        tmp_path / "sub": "no log in this folder",
        tmp_path / "pipe.jsonl": "not a regular file",
        "a\0b": "no such file",
    }.items():
        with pytest.raises(RolloutError, match=reason):
            read_rollouts(path)
    with pytest.raises(RolloutError, match="name at least one"):
        read_rollouts([])


def test_two_runs_below_one_folder(tmp_path):
    for run in ("a", "b"):
        (tmp_path / run).mkdir()
        (tmp_path / run / "1.jsonl").write_bytes(GOOD)
    with pytest.raises(RolloutError, match="logs in several folders: name one of a, b"):
        read_rollouts(tmp_path)
    log = read_rollouts([tmp_path / "a", tmp_path / "b"])
    assert "several-folders" in {note.trap for note in log.notes}


def test_files_that_differ(tmp_path):
    (tmp_path / "1.jsonl").write_bytes(GOOD)
    rows.lines(tmp_path / "2.jsonl", [{"group": 1, "reward": 1.0}])
    with pytest.raises(RolloutError, match=r"2\.jsonl: this file's columns are not those of 1\.jsonl"):
        read_rollouts(tmp_path)


def test_unknown_columns():
    with pytest.raises(RolloutError, match="there is no reward column 'r'; columns found: step, prompt"):
        read_rollouts(sample_log("trl"), reward_column="r")
    with pytest.raises(RolloutError, match="the reward column 'prompt' holds no numbers"):
        read_rollouts(sample_log("trl"), reward_column="prompt")


def mutated(data, draw):
    """A few bytes changed, removed, doubled or cut off."""
    data = bytearray(data)
    for _ in range(draw.randrange(1, 6)):
        place = draw.randrange(len(data))
        kind = draw.randrange(5)
        if kind == 0:
            data[place] = draw.randrange(256)
        elif kind == 1:
            data[place] ^= 1 << draw.randrange(8)
        elif kind == 2:
            del data[place : place + draw.randrange(1, 20)]
        elif kind == 3:
            data[place:place] = data[place : place + draw.randrange(1, 50)]
        else:
            del data[place + 1 :]
        if not data:
            break
    return bytes(data)


SEEDS = {
    "1.jsonl": (GOOD, 400),
    "a.csv": (CSV * 3, 300),
    "completions_1.jsonl": ((sample_log("trl-lines") / "completions.jsonl").read_bytes(), 200),
    "completions_00001.parquet": ((sample_log("trl") / "completions_00001.parquet").read_bytes(), 500),
    "1.jsonl.gz": (gzip.compress(GOOD), 200),
}


@pytest.mark.parametrize("name", SEEDS)
def test_mutated_files_give_a_log_or_one_kind_of_error(tmp_path, name):
    good, tries = SEEDS[name]
    draw = random.Random(name)
    path = tmp_path / name
    read = 0
    for _ in range(tries):
        path.write_bytes(mutated(good, draw))
        try:
            log = read_rollouts(path)
        except RolloutError:
            continue
        read += 1
        assert len(log.step) == len(log.group) == len(log.reward) <= log.rows_read
    assert 0 < read < tries


def test_an_empty_path_is_not_the_current_folder():
    with pytest.raises(RolloutError, match="an empty path"):
        read_rollouts("")
