"""Figures that are quoted, not computed: settings, defaults and measured values, each with its source.

>>> FIGURES["two_grpo_rollouts"].value
0.125
>>> FLOAT32["eight_of_0.3"]["openrlhf"].source
'OpenRLHF 0.11.2, openrlhf/trainer/ppo_utils/experience_maker.py, run on a CPU with torch 2.13.0'
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from .conventions import CONVENTIONS


@dataclass(frozen=True)
class Quoted:
    """One number as its source reports it."""

    value: float
    source: str
    note: str = ""


@dataclass(frozen=True)
class Setting:
    """A training configuration as its source reports it; None where it does not say."""

    name: str
    source: str
    group_size: int
    prompts: int | None = None
    """Prompts per rollout step."""
    learning_rate: float | None = None
    clip_low: float | None = None
    clip_high: float | None = None
    kl: float | None = None
    """Weight of the KL term; 0 where there is none."""
    updates: int | None = None
    """Gradient steps on the completions of one rollout step."""
    rewards: str | None = None
    note: str = ""


SETTINGS: Mapping[str, Setting] = MappingProxyType(
    {
        "deepseekmath": Setting(
            "DeepSeekMath",
            "arXiv:2402.03300, section 4.2",
            group_size=64,
            learning_rate=1e-6,
            kl=0.04,
            updates=1,
            rewards="reward model",
            note="training batch size 1024; the paper does not say what 1024 counts",
        ),
        "dapo": Setting(
            "DAPO",
            "arXiv:2503.14476, section 4.1",
            group_size=16,
            prompts=512,
            clip_low=0.2,
            clip_high=0.28,
            kl=0.0,
            updates=16,
            rewards="±1",
        ),
        "rlhf_book": Setting(
            "RLHF Book code",
            f"natolambert/rlhf-book {CONVENTIONS['rlhf_book'].version[:7]}, code/policy_gradients",
            group_size=8,
            learning_rate=5e-6,
            clip_low=0.2,
            clip_high=0.2,
            kl=0.0,
            note="its group methods; reinforce and ppo use 1, dapo clips at .2/.28",
        ),
        "two_grpo": Setting(
            "2-GRPO",
            "arXiv:2510.00977, version 3",
            group_size=2,
            prompts=256,
            note="batch, learning rate and rollouts all change together with G there",
        ),
        "sixteen_grpo": Setting(
            "16-GRPO, what 2-GRPO is compared with",
            "arXiv:2510.00977, version 3",
            group_size=16,
            prompts=32,
        ),
    }
)
"""Published runs by name."""

DEFAULTS: Mapping[str, Setting] = MappingProxyType(
    {
        "trl": Setting(
            "TRL GRPOTrainer", "TRL 1.16.0", group_size=8, learning_rate=1e-6, clip_low=0.2, kl=0.0
        ),
        "trl_rloo": Setting(
            "TRL RLOOTrainer",
            "TRL 1.16.0",
            group_size=2,
            learning_rate=1e-6,
            clip_low=0.2,
            kl=0.05,
            note="the KL term is part of the reward",
        ),
        "verl": Setting(
            "verl",
            "verl 0.9.1",
            group_size=1,
            learning_rate=1e-6,
            clip_low=0.2,
            clip_high=0.2,
            kl=0.0,
            note="the default estimator is GAE, which needs no group; KL weight .001 when switched on",
        ),
        "openrlhf": Setting(
            "OpenRLHF",
            "OpenRLHF 0.11.2",
            group_size=1,
            learning_rate=1e-6,
            clip_low=0.2,
            clip_high=0.2,
            kl=0.01,
            note="the default estimator is GAE, which needs no group",
        ),
        "openrlhf_dapo": Setting(
            "OpenRLHF, DAPO script",
            "OpenRLHF 0.11.2",
            group_size=8,
            learning_rate=5e-7,
            clip_low=0.2,
            clip_high=0.27,
        ),
        "rlhf_book": SETTINGS["rlhf_book"],
        "nemo_rl": Setting(
            "NeMo-RL",
            f"NVIDIA-NeMo/RL {CONVENTIONS['nemo_rl'].version[:8]}",
            group_size=16,
            learning_rate=5e-6,
            clip_low=0.2,
            clip_high=0.2,
            kl=0.01,
        ),
        "open_instruct": Setting(
            "open-instruct",
            f"allenai/open-instruct {CONVENTIONS['open_instruct'].version[:8]}",
            group_size=4,
            clip_low=0.2,
            clip_high=0.272,
            kl=0.05,
        ),
    }
)
"""Trainers' defaults; a `clip_high` of None means the same as `clip_low`."""

FIGURES: Mapping[str, Quoted] = MappingProxyType(
    {
        "deepseekmath_batch": Quoted(
            1024, "arXiv:2402.03300, section 4.2", "training batch size; its unit is not stated"
        ),
        "two_grpo_performance": Quoted(
            0.976, "arXiv:2510.00977, version 3", "share of 16-GRPO's performance that 2-GRPO keeps"
        ),
        "two_grpo_rollouts": Quoted(0.125, "arXiv:2510.00977, version 3", "share of 16-GRPO's rollouts"),
        "two_grpo_time": Quoted(0.21, "arXiv:2510.00977, version 3", "share of 16-GRPO's training time"),
        "dapo_aime_naive": Quoted(30, "arXiv:2503.14476", "AIME 2024, GRPO without DAPO's changes"),
        "dapo_aime_before_dynamic_sampling": Quoted(
            42, "arXiv:2503.14476", "AIME 2024, all of DAPO's changes but dynamic sampling"
        ),
        "dapo_aime": Quoted(50, "arXiv:2503.14476", "AIME 2024, DAPO"),
        "trl_missed_silent_groups": Quoted(
            39,
            "TRL 1.16.0, frac_reward_zero_std",
            "of the constants .01 … 1.00, as groups of 8, 16 and 64; of 4, none is missed",
        ),
    }
)
"""Single reported numbers by name."""


def _recorded(values: Mapping[str, float]) -> Mapping[str, Quoted]:
    """First completion's float32 advantage under each preset's trainer."""

    def source(preset: str) -> str:
        convention = CONVENTIONS[preset]
        version = convention.version[:8] if len(convention.version) == 40 else convention.version
        return f"{convention.trainer} {version}, {convention.file}, run on a CPU with torch 2.13.0"

    return MappingProxyType({preset: Quoted(value, source(preset)) for preset, value in values.items()})


FLOAT32: Mapping[str, Mapping[str, Quoted]] = MappingProxyType(
    {
        "eight_of_0.3": _recorded(
            {
                "trl": 2.979283e-4,
                "verl": 0.02888214,
                "slime": 0.02980232,
                "openrlhf": 0.9069477,
                "rlhf_book": 0.7119519,
                "nemo_rl": 3.162629e-4,
                "open_instruct_standard": 0.0,
            }
        ),
        "seven_of_0.3": _recorded({"openrlhf": 0.8979257, "open_instruct_standard": 0.7487584}),
        "sixteen_of_0.7": _recorded({"trl": 5.956797e-4, "verl": 0.0561482, "openrlhf": 0.9527687}),
        "eight_of_10000.1": _recorded({"trl": -0.85, "verl": -0.93, "openrlhf": -0.94, "slime": -976.6}),
        "one_and_seven_of_0.15": _recorded({"nemo_rl": 17_851.0}),
        "one_and_fifteen_of_0.15": _recorded({"nemo_rl": 18_610.49}),
    }
)
"""Recorded failures: a group of rewards by name, then the first advantage under each preset's trainer."""
