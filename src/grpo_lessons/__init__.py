"""grpo_lessons: exact formulas, estimators and kernel-free interactive figures for GRPO's group size."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from .beta_mixtures import beta_silent_probability
from .budget import (
    ErrorTerms,
    PromptMoments,
    best_group_size,
    error_terms,
    one_logit_moments,
    optimal_group_size,
    prompt_moments,
    rloo_variance,
    scaled_error,
)
from .counts import (
    group_std,
    mixed_probability,
    mixed_success_rate,
    positive_probability,
    rollouts_per_mixed_group,
    silent_probability,
)
from .coverage import beta_min_group_size_for_coverage, min_group_size_for_coverage
from .enumeration import (
    enumerate_actions,
    enumerate_groups,
    exact_moments,
    optimal_baseline,
    reinforce_variance,
    softmax_scores,
)
from .estimators import IdentityTerms, advantages, expected_squared_norm, group_gradient, identity_terms
from .extremes import (
    advantage_bound,
    expected_max_advantage,
    extreme_advantage_probability,
    sign_flip_probability,
    sign_flip_weight,
    std_relative_error,
    std_variation,
)
from .group_sizes import (
    expected_std,
    fidelity,
    group_size_law,
    min_group_size,
    rare_prompt_constant,
)
from .objectives import (
    gradient_flow,
    objective,
    objective_weight,
    retry_weight,
)
from .stationary import rlhf_policy, stationary_policy

if TYPE_CHECKING:
    from . import conventions as conventions
    from . import symbolic as symbolic
    from .figures import explore, still

__all__ = [
    "ErrorTerms",
    "IdentityTerms",
    "PromptMoments",
    "advantage_bound",
    "advantages",
    "best_group_size",
    "beta_min_group_size_for_coverage",
    "beta_silent_probability",
    "enumerate_actions",
    "enumerate_groups",
    "error_terms",
    "exact_moments",
    "expected_max_advantage",
    "expected_squared_norm",
    "expected_std",
    "explore",
    "extreme_advantage_probability",
    "fidelity",
    "gradient_flow",
    "group_gradient",
    "group_size_law",
    "group_std",
    "identity_terms",
    "min_group_size",
    "min_group_size_for_coverage",
    "mixed_probability",
    "mixed_success_rate",
    "objective",
    "objective_weight",
    "one_logit_moments",
    "optimal_baseline",
    "optimal_group_size",
    "positive_probability",
    "prompt_moments",
    "rare_prompt_constant",
    "reinforce_variance",
    "retry_weight",
    "rlhf_policy",
    "rloo_variance",
    "rollouts_per_mixed_group",
    "scaled_error",
    "sign_flip_probability",
    "sign_flip_weight",
    "silent_probability",
    "softmax_scores",
    "stationary_policy",
    "std_relative_error",
    "std_variation",
    "still",
]


def __getattr__(name: str) -> object:
    """What is imported when first used: figures bring matplotlib, `symbolic` brings sympy."""
    if name in ("explore", "still"):
        return getattr(import_module(".figures", __name__), name)
    if name in ("conventions", "symbolic"):
        return import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "conventions", "symbolic"})
