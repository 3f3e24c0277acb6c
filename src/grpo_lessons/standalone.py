"""Pages without a kernel: the engine as a classic script, and whole pages that ask for nothing else.

explorer.js is a module, as notebooks want it. Pages get it as a classic script with a host of a few lines in
place of its export: browsers load no modules from file://.
"""

from __future__ import annotations

from html import escape
from pathlib import Path

_HERE = Path(__file__).parent
_MODULE_END = "export default { render };\n"

POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"
"""What such a page may load: nothing that is not in it."""

_THEME = """\
const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => (document.documentElement.dataset.theme = dark.matches ? "dark" : "light");
dark.addEventListener("change", follow);
follow();
"""


def classic_script() -> str:
    """explorer.js with the page's host, to run on a page once its figures are there."""
    module, host = ((_HERE / name).read_text("utf-8") for name in ("explorer.js", "explorer_host.js"))
    if not module.endswith(_MODULE_END):
        raise ValueError(f"explorer.js must end in {_MODULE_END!r}, to become a classic script")
    return f"(() => {{\n{module.removesuffix(_MODULE_END)}{host}}})();\n"


def standalone_page(title: str, body: str, style: str) -> str:
    """One file with everything in it, light or dark as the reader's system is.

    Parameters
    ----------
    title : plain text
    body : HTML, with everything of unknown origin escaped; explorers by their `html`
    style : CSS, after the explorers'
    """
    css = (_HERE / "explorer.css").read_text("utf-8") + style
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        f"<title>{escape(title)}</title>\n<style>\n{css}</style>\n<script>\n{_THEME}</script>\n</head>\n"
        f"<body>\n{body}\n<script>\n{classic_script()}</script>\n</body>\n</html>\n"
    )
