"""MyST Markdown rewritten as the Markdown that any Jupyter renders.

Directives become a bold title over a quotation; what is folded on the page is folded in the notebook.
"""

import re
import textwrap
from collections.abc import Iterator

from plain_spans import MATHS, Say, display, plain_spans
from quiz import parse

FENCE = re.compile(
    r"(?P<indent>[ ]*)(?P<fence>`{3,}|~{3,}|:{3,})[ ]*(?:\{(?P<name>[^}\s]+)\})?[ ]*(?P<argument>.*)"
)
OPTION = re.compile(r":([\w-]+):[ ]*(.*)")
NOTES = {"note", "tip", "hint", "important", "warning", "caution", "attention", "danger", "error", "seealso"}
CODE = {"code-block", "code", "sourcecode", "literalinclude"}
BODY_ONLY = {"grid", "grid-item", "tab-set", "div", "container", "glossary", "list-table", None}
DROPPED = {
    "bibliography", "toctree", "tableofcontents", "raw", "index", "image", "exercise-end", "solution-end",
    "course-downloads",
}  # fmt: skip


def plain(text: str, say: Say) -> str:
    """Rewrite `text`, which holds whole blocks."""
    return "\n\n".join(block.strip("\n") for block in _blocks(text.split("\n"), say) if block.strip())


def _blocks(lines: list[str], say: Say) -> Iterator[str]:
    """Prose between fences goes through `plain_spans`; a fence that is not a directive stays as it is."""
    prose: list[str] = []
    i = 0
    while i < len(lines):
        opening = FENCE.fullmatch(lines[i])
        if not opening or (opening["fence"][0] == "`" and "`" in opening["argument"]):
            prose.append(lines[i])
            i += 1
            continue
        yield plain_spans("\n".join(prose), say)
        prose = []
        name, argument = opening["name"], opening["argument"].strip()
        end = _closing(lines, i, opening["fence"])
        body = lines[i + 1 : end]
        if name and name.endswith("-start"):
            gate = _gate(lines, end + 1, name)
            body, end = [*body, "", *lines[end + 1 : gate]], gate - 1
        if name is None and opening["fence"][0] != ":":
            yield "\n".join(lines[i : end + 1])
        else:
            block = _directive(name, argument, textwrap.dedent("\n".join(body)), say)
            yield textwrap.indent(block, opening["indent"])
        i = end + 1
    yield plain_spans("\n".join(prose), say)


def _closing(lines: list[str], start: int, fence: str) -> int:
    """The line that closes a fence: as long at least, of the same sign; else the text's end, as in MyST."""
    closing = re.compile(rf"\s*{re.escape(fence[0])}{{{len(fence)},}}\s*")
    return next((j for j in range(start + 1, len(lines)) if closing.fullmatch(lines[j])), len(lines))


def _gate(lines: list[str], start: int, name: str) -> int:
    """Where `{x-start}` ends: at its `{x-end}`, or with the cell."""
    gate = f"{{{name.removesuffix('-start')}-end}}"
    return next((j for j in range(start, len(lines)) if lines[j].strip().strip("`:") == gate), len(lines))


def _directive(name: str | None, argument: str, body: str, say: Say) -> str:
    options, body = _options(body)
    if name in DROPPED:
        return ""
    if name in CODE:
        return f"```{argument}\n{body}\n```"
    if name == "math":
        return display(body, options.get("label"), say)
    if name == "quiz":
        return _quiz(body, say)
    if name in NOTES:
        argument, body = "", f"{argument}\n{body}"
    title = _title(name, plain_spans(argument, say), options, say)
    content = plain(body, say)
    if name in BODY_ONLY:
        return content
    if name == "dropdown" or "dropdown" in options.get("class", ""):
        return content and _fold(title, content)
    return _quote(f"**{title}**\n\n{content}".strip() if title else content)


def _options(body: str) -> tuple[dict[str, str], str]:
    """The `:key: value` lines that open a directive's body, and the rest of it."""
    lines = body.lstrip("\n").split("\n")
    options = {}
    while lines and (option := OPTION.fullmatch(lines[0])):
        options[option[1]] = option[2].strip()
        lines.pop(0)
    return options, "\n".join(lines).strip("\n")


def _title(name: str | None, argument: str, options: dict[str, str], say: Say) -> str:
    """What stands in bold over a directive's body: numbers as on the site, then the author's own title."""
    kind, label = str(name).removeprefix("prf:").removesuffix("-start"), options.get("label")
    if kind == "solution":
        return f"Solution to {say('ref', argument)}"
    if kind in {"exercise", "proof"} or str(name).startswith("prf:"):
        numbered = say("ref" if kind == "exercise" else "prf:ref", label) if label else kind.capitalize()
        return f"{numbered} ({argument})" if argument else numbered
    if kind == "figure":
        return say("numref", options["name"]) if "name" in options else ""
    if kind == "seealso":
        return "See also"
    return kind.capitalize() if kind in NOTES else argument


def _quiz(body: str, say: Say) -> str:
    """Every answer folds away whether it is right, and why."""
    parts = []
    for number, question in enumerate(parse(body.split("\n")), 1):
        parts.append(f"**{number}.** {plain_spans(question['text'], say)}")
        for answer in question["answers"]:
            verdict = f"**{'Right.' if answer['right'] else 'No.'}** {plain_spans(answer['reason'], say)}"
            parts.append(_fold(plain_spans(answer["text"], say), verdict))
    return "\n\n".join(parts)


def _fold(title: str, content: str) -> str:
    return f"<details>\n<summary>{title}</summary>\n\n{content}\n\n</details>"


def _quote(text: str) -> str:
    """A block quotation. Maths in it stands on one line: Jupyter would typeset the quotation's marks."""
    unbroken = re.compile(rf"^(`{{3,}}).*?^\1|\$\$.+?\$\$|{MATHS}", re.MULTILINE | re.DOTALL)
    text = unbroken.sub(lambda m: m[0] if m[1] else " ".join(m[0].split()), text)
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))
