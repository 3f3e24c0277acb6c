"""The page side of `explore`: tells kernels that they build pages, and gives those their script and style.

The package's explorer.js is a module, as notebooks want it. Pages get it as a classic deferred script, with a
host of a few lines: browsers load no modules from file://.
"""

import os
import re
from pathlib import Path

from sphinx.util import logging

from grpo_lessons.explorer import BUILDING

LOG = logging.getLogger(__name__)
HERE = Path(__file__).parent
PACKAGE = HERE.parent / "src" / "grpo_lessons"
MODULE_END = "export default { render };\n"


def tell_kernels(app, config):
    """Kernels inherit the environment: they make HTML, and no widget, whose state the page would save."""
    os.environ[BUILDING] = "1"


def classic_script():
    """The package's module with the page's host in place of its export."""
    module, host = (PACKAGE / "explorer.js").read_text(), (HERE / "explorer_host.js").read_text()
    if not module.endswith(MODULE_END):
        raise ValueError(f"explorer.js must end in {MODULE_END!r}, to become a classic script")
    return f"(() => {{\n{module.removesuffix(MODULE_END)}{host}}})();\n"


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
