"""`python -m grading COMMAND`: build makes what a class gets, grade grades it, selftest tries the tests."""

import argparse
import importlib.util
import os
import sys

COMMANDS = ("build", "grade", "selftest")


def main(words):
    """Run a command; what the user can mend is said in one line."""
    if importlib.util.find_spec("otter") is None:
        return "grading: no otter here; use .venv-grading/bin/python (make .venv-grading/installed makes it)"
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy: forked processes must not have threads
    if not words or words[0] not in COMMANDS:
        return f"usage: python -m grading {{{','.join(COMMANDS)}}} ... (each has --help)"
    if sys.platform == "win32" and words[0] != "build":
        return "grading: this needs Linux; on Windows use WSL"
    command = importlib.import_module(f"grading.{words[0]}")
    parser = argparse.ArgumentParser(prog=f"python -m grading {words[0]}", description=command.__doc__)
    command.add_arguments(parser)
    try:
        return command.run(parser.parse_args(words[1:]))
    except (ValueError, OSError) as error:
        return f"grading: {error}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
