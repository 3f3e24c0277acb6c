"""What a file's columns mean, told from their names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from .log import RolloutError

GROUPS = (  # columns that make groups where no trainer is recognised, the surest kind first
    ("group", "group_id", "group_index", "group_idx"),
    ("uid", "prompt_id", "prompt_idx", "prompt_index", "problem_id", "question_id", "task_id", "example_id"),
    ("prompt", "question", "problem", "input", "query"),
)
REWARDS = ("reward", "rewards", "score", "correct", "is_correct", "acc", "accuracy", "accuracy_reward")
STEPS = ("step", "global_step", "training_step", "train_step", "iteration")
ADVANTAGES = ("advantage", "advantages")
PROMPTS = ("prompt", "question", "problem", "input", "query", "prompt_tokens")
COMPLETIONS = (
    "completion",
    "response",
    "output",
    "answer",
    "generation",
    "text",
    "response_tokens",
    "content",
)
NO_REWARDS = {  # numbers that stand beside the reward functions in TRL's files
    *STEPS, *ADVANTAGES, "index", "idx", "id", "epoch", "length", "completion_length", "prompt_length",
    "num_tokens", "kl", "entropy", "__index_level_0__",
}  # fmt: skip


@dataclass(frozen=True)
class Layout:
    """Which column is what; None where there is none."""

    format: str
    why: str
    rewards: tuple[str, ...]
    group: str | None = None
    """None: groups are blocks of consecutive rows."""
    parts: int = 0
    """How many parts of a group's id, between underscores and from the end, name the completion instead."""
    step: str | None = None
    """None: the number in the file's name."""
    prompt: str | None = None
    completion: str | None = None
    advantage: str | None = None

    @property
    def columns(self) -> list[str]:
        """All columns that are read."""
        single = (self.group, self.step, self.prompt, self.completion, self.advantage)
        return list(dict.fromkeys([*self.rewards, *(name for name in single if name)]))


def recognise(
    path: Path,
    columns: Mapping[str, str],
    group_column: str | None = None,
    reward_column: str | None = None,
    group_size: int | None = None,
) -> Layout:
    """The layout of a file with these columns (name → kind); a RolloutError where it cannot be told."""
    for option, name in (("group", group_column), ("reward", reward_column)):
        if name is not None and name not in columns:
            raise RolloutError(path, f"there is no {option} column {name!r}; {_found(columns)}")
    if reward_column is not None and columns[reward_column] != "number":
        raise RolloutError(path, f"the reward column {reward_column!r} holds no numbers")
    layout = _trainer(columns) or _table(path, columns, group_column, reward_column, group_size)
    if group_column is not None:
        layout = replace(layout, group=group_column, parts=0)
    elif group_size is not None:
        layout = replace(layout, group=None, parts=0)
    if reward_column is not None:
        layout = replace(layout, rewards=(reward_column,))
    return layout


def _trainer(columns: Mapping[str, str]) -> Layout | None:
    """A trainer's own layout, if the columns are those."""
    names = set(columns)
    step = _first(STEPS, names)
    if {"input", "output", "score"} <= names:
        shared = {"rewards": ("score",), "step": step, "prompt": "input", "completion": "output"}
        if "uid" in names:
            why = (
                "verl's rollout data: columns input, output, score and uid, whose first part names the group."
            )
            return Layout("verl", why, group="uid", parts=2, **shared)  # type: ignore[arg-type]
        why = "verl's legacy rollout data: columns input, output and score; the input's text is the group."
        return Layout("verl-legacy", why, group="input", **shared)  # type: ignore[arg-type]
    if {"prompt_idx", "reward"} <= names and names & {"sample_idx", "response_tokens"}:
        return Layout(
            "open-instruct", "open-instruct's traces: prompt_idx with step is the group, reward the reward.",
            ("reward",), "prompt_idx", step=step, prompt=_first(("prompt_tokens",), names),
            completion=_first(("response_tokens",), names), advantage=_first(ADVANTAGES, names),
        )  # fmt: skip
    if {"content", "rewards"} <= names:
        filtered = "filtered_rewards" in names
        why = (
            "NeMo-RL's training data: columns content and rewards; groups are blocks, the file's name has "
            "the step."
        ) + (" Rewards from filtered_rewards, which belong to the rows." if filtered else "")
        return Layout(
            "nemo-rl", why, ("filtered_rewards" if filtered else "rewards",),
            completion="content", advantage=_first(ADVANTAGES, names),
        )  # fmt: skip
    rewards = tuple(name for name, kind in columns.items() if kind == "number" and name not in NO_REWARDS)
    ids = names & {*GROUPS[0], *GROUPS[1]}
    if {"prompt", "completion", "step"} <= names and rewards and not ids:
        why = (
            "TRL's completions: columns step, prompt and completion without a group's id, so that groups are "
            f"blocks of rows; the reward functions are {', '.join(rewards)}."
        )
        return Layout(
            "trl", why, rewards, None, step="step", prompt="prompt", completion="completion",
            advantage=_first(ADVANTAGES, names),
        )  # fmt: skip
    return None


def _table(
    path: Path,
    columns: Mapping[str, str],
    group_column: str | None,
    reward_column: str | None,
    group_size: int | None,
) -> Layout:
    """Any table with a reward and something that makes groups."""
    lower = {name.lower(): name for name in columns}
    rewards = [lower[name] for name in REWARDS if name in lower and columns[lower[name]] == "number"]
    reward = reward_column or _only(path, columns, rewards, "reward", "--reward-column (reward_column=)")
    group = group_column
    if group is None and group_size is None:
        tiers = [[lower[name] for name in tier if name in lower] for tier in GROUPS]
        best = next((tier for tier in tiers if tier), [])
        group = _only(
            path, columns, best, "group", "--group-column (group_column=) or --group-size (group_size=)"
        )
    names = set(lower)
    step, prompt, completion, advantage = (
        lower[found] if (found := _first(wanted, names)) else None
        for wanted in (STEPS, PROMPTS, COMPLETIONS, ADVANTAGES)
    )
    made = f"column {group} makes the groups" if group else f"groups are blocks of {group_size} rows"
    why = f"A table: {made}, {reward} is the reward{f', {step} the step' if step else ''}."
    return Layout("table", why, (reward,), group, 0, step, prompt, completion, advantage)


def _only(path: Path, columns: Mapping[str, str], candidates: list[str], what: str, option: str) -> str:
    """The one candidate, or an error that says what to give."""
    if len(candidates) == 1:
        return candidates[0]
    problem = f"could be {' or '.join(candidates)}" if candidates else "is not recognised"
    raise RolloutError(path, f"the {what} column {problem}: give {option}; {_found(columns)}")


def _found(columns: Mapping[str, str]) -> str:
    return f"columns found: {', '.join(columns)}"


def _first(wanted: tuple[str, ...], names: set[str]) -> str | None:
    return next((name for name in wanted if name in names), None)
