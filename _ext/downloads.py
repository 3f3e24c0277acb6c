"""What a reader takes home: the package's wheel, each chapter as a notebook, and both in one zip.

All of it is in the site's `downloads/`, byte for byte the same from the same sources.
"""

import functools
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import nbformat
from docutils import nodes
from fresh import digest
from page_words import page_words
from places import online
from plain_notebook import plain_notebook
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective
from sphinx.util.osutil import relative_uri

FOLDER = "downloads"
ZIP = "grpo-lessons-notebooks.zip"
PACKAGED = ("src/**/*.*", "pyproject.toml", "README.md", "LICENSE")


def build_wheel(root: Path) -> Path:
    """The package's wheel; made anew only when what goes into it has changed."""
    wheels = root / "_build" / "wheel"
    current = wheels / digest(root, PACKAGED)
    for old in set(wheels.glob("*")) - {current}:
        shutil.rmtree(old)
    if not list(current.glob("*.whl")):
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(current)]
        done = subprocess.run(command, cwd=root, capture_output=True, text=True)
        if done.returncode:
            raise ExtensionError(f"the wheel was not built:\n{done.stdout}{done.stderr}")
    return next(current.glob("*.whl"))


def chapters(env: BuildEnvironment) -> dict[str, str]:
    """Every page with a kernel but the landing page, in the book's order, and its notebook's file name."""
    pages = [doc for doc in env.collect_relations() if doc != env.config.root_doc]
    return {doc: f"{Path(doc).name}.ipynb" for doc in pages if "kernelspec" in env.metadata[doc]}


def write_downloads(app: Sphinx, exception: Exception | None) -> None:
    """Fill the site's `downloads/`."""
    if exception or app.builder.format != "html":
        return
    app.env.get_doctree = functools.cache(app.env.get_doctree)  # asked for again and again
    target = Path(app.outdir) / FOLDER
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir()
    wheel = Path(shutil.copy(build_wheel(Path(app.srcdir)), target))
    for doc, name in chapters(app.env).items():
        source = Path(app.env.doc2path(doc)).read_text("utf-8")
        title, say = app.env.titles[doc].astext(), page_words(app, doc)
        notebook = plain_notebook(source, title, wheel.name, online(app.config), say)
        nbformat.write(notebook, target / name)
    with zipfile.ZipFile(target / ZIP, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in [*sorted(target.glob("*.ipynb")), wheel]:
            archive.writestr(zipfile.ZipInfo(file.name), file.read_bytes(), zipfile.ZIP_DEFLATED)


def add_button(app, pagename, templatename, context, doctree):
    """The notebook, first in the theme's list of downloads."""
    name = chapters(app.env).get(pagename)
    for group in context["header_buttons"]:
        if name and group["label"] == "download-buttons":
            button = {
                "type": "link",
                "url": context["pathto"](f"{FOLDER}/{name}", 1),
                "text": ".ipynb",
                "tooltip": "Download this chapter as a notebook",
                "icon": "fas fa-book",
                "label": "download-notebook-button",
            }
            group["buttons"].insert(0, button)


class Downloads(nodes.General, nodes.Element):
    """Where the list of downloads will stand, once all chapters are known."""


class CourseDownloads(SphinxDirective):
    """`{course-downloads}`: the wheel with its install line, the zip, each chapter's notebook."""

    def run(self):
        self.env.metadata[self.env.docname]["lists_downloads"] = True
        return [Downloads()]


def pages_with_list(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """The list is written anew with every build: a new chapter changes it."""
    return [doc for doc, metadata in env.metadata.items() if "lists_downloads" in metadata]


def fill_list(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Replace the placeholder by links relative to this page."""
    page = app.builder.get_target_uri(docname)

    def entry(before: str, name: str, words: str, *below: nodes.Node) -> nodes.list_item:
        uri = relative_uri(page, f"{FOLDER}/{name}")
        link = addnodes.download_reference("", "", nodes.Text(words), refuri=uri)
        return nodes.list_item("", nodes.paragraph("", "", nodes.Text(before), link), *below)

    for place in list(doctree.findall(Downloads)):
        wheel = build_wheel(Path(app.srcdir)).name
        install = f"pip install {wheel}"
        notebooks = [entry("", name, app.env.titles[doc].astext()) for doc, name in chapters(app.env).items()]
        place.replace_self(
            nodes.bullet_list(
                "",
                entry(
                    "The package: ", wheel, wheel, nodes.literal_block(install, install, language="console")
                ),
                entry("The package and all notebooks: ", ZIP, ZIP),
                nodes.list_item("", nodes.paragraph("", "One notebook:"), nodes.bullet_list("", *notebooks)),
            )
        )


def setup(app):
    app.add_node(Downloads)
    app.add_directive("course-downloads", CourseDownloads)
    app.connect("env-updated", pages_with_list)
    app.connect("doctree-resolved", fill_list)
    app.connect("html-page-context", add_button, priority=502)  # the theme makes its list at 501
    app.connect("build-finished", write_downloads)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
