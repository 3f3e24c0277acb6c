"""Below a chapter's title: run it here, live, and in other places when the repository is known.

`make live` brings what "Run this chapter" leads to; until then _assets/live.css hides it.
"""

from pathlib import PurePosixPath
from urllib.parse import quote

from downloads import chapters
from places import elsewhere, repository


def add_launch(app, pagename, templatename, context, doctree):
    """One line after the title of every page that is a notebook."""
    notebook = chapters(app.env).get(pagename)
    if not notebook or "body" not in context:
        return
    start = f"{context['pathto']('lite/start.html', 1)}?notebook={quote(notebook)}"
    what = "chapter" if PurePosixPath(pagename).parts[0] == "notebooks" else "page"
    links = [f'<a class="run" href="{start}">Run this {what}</a>']
    links += [
        f'<a href="{url}">{place}</a>' for place, url in elsewhere(repository(app.config), notebook).items()
    ]
    context["body"] = context["body"].replace("</h1>", f'</h1>\n<p class="launch">{" ".join(links)}</p>', 1)


def setup(app):
    app.connect("html-page-context", add_launch)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
