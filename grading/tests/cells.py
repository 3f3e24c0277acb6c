"""Notebooks to grade: the right answers to the fixture's exam, and what tests make of them."""

import json
from pathlib import Path

EXAM = Path(__file__).parent / "fixture" / "exam"

SHARE = "import numpy as np\nimport sympy as sp\nshare = float(open('data/share.txt').read())"
ADVANTAGES = "advantages = np.array([1.0, 0, 0, 0]) - share"
SILENT = "def silent(p, group_size):\n    return p**group_size + (1 - p)**group_size"
VARIANCE = "p, G = sp.symbols('p G')\nvariance = (p - p**2) / G"
RIGHT = [SHARE, ADVANTAGES, SILENT, VARIANCE]
SECRETS = ("SECRET-ONE", "SECRET-TWO", "SECRET-THREE", "SECRET-FOUR")


def notebook(*cells):
    """A notebook's bytes."""
    written = [{"cell_type": "code", "source": cell, "metadata": {}, "outputs": []} for cell in cells]
    return json.dumps({"cells": written, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()
