"""What homework 2 draws."""


def draw(rng):
    hard_percent, easy_percent = int(rng.integers(20, 45)), int(rng.integers(15, 35))
    return {
        "hard": int(rng.integers(1, 6)) / 100,
        "middle": int(rng.integers(30, 70)) / 100,
        "easy": int(rng.integers(90, 98)) / 100,
        "hard_percent": hard_percent,
        "middle_percent": 100 - hard_percent - easy_percent,
        "easy_percent": easy_percent,
        "mix_size": int(rng.choice([4, 8, 16])),
        "goal_percent": int(rng.integers(12, 20)),
        "kinds_size": int(rng.choice([4, 6, 8, 16])),
        "credit_p": int(rng.integers(2, 9)) / 100,
        "credit_size": int(rng.choice([6, 8, 12])),
        "patience_p": int(rng.integers(2, 7)) / 100,
        "patience_size": int(rng.choice([4, 8])),
        "patience_percent": int(rng.integers(80, 96)),
        "cost_p": int(rng.integers(5, 20)) / 100,
        "cost_c": int(rng.integers(2, 12)),
    }
