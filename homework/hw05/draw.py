"""What homework 5 draws: a training run, its log, and what is to be read off it."""

import json
from math import comb, sqrt

import numpy as np

import grpo_lessons as gl
from grpo_lessons.training import beta_population, train_prompts

TRAINERS = (
    {},
    {"ddof": 1},
    {"scale": "none"},
    {"baseline": "leave_one_out", "scale": "none"},
)
PROMPTS = 60


def draw(rng):
    group_size, steps = int(rng.choice([6, 8])), int(rng.integers(5, 8))
    trainer = TRAINERS[rng.integers(len(TRAINERS))]
    rows = run(rng, group_size, steps, trainer)
    kept, lines = crash(rng, rows, group_size)
    complete = [group for group in kept if len(group) == group_size]
    by_step = [[right(group) for group in complete if group[0]["step"] == t + 1] for t in range(steps)]
    silent = [sum(k in (0, group_size) for k in ks) for ks in by_step]
    sizes = [len(ks) for ks in by_step]
    every_k = [k for ks in by_step for k in ks]
    smaller, most, other = (
        int(rng.integers(3, group_size - 1)),
        int(rng.integers(1, 3)),
        int(rng.choice([12, 16, 24])),
    )
    subsets = [comb(k, smaller) + comb(group_size - k, smaller) for k in every_k]
    pushes = [sqrt(k * (group_size - k)) for k in every_k]
    other_k = int(rng.integers(2, other - 1))
    both = (silent[0] + silent[-1]) / (sizes[0] + sizes[-1])
    error = sqrt(both * (1 - both) * (1 / sizes[0] + 1 / sizes[-1]))
    return {
        "lines": lines,
        "group_size": group_size,
        "steps": steps,
        "counts": [sum(map(len, kept)), len(kept), len(complete)],
        "silent_by_step": [s / n for s, n in zip(silent, sizes, strict=True)],
        "smaller": smaller,
        "silent_smaller": sum(subsets) / comb(group_size, smaller) / len(every_k),
        "change": (silent[-1] / sizes[-1] - silent[0] / sizes[0]) / error,
        "other_size": other,
        "other_k": other_k,
        "only_right": float(gl.advantages(np.arange(other) < 1, **trainer)[0]),
        "one_wrong": float(gl.advantages(np.arange(other) < other_k, **trainer)[-1]),
        "wasted": sum(silent) / len(every_k),
        "price_by_step": [group_size * n / (n - s) for s, n in zip(silent, sizes, strict=True)],
        "most": most,
        "real_size": int(rng.choice([5, 6, 8, 10, 12])),
        "hard_push": sum(x for x, k in zip(pushes, every_k, strict=True) if k <= most) / sum(pushes),
    }


def data(rng, values, folder):
    (folder / "rollouts.jsonl").write_text("\n".join(values.pop("lines")) + "\n", encoding="utf-8")


def right(group):
    return int(sum(row["score"] for row in group))


def run(rng, group_size, steps, trainer):
    """The groups of a run on prompts of all difficulties, as lists of a log's objects."""
    settings = {
        "group_size": group_size,
        "steps": steps,
        "learning_rate": 1.0,
        "seed": int(rng.integers(2**31)),
    }
    groups = []
    for number, step in enumerate(train_prompts(beta_population(PROMPTS, 0.5, 0.8), **settings), 1):
        for prompt, k in zip(step.prompts.tolist(), step.k.tolist(), strict=True):
            scores = rng.permutation(np.arange(group_size) < k).astype(float)
            rated = gl.advantages(scores, **trainer)
            uid = f"{rng.integers(2**32):08x}"
            groups.append(
                [
                    {
                        "step": number,
                        "uid": uid,
                        "sample": i,
                        "prompt": prompt,
                        "score": score,
                        "advantage": round(a, 4),
                    }
                    for i, (score, a) in enumerate(zip(scores.tolist(), rated.tolist(), strict=True))
                ]
            )
    return groups


def crash(rng, groups, group_size):
    """What a crash left: some groups without some completions, and the lines, some of them twice."""
    kept = [list(group) for group in groups]
    for number in rng.choice(len(kept), int(rng.integers(4, 9)), replace=False):
        kept[number] = kept[number][: rng.integers(1, group_size)]
    lines = [json.dumps(row) for group in kept for row in group]
    start = int(rng.integers(len(lines) // 2))
    again = start + int(rng.integers(15, 60))
    return kept, lines[:again] + lines[start:again] + lines[again:]
