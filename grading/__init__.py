"""Grading for a class: tests stay home, answers travel. README.md has the design and its limits."""
