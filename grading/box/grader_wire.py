"""Plain data as JSON, both ways over a pipe: no pickle, no eval, and nothing that could run.

The sandbox encodes answers and the trusted side decodes them, so `decode` believes nothing: every node has
one of the few shapes below, and sizes are bounded. Arguments of calls travel the other way in the same form.

========================  =====================================================
None, bool, str, int      themselves (large integers: ``{"int": hex}``)
float, complex            ``{"float": hex}``, ``{"complex": [hex, hex]}``
list, tuple, set          ``{"list": [...]}``, ``{"tuple": [...]}``, ``{"set": [...]}``
dict                      ``{"dict": [[key, value], ...]}``
Fraction                  ``{"fraction": [numerator, denominator]}``
numpy arrays and scalars  ``{"array": [dtype, shape, base64]}``
sympy expressions         ``{"sympy": srepr}``
========================  =====================================================
"""

import base64
import math
import re
import sys
from fractions import Fraction

MAX_NODES = 100_000
MAX_DEPTH = 20
MAX_TEXT = 100_000
MAX_HEX = 5_000
MAX_BYTES = 4_000_000
DTYPES = {"|b1", "|i1", "|u1"} | {f"<{kind}{size}" for kind in "iufc" for size in (2, 4, 8, 16)}
DTYPES -= {"<i16", "<u16", "<f16", "<c2", "<c4"}


class AnswerError(Exception):
    """An answer that cannot be taken as it came; the text says why."""


def encode(value, depth=0):
    """`value` as JSON's own types; TypeError or ValueError where it is not plain data."""
    kind = type(value)
    if depth > MAX_DEPTH:
        raise ValueError("nested too deeply")
    if value is None or kind is bool:
        return value
    if kind is str:
        if len(value) > MAX_TEXT:
            raise ValueError("the text is too long")
        return value
    if kind is int:
        return value if abs(value) < 2**53 else {"int": hex(value)}
    if kind is float:
        return {"float": value.hex()}
    if kind is complex:
        return {"complex": [value.real.hex(), value.imag.hex()]}
    if kind in (list, tuple, set):
        items = [encode(item, depth + 1) for item in value]
        return {kind.__name__: sorted(items, key=repr) if kind is set else items}
    if kind is dict:
        return {"dict": [[encode(key, depth + 1), encode(item, depth + 1)] for key, item in value.items()]}
    if kind is Fraction:
        return {"fraction": [encode(value.numerator), encode(value.denominator)]}
    return _encode_numpy(value, depth)


def _encode_numpy(value, depth):
    np = sys.modules.get("numpy")
    if np is None or not isinstance(value, (np.ndarray, np.generic)):
        return _encode_sympy(value)
    array = np.asarray(value)
    if array.dtype.kind in "US":
        return encode(array.tolist(), depth)
    if array.nbytes > MAX_BYTES:
        raise ValueError(f"an array of {array.nbytes} bytes is too large")
    if array.dtype.kind == "f" and array.dtype.itemsize > 8:
        array = array.astype("<f8")
    array = np.ascontiguousarray(array, array.dtype.newbyteorder("<")).reshape(array.shape)
    if array.dtype.str not in DTYPES:
        raise TypeError(f"an array of {array.dtype} is not plain data")
    return {"array": [array.dtype.str, list(array.shape), base64.b64encode(array.tobytes()).decode()]}


def _encode_sympy(value):
    sympy = sys.modules.get("sympy")
    if sympy is not None and isinstance(value, (sympy.Basic, sympy.MatrixBase)):
        return {"sympy": sympy.srepr(value)}
    raise TypeError(f"{type(value).__name__[:60]} is not plain data")


def decode(message, read_sympy):
    """The value that `message` stands for, or AnswerError.

    Parameters
    ----------
    message : object
        What `json.loads` made of a line.
    read_sympy : callable
        Turns the text of `sympy.srepr` into an expression.
    """
    nodes = 0

    def read(node, depth):
        nonlocal nodes
        nodes += 1
        if nodes > MAX_NODES or depth > MAX_DEPTH:
            raise AnswerError("the answer is too large")
        if node is None or type(node) is bool or (type(node) is int and abs(node) < 2**64):
            return node
        if type(node) is str and len(node) <= MAX_TEXT:
            return node
        if type(node) is not dict or len(node) != 1:
            raise ValueError("no such shape")
        ((kind, body),) = node.items()
        match kind, body:
            case "int", str():
                return _hex_integer(body)
            case "float", str():
                return float.fromhex(body)
            case "complex", [str() as real, str() as imaginary]:
                return complex(float.fromhex(real), float.fromhex(imaginary))
            case (("list" | "tuple" | "set"), list()):
                return {"list": list, "tuple": tuple, "set": set}[kind](
                    read(item, depth + 1) for item in body
                )
            case "dict", list():
                return {read(key, depth + 1): read(item, depth + 1) for key, item in body}
            case "fraction", [over, under]:
                return Fraction(_integer(read(over, depth + 1)), _integer(read(under, depth + 1)))
            case "array", [str() as dtype, list() as shape, str() as data]:
                return _array(dtype, shape, data)
            case "sympy", str():
                return read_sympy(body)
        raise ValueError("no such shape")

    try:
        return read(message, 0)
    except AnswerError:
        raise
    except Exception as error:
        raise AnswerError(f"the answer came malformed ({type(error).__name__})") from None


def _integer(value):
    if type(value) is not int:
        raise ValueError("not an integer")
    return value


def _hex_integer(text):
    if len(text) > MAX_HEX or not re.fullmatch(r"-?0x[0-9a-f]+", text):
        raise ValueError("no such integer")
    return int(text, 16)


def _array(dtype, shape, data):
    import numpy as np

    raw = base64.b64decode(data, validate=True)
    if (
        dtype not in DTYPES
        or len(shape) > 8
        or not all(type(n) is int and 0 <= n <= MAX_BYTES for n in shape)
    ):
        raise ValueError("no such array")
    if len(raw) > MAX_BYTES or math.prod(shape) * np.dtype(dtype).itemsize != len(raw):
        raise ValueError("no such array")
    array = np.frombuffer(raw, dtype).reshape(shape).copy()
    return array if shape else array[()]
