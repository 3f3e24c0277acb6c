"""What the site needs beyond Jupyter Book's options, to stand on any static host and to ask nobody else.

MathJax (from `npm ci`), repository links from one setting, sharing tags, a front door, a 404 page.
"""

import re
import shutil
from html import escape
from pathlib import Path
from string import Template

from docutils import nodes
from markupsafe import Markup

MATHJAX = (
    "startup.js",
    "core.js",
    "input/tex.js",
    "input/tex/extensions",
    "output/chtml.js",
    "output/chtml/fonts/tex.js",
    "output/chtml/fonts/woff-v2",
    "a11y/assistive-mml.js",
)
"""In place of the one bundle, which is 100 KB heavier and whose menu can load speech from another host."""

HERE = Path(__file__).parent
MENDED = {
    # a fold's own words are its name, and speech control uses them
    r' aria-label="Toggle hidden content"': "",
    # deprecated, and not allowed in the list around it
    r' role="doc-biblioentry"': ' role="listitem"',
    # every unnamed proof of a page has the same id
    r' id="proof">\n<p>Proof\.': ">\n<p><em>Proof.</em>",
    # a line may end between a formula and its full stop, for a formula is a box to the browser
    r'(\(?<span class="math [^>]*>[^<]*</span>[.,;:!?)’”]+)': r'<span class="unbroken">\1</span>',
}
"""What extensions write into pages that would not do (patterns), and what stands there instead."""


def theme_options(app, config):
    """The theme's parts; buttons that need a repository exist only when `repository.url` names one."""
    options = config.html_theme_options
    options["search_bar_text"] = "Search the course"
    options["navbar_persistent"] = []  # a second search field above the page
    options["primary_sidebar_end"] = []  # a place for advertisements
    options["footer_content_items"] = ["colophon.html"]
    options["pygments_dark_style"] = "github-dark"  # calmer than the theme's, and still in contrast
    known = bool(options.get("repository_url"))
    for button in ("use_repository_button", "use_issues_button", "use_edit_page_button"):
        options[button] = known
    if not known:
        options.pop("repository_url", None)


def description(doctree):
    """What a page says of itself under `html_meta`, for those who share or find it."""
    said = [meta["content"] for meta in doctree.findall(nodes.meta) if meta.get("name") == "description"]
    return said[0] if said else ""


def sharing_tags(config, docname, title, description):
    """Open Graph tags of a page."""
    tags = {
        "type": "article",
        "site_name": config.html_title,
        "title": title,
        "description": description,
        "url": config.html_baseurl and config.html_baseurl.rstrip("/") + f"/{docname}.html",
    }
    return "".join(
        f'<meta property="og:{name}" content="{escape(content, quote=True)}" />\n'
        for name, content in tags.items()
        if content
    )


def finish_page(app, pagename, templatename, context, doctree):
    """Add the sharing tags, mend the body."""
    said = description(doctree) if doctree else ""
    title = Markup(context.get("title", "")).striptags()
    tags = sharing_tags(app.config, pagename, title, said)
    context["metatags"] = context.get("metatags", "") + tags
    for found, mended in MENDED.items() if "body" in context else ():
        context["body"] = re.sub(found, mended, context["body"])


def finish_site(app, exception):
    """Add what no page links to: MathJax's few files, the front door at the site's root, the 404 page."""
    if exception or app.builder.format != "html":
        return
    out = Path(app.outdir)
    source = Path(app.srcdir) / "node_modules" / "mathjax" / "es5"
    target = out / "_static" / "vendor" / "mathjax"
    for name in MATHJAX:
        if (source / name).is_dir():
            shutil.copytree(source / name, target / name, dirs_exist_ok=True)
        else:
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source / name, target / name)
    root, title = app.config.root_doc, app.config.html_title
    said = description(app.env.get_doctree(root))
    pages = {
        "index.html": {
            "root": f"{root}.html",
            "title": escape(title),
            "description": escape(said, quote=True),
            "sharing": sharing_tags(app.config, root, title, said),
        },
        "404.html": {"home": app.config.html_baseurl or "/"},
    }
    for name, values in pages.items():
        text = (HERE / name).read_text(encoding="utf-8")
        (out / name).write_text(Template(text).substitute(values), encoding="utf-8")


def setup(app):
    app.connect("config-inited", theme_options)
    app.connect("html-page-context", finish_page)
    app.connect("build-finished", finish_site, priority=400)  # else a bare redirect is made first
    return {"parallel_read_safe": True, "parallel_write_safe": True}
