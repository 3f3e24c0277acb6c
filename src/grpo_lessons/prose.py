"""What chapters need to put computed numbers, tables and derivations into their prose.

`glue` speaks myst-nb's protocol, so the built book finds the values; in a live notebook it shows nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from IPython.display import Markdown, Math, display
from sympy import latex

GLUE_PREFIX = "application/papermill.record/"
"""myst-nb's own prefix for outputs that are stored and not shown."""


def glue(**values: object) -> None:
    """Store values under names, for the glue role in the text of the same chapter.

    Parameters
    ----------
    **values
        Each value is written as ``str(value)``: format numbers first, ``glue(share=percent(x))``.
    """
    for name, value in values.items():
        display(
            {GLUE_PREFIX + "text/plain": repr(str(value))},  # quoted: myst-nb would read 1.00 as 1.0
            raw=True,
            metadata={"scrapbook": {"name": name, "mime_prefix": GLUE_PREFIX}},
        )


def percent(share: float, digits: int = 1) -> str:
    """A share in [0, 1] as "66.3 %", with a narrow no-break space before the sign."""
    return f"{100 * float(share):.{digits}f}\N{NARROW NO-BREAK SPACE}%"


def steps(left: Any, *right: Any) -> Math:
    """A derivation as aligned lines: ``left = right[0] = right[1] = …``.

    Parameters
    ----------
    left, *right
        sympy expressions, or strings of LaTeX that are shown as they are.
    """
    first, *rest = map(_latex, right)
    lines = [f"{_latex(left)} &= {first}", *(f"&= {line}" for line in rest)]
    return Math(r"\begin{aligned}" + r" \\[4pt] ".join(lines) + r"\end{aligned}")


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> Markdown:
    """A Markdown table; cells are written with ``str`` and may hold ``$maths$``."""
    lines = [list(header), ["---"] * len(header), *([str(cell) for cell in row] for row in rows)]
    return Markdown("\n".join("| " + " | ".join(line) + " |" for line in lines))


def _latex(expression: Any) -> str:
    return expression if isinstance(expression, str) else str(latex(expression))
