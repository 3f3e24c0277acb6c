"""The wire format: what is encoded comes back, and what is not of its shapes is refused, whatever it is."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from grading.box.grader_wire import MAX_DEPTH, MAX_HEX, MAX_NODES, AnswerError, decode, encode
from grading.expressions import read_expression

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.complex_numbers(allow_nan=False)
    | st.fractions()
    | st.text(max_size=20)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.sets(SCALARS, max_size=4)
        | st.dictionaries(SCALARS, inner, max_size=4)
    ),
    max_leaves=20,
)
KINDS = [
    "int",
    "float",
    "complex",
    "list",
    "tuple",
    "set",
    "dict",
    "fraction",
    "array",
    "sympy",
    "value",
    "__class__",
]
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=10)
    | st.sampled_from(["0x1p0", "<f8"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(KINDS) | st.text(max_size=3), inner, min_size=1, max_size=2)
    ),
    max_leaves=15,
)


def read(text):
    return read_expression(text, {})


def travel(value):
    return decode(json.loads(json.dumps(encode(value))), read)


@given(VALUES)
@settings(max_examples=100, deadline=None)
def test_plain_data_comes_back(value):
    back = travel(value)
    assert type(back) is type(value)
    assert back == value


@given(JSON)
@settings(max_examples=400, deadline=None)
def test_anything_else_is_refused_in_one_way(message):
    try:
        value = decode(message, read)
    except AnswerError:
        return
    allowed = (
        type(None),
        bool,
        int,
        float,
        complex,
        str,
        list,
        tuple,
        set,
        dict,
        Fraction,
        np.ndarray,
        np.generic,
    )
    assert isinstance(value, (*allowed, sp.Basic))


@given(
    st.dictionaries(
        st.sampled_from(["list", "array"]), st.binary(max_size=60).map(lambda b: b.decode("latin-1"))
    )
)
def test_changed_bytes_are_refused(message):
    if message:
        with pytest.raises(AnswerError):
            decode(message, read)


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i8", ">i4", "f2", "f4", ">f8", "c8", "c16"])
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0, 3), (2, 3)])
def test_arrays_come_back(dtype, shape):
    array = np.arange(math.prod(shape)).reshape(shape).astype(dtype).T
    back = travel(array)
    assert np.shape(back) == array.shape
    assert back.dtype == array.dtype.newbyteorder("=")
    assert np.array_equal(back, array)


def test_numbers_keep_their_kind():
    assert math.isnan(travel(float("nan")))
    assert math.copysign(1, travel(-0.0)) == -1
    assert type(travel(np.float64(0.5))) is np.float64
    assert travel(np.longdouble(0.5)) == 0.5
    assert travel(np.array(["a", "b"])) == ["a", "b"]
    assert travel(10**300) == 10**300
    assert travel(sp.Rational(1, 3)) == sp.Rational(1, 3)


@pytest.mark.parametrize(
    "message",
    [
        2**64,
        0.5,
        [1],
        {},
        {"int": "1"},
        {"int": "0x" + "f" * MAX_HEX},
        {"int": 1},
        {"float": "1; import os"},
        {"list": "ab"},
        {"list": [1], "tuple": [1]},
        {"set": [{"list": []}]},
        {"dict": [[{"list": []}, 1]]},
        {"dict": [[1]]},
        {"fraction": [1, 0]},
        {"fraction": [{"float": "0x1p0"}, 1]},
        {"array": ["|O", [1], "AAAAAAAAAAA="]},
        {"array": ["<f8", [2], "AAAAAAAAAAA="]},
        {"array": ["<f8", [-1], "AAAAAAAAAAA="]},
        {"array": ["<f8", [0, 2**80], ""]},
        {"array": ["<f8", [True], "AAAAAAAAAAA="]},
        {"array": ["<f8", [1] * 9, "AAAAAAAAAAA="]},
        {"array": ["<f8", [1], "AAAAAAAAAA*="]},
        {"array": ["<f8,<f8", [1], "AAAAAAAAAAA="]},
        {"sympy": "__import__('os').getcwd()"},
        {"pickle": "gASVAAAAAAAAAA=="},
    ],
)
def test_message_is_refused(message):
    with pytest.raises(AnswerError):
        decode(message, read)


def test_size_and_depth_are_bounded():
    deep = 1
    for _ in range(MAX_DEPTH + 1):
        deep = {"list": [deep]}
    for message in (deep, {"list": [0] * MAX_NODES}):
        with pytest.raises(AnswerError, match="too large"):
            decode(message, read)


class Sly(float):
    __class__ = property(lambda _: float)


@pytest.mark.parametrize(
    "value", [Sly(1), object(), b"bytes", range(3), iter([]), len, np.array([None]), [Sly(1)]]
)
def test_what_is_not_plain_is_not_encoded(value):
    with pytest.raises(TypeError):
        encode(value)
