"""A diagnosis as one self-contained page with explorers: nothing is loaded, everything foreign is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from pathlib import Path

from ..standalone import standalone_page
from .findings import Diagnosis
from .pictures import pictures
from .text import conventions_said, extremes_said, smallest_said, spread, weighted
from .what_if import Estimate
from .wording import between, counted, kept, number, share

STYLE = Path(__file__).with_name("page.css")
STEPS = 40
"""The most rows of the table of steps, evenly spread."""


def report_page(found: Diagnosis) -> str:
    """The page, to be written to a file.

    Parameters
    ----------
    found : the diagnosis
    """
    figures = {figure.name: figure.html for figure in pictures(found)}
    parts = (
        _head(found),
        _advice(found),
        _counts(found, figures.get("counts", "")),
        _sizes(found, figures.get("sizes", "")),
        _rewards(found),
        _steps(found),
        _log(found),
    )
    body = "\n".join(line for part in parts for line in part)
    return standalone_page("What the groups are doing", f"<main>\n{body}\n</main>", STYLE.read_text("utf-8"))


def _head(found: Diagnosis) -> Iterator[str]:
    first = found.paths[0] if found.paths else ""
    more = f" and {counted(len(found.paths) - 1, 'other file')}" if found.paths[1:] else ""
    yield "<h1>What the groups are doing</h1>"
    yield f'<p class="soft"><code>{_safe(first)}</code>{more}</p>'
    sizes = ", ".join(f"{count:,} of {size}" for size, count in list(found.sizes.items())[:6])
    yield _text(
        f"{counted(found.rows, 'completion')} in {counted(found.groups, 'group')} ({sizes}); {found.rule}."
    )
    seen = found.silence
    if seen is None:
        return
    tiles = [("", share(seen.observed.value), f"of groups silent ({between(seen.observed)})")]
    if seen.too_hard is not None and seen.too_easy is not None:
        tiles.append(("wrong", share(seen.too_hard), "all wrong: too hard"))
        tiles.append(("right", share(seen.too_easy), "all right: too easy"))
    mixed = number(found.mixed_groups / len(found.steps))
    tiles.append(("", mixed, f"mixed groups a step, of {number(found.groups / len(found.steps))}"))
    if found.pass_at:
        k, value = max(found.pass_at.items())
        tiles.append(("", share(value), f"pass@{k}"))
    yield '<ul class="tiles">'
    yield from (
        f'<li class="{kind}"><b>{_safe(value)}</b><span>{_safe(says)}</span></li>'
        for kind, value, says in tiles
    )
    yield "</ul>"


def _advice(found: Diagnosis) -> Iterator[str]:
    yield '<h2>Advice</h2>\n<ol class="advice">'
    for advice in found.advice:
        yield (
            f"<li><h3>{_safe(advice.sentence)}</h3><p>{_safe(advice.evidence)}</p>"
            f'<p class="soft">But: {_safe(advice.caveat)}</p></li>'
        )
    yield "</ol>"


def _counts(found: Diagnosis, figure: str) -> Iterator[str]:
    seen = found.silence
    if seen is None or found.histogram is None:
        return
    yield f'<h2>How many of a group are right</h2>\n<div class="pair">{figure}<div>'
    if seen.expected is not None and found.fit is not None:
        yield _text(
            f"{share(seen.observed.value)} of the groups are silent, where {share(seen.expected.value)} "
            f"({between(seen.expected)}) are expected of prompts whose difficulty follows "
            f"{found.fit.mixture}. {found.fit.remark}"
        )
        yield _text(
            "The 90 % interval holds whatever the law of difficulty is, as long as a group's completions are "
            "independent.",
            "soft",
        )
    if seen.held_out is not None:
        held = seen.held_out
        yield _text(
            f"Prompts come up again: by their other groups {share(held.expected)} ({share(held.low)} to "
            f"{share(held.high)}) of {counted(held.groups, 'group')} should be silent, and "
            f"{share(held.observed)} are."
        )
    yield "</div></div>"


def _sizes(found: Diagnosis, figure: str) -> Iterator[str]:
    if not found.what_if:
        return
    yield "<h2>With another group size</h2>"
    yield _text(
        "For the same prompts, as far as these groups tell. Bands and small print are 90 % intervals."
    )
    yield f'<div class="pair">{figure}<div>'
    rows = [
        [
            f"{row.group_size}",
            _estimate(row.silent, "share"),
            _estimate(row.cost, "number"),
            _estimate(row.fidelity, "share"),
        ]
        for row in found.what_if
    ]
    here = [row.group_size in found.sizes for row in found.what_if]
    yield from _table(["G", "silent", "rollouts a mixed group", "fidelity"], rows, here)
    if found.smallest:
        yield _text(smallest_said(found))
    yield "</div></div>"


def _rewards(found: Diagnosis) -> Iterator[str]:
    split = found.variance
    if split is None:
        return
    yield "<h2>Rewards and advantages</h2>"
    if weighted(found):
        yield _text(weighted(found))
    apart = (
        ""
        if split.between_share is None
        else f" {share(split.between_share)} of the variance is between prompts."
    )
    yield _text(f"The mean reward is {number(found.mean_reward)}.{apart}")
    if found.pass_at:
        yield _text(", ".join(f"pass@{k} {share(value)}" for k, value in found.pass_at.items()) + ".")
    yield _text(f"Whose advantages these are: {conventions_said(found)}")
    yield _text(extremes_said(found))
    if len(found.components) > 1:
        rows = [
            [_safe(one.name), number(one.weight), number(one.mean), share(one.silent), share(one.share)]
            for one in found.components
        ]
        yield from _table(["reward function", "weight", "mean", "silent", "of the variance"], rows)


def _steps(found: Diagnosis) -> Iterator[str]:
    if len(found.steps) < 2:
        return
    yield "<h2>Step by step</h2>"
    rows = [
        [
            f"{step.step}",
            f"{step.groups:,}",
            f"{step.mixed:,}",
            "—" if step.all_right is None else f"{step.all_right:,}",
            "—" if step.all_wrong is None else f"{step.all_wrong:,}",
            number(step.mean_reward),
        ]
        for step in spread(found.steps, STEPS)
    ]
    yield from _table(["step", "groups", "mixed", "all right", "all wrong", "mean reward"], rows)
    if len(found.steps) > STEPS:
        yield _text(f"{STEPS} of {len(found.steps):,} steps, evenly spread.", "soft")


def _log(found: Diagnosis) -> Iterator[str]:
    yield "<h2>The log</h2>"
    yield _text(f"Read as {found.format}. {found.why}")
    left_out = found.incomplete or found.singletons
    if left_out:
        yield _text(
            f"Left out: {counted(found.incomplete, 'group')} with a missing reward and "
            f"{counted(found.singletons, 'completion')} alone in a group."
        )
    if found.notes:
        notes = "".join(f"<li>{_safe(note.sentence)}</li>" for note in found.notes)
        yield f'<ul class="notes">{notes}</ul>'


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], here: Sequence[bool] = ()) -> Iterator[str]:
    """Cells are HTML."""
    yield f'<div class="wide" tabindex="0" role="region" aria-label="{escape(head[0])}"><table><thead><tr>'
    yield "".join(f'<th scope="col">{escape(name)}</th>' for name in head) + "</tr></thead><tbody>"
    for place, row in enumerate(rows):
        kind = ' class="here"' if here and here[place] else ""
        name = ' class="name"' if head[0] == "reward function" else ""
        first, *rest = row
        yield f"<tr{kind}><td{name}>{first}</td>" + "".join(f"<td>{cell}</td>" for cell in rest) + "</tr>"
    yield "</tbody></table></div>"


def _estimate(estimate: Estimate, say: str) -> str:
    value = share(estimate.value) if say == "share" else number(estimate.value)
    span = between(estimate, say)
    return _safe(value) if estimate.low is None else f"{_safe(value)}<small>{_safe(span)}</small>"


def _text(text: str, kind: str = "") -> str:
    return f"<p{f' class={kind!r}' if kind else ''}>{_safe(text)}</p>" if text else ""


def _safe(text: str) -> str:
    return escape(kept(text))
