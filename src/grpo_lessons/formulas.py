"""Formulas that a reader types: text to sympy without ever running the text, and equality however written."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import sympy as sp

DRAWS = 8
"""Points at which two formulas are compared: far more than formulas that differ can agree at by chance."""
FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{"sqrt": sp.sqrt, "exp": sp.exp, "log": sp.log, "ln": sp.log, "Abs": sp.Abs, "Rational": sp.Rational},
    **{"sin": sp.sin, "cos": sp.cos, "tan": sp.tan, "tanh": sp.tanh, "atanh": sp.atanh},
    **{"asin": sp.asin, "acos": sp.acos, "atan": sp.atan, "arcsin": sp.asin, "arccos": sp.acos},
    **{"binomial": sp.binomial, "factorial": sp.factorial, "gamma": sp.gamma},
}
CONSTANTS = {"pi": sp.pi, "E": sp.E, "I": sp.I, "oo": sp.oo}
OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.Pow: lambda a, b: a**b,
    ast.UAdd: lambda a: a,
    ast.USub: lambda a: -a,
}


def read_formula(text: str) -> Any:
    """A formula such as ``"2*p*(1 - p)"`` as a sympy expression; `^` is a power, as is `**`.

    Unlike `sympy.sympify` it never evaluates the text: it knows numbers, names, + − * / and powers, and the
    usual functions, and nothing else.

    Raises
    ------
    ValueError
        For text that is anything else, naming the part that was not understood.
    """
    try:
        tree = ast.parse(text.strip().replace("^", "**"), mode="eval")
        return _read(tree.body)
    except (SyntaxError, RecursionError, MemoryError):
        raise ValueError(f"text must be a formula such as '2*p*(1 - p)', got {text[:60]!r}") from None


def _read(node: ast.AST) -> Any:
    match node:
        case ast.Constant(value=bool()):
            pass  # a bool is an int too
        case ast.Constant(value=int() | float() as value):
            return sp.Integer(value) if isinstance(value, int) else sp.Rational(str(value))
        case ast.Name(id=name):
            return CONSTANTS.get(name, sp.Symbol(name))
        case ast.UnaryOp(op=op, operand=operand) if type(op) in OPERATORS:
            return OPERATORS[type(op)](_read(operand))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
            return OPERATORS[type(op)](_read(left), _read(right))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in FUNCTIONS:
            try:
                return FUNCTIONS[name](*map(_read, args))
            except TypeError:
                raise ValueError(f"text must give {name} its arguments, got {ast.unparse(node)!r}") from None
    raise ValueError(
        f"text must be a formula of + - * / ** and {', '.join(FUNCTIONS)}, got {ast.unparse(node)!r}"
    )


def by_name(expression: Any) -> Any:
    """The expression with each symbol replaced by the plain one of its name, whatever was assumed of it."""
    return expression.xreplace({symbol: sp.Symbol(symbol.name) for symbol in expression.free_symbols})


def values(expression: Any, points: list[dict[Any, Any]]) -> Any:
    """The expression at each point, as complex numbers; NaN where it has no value."""

    def at(point: dict[Any, Any]) -> complex:
        try:
            return complex(sp.N(expression.subs(point), 30))
        except (TypeError, ValueError, OverflowError, ZeroDivisionError):
            return complex("nan")

    return np.array([at(point) for point in points])


def draw_points(symbols: set[Any], domain: Mapping[str, tuple[float, float]]) -> list[dict[Any, Any]]:
    """Points to compare at: each symbol in (0, 1), or where `domain` puts it; whole numbers between ints."""
    rng = np.random.default_rng(20)

    def draw(name: str) -> Any:
        low, high = domain.get(name, (0.0, 1.0))
        if isinstance(low, int) and isinstance(high, int):
            return sp.Integer(int(rng.integers(low, high, endpoint=True)))
        return sp.Rational(low) + sp.Rational(int(rng.integers(1, 997)), 997) * sp.Rational(high - low)

    ordered = sorted(symbols, key=str)
    return [{symbol: draw(symbol.name) for symbol in ordered} for _ in range(DRAWS)]
