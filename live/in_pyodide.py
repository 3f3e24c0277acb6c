"""Rewrites the wheels in /job/in, and Python's own library, into /job/out, so that they start sooner.

It runs in Pyodide (compile.mjs), because bytecode belongs to one version of Python. A wheel comes out without
what the course never reads (tests, headers, stubs: thousands of small files, which take a second to unpack),
with bytecode in place of source, and with every extension module behind a few lines that load it when it is
first imported: Pyodide would compile all 110 of scipy's as soon as the wheel is there. The course's own
package keeps its source, for `??` and for tracebacks.
"""

import json
import re
import warnings
import zipfile
from importlib._bootstrap_external import _code_to_hash_pyc
from pathlib import Path

UNREAD = re.compile(
    r"(^|/)(tests|sample_data|include)/|\.(h|hpp|c|cc|cpp|pxd|pyx|pxi|a|afm|orig)$|\.data/|^(?!jedi/).*\.pyi$"
    r"|^pytz/zoneinfo/|^jedi/third_party/(django-stubs|typeshed/(stdlib/2|third_party/2|third_party/2and3))/"
)
EXTENSION = re.compile(r"(.+)\.cpython-312-wasm32-emscripten\.so")
ON_IMPORT = """
import sys
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_file_location

path = __file__.rsplit(".", 1)[0] + ".wasm"
spec = spec_from_file_location(__name__, path, loader=ExtensionFileLoader(__name__, path))
sys.modules[__name__] = module = module_from_spec(spec)
spec.loader.exec_module(module)
"""


def bytecode(source, name):
    """As a .pyc file that is never compared with its source."""
    return bytes(_code_to_hash_pyc(compile(source, name, "exec", dont_inherit=True), bytes(8), False))


def own_fonts(data):
    """The list of fonts beside matplotlib: of the version that it reads, and without those of another desk.

    Pyodide's wheel has it from a later version, so that matplotlib would look for fonts, and say so in pink.
    """
    fonts = json.loads(data)
    shipped = [font for font in fonts["ttflist"] if font["fname"].startswith("fonts/")]
    return json.dumps(fonts | {"_version": 330, "ttflist": shipped, "afmlist": []}).encode()


def rewritten(name, data, keep_source):
    """What stands in the new wheel for one file of the old one: names and contents."""
    if UNREAD.search(name):
        return
    if name == "matplotlib/fontlist.json":
        data = own_fonts(data)
    if extension := EXTENSION.fullmatch(name):
        yield f"{extension[1]}.wasm", data
        name, data = f"{extension[1]}.py", ON_IMPORT.encode()
    if not name.endswith(".py"):
        yield name, data
    elif keep_source:
        folder, _, stem = name.removesuffix(".py").rpartition("/")
        yield name, data
        yield f"{folder}/__pycache__/{stem}.cpython-312.pyc", bytecode(data, name)
    else:
        yield f"{name}c", bytecode(data, name)


def rewrite(old, new):
    """One archive, without a clock: the same bytes from the same wheel."""
    with zipfile.ZipFile(old) as source, zipfile.ZipFile(new, "w") as target:
        for entry in source.infolist():
            if not entry.is_dir():
                keep_source = entry.filename.startswith("grpo_lessons/")
                for name, data in rewritten(entry.filename, source.read(entry), keep_source):
                    target.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED, 9)


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # of syntax, in other people's code
    for old in sorted(Path("/job/in").iterdir()):
        rewrite(old, Path("/job/out") / old.name)
