"""Numbers as the table, the page and the advice write them."""

from __future__ import annotations

from .what_if import Estimate

UNKNOWN = "—"
NO_BREAK = "\N{NO-BREAK SPACE}"


def share(value: float | None) -> str:
    """0.1234 as "12.3 %"; what is neither 0 nor 1 never reads so."""
    if value is None:
        return UNKNOWN
    if 0 < value < 0.0005:
        return "< 0.1 %"
    if 0.9995 < value < 1:
        return "> 99.9 %"
    return f"{100 * value:.1f} %"


def number(value: float | None, digits: int = 3) -> str:
    """A few significant digits, thousands apart: "13", "9.75", "1,000"."""
    if value is None:
        return UNKNOWN
    if 1000 <= abs(value) < 1e6:
        return f"{value:,.0f}"
    return f"{value:.{digits}g}"


def between(estimate: Estimate | None, say: str = "share") -> str:
    """The interval of an estimate: "10.1 to 14.5 %"."""
    if estimate is None or estimate.low is None or estimate.high is None:
        return UNKNOWN
    if say == "share":
        return f"{share(estimate.low).removesuffix(' %')} to {share(estimate.high)}"
    return f"{number(estimate.low)} to {number(estimate.high)}"


def counted(count: int, noun: str) -> str:
    """ "1 group", "2,000 groups"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def kept(text: str) -> str:
    """Text in which a number stays with its sign, and a letter with its value, when lines are broken."""
    return text.replace(" %", f"{NO_BREAK}%").replace(" = ", f"{NO_BREAK}={NO_BREAK}")
