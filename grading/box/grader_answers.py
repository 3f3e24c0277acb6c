"""Runs in the student's kernel: says what a name holds, or what a function returns, as plain data.

Student code may patch every line of this. Then it changes its own answers, which it could do anyway.
"""

import json

from grader_wire import decode, encode
from IPython import get_ipython


def answer(request):
    """JSON for JSON: ``{"name": ..., "args": [...], "kwargs": {...}}`` (no ``args``: the value itself)."""
    try:
        return json.dumps(_answer(get_ipython().user_ns, json.loads(request)))
    except BaseException as error:
        return json.dumps({"error": f"{type(error).__name__}: {error}"[:200]})


def _answer(namespace, request):
    if request["name"] not in namespace:
        return {"missing": True}
    value = namespace[request["name"]]
    if "args" in request:
        args, kwargs = (decode(request[part], _expression) for part in ("args", "kwargs"))
        return {"value": encode(value(*args, **kwargs))}
    try:
        return {"value": encode(value)}
    except TypeError:
        if callable(value):
            return {"function": True}
        raise


def _expression(text):
    """An argument that the trusted side wrote with `sympy.srepr`."""
    import sympy

    return eval(text, dict(vars(sympy)))
