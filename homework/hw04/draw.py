"""What homework 4 draws."""


def draw(rng):
    a, b, c = clear(
        lambda: (rng.integers(2, 9) / 20, rng.integers(5, 30) / 10, rng.integers(40, 160) / 10),
        lambda a, b, c: [errors(a, b, c, 0)],
    )
    sizes = [2, int(rng.choice([6, 8])), int(rng.choice([24, 32]))]
    measured = [round(a * n + b + c / (n - 1), 5) for n in sizes]
    by_error = errors(a, b, c, 0)
    over = clear(
        lambda: (rng.integers(2, 9) / 50, rng.integers(5, 20) / 10, rng.integers(3, 12), rng.integers(4, 20)),
        lambda a, b, c, h: [errors(a, b, c, 0), errors(a, b, c, h)],
    )
    return {
        "bill_sizes": sizes,
        "bill_errors": measured,
        "bill_sizes_row": " | ".join(map(str, sizes)),
        "bill_errors_row": " | ".join(map(str, measured)),
        "bill_truth": [a, b, c],
        "bill_best": min(by_error, key=by_error.get),
        **dict(zip(("over_a", "over_b", "over_c", "over_h"), over, strict=True)),
        "worth_p": int(rng.integers(2, 12)) / 100,
        "curve_p": int(rng.integers(3, 15)) / 100,
        "curve_steps": int(rng.integers(15, 40)),
        "curve_rate": int(rng.integers(10, 40)) / 100,
        "curve_small": int(rng.choice([2, 4])),
        "curve_large": int(rng.choice([16, 32])),
        "filter_rate": int(rng.integers(1, 9)) / 100,
        "filter_p": int(rng.integers(2, 12)) / 100,
        "filter_size": int(rng.choice([4, 8, 16])),
        "move_old": int(rng.choice([4, 8])),
        "move_new": int(rng.choice([32, 64])),
        "move_rate": int(rng.integers(1, 9)) / 100,
        "move_hard": int(rng.integers(1, 5)) / 100,
    }


def errors(a, b, c, h):
    """By group size, the error of a budget where a group costs h + G."""
    return {n: (h + n) * (a + b / n + c / (n * (n - 1))) for n in range(2, 513)}


def clear(draw_numbers, tables):
    """Numbers for which the best size beats the second best by more than rounding can move."""
    while True:
        numbers = [each.item() for each in draw_numbers()]
        best = [sorted(table.values()) for table in tables(*numbers)]
        if all(second - first > 1e-4 * first for first, second, *_ in best):
            return numbers
