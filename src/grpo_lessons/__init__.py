"""grpo_lessons: exact formulas, estimators and kernel-free interactive figures for GRPO's group size."""

from __future__ import annotations

from .enumeration import (
    enumerate_actions,
    enumerate_groups,
    exact_moments,
    optimal_baseline,
    reinforce_variance,
    softmax_scores,
)
from .estimators import IdentityTerms, advantages, group_gradient, identity_terms
from .extremes import (
    advantage_bound,
    expected_max_advantage,
    extreme_advantage_probability,
    sign_flip_probability,
    std_relative_error,
    std_variation,
)

__all__ = [
    "IdentityTerms",
    "advantage_bound",
    "advantages",
    "enumerate_actions",
    "enumerate_groups",
    "exact_moments",
    "expected_max_advantage",
    "extreme_advantage_probability",
    "group_gradient",
    "identity_terms",
    "optimal_baseline",
    "reinforce_variance",
    "sign_flip_probability",
    "softmax_scores",
    "std_relative_error",
    "std_variation",
]
