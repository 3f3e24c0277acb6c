"""What the quiz directive accepts, and what it refuses."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "_ext"))
from quiz import parse

GOOD = """
1. Is $1+1$
   equal to 2?
   - [x] yes
     : count
   - [ ] no
     : count again,
       slowly
"""


def test_continuation_lines_belong_to_what_they_continue():
    (question,) = parse(GOOD.splitlines())
    assert question["text"] == "Is $1+1$ equal to 2?"
    assert [answer["right"] for answer in question["answers"]] == [True, False]
    assert question["answers"][1]["reason"] == "count again, slowly"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("hello", "starts with a question"),
        (GOOD.replace("[ ]", "[x]"), "exactly one right answer"),
        (GOOD.replace("[x]", "[ ]"), "exactly one right answer"),
        (GOOD.replace(": count\n", "\n"), "every answer has a reason"),
    ],
)
def test_refusals(text, said):
    with pytest.raises(ValueError, match=said):
        parse(text.splitlines())
