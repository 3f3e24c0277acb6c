"""The page side of `explore`: tells kernels that they build pages, and gives those their script and style.

Pages get the package's engine as a classic deferred script: browsers load no modules from file://.
"""

import os
import re
from pathlib import Path

from sphinx.util import logging

from grpo_lessons.explorer import BUILDING
from grpo_lessons.standalone import classic_script

LOG = logging.getLogger(__name__)
PACKAGE = Path(__file__).parents[1] / "src" / "grpo_lessons"


def tell_kernels(app, config):
    """Kernels inherit the environment: they make HTML, and no widget, whose state the page would save."""
    os.environ[BUILDING] = "1"


def write_files(app):
    """The script and the style, there before pages are written, so that their addresses carry a checksum."""
    if app.builder.format != "html":
        return
    static = Path(app.outdir) / "_static"
    static.mkdir(parents=True, exist_ok=True)
    (static / "explorer.js").write_text(classic_script())
    (static / "explorer.css").write_text((PACKAGE / "explorer.css").read_text())


def add_to_page(app, pagename, templatename, context, doctree):
    """Only pages that show an explorer load anything for it."""
    body = context.get("body", "")
    names = re.findall(r'<div class="gl-explorer" id="([^"]+)"', body)
    for name in sorted({name for name in names if body.count(f' id="{name}"') > 1}):
        LOG.warning(
            "an explorer is named %r, which is also the id of something else on its page",
            name,
            location=pagename,
        )
    if names:
        app.add_css_file("explorer.css")
        app.add_js_file("explorer.js", loading_method="defer")


def setup(app):
    app.connect("config-inited", tell_kernels)
    app.connect("builder-inited", write_files)
    app.connect("html-page-context", add_to_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
