"""The trusted side's view of a student's answers: plain values, and stand-ins for functions."""

from grading.box.grader_wire import AnswerError, decode, encode
from grading.expressions import read_expression
from grading.session import AnswerTimeout


class Answers:
    """Asks one session for named answers. `notes` collects what went wrong, in order, for the teacher."""

    def __init__(self, session, assignment):
        self.session, self.assignment = session, assignment
        self.asked, self.slow, self.notes = 0, set(), {}

    def fetch(self, name, found):
        """Put the answer `name` into `found`, if it came."""
        try:
            reply = self.ask({"name": name})
            if reply == {"function": True}:
                found[name] = Function(self, name)
            elif reply == {"missing": True}:
                self.notes[name] = "missing"
            else:
                found[name] = self.value(reply)
        except AnswerError as error:
            self.notes[name] = str(error)

    def call(self, name, args, kwargs):
        """The value of ``name(*args, **kwargs)``, asked for as often as the assignment says."""
        question = {"name": name, "args": encode(list(args)), "kwargs": encode(kwargs)}
        try:
            first = self.ask(question)
            for _ in range(self.assignment.repeat - 1):
                if self.ask(question) != first:
                    raise AnswerError("gives different answers to the same question")
            return self.value(first)
        except AnswerError as error:
            self.notes.setdefault(name, str(error))
            raise

    def ask(self, question):
        name = question["name"]
        if name in self.slow:
            raise AnswerTimeout("took too long before")
        self.asked += 1
        if self.asked > self.assignment.limits["calls"]:
            raise AnswerError("was asked for too often")
        try:
            return self.session.ask(question)
        except AnswerTimeout:
            self.slow.add(name)
            raise

    def value(self, reply):
        if "value" not in reply:
            raise AnswerError(f"raised {reply.get('error', 'something')}"[:120])
        return decode(reply["value"], lambda text: read_expression(text, self.assignment.symbols))


class Function:
    """Stands for a student's function in the tests: it can be called, and nothing else."""

    def __init__(self, answers, name):
        self._answers, self.__name__ = answers, name

    def __call__(self, *args, **kwargs):
        return self._answers.call(self.__name__, args, kwargs)

    def _no_value(self, *_):
        raise AnswerError(self._answers.notes.setdefault(self.__name__, "is a function, not a value"))

    __bool__ = __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __array__ = _no_value
    __hash__ = None
