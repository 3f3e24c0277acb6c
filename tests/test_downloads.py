"""Chapters as plain notebooks: every role and directive becomes words that any Jupyter shows."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "_ext"))

from plain_markdown import plain  # noqa: E402
from plain_notebook import plain_notebook  # noqa: E402

CHAPTERS = sorted((ROOT / "notebooks").glob("*.md"))
WORDS = {
    ("glue:text", "share"): "66.3 %",
    ("eq", "eq-silent"): "(7)",
    ("cite:t", "shao2024"): "Shao et al. (2024)",
    ("ref", "sec-play"): "Play",
    ("ref", "ex-one"): "Exercise 1",
    ("numref", "fig-one"): "Fig. 2",
    ("prf:ref", "thm-one"): "Theorem 3",
    ("doc", "12-arcsine-limit"): "12 The arcsine limit",
    ("term", "silent group"): "silent group",
}


def say(role: str, target: str) -> str:
    return WORDS[role, target]


def echo(role: str, target: str) -> str:
    """Words for whatever a chapter refers to."""
    return f"({target})" if role == "eq" else target


@pytest.mark.parametrize(
    ("myst", "expected"),
    [
        ("It is {glue:text}`share`.", "It is 66.3 %."),
        ("{glue:text}`share`{glue:text}`share`", "66.3 %66.3 %"),
        ("by {eq}`eq-silent` and\n{eq}`eq-silent`", "by (7) and\n(7)"),
        ("{cite:t}`shao2024` say", "Shao et al. (2024) say"),
        ("see {doc}`04 <04-identity>`, {doc}`12-arcsine-limit`", "see 04, 12 The arcsine limit"),
        ("see {doc}`the\nfourth <04-identity>`", "see the fourth"),
        ("{ref}`sec-play`, {ref}`there <sec-play>`, {numref}`fig-one`", "Play, there, Fig. 2"),
        ("{prf:ref}`thm-one` on a {term}`silent group`", "Theorem 3 on a silent group"),
        ("{term}`silent groups <silent group>`", "silent groups"),
        ("{math}`p^G` and {code}`x` and {py:func}`~a.b.c`, {py:func}`a.b`", "$p^G$ and `x` and `c`, `a.b`"),
        ("write `{eq}` or ``{eq}`x` ``", "write `{eq}` or ``{eq}`x` ``"),
        ("$a_{i}$ and $[0,1](x)$", "$a_{i}$ and $[0,1](x)$"),
        ("[the course](https://example.org/a)", "[the course](https://example.org/a)"),
        ("[there](12-arcsine-limit.md), [](12-arcsine-limit.md)", "there, 12 The arcsine limit"),
        ("[](#sec-play), [there](12-arcsine-limit.md#sec-play)", "Play, there"),
        ("![a curve](../_assets/curve.svg)", "a curve"),
        ("[small]{.muted} `x`{.python}", "small `x`"),
        ("(sec-play)=\n## Play\n% a comment\ntext", "## Play\ntext"),
        ("Silent\n: All rewards equal.", "Silent\n— All rewards equal."),
        ("- at 5 % of\n  them", "- at 5 % of\n  them"),
    ],
)  # fmt: skip
def test_spans(myst, expected):
    assert plain(myst, say) == expected


def test_labelled_equation_gets_the_sites_number():
    assert plain("$$\np^G .\n$$ (eq-silent)", say) == "$$\np^G .\n\\tag{7}\n$$"
    assert plain("```{math}\n:label: eq-silent\np^G\n```", say) == "$$\np^G\n\\tag{7}\n$$"
    assert plain("$$\np^G\n$$\n\n(so it is)", say) == "$$\np^G\n$$\n\n(so it is)"


@pytest.mark.parametrize(
    ("myst", "expected"),
    [
        (":::{note}\nMind.\n:::", "> **Note**\n>\n> Mind."),
        (":::{tip} Mind.\n:::", "> **Tip**\n>\n> Mind."),
        (":::{seealso}\nMore.\n:::", "> **See also**\n>\n> More."),
        ("```{admonition} Right · it $p$ is\n:class: right\nYes.\n```", "> **Right · it $p$ is**\n>\n> Yes."),
        (":::{card}\n:class-card: chapter-card\n**30 minutes**\n^^^\nmore\n:::", "> **30 minutes**\n> more"),
        (":::{card} Title\nBody\n:::", "> **Title**\n>\n> Body"),
        (":::{prf:theorem} Silence\n:label: thm-one\nIt is.\n:::", "> **Theorem 3 (Silence)**\n>\n> It is."),
        (":::{prf:proof}\nBy {eq}`eq-silent`.\n:::", "> **Proof**\n>\n> By (7)."),
        (":::{prf:lemma}\nSo.\n:::", "> **Lemma**\n>\n> So."),
        ("```{exercise} By hand\n:label: ex-one\n\nDo it.\n```", "> **Exercise 1 (By hand)**\n>\n> Do it."),
        (":::{solution} ex-one\nDone.\n:::", "> **Solution to Exercise 1**\n>\n> Done."),
        (":::{figure} a.svg\n:name: fig-one\nA curve.\n:::", "> **Fig. 2**\n>\n> A curve."),
        ("::::{grid} 2\n:gutter: 2\n\n:::{grid-item-card} One\n1\n:::\n::::", "> **One**\n>\n> 1"),
        ("```{code-block} python\n:linenos:\nx = {1}\n```", "```python\nx = {1}\n```"),
        ("before\n\n```{bibliography}\n```\n\n:::{image} a.svg\n:::\nafter", "before\n\nafter"),
        (":::\nplain\n:::", "plain"),
        (":::{unheard-of} Title\n:option: x\nBody\n:::", "> **Title**\n>\n> Body"),
    ],
)
def test_directives(myst, expected):
    assert plain(myst, say) == expected


@pytest.mark.parametrize(
    "myst",
    [
        ":::{dropdown} Why?\n:open:\nBecause $a$.\n:::",
        ":::{admonition} Why?\n:class: tip dropdown\nBecause $a$.\n:::",
    ],
)
def test_what_is_folded_stays_folded(myst):
    assert plain(myst, say) == "<details>\n<summary>Why?</summary>\n\nBecause $a$.\n\n</details>"


def test_a_quiz_does_not_give_its_answers_away():
    myst = (
        ":::{quiz}\n1. How often?\n   - [ ] never\n     : Look at {eq}`eq-silent`.\n"
        "   - [x] at $p$\n     : {glue:text}`share`,\n       in fact.\n:::"
    )
    fold = "<details>\n<summary>{}</summary>\n\n{}\n\n</details>"
    never, often = (
        fold.format("never", "**No.** Look at (7)."),
        fold.format("at $p$", "**Right.** 66.3 %, in fact."),
    )
    assert plain(myst, say) == f"**1.** How often?\n\n{never}\n\n{often}"


def test_maths_in_a_quotation_stands_on_one_line():
    """Else Jupyter typesets the quotation's marks; list items and code keep their lines."""
    myst = ":::{note}\n- $a$\n- $b +\n  c$\n\n$$\nx \\\\\ny\n$$ (eq-silent)\n\n```\n$ ls\n$ cd\n```\n:::"
    expected = "- $a$\n- $b + c$\n\n$$ x \\\\ y \\tag{7} $$\n\n```\n$ ls\n$ cd\n```"
    assert plain(myst, say).removeprefix("> **Note**\n>\n") == "\n".join(
        f"> {x}".strip() for x in expected.split("\n")
    )


def test_directives_nest():
    note = "```{note}\nIn {ref}`sec-play`.\n```"
    myst = f"::::{{prf:theorem}}\n:label: thm-one\nFirst.\n\n{note}\nLast.\n::::\nAfter."
    expected = "> **Theorem 3**\n>\n> First.\n>\n> > **Note**\n> >\n> > In Play.\n>\n> Last.\n\nAfter."
    assert plain(myst, say) == expected


def test_directive_in_a_list_keeps_its_place():
    assert (
        plain("- one\n\n  :::{note}\n  two\n  :::\n- three", say)
        == "- one\n\n  > **Note**\n  >\n  > two\n\n- three"
    )


def test_other_code_is_left_alone():
    myst = "```python\nx = {eq}`eq-silent`\n\n\n% no comment\n:::\n```"
    assert plain(myst, say) == myst


NOTEBOOK = """---
jupytext:
  text_representation: {extension: .md, format_name: myst}
kernelspec: {display_name: Python 3, language: python, name: python3}
myst: {html_meta: {description: D}}
---

# 07 Silent groups

```{code-cell}
:tags: [hide-input]
x = 1
```

```{code-cell}
:tags: [remove-cell]
y = 2
```

```{code-cell}
z = 3
```

```{solution-start} ex-one
:class: dropdown
```
First {glue:text}`share`.

```{code-cell}
answer = 4
```

then this.

```{solution-end}
```

## Summary

```{code-cell}
last = 5
```
"""


@pytest.fixture(scope="module")
def notebook():
    made = plain_notebook(NOTEBOOK, "07 Silent groups", "some.whl", "", say)
    nbformat.validate(made)
    return made


def test_notebook_opens_with_the_install_line(notebook):
    assert "**07 Silent groups**" in notebook.cells[0].source
    assert "\n%pip install some.whl\n" in notebook.cells[0].source
    assert notebook.cells[1].source == "# 07 Silent groups"


def test_notebook_names_its_kernel_and_nothing_else(notebook):
    assert notebook.metadata.kernelspec.name == "python3"
    assert notebook.metadata.kernelspec.language == "python"
    assert set(notebook.metadata) == {"kernelspec", "language_info"}


def test_cells_are_folded_as_on_the_page(notebook):
    code = {
        cell.source[0]: cell.metadata.get("jupyter", {})
        for cell in notebook.cells
        if cell.cell_type == "code"
    }
    both = {"source_hidden": True, "outputs_hidden": True}
    assert code == {"x": {"source_hidden": True}, "y": both, "z": {}, "a": both, "l": {}}


def test_a_solution_over_several_cells_is_folded_in_each(notebook):
    fold = "<details>\n<summary>Solution to Exercise 1</summary>\n\n{}\n\n</details>"
    text = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    assert text[2:] == [fold.format("First 66.3 %."), fold.format("then this.") + "\n\n## Summary"]


def test_same_source_same_notebook(notebook):
    assert nbformat.writes(notebook) == nbformat.writes(
        plain_notebook(NOTEBOOK, "07 Silent groups", "some.whl", "", say)
    )


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_no_chapter_keeps_any_myst(chapter):
    made = plain_notebook(chapter.read_text("utf-8"), chapter.stem, "some.whl", "", echo)
    nbformat.validate(made)
    for cell in made.cells:
        if cell.cell_type == "markdown":
            prose = re.sub(r"^(`{3,}).*?^\1$|(`+)[^`]+\2", "", cell.source, flags=re.DOTALL | re.MULTILINE)
            left = re.search(
                r"\{[\w:.-]+\}`|^[>\s]*:{3,}|^[>\s]*`{3,}\{|\$\$\s*\([^()\s]+\)|^\([\w-]+\)=|^:\w+:",
                prose,
                re.M,
            )
            assert not left, f"{left[0]!r} is left in {chapter.name}: {cell.source[:200]}"
