"""What a page's references say, in plain words: asked of the finished build, so that both say the same."""

import json
from pathlib import Path

from docutils import nodes
from myst_nb.core.variables import format_plain_text
from plain_spans import Say
from pybtex.database import Entry
from pybtex.richtext import Text
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util import docname_join, logging

LOGGER = logging.getLogger(__name__)
NUMBERED = {"eq", "numref", "prf:ref"}  # a number alone does not say which chapter it is in


def page_words(app: Sphinx, docname: str) -> Say:
    """`say(role, target)` for one page."""

    def say(role: str, target: str) -> str:
        if role.startswith("glue:"):
            words = _glued(app, docname, target)
        elif role.startswith("cite:"):
            words = _cited(app, role, target)
        elif role in {"eq", "doc", "ref", "numref", "term", "prf:ref"}:
            words = _referred(app, docname, role, target)
        else:
            return target
        if words is None:
            LOGGER.warning("nothing to say for {%s}`%s`", role, target, location=docname)
        return target if words is None else words

    return say


def _glued(app: Sphinx, docname: str, target: str) -> str | None:
    """The value under `key`, `key:format` or `page::key`, from where myst-nb leaves it for other pages."""
    page, _, key = target.rpartition("::")
    key, _, form = key.partition(":")
    docname = docname_join(docname, page.removesuffix(".md")) if page else docname
    store = Path(app.env.mystnb_config.output_folder, f"{docname}.glue.json")
    output = json.loads(store.read_text("utf-8")).get(key) if store.exists() else None
    return output and format_plain_text(output["data"]["text/plain"], form or "s")


def _cited(app: Sphinx, role: str, target: str) -> str | None:
    """Author (year), each a link to the work: the bibliography is on another page."""
    entries = app.env.get_domain("cite").bibdata.data.entries
    keys = [key.strip() for key in target.split(",")]
    if not all(key in entries for key in keys):
        return None
    if role.startswith("cite:p"):
        return "(" + "; ".join(_linked(entries[key], "{} {}") for key in keys) + ")"
    return ", ".join(_linked(entries[key], "{} ({})") for key in keys)


def _linked(entry: Entry, form: str) -> str:
    names = [str(Text.from_latex(" ".join(person.last_names))) for person in entry.persons["author"]]
    authors = " and ".join(names) if len(names) <= 2 else f"{names[0]} et al."
    words = form.format(authors, entry.fields.get("year", "n.d."))
    return f"[{words}]({entry.fields['url']})" if "url" in entry.fields else words


def _referred(app: Sphinx, docname: str, role: str, target: str) -> str | None:
    """What Sphinx writes for a cross-reference; after a number in another chapter, that chapter's title."""
    env = app.env
    if role == "ref" and target in getattr(env, "sphinx_exercise_registry", {}):
        role = "numref"  # as sphinx-exercise does on the page
    domain = {"eq": "math", "prf:ref": "prf"}.get(role, "std")
    kind = role.rpartition(":")[2]
    xref = addnodes.pending_xref(
        "", refdoc=docname, refdomain=domain, reftype=kind, reftarget=target, refexplicit=False
    )
    contents = nodes.inline(target, target)
    found = env.get_domain(domain).resolve_xref(env, docname, app.builder, kind, target, xref, contents)
    if found is None:
        return None
    elsewhere = docname_join(docname, found.get("refuri", "").partition("#")[0].removesuffix(".html"))
    if role in NUMBERED and elsewhere in env.titles:
        return f"{found.astext()} in *{env.titles[elsewhere].astext()}*"
    return found.astext()
