"""Rollout rows in trainers' layouts, constructed from their lists of fields, and ways to write them."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Iterable
from pathlib import Path

import pyarrow
from pyarrow import parquet

Row = dict[str, object]


def verl(step: int, counts: Iterable[int], size: int = 4) -> list[Row]:
    """verl's new layout: a group for each number right."""
    return [
        {
            "input": f"prompt {g}", "output": f"answer {step} {g} {i}", "gts": "1", "score": float(i < k),
            "step": step, "uid": f"{step}-{g}_{i}_0",
        }
        for g, k in enumerate(counts)
        for i in range(size)
    ]  # fmt: skip


def trl(step: int, counts: Iterable[int], size: int = 4, **columns: list[object]) -> list[Row]:
    """TRL's layout with one reward function, and with the given columns before the advantage."""
    rows: list[Row] = []
    for g, k in enumerate(counts):
        rewards = [float(i < k) for i in range(size)]
        mean = sum(rewards) / size
        deviation = (sum((reward - mean) ** 2 for reward in rewards) / (size - 1)) ** 0.5
        for i, reward in enumerate(rewards):
            more = {name: values[g * size + i] for name, values in columns.items()}
            rows.append(
                {"step": step, "prompt": f"prompt {step} {g}", "completion": f"answer {step} {g} {i}"}
                | {"correct": reward, **more, "advantage": (reward - mean) / (deviation + 1e-4)}
            )
    return rows


def open_instruct(step: int, counts: Iterable[int], size: int = 4) -> list[Row]:
    """open-instruct's traces: tokens in place of texts, ddof 0."""
    return [
        {
            "step": step, "sample_idx": g * size + i, "prompt_idx": g, "prompt_tokens": [1, 2, g],
            "response_tokens": [step, g, i], "reward": 10.0 * (i < k),
            "advantage": 10.0 * ((i < k) - k / size), "finish_reason": "stop",
        }
        for g, k in enumerate(counts)
        for i in range(size)
    ]  # fmt: skip


def nemo_rl(step: int, counts: Iterable[int], size: int = 4) -> list[Row]:
    """NeMo-RL's training data: each value in a list of one, advantages once a token, no step."""
    return [
        {
            "content": [f"prompt {g} answer {step} {i}"], "rewards": [float(i < k)], "input_lengths": [7],
            "advantages": [[float((i < k) - (k - (i < k)) / (size - 1))] * 3], "idx": g * size + i,
        }
        for g, k in enumerate(counts)
        for i in range(size)
    ]  # fmt: skip


def lines(path: Path, rows: Iterable[Row], end: str = "\n") -> Path:
    """Written as JSON lines, NaN as Python writes it; gzipped where the name says so."""
    data = "".join(json.dumps(row) + end for row in rows).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def table(path: Path, rows: list[Row]) -> Path:
    """Written as parquet, or as CSV."""
    if path.suffix == ".parquet":
        parquet.write_table(pyarrow.Table.from_pylist(rows), path)
        return path
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0], delimiter="\t" if path.suffix == ".tsv" else ",")
        writer.writeheader()
        writer.writerows(rows)
    return path
