"""grpo_lessons: exact formulas, estimators and kernel-free interactive figures for GRPO's group size."""

from __future__ import annotations
