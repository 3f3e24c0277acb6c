"""What a run's groups are doing, from its rollout log: counts, silence, fits, conventions, and advice."""

from .advice import Advice
from .diagnosing import diagnose
from .extremes import Extremes, extreme_advantages
from .findings import Diagnosis, Silence, Step
from .groups import Cells, Groups, count_cells, read_groups
from .held_out import HeldOut, held_out, silent_at_smaller
from .intervals import GRID, Region
from .matching import ConventionMatch, Match, match_conventions
from .mixtures import BetaMixture, Fit, fit_difficulty
from .variance import Component, VarianceSplit, component_shares, pass_at, variance_split
from .what_if import AnotherSize, Estimate, Posterior, other_sizes

__all__ = [
    "GRID",
    "Advice",
    "AnotherSize",
    "BetaMixture",
    "Cells",
    "Component",
    "ConventionMatch",
    "Diagnosis",
    "Estimate",
    "Extremes",
    "Fit",
    "Groups",
    "HeldOut",
    "Match",
    "Posterior",
    "Region",
    "Silence",
    "Step",
    "VarianceSplit",
    "component_shares",
    "count_cells",
    "diagnose",
    "extreme_advantages",
    "fit_difficulty",
    "held_out",
    "match_conventions",
    "other_sizes",
    "pass_at",
    "read_groups",
    "silent_at_smaller",
    "variance_split",
]
