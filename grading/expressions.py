"""Reads what `sympy.srepr` wrote, without evaluating text: a whitelist of classes, and bounds on sizes.

Symbols are mapped by name to the teacher's own, so that a missing `positive=True` costs nobody a point. Other
names come out as ``your_...``: a symbol called "True" or "0.25" must not print like an answer.
"""

import ast
import re

import sympy
from sympy.functions.elementary.piecewise import ExprCondPair

from grading.box.grader_wire import AnswerError

MAX_LENGTH = 20_000
MAX_NODES = 8_000  # of Python's syntax tree: four or so for one of sympy's
MAX_NESTING = 60
MAX_INTEGER = 10**200
MAX_POWER_BITS = 4_000
MAX_ARGUMENT = 1_000

CLASSES = (
    sympy.Add,
    sympy.Mul,
    sympy.Pow,
    sympy.Tuple,
    sympy.exp,
    sympy.log,
    sympy.sin,
    sympy.cos,
    sympy.tan,
    sympy.sinh,
    sympy.cosh,
    sympy.tanh,
    sympy.asin,
    sympy.acos,
    sympy.atan,
    sympy.atan2,
    sympy.Abs,
    sympy.sign,
    sympy.Min,
    sympy.Max,
    sympy.erf,
    sympy.floor,
    sympy.ceiling,
    sympy.factorial,
    sympy.binomial,
    sympy.gamma,
    sympy.beta,
    sympy.loggamma,
    sympy.digamma,
    sympy.harmonic,
    sympy.Sum,
    sympy.Product,
    sympy.Derivative,
    sympy.Integral,
    sympy.Piecewise,
    sympy.Equality,
    sympy.Unequality,
    sympy.StrictLessThan,
    sympy.LessThan,
    sympy.StrictGreaterThan,
    sympy.GreaterThan,
    sympy.And,
    sympy.Or,
    sympy.Not,
    sympy.conjugate,
    sympy.re,
    sympy.im,
    ExprCondPair,
)
FUNCTIONS = {one.__name__: one for one in CLASSES}
MATRICES = {"MutableDenseMatrix", "ImmutableDenseMatrix"}
CONSTANTS = {
    name: getattr(sympy, name) for name in ("pi", "E", "I", "oo", "zoo", "nan", "true", "false", "EulerGamma")
}
CONSTANTS |= {"Exp1": sympy.E, "ImaginaryUnit": sympy.I}
GROWING = {"factorial", "binomial", "gamma", "beta", "harmonic", "loggamma", "digamma"}
FLOAT = re.compile(r"-?\d{0,400}\.?\d{0,400}([eE][-+]?\d{1,3})?")


def read_expression(text, symbols):
    """The expression whose `srepr` is `text`, in `symbols` (a dict by name); AnswerError if unfit."""
    if len(text) > MAX_LENGTH:
        raise AnswerError("the expression is too long")
    if _nesting(text) > MAX_NESTING:
        raise AnswerError("the expression is nested too deeply")
    try:
        tree = ast.parse(text, mode="eval").body
        if sum(1 for _ in ast.walk(tree)) > MAX_NODES:
            raise AnswerError("the expression is too large")
        return _Reader(symbols).read(tree)
    except AnswerError:
        raise
    except Exception:
        raise AnswerError("the expression cannot be read") from None


def _nesting(text):
    """How deep brackets go (an upper bound: brackets in names count too), before anything parses them."""
    deepest = depth = 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        deepest = max(deepest, depth)
    return deepest + max((len(run) for run in re.findall(r"[-+~\s]+", text)), default=0)


class _Reader:
    def __init__(self, symbols):
        self.symbols = symbols

    def read(self, node):
        match node:
            case ast.Name(id=name) if name in CONSTANTS:
                return CONSTANTS[name]
            case ast.UnaryOp(op=ast.USub(), operand=ast.Name(id="oo")):
                return -sympy.oo
            case ast.Call(func=ast.Name(id="Symbol"), args=[ast.Constant(value=str() as name)]):
                return self.symbols.get(name) or sympy.Symbol(f"your_{name[:40]}")
            case ast.Call(func=ast.Name(id="Integer"), args=[number], keywords=[]):
                return sympy.Integer(_integer(number))
            case ast.Call(func=ast.Name(id="Rational"), args=[over, under], keywords=[]):
                return sympy.Rational(_integer(over), _integer(under))
            case ast.Call(func=ast.Name(id="Float"), args=[ast.Constant(value=str() as digits)]):
                return _float(digits)
            case ast.Call(func=ast.Name(id=name), args=[ast.List(elts=rows)], keywords=[]) if (
                name in MATRICES
            ):
                return sympy.ImmutableMatrix([[self.read(item) for item in _items(row)] for row in rows])
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in FUNCTIONS:
                return _apply(name, [self.read(arg) for arg in args])
            case ast.Call(func=ast.Name(id=name)):
                raise AnswerError(f"the expression uses {name[:40]}, which is not allowed")
        raise AnswerError("the expression uses something that is not allowed")


def _items(row):
    if not isinstance(row, ast.List):
        raise ValueError("a matrix is a list of rows")
    return row.elts


def _integer(node):
    match node:
        case ast.Constant(value=value) if type(value) is int and value < MAX_INTEGER:
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=value)) if type(value) is int:
            return -_integer(node.operand)
    raise AnswerError("a number in the expression is too large")


def _float(digits):
    if not FLOAT.fullmatch(digits) or not any(c.isdigit() for c in digits):
        raise AnswerError("a number in the expression cannot be read")
    return sympy.Float(digits, precision=53)


def _apply(name, args):
    """One node, unless building it would already cost too much."""
    numbers = [arg for arg in args if isinstance(arg, sympy.Basic) and arg.is_number]
    if name == "Pow" and len(numbers) == 2:
        base, power = numbers
        large = max(
            (abs(int(n)).bit_length() for n in base.atoms(sympy.Rational) for n in (n.p, n.q)), default=1
        )
        if (power.is_Rational or power.is_Float) and abs(power) * max(large, 8) > MAX_POWER_BITS:
            raise AnswerError("a power in the expression is too large")
    if name in GROWING and any(not n.is_Rational or abs(n) > MAX_ARGUMENT for n in numbers):
        raise AnswerError("a number in the expression is too large")
    return FUNCTIONS[name](*args)
