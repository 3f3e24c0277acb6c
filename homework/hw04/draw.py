"""What homework 4 draws."""


def draw(rng):
    bills = [int(rng.integers(2, 9)) / 20, int(rng.integers(5, 30)) / 10, int(rng.integers(40, 160)) / 10]
    sizes = [2, int(rng.choice([6, 8])), int(rng.choice([24, 32]))]
    errors = [round(bills[0] * n + bills[1] + bills[2] / (n - 1), 5) for n in sizes]
    by_error = {n: bills[0] * n + bills[1] + bills[2] / (n - 1) for n in range(2, 513)}
    return {
        "bill_sizes": sizes,
        "bill_errors": errors,
        "bill_sizes_row": " | ".join(map(str, sizes)),
        "bill_errors_row": " | ".join(map(str, errors)),
        "bill_truth": bills,
        "bill_best": min(by_error, key=by_error.get),
        "over_a": int(rng.integers(2, 9)) / 50,
        "over_b": int(rng.integers(5, 20)) / 10,
        "over_c": int(rng.integers(3, 12)),
        "over_h": int(rng.integers(4, 20)),
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
