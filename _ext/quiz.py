"""`{quiz}`: questions that answer back, in plain HTML and CSS: no kernel, no JavaScript.

:::{quiz}
1. A question?
   - [ ] a wrong answer
     : why it is wrong
   - [x] the right answer
     : why it is right
:::
"""

import re
from html import escape

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

QUESTION = re.compile(r"\d+\.\s+(?P<text>.*)")
ANSWER = re.compile(r"-\s+\[(?P<right>[ x])\]\s+(?P<text>.*)")
REASON = re.compile(r":\s+(?P<text>.*)")


def parse(lines):
    """[{"text", "answers": [{"text", "right", "reason"}]}], or a ValueError that says what is missing."""
    questions, target, key = [], None, "text"
    for line in filter(None, map(str.strip, lines)):
        if match := QUESTION.fullmatch(line):
            target, key = {"text": match["text"], "answers": []}, "text"
            questions.append(target)
        elif questions and (match := ANSWER.fullmatch(line)):
            target, key = {"text": match["text"], "right": match["right"] == "x", "reason": ""}, "text"
            questions[-1]["answers"].append(target)
        elif questions and questions[-1]["answers"] and (match := REASON.fullmatch(line)):
            target, key = questions[-1]["answers"][-1], "reason"
            target[key] = match["text"]
        elif target:
            target[key] += " " + line
        else:
            raise ValueError(f"a quiz starts with a question, '1. …', got {line!r}")
    for question in questions:
        if sum(answer["right"] for answer in question["answers"]) != 1:
            raise ValueError(f"a question has exactly one right answer: {question['text']!r}")
        if not all(answer["reason"] for answer in question["answers"]):
            raise ValueError(f"every answer has a reason, ': …': {question['text']!r}")
    return questions


class Quiz(SphinxDirective):
    """Radio buttons; choosing one shows its reason (a sibling selector in site.css)."""

    has_content = True

    def run(self):
        try:
            questions = parse(self.content)
        except ValueError as problem:
            raise self.error(str(problem)) from problem
        number = self.env.new_serialno("quiz")
        out = nodes.container(classes=["quiz"])
        for n, question in enumerate(questions):
            group = f"quiz-{number}-{n}"
            out += _html("<fieldset><legend>")
            out += self._words(question["text"])
            out += _html("</legend>")
            for m, answer in enumerate(question["answers"]):
                one = f"{group}-{m}"
                kind, word = ("right", "Right.") if answer["right"] else ("wrong", "No.")
                out += _html(
                    f'<div class="quiz-answer {kind}">'
                    f'<input type="radio" name="{escape(group)}" id="{escape(one)}">'
                    f'<label for="{escape(one)}"><span class="visually-hidden">Answer {m + 1}: </span>'
                )
                out += self._words(answer["text"])
                out += _html(f'</label><div class="quiz-reason" role="status"><strong>{word}</strong> ')
                out += self._words(answer["reason"])
                out += _html("</div></div>")
            out += _html("</fieldset>")
        return [out]

    def _words(self, text):
        """Inline markup only: the paragraph's children, in a span."""
        holder = nodes.Element()
        self.state.nested_parse(StringList([text], source=self.env.docname), self.content_offset, holder)
        return nodes.inline("", "", *[child for block in holder.children for child in block.children])


def _html(text):
    return nodes.raw("", text, format="html")


def setup(app):
    app.add_directive("quiz", Quiz)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
