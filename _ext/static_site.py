"""What the site needs beyond Jupyter Book's options, so that it stands on any static host and asks nobody else.

Self-hosted MathJax (`npm ci` fetched it), repository links from one setting, sharing tags, a 404 page.
"""

import shutil
from html import escape
from pathlib import Path

MATHJAX = ("tex-chtml.js", "output/chtml/fonts/woff-v2", "input/tex/extensions")
HERE = Path(__file__).parent


def theme_options(app, config):
    """Buttons that need a repository exist only when `repository.url` names one."""
    options = config.html_theme_options
    options["search_bar_text"] = "Search the course"
    known = bool(options.get("repository_url"))
    for button in ("use_repository_button", "use_issues_button", "use_edit_page_button"):
        options[button] = known
    if not known:
        options.pop("repository_url", None)


def sharing_tags(app, pagename, templatename, context, doctree):
    """Open Graph title and description, from the page's own title and its `html_meta` description."""
    title = escape(context.get("title") or app.config.html_title, quote=True)
    tags = [f'<meta property="og:title" content="{title}" />', '<meta property="og:type" content="article" />']
    description = (context.get("meta") or {}).get("myst", {}).get("html_meta", {}).get("description")
    if description:
        tags.append(f'<meta property="og:description" content="{escape(description, quote=True)}" />')
    context["metatags"] = context.get("metatags", "") + "\n" + "\n".join(tags)


def copy_assets(app, exception):
    """MathJax's few files and the 404 page, which no page links to."""
    if exception or app.builder.format != "html":
        return
    source = Path(app.srcdir) / "node_modules" / "mathjax" / "es5"
    target = Path(app.outdir) / "_static" / "vendor" / "mathjax"
    for name in MATHJAX:
        if (source / name).is_dir():
            shutil.copytree(source / name, target / name, dirs_exist_ok=True)
        else:
            target.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source / name, target / name)
    shutil.copy2(HERE / "404.html", Path(app.outdir) / "404.html")


def setup(app):
    app.connect("config-inited", theme_options)
    app.connect("html-page-context", sharing_tags)
    app.connect("build-finished", copy_assets)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
