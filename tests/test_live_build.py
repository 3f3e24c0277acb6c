"""`python -m live`: which files count, what a package needs, what is rewritten, how it fails."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import types
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT))

from live import in_pyodide, official, steps  # noqa: E402
from live.folder import closure  # noqa: E402
from live.wheels import entry  # noqa: E402

WHEEL = {"file_name": "a-1-py3-none-any.whl", "sha256": steps.sha256(b"the official one")}


@pytest.fixture
def sources(monkeypatch, tmp_path):
    """An empty cache, and sources that offer what a test says."""
    monkeypatch.setattr(official, "CACHE", tmp_path)
    monkeypatch.setattr(official, "SETTINGS", {"sources": ["release", "mirror"], "release": ""})
    offers: dict[str, bytes] = {}

    def source(name):
        return lambda packages, keep: [keep(package, offers[name]) for package in packages if name in offers]

    monkeypatch.setattr(official, "SOURCES", {name: source(name) for name in ("release", "mirror")})
    return offers


def test_the_mirror_helps_where_the_release_cannot_be_reached(sources):
    sources["mirror"] = b"the official one"
    (file,) = official.fetch([WHEEL])
    assert file.read_bytes() == b"the official one"
    sources.clear()
    assert official.fetch([WHEEL]) == [file]  # from the cache


@pytest.mark.parametrize("source", ["release", "mirror"])
def test_only_the_locks_own_file_counts(sources, source, tmp_path):
    sources[source] = b"another one"
    with pytest.raises(steps.Unable, match=r"a-1-py3-none-any\.whl is not the file .* sha256 differs"):
        official.fetch([WHEEL])
    assert not list(tmp_path.rglob("*.whl"))


def test_no_source_no_cache(sources):
    with pytest.raises(steps.Unable, match=r"neither in .* nor to be had from release or mirror"):
        official.fetch([WHEEL])


def test_the_release_is_where_pyodide_itself_would_look(monkeypatch, tmp_path):
    (tmp_path / "pyodide.mjs").write_text("x(`https://files.example/v${d.version}/full/`)")
    monkeypatch.setattr(official, "pyodide", lambda: tmp_path)
    monkeypatch.setattr(official, "official_lock", lambda: {"info": {"version": "0.27.7"}})
    assert official.release_address() == "https://files.example/v0.27.7/full/"


def test_what_is_kept_is_whole(monkeypatch, tmp_path):
    monkeypatch.setattr(steps, "CACHE", tmp_path)

    def broken(folder):
        folder.mkdir()
        raise steps.Unable("halfway")

    with pytest.raises(steps.Unable):
        steps.kept("thing", broken)
    assert not (tmp_path / "thing").exists()
    assert steps.kept("thing", Path.mkdir) == tmp_path / "thing"
    assert steps.kept("thing", broken).is_dir()  # nothing is made twice


def test_needs_come_first_and_nothing_else_comes():
    packages = {name: {"depends": needs} for name, needs in
                {"a": ["b-c"], "b-c": ["d"], "d": [], "e": []}.items()}  # fmt: skip
    assert list(closure(packages, ["a", "B_c"])) == ["d", "b-c", "a"]


def test_an_entry_says_what_the_wheel_says(tmp_path):
    file = tmp_path / "Some_thing-1.2-py3-none-any.whl"
    metadata = """Metadata-Version: 2.1
Name: Some-thing
Version: 1.2
Requires-Dist: numpy>=2
Requires-Dist: unknown
Requires-Dist: scipy; extra == "all"
Requires-Dist: mpmath; python_version < "3.13"
Requires-Dist: sympy; sys_platform == "win32"
"""
    with zipfile.ZipFile(file, "w") as wheel:
        wheel.writestr("Some_thing-1.2.dist-info/METADATA", metadata)
        for name in ("some/__init__.py", "single.py", "Some_thing-1.2.dist-info/x.py"):
            wheel.writestr(name, "")
    made = entry(file, {"numpy", "scipy", "mpmath", "sympy"})
    assert (made["name"], made["version"]) == ("Some-thing", "1.2")
    assert made["depends"] == ["mpmath", "numpy"]
    assert made["imports"] == ["single", "some"]
    assert made["sha256"] == steps.sha256(file.read_bytes())


class TestRewriting:
    """Runs in the browser's Python when it counts; what it does is the same in this one."""

    def names(self, name, data=b"x = 1\n", keep_source=False):
        return [new for new, _ in in_pyodide.rewritten(name, data, keep_source)]

    def test_source_becomes_bytecode(self):
        ((name, data),) = in_pyodide.rewritten("a/b.py", b"x = 6 * 7\n", False)
        assert name == "a/b.pyc"
        assert data[4:8] == b"\x01\0\0\0"  # checked by nobody against a source
        import marshal

        exec(marshal.loads(data[16:]), space := {})
        assert space["x"] == 42

    def test_the_courses_own_source_stays(self):
        made = self.names("grpo_lessons/check.py", keep_source=True)
        assert made == ["grpo_lessons/check.py", "grpo_lessons/__pycache__/check.cpython-312.pyc"]

    @pytest.mark.parametrize(
        "name",
        [
            "a/tests/test_b.py",
            "a/b.pyi",
            "a/b.h",
            "a-1.data/scripts/a",
            "a/sample_data/b",
            "jedi/third_party/typeshed/third_party/2and3/six.pyi",
        ],
    )
    def test_what_no_import_reads_goes(self, name):
        assert self.names(name) == []

    def test_matplotlib_knows_its_own_fonts(self):
        theirs = [{"fname": "fonts/ttf/a.ttf"}, {"fname": "/System/b.ttf"}]
        listed = json.dumps({"_version": 390, "ttflist": theirs, "afmlist": theirs})
        ((name, data),) = in_pyodide.rewritten("matplotlib/fontlist.json", listed.encode(), False)
        made = json.loads(data)
        assert (name, made["ttflist"], made["afmlist"]) == ("matplotlib/fontlist.json", theirs[:1], [])

    @pytest.mark.parametrize(
        "name",
        [
            "a/testing/b.png",
            "jedi/x.pyi",
            "a/data/b.csv",
            "a-1.dist-info/RECORD",
            "jedi/third_party/typeshed/third_party/3/six.pyi",
        ],
    )
    def test_the_rest_stays(self, name):
        assert self.names(name) == [name]

    def test_an_extension_loads_when_it_is_imported(self, tmp_path, monkeypatch):
        made = self.names("a/_fast.cpython-312-wasm32-emscripten.so", b"\0asm")
        assert made == ["a/_fast.wasm", "a/_fast.pyc"]

        # the same lines with an extension module of this Python
        import _queue

        if not getattr(_queue, "__file__", None):
            pytest.skip("this Python has its extension modules built in")
        shutil.copy(_queue.__file__, tmp_path / "_queue.wasm")
        (tmp_path / "_queue.py").write_text(in_pyodide.ON_IMPORT)
        monkeypatch.syspath_prepend(str(tmp_path))
        monkeypatch.delitem(sys.modules, "_queue")
        import _queue as loaded

        assert isinstance(loaded, types.ModuleType)
        assert loaded.__file__ == str(tmp_path / "_queue.wasm")
        assert loaded.SimpleQueue().empty()


@pytest.mark.parametrize("built", [True, False], ids=["no network and no cache", "no book"])
def test_it_fails_in_one_line_and_leaves_the_book_whole(tmp_path, built):
    shutil.copytree(ROOT / "live", tmp_path / "live", ignore=shutil.ignore_patterns("__pycache__"))
    site = tmp_path / "_build" / "html"
    (site / "_static").mkdir(parents=True)
    if built:
        (site / "_static" / "live.css").write_text("hidden")
        (site / "lite").mkdir()
        (site / "lite" / "start.html").write_text("of yesterday")
    before = {file: file.read_bytes() for file in site.rglob("*") if file.is_file()}
    nowhere = str(tmp_path / "empty")
    environment = os.environ | {
        "XDG_CACHE_HOME": nowhere, "LOCALAPPDATA": nowhere, "HOME": nowhere, "UV_CACHE_DIR": nowhere,
        "UV_OFFLINE": "1", "npm_config_offline": "true", "npm_config_cache": nowhere,
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "live"], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert done.stderr.startswith("live: ")
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""
    assert {file: file.read_bytes() for file in site.rglob("*") if file.is_file()} == before
    assert not [folder for folder in (tmp_path / "_build").iterdir() if folder != site]
