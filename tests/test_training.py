"""The population trainer: mean updates against exact expectations, clipped paths against a plain loop."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import binom

from grpo_lessons import expected_std, gradient_flow, mixed_probability, reinforce_variance
from grpo_lessons.family import FAMILY
from grpo_lessons.training import beta_population, record, train_prompts

P, SIZE, COPIES = 0.2, 8, 20_000


def one_step(name, p=P, rate=1e-3, **settings):
    """Changes of the logits of many copies of one prompt, over the learning rate, and the step."""
    (step,) = train_prompts(
        np.full(COPIES, p), FAMILY[name], learning_rate=rate, steps=1, group_size=SIZE, seed=15, **settings
    )
    return (step.logits - logit(step.before)) / rate, step


def assert_mean(changes, expected):
    error = changes.std(ddof=1) / np.sqrt(changes.size)
    assert changes.mean() == pytest.approx(expected, abs=5 * error)
    assert error < 0.02 * expected  # the test could fail


SIGMA, V = expected_std(P, SIZE), P * (1 - P)
EXPECTED = {
    "GRPO": SIGMA,
    "Dr. GRPO": (1 - 1 / SIZE) * V,
    "RLOO": V,
    "REINFORCE": V,
    "DAPO, retry": SIGMA / mixed_probability(P, SIZE),
    "GSPO": SIGMA,
    "CISPO": SIGMA,
    "GRPO + TIS": SIGMA,
}


@pytest.mark.parametrize("name", EXPECTED)
def test_mean_update_is_the_exact_expectation(name):
    changes, step = one_step(name)
    assert_mean(changes, EXPECTED[name])
    assert step.clipped == 0  # one update: the ratio is 1


def test_mean_update_of_dpo():
    changes, _ = one_step("DPO on pairs", kl=1.0)
    assert_mean(changes, mixed_probability(P, SIZE) / 2)


def test_mean_update_of_refill():
    """A batch of mixed groups: each prompt of it moves by E[σ | mixed], the others not at all."""
    changes, step = one_step("DAPO", batch=COPIES // 4)
    moved = np.zeros(COPIES, dtype=bool)
    moved[step.prompts] = True
    assert step.prompts.size == COPIES // 4
    assert not changes[~moved].any()
    assert_mean(changes[moved], SIGMA / mixed_probability(P, SIZE))


def test_mean_pull_of_the_penalty():
    """With samples from π the k3 term adds −kl (p − p_ref): after a move away, silent groups feel it too."""
    kl, p_ref, rate = 0.7, 0.2, 8.0
    settings = {"learning_rate": rate, "steps": 2, "seed": 1}
    free, held = (
        list(train_prompts(np.full(COPIES, p_ref), FAMILY["Dr. GRPO"], kl=weight, **settings))
        for weight in (0, kl)
    )
    np.testing.assert_array_equal(free[0].after, held[0].after)  # at the reference it does not pull
    p, pull = free[0].after, (held[1].logits - free[1].logits) / rate
    excess = pull + kl * (p - p_ref)
    assert excess.mean() == pytest.approx(0, abs=5 * excess.std() / np.sqrt(COPIES))
    silent = (held[1].k == 0) | (held[1].k == SIZE)
    assert np.all(pull[silent & (p != p_ref)] != 0)


def path(k, p0, updates, rate, low, high, detached):
    """Several updates on one group of k right, by hand: the logit's change."""
    theta = logit(p0)
    mean = k / SIZE
    sigma = np.sqrt(mean * (1 - mean))
    if sigma == 0:
        return 0.0
    for _ in range(updates):
        p, push = expit(theta), 0.0
        for count, advantage, now, old, score in (
            (k, (1 - mean) / sigma, p, p0, 1 - p),
            (SIZE - k, -mean / sigma, 1 - p, 1 - p0, -p),
        ):
            ratio = now / old
            if detached:
                ratio = min(max(ratio, 1 - low), 1 + high)
            elif (advantage > 0 and ratio > 1 + high) or (advantage < 0 and ratio < 1 - low):
                ratio = 0.0
            push += count * advantage * ratio * score / SIZE
        theta += rate * push
    return theta - logit(p0)


@pytest.mark.parametrize("name", ["GRPO", "Clip-Higher", "CISPO"])
def test_several_updates_follow_the_clip(name):
    """Every k's path by a plain loop, and their mean under the binomial law."""
    algorithm = replace(FAMILY["GRPO"], high=0.28) if name == "Clip-Higher" else FAMILY[name]
    (step,) = train_prompts(
        np.full(COPIES, P), algorithm, learning_rate=0.3, steps=1, updates=6, group_size=SIZE, seed=3
    )
    changes = step.logits - logit(P)
    paths = np.array(
        [path(k, P, 6, 0.3, algorithm.low, algorithm.high, name == "CISPO") for k in range(SIZE + 1)]
    )
    np.testing.assert_allclose(changes, paths[step.k], atol=1e-12)
    assert_mean(changes, binom.pmf(np.arange(SIZE + 1), SIZE, P) @ paths)
    assert step.clipped > 0 or name == "CISPO"


def test_small_steps_follow_the_gradient_flow():
    run = record(train_prompts(np.full(4000, 0.1), learning_rate=0.02, steps=400, seed=2))
    flow = gradient_flow(0.1, 8.0, 8)
    error = run.final.std() / np.sqrt(run.final.size)
    assert run.success[-1] == pytest.approx(
        flow, abs=5 * error + 0.01
    )  # steps of .02 and their noise bend it a little


def test_silence_is_the_closed_form_within_its_error():
    run = record(train_prompts(beta_population(2000), learning_rate=0.3, steps=60, seed=1))
    error = np.sqrt(run.silent_expected * (1 - run.silent_expected) / 2000)
    z = (run.silent - run.silent_expected) / error
    assert np.abs(z).max() < 5
    assert np.abs(z).mean() > 0.3


def test_reinforce_s_noise_is_that_of_its_baseline():
    """½ before the first rewards; then each prompt's running mean, here after one more group."""
    changes, first = one_step("REINFORCE")
    scores, rewards = [[-P], [1 - P]], [0, 1]
    exact = reinforce_variance([1 - P, P], scores, rewards, 0.5) / SIZE
    assert changes.var() == pytest.approx(exact, rel=5 * np.sqrt(2 / COPIES))
    two = list(train_prompts(np.full(COPIES, P), FAMILY["REINFORCE"], learning_rate=1e-9, steps=2, seed=15))
    baseline = 0.5 + 0.1 * (first.k / SIZE - 0.5)
    push = (two[1].k * (1 - baseline) * (1 - P) + (SIZE - two[1].k) * baseline * P) / SIZE
    np.testing.assert_allclose((two[1].logits - two[0].logits) / 1e-9, push, rtol=1e-5)


def test_record_and_population():
    p0 = beta_population(5, 1, 1)
    np.testing.assert_allclose(p0, [0.1, 0.3, 0.5, 0.7, 0.9])
    steps = list(train_prompts(p0, steps=3))
    run = record(steps)
    assert run.success.shape == run.rollouts.shape == (4,)
    assert run.silent.shape == run.clipped.shape == run.length.shape == (3,)
    assert run.success[0] == pytest.approx(0.5)
    assert run.rollouts.tolist() == [0, 40, 80, 120]
    np.testing.assert_array_equal(run.final, steps[-1].after)
    again = record(train_prompts(p0, steps=3))
    np.testing.assert_array_equal(again.success, run.success)
    with pytest.raises(ValueError, match="at least one step"):
        record([])


@pytest.mark.parametrize(
    ("settings", "match"),
    [
        ({"p0": [0.0]}, "p0 must be strictly between 0 and 1, got 0"),
        ({"p0": [[0.5]]}, r"p0 must be a number or a vector, got shape \(1, 1\)"),
        ({"group_size": 1}, "group_size must be"),
        ({"learning_rate": 0}, "learning_rate must be"),
        ({"steps": 0}, "steps must be"),
        ({"updates": 1.5}, "updates must be"),
        ({"kl": -1}, "kl must be"),
        ({"batch": 3}, "batch must be a whole number from 1 to the 1 prompts, got 3"),
        ({"batch": 0.5}, "batch must be a whole number of at least 1"),
        ({"algorithm": FAMILY["DAPO"]}, "batch must be below the 1 prompts to refill from, got None"),
        (
            {"algorithm": FAMILY["DAPO"], "batch": 1},
            "batch must be below the 1 prompts to refill from, got 1",
        ),
    ],
)
def test_refusals_come_before_the_first_step(settings, match):
    with pytest.raises(ValueError, match=match):
        train_prompts(**{"p0": [0.5], **settings})
