"""What a run's groups are doing, from its rollout log: counts, silence, fits, conventions, and advice."""

from .groups import Cells, Groups, count_cells, read_groups
from .intervals import GRID, Region
from .mixtures import BetaMixture, Fit, fit_difficulty
from .variance import Component, VarianceSplit, component_shares, pass_at, variance_split
from .what_if import AnotherSize, Estimate, Posterior, other_sizes

__all__ = [
    "GRID",
    "AnotherSize",
    "BetaMixture",
    "Cells",
    "Component",
    "Estimate",
    "Fit",
    "Groups",
    "Posterior",
    "Region",
    "VarianceSplit",
    "component_shares",
    "count_cells",
    "fit_difficulty",
    "other_sizes",
    "pass_at",
    "read_groups",
    "variance_split",
]
