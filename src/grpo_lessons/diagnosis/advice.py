"""Three plain sentences of advice: small rules, each from what was found to a sentence, or to nothing.

A rule's place in `RULES` is its urgency: the first three that have something to say are given. The last ones
always have.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .findings import Diagnosis


@dataclass(frozen=True)
class Advice:
    """One piece of advice.

    Attributes
    ----------
    rule : the name of the rule that gave it
    sentence : what to do
    evidence : what in the log says so
    caveat : what could make it wrong
    """

    rule: str
    sentence: str
    evidence: str
    caveat: str


def advise(found: Diagnosis) -> tuple[Advice, ...]:
    """The three most urgent pieces of advice."""
    from . import rules_log as log
    from . import rules_size as size

    rules: tuple[Callable[[Diagnosis], Advice | None], ...] = (
        log.no_groups,
        log.survivors,
        log.untrusted,
        log.incomplete,
        log.graded,
        log.few_groups,
        size.all_silent,
        size.too_hard,
        size.too_easy,
        size.draw_again,
        size.larger,
        size.smaller,
        log.noisy_silence,
        log.drift,
        log.one_component,
        size.leave,
        size.watch,
        size.compare,
    )
    said = (rule(found) for rule in rules)
    return tuple([advice for advice in said if advice is not None][:3])
