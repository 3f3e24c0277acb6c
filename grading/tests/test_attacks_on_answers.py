"""Answers that try to look right: each has a row with its status, and only the points it deserves."""

import pytest
from cells import ADVANTAGES, RIGHT, SHARE, SILENT, VARIANCE

pytestmark = pytest.mark.sandbox

ALWAYS_EQUAL = """
class Yes:
    __eq__ = __lt__ = __le__ = __gt__ = __ge__ = __bool__ = lambda *_: True
    __call__ = __abs__ = __sub__ = __getattr__ = lambda self, *_, **__: self
    __hash__ = lambda _: 0
share = advantages = silent = variance = Yes()
"""
SUBCLASSES = """
import numpy as np
class Number(float):
    __sub__ = __rsub__ = lambda *_: 0.0
    __lt__ = __gt__ = __eq__ = lambda *_: True
    __class__ = property(lambda _: float)
class Array(np.ndarray):
    def __eq__(self, other): return np.ones(4, bool)
    def tobytes(self, *_): return np.array([0.75, -0.25, -0.25, -0.25]).tobytes()
class Text(str):
    __eq__ = lambda *_: True
share = Number(0.3)
advantages = np.zeros(4).view(Array)
silent = lambda p, group_size: Number(0.0)
variance = Text("x")
"""
EVIL_REPR = """
import sympy as sp
class Evil(sp.Symbol):
    def _sympyrepr(self, printer): return "__import__('os').system('touch /tmp/pwned')"
variance = Evil('p')
"""
LATE = """
def silent(p, group_size):
    globals()['share'] = 0.25
    return p**group_size + (1 - p)**group_size
"""
EVIL_TEXT = """
class Evil(Exception):
    def __str__(self):
        while True: pass
def silent(*_, **__): raise Evil
"""
TWO_FACED = """
from itertools import count
asked = count()
def silent(p, group_size):
    return (p**group_size + (1 - p)**group_size) if next(asked) % 2 else 0.1
"""
PUBLIC_ONLY = "silent = lambda p, group_size: 0.5"

# name: (cells, status, total, a word of the reason)
ATTACKS = {
    "nothing wrong": (RIGHT, "ok", 10, ""),
    "patched numpy": (
        [
            SHARE,
            "np.allclose = np.isclose = np.all = lambda *_, **__: True\nnp.shape = lambda _: (4,)",
            "advantages = np.zeros(4)",
            SILENT,
            VARIANCE,
        ],
        "ok",
        8,
        "",
    ),
    "patched sympy": (
        [
            SHARE,
            ADVANTAGES,
            SILENT,
            "sp.simplify = lambda *_: 0\nsp.Expr.__eq__ = lambda *_: True",
            "variance = sp.Symbol('p')",
        ],
        "ok",
        8,
        "",
    ),
    "patched checker": (
        [
            "import sys, types, grpo_lessons.check as check\nfor name in dir(check):\n"
            "    if callable(getattr(check, name)): setattr(check, name, lambda *_, **__: True)\n"
            "import otter.test_files as o\no.TestFile.score = property(lambda _: 99)\nshare = 0.9"
        ],
        "incomplete",
        0,
        "missing",
    ),
    "replaced checker": (
        [
            "import sys, types\nsys.modules['otter'] = sys.modules['grading'] = types.ModuleType('otter')\n"
            "open('otter.py', 'w').write('score = 99')",
            *RIGHT[1:],
        ],
        "incomplete",
        4,
        "missing",
    ),
    "always equal": ([ALWAYS_EQUAL], "incomplete", 0, "not plain data"),
    "subclasses": ([SUBCLASSES], "incomplete", 0, "not plain data"),
    "malicious repr": ([SHARE, ADVANTAGES, SILENT, EVIL_REPR], "incomplete", 8, "variance the expression"),
    "changed after it was fetched": (
        [
            "share = 0.5",
            "import numpy as np, sympy as sp",
            "advantages = np.array([0.75, -0.25, -0.25, -0.25])",
            LATE,
            VARIANCE,
        ],
        "ok",
        8,
        "",
    ),
    "two-faced": ([SHARE, ADVANTAGES, TWO_FACED, VARIANCE], "incomplete", 6, "different answers"),
    "knows the public test": ([SHARE, ADVANTAGES, PUBLIC_ONLY, VARIANCE], "ok", 7, ""),
    "NaN": (
        [
            SHARE,
            "advantages = np.full(4, np.nan)",
            "silent = lambda p, group_size: float('nan')",
            "variance = sp.nan\nshare = np.nan",
        ],
        "ok",
        0,
        "",
    ),
    "infinity and negative zero": (
        [SHARE, ADVANTAGES, SILENT, VARIANCE, "share = -0.0\nadvantages = [float('inf')] * 4"],
        "ok",
        6,
        "",
    ),
    "text that prints as the answer": (
        ["import numpy as np\nshare = '0.25'", "advantages = ['0.75'] * 4"],
        "incomplete",
        0,
        "",
    ),
    "symbols that print as True": (
        [
            "import sympy as sp\nshare = sp.Symbol('True')",
            "silent = lambda *_, **__: sp.Symbol('True')",
            "advantages = [sp.Symbol('0.75')]\nvariance = sp.Symbol('0')",
        ],
        "ok",
        0,
        "",
    ),
    "huge expression": (
        [
            SHARE,
            ADVANTAGES,
            SILENT,
            VARIANCE,
            "variance = sp.Add(*[sp.Symbol(f'x{i}') for i in range(2000)])",
        ],
        "incomplete",
        8,
        "too long",
    ),
    "huge power": (
        [*RIGHT, "variance = sp.Pow(10, sp.Pow(10, 10, evaluate=False), evaluate=False)"],
        "incomplete",
        8,
        "too large",
    ),
    "costly expression": (
        [
            *RIGHT,
            "x = sp.Symbol('p'); e = sp.Symbol('G')\nvariance = sum(sp.sin(x * k + e)**k"
            " * sp.cos(e**k + x)**(k + 1) for k in range(1, 12)) ** 3 + sp.sqrt(sp.sqrt(x) + sp.sqrt(e))",
        ],
        "costly",
        8,
        "judging",
    ),
    "huge integer": ([*RIGHT, "share = 10**100_000"], "incomplete", 8, "share"),
    "large integer": ([*RIGHT, "share = 2**4000"], "ok", 8, ""),
    "array of objects": (
        [*RIGHT, "advantages = np.array([1, 'x', None, []], dtype=object)"],
        "incomplete",
        8,
        "advantages",
    ),
    "structured array": ([*RIGHT, "advantages = np.zeros(4, dtype='f8,i4')"], "incomplete", 8, "advantages"),
    "huge array": ([*RIGHT, "advantages = np.zeros(2_000_000)"], "incomplete", 8, "too large"),
    "a hundred megabytes of text": ([*RIGHT, "share = 'x' * 10**8"], "incomplete", 8, "too long"),
    "list that holds itself": ([*RIGHT, "share = []\nshare.append(share)"], "incomplete", 8, "nested"),
    "long list": ([*RIGHT, "share = [0] * 10**6"], "incomplete", 8, "share"),
    "generator": ([*RIGHT, "advantages = (x for x in [1])"], "incomplete", 8, "not plain data"),
    "class for an answer": ([*RIGHT, "class share: pass"], "incomplete", 8, "share is a function"),
    "function for a value": ([*RIGHT, "share = lambda: 0.25"], "incomplete", 8, "share is a function"),
    "value for a function": ([*RIGHT, "silent = 0.5"], "ok", 6, ""),
    "unhashable key": (
        [*RIGHT, "class K(list): __hash__ = lambda _: 0\nshare = {K(): 1}"],
        "incomplete",
        8,
        "not plain data",
    ),
    "look-alike name": ([*RIGHT, "sh\u0430re = share; del share"], "incomplete", 8, "share missing"),
    "deleted cell": ([SHARE, ADVANTAGES, VARIANCE], "incomplete", 6, "silent missing"),
    "duplicated cells": ([*RIGHT, *RIGHT, *RIGHT], "ok", 10, ""),
    "cells in another order": ([VARIANCE, SILENT, ADVANTAGES, SHARE], "incomplete", 6, "NameError"),
    "raises a long text": (
        [*RIGHT, "def silent(*_, **__): raise ValueError('x' * 10**7)"],
        "incomplete",
        6,
        "ValueError",
    ),
    "raises with an evil text": (
        [
            *RIGHT,
            EVIL_TEXT,
        ],
        "timeout",
        6,
        "silent",
    ),
    "SystemExit in a function": (
        [*RIGHT, "def silent(*_, **__): raise SystemExit"],
        "incomplete",
        6,
        "SystemExit",
    ),
    "asks its caller": (
        [
            *RIGHT,
            "import inspect\ndef silent(p, group_size):\n"
            "    return 'SECRET' in str([f.frame.f_locals for f in inspect.stack()])",
        ],
        "ok",
        6,
        "",
    ),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_attack(grade, name):
    cells, status, total, word = ATTACKS[name]
    row = grade(*cells)
    assert (row["status"], row["total"]) == (status, total), row
    assert word in row["reason"]
