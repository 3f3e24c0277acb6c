"""What homework 3 draws."""

import numpy as np

WEIGHTS = {
    4: ("4 - 2 * p * (1 - p)", "4*p - p^2 + 2*p^3/3"),
    5: ("5 - 5 * p * (1 - p)", "5*p - 5*p^2/2 + 5*p^3/3"),
    6: ("6 - 9 * p * (1 - p) + 2 * p**2 * (1 - p) ** 2", "6*p - 9*p^2/2 + 11*p^3/3 - p^4 + 2*p^5/5"),
}
"""By group size: (1 − p^G − (1 − p)^G)/(p(1 − p)), and its integral."""


def draw(rng):
    square_size = int(rng.choice(list(WEIGHTS)))
    log_size = int(rng.choice([4, 5, 6]))
    right = rng.binomial(log_size, rng.uniform(0.15, 0.85), 120)
    hard = int(rng.integers(1, 5)) / 100
    return {
        "noise_size": int(rng.choice([6, 8, 12, 16])),
        "noise_p": int(rng.integers(5, 45)) / 100,
        "log_size": log_size,
        "log_counts": np.bincount(right, minlength=log_size + 1).tolist(),
        "square_size": square_size,
        "square_edge": square_size,
        "square_weight": WEIGHTS[square_size][0],
        "square_height": WEIGHTS[square_size][1],
        "push_ps": [hard, 0.1, int(rng.integers(3, 7)) / 10, 0.9],
        "push_small": int(rng.choice([2, 4])),
        "push_large": int(rng.choice([32, 64])),
        "rest_beta": int(rng.integers(10, 80)) / 100,
        "rest_ref": int(rng.integers(5, 60)) / 100,
        "rest_size": int(rng.choice([4, 8, 16])),
        "small_beta": int(rng.integers(10, 45)) / 100,
    }
