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

__all__ = [
    "IdentityTerms",
    "advantages",
    "enumerate_actions",
    "enumerate_groups",
    "exact_moments",
    "group_gradient",
    "identity_terms",
    "optimal_baseline",
    "reinforce_variance",
    "softmax_scores",
]
