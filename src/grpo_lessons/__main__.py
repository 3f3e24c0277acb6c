"""``python -m grpo_lessons`` is the command ``grpo-lessons``."""

import sys

from .cli import main

if __name__ == "__main__":
    sys.exit(main())
