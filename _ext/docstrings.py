"""The package's docstrings hold |A| and 1/|o| as plain text; to reStructuredText a bar is a substitution."""


def escape_bars(app, what, name, obj, options, lines):
    """Bars as bars, except in examples, which are literal already."""
    lines[:] = [
        line if line.lstrip().startswith((">>>", "...")) else line.replace("|", r"\|") for line in lines
    ]


def setup(app):
    app.connect("autodoc-process-docstring", escape_bars)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
