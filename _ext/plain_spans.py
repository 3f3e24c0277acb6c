"""What stands in a line of MyST Markdown, in words: roles, labelled maths, links to other pages.

What a reference says is asked of `say(role, target)`.
"""

import re
from collections.abc import Callable

Say = Callable[[str, str], str]
MATHS = r"(?<!\\)\$(?:\\.|(?!\n[ ]*\n)[^$\\`])+?\$"
SPAN = re.compile(
    rf"""
      \{{(?P<role>[\w:.+-]+)\}}(?P<tick>`+)(?P<content>.+?)(?<!`)(?P=tick)(?!`)
    | (?P<code>(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`))
    | \$\$(?P<display>.+?)\$\$(?:[ ]*\((?P<label>[^()\s]+)\))?
    | (?P<inline>{MATHS})
    | !?\[(?P<text>[^][]*)\]\((?P<href>[^()\s]*)\)
    | (?:\[(?P<styled>[^][]*)\]|(?<=[)`]))\{{[.#][^{{}}\n]*\}}
    | ^(?P<dropped>\([^()\s]+\)=|%[^\n]*|\+{{3,}}|\^{{3,}})[ ]*$\n?
    | ^:[ ]+(?=\S)(?P<definition>)
    """,
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
TITLED = re.compile(r"(?P<title>.+?)\s*<[^<>]+>", re.DOTALL)


def plain_spans(text: str, say: Say) -> str:
    """Everything that is not a fence: roles, maths, links to other pages, targets, comments."""

    def replace(m: re.Match[str]) -> str:
        if m["role"]:
            return _role(m["role"], " ".join(m["content"].split()), say)
        if m["display"]:
            return display(m["display"], m["label"], say) if m["label"] else m[0]
        if m["text"] is not None:
            return _link(m, say)
        if m["definition"] is not None:
            return "— "
        return m["code"] or m["inline"] or plain_spans(m["styled"] or "", say)

    return SPAN.sub(replace, text)


def _role(role: str, content: str, say: Say) -> str:
    if role == "math":
        return f"${content}$"
    if role == "code" or role.startswith("py:"):
        return f"`{content.rpartition('.')[2] if content[0] == '~' else content}`"
    titled = TITLED.fullmatch(content)
    return titled["title"] if titled else say(role, content)


def _link(m: re.Match[str], say: Say) -> str:
    """A link to a page or label of the book becomes words: the notebook stands alone."""
    text, href = plain_spans(m["text"], say), m["href"]
    if re.match(r"[a-z]+:", href):
        return m[0].replace(m["text"], text, 1)
    if m[0].startswith("!") or text:
        return text
    page, _, label = href.partition("#")
    return say("ref", label) if label else say("doc", page.removesuffix(".md"))


def display(maths: str, label: str | None, say: Say) -> str:
    """Displayed maths, with the number that the site gives its label."""
    tag = "\n\\tag{" + say("eq", label).strip("()") + "}" if label else ""
    return f"$$\n{maths.strip()}{tag}\n$$"
