"""What homework 1 draws."""

import math


def draw(rng):
    seen_size = int(rng.integers(7, 17))
    seen_k = int(rng.choice([k for k in range(1, seen_size) if 2 * k != seen_size]))
    right, wrong = math.sqrt((seen_size - seen_k) / seen_k), -math.sqrt(seen_k / (seen_size - seen_k))
    long_size, long_ones = int(rng.integers(14, 33)), int(rng.integers(2, 6))
    long_cost = float(
        rng.choice([c for c in (0.12, 0.18, 0.23, 0.27, 0.31) if broken(long_size, long_ones, c)])
    )
    power = int(rng.integers(3, 7))
    square_size = int(rng.choice([8, 12, 16, 24]))
    return {
        "seen_size": seen_size,
        "seen_k": seen_k,
        "seen_advantage": round(float(rng.choice([right, wrong])), 4),
        "gain": int(rng.integers(1, 4)),
        "cost": int(rng.integers(4, 8)) / 2,
        "timeout_size": int(rng.integers(6, 12)),
        "long_size": long_size,
        "long_ones": long_ones,
        "long_cost": long_cost,
        "long_from": math.floor(long_size * (1 - long_cost) + long_ones * long_cost) + 1,
        "square_size": square_size,
        "square_k": int(rng.integers(1, square_size // 2)),
        "eps_size": int(rng.choice([8, 16, 32, 64])),
        "eps": f"1e-{power}",
        "eps_power": power,
    }


def broken(size, ones, cost):
    """Whether the threshold is well off a whole number, so that rounding cannot decide the question."""
    return 0.02 < (size * (1 - cost) + ones * cost) % 1 < 0.98
