"""An assignment ready for grading: `grading.toml`, otter's test files, perhaps data; checked before use."""

import ast
import builtins
import doctest
import hashlib
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

import sympy
from otter.nbmeta_config import NBMetadataConfig
from otter.test_files import create_test_file

from grading.sandbox import ROOT

LIMITS = {
    "cell": 15,  # seconds for a cell
    "total": 60,  # seconds for all cells
    "call": 5,  # seconds for an answer
    "grace": 3,  # seconds that an interrupted cell has to stop
    "wall": 150,  # seconds for a submission, its tests not counted
    "tests": 20,  # CPU seconds for judging a question
    "calls": 400,  # answers asked for
    "memory_mb": 2500,  # address space of a process
    "all_memory_mb": 3000,  # memory of all processes of a submission
    "processes": 64,
    "file_mb": 64,
    "notebook_mb": 10,
}
KEYS = {"title", "answers", "preamble", "repeat", "limits", "selftest"}


@dataclass(frozen=True)
class Assignment:
    """What `load` found; `tests` are otter's test files in the order of the questions."""

    name: str
    title: str
    folder: Path
    answers: tuple
    trusted: dict
    symbols: dict
    tests: tuple
    repeat: int
    limits: dict
    selftest: dict
    data: Path | None
    digest: str

    @property
    def questions(self):
        """Question names and points, in order."""
        return {test.name: test.possible for test in self.tests}


def find(name):
    """The folder of an assignment given by path, or by name among those that `make homework` made."""
    for folder in (Path(name), Path(name) / "grading", ROOT / "dist" / "homework" / name / "grading"):
        if (folder / "grading.toml").is_file():
            return folder.resolve()
    raise ValueError(f"no assignment {name!r}: no grading.toml there nor in dist/homework/{name}/grading")


def load(name):
    """Read and check the assignment `name`; ValueError says what is wrong with it."""
    folder = find(name)
    path = folder / "grading.toml"
    try:
        settings = tomllib.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    for what, found, known in (("key", settings, KEYS), ("limit", settings.get("limits", {}), LIMITS)):
        if unknown := set(found) - set(known):
            raise ValueError(f"{path}: unknown {what} {sorted(unknown)}; known are {sorted(known)}")
    space = {}  # the preamble's functions keep its builtins, which numpy looks up there
    exec(compile(settings.get("preamble", ""), f"{path} (preamble)", "exec"), space)
    trusted = {name: value for name, value in space.items() if name != "__builtins__"}
    files = sorted((folder / "tests").glob("*.py"), key=_natural)
    tests = tuple(create_test_file(str(file), NBMetadataConfig()) for file in files)
    answers = tuple(dict.fromkeys(name for names in settings["answers"].values() for name in names))
    _check(path, settings["answers"], answers, trusted, tests)
    return Assignment(
        name=folder.parent.name if folder.name == "grading" else folder.name,
        title=settings.get("title", folder.parent.name),
        folder=folder,
        answers=answers,
        trusted=trusted,
        symbols={value.name: value for value in trusted.values() if isinstance(value, sympy.Symbol)},
        tests=tests,
        repeat=settings.get("repeat", 1),
        limits=LIMITS | settings.get("limits", {}),
        selftest=settings.get("selftest", {}),
        data=folder / "data" if (folder / "data").is_dir() else None,
        digest=_digest(folder),
    )


def _check(path, by_question, answers, trusted, tests):
    """A test that uses a name of unclear origin would trust a student, or fail everybody."""
    questions = [test.name for test in tests]
    if sorted(questions) != sorted(by_question):
        raise ValueError(f"{path}: [answers] has {sorted(by_question)}, tests/ has {sorted(questions)}")
    if both := sorted(set(answers) & set(trusted)):
        raise ValueError(f"{path}: {both} are both answers and in the preamble")
    for test in tests:
        if lost := sorted(used_names(test) - set(answers) - set(trusted)):
            raise ValueError(f"{path}: tests of {test.name} use {lost}, neither answers nor in the preamble")


def used_names(test):
    """Names that a test file takes from its environment."""
    used, bound = set(), set()
    for case in test.test_cases:
        if not isinstance(case.body, str):
            used |= set(case.body._get_func_params())
            continue
        code = "".join(example.source for example in doctest.DocTestParser().get_examples(case.body))
        for node in ast.walk(ast.parse(code)):
            match node:
                case ast.Name(id=name, ctx=context):
                    (used if isinstance(context, ast.Load) else bound).add(name)
                case ast.arg(arg=name) | ast.FunctionDef(name=name) | ast.ExceptHandler(name=str() as name):
                    bound.add(name)
                case ast.alias(name=name, asname=other):
                    bound.add((other or name).split(".")[0])
    return used - bound - set(dir(builtins)) - {"env"}


def _natural(file):
    """q2 before q10."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", file.stem)]


def _digest(folder):
    """Of all that a grade depends on: another test is another grade."""
    seal = hashlib.sha256()
    for file in sorted(folder.rglob("*")):
        if file.is_file() and "__pycache__" not in file.parts:
            seal.update(f"{file.relative_to(folder)}\0{file.stat().st_size}\0".encode() + file.read_bytes())
    return seal.hexdigest()
