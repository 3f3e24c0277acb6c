"""Each small formula at values that can be done by hand, and its slope by finite differences."""

import numpy as np
import pytest

from grpo_lessons import losses

SAID = np.array([[True, True, False], [True, False, False]])


def slope_of(value, log_prob, h=1e-6):
    """Derivative of a sum of `value` in each entry of log_prob, by central differences."""
    result = np.zeros_like(log_prob)
    for place in np.ndindex(log_prob.shape):
        step = np.zeros_like(log_prob)
        step[place] = h
        result[place] = (value(log_prob + step).sum() - value(log_prob - step).sum()) / (2 * h)
    return result


def test_ratios_of_tokens_and_of_a_sequence():
    change = np.log([[2.0, 8.0, 1.0], [3.0, 1.0, 1.0]])
    np.testing.assert_allclose(losses.token_ratio(change), [[2, 8, 1], [3, 1, 1]])
    np.testing.assert_allclose(losses.sequence_ratio(change, SAID), [[4], [3]])  # √(2 × 8), and one token


@pytest.mark.parametrize(
    ("ratio", "advantage", "value", "slope"),
    [
        (1.1, 2.0, 2.2, 2.2),
        (1.5, 2.0, 2.56, 0.0),  # gained enough: 1.28 × 2
        (0.5, 2.0, 1.0, 1.0),  # fell behind, is let back
        (0.5, -2.0, -1.6, 0.0),  # 0.8 × −2
        (1.5, -2.0, -3.0, -3.0),
        (1.5, 0.0, 0.0, 0.0),
    ],
)
def test_clip_holds_on_the_side_that_gains(ratio, advantage, value, slope):
    done = losses.clipped(np.array(ratio), np.array(advantage), 0.2, 0.28)
    assert (done.value, done.slope) == pytest.approx((value, slope))


def test_clipped_slope_is_a_derivative():
    change = np.array([-0.4, -0.1, 0.1, 0.22, 0.26, 0.4])
    for advantage in (1.3, -0.7):
        each = losses.clipped(np.exp(change), np.array(advantage), 0.2, 0.28)
        numeric = slope_of(
            lambda x, a=advantage: losses.clipped(np.exp(x), np.array(a), 0.2, 0.28).value, change
        )
        np.testing.assert_allclose(each.slope, numeric, atol=1e-8)


def test_detached_drops_no_token():
    log_prob, ratio = np.log([0.2, 0.5, 0.9]), np.array([0.1, 1.0, 5.0])
    value, slope = losses.detached(ratio, np.array(2.0), log_prob, 1.0, 0.5)
    np.testing.assert_allclose(slope, [0.2, 2.0, 3.0])  # no lower bound; 1.5 above
    np.testing.assert_allclose(value, slope * log_prob)


def test_truncated_weight():
    np.testing.assert_allclose(losses.truncated_weight(np.log([0.3, 1.0, 7.0]), 2.0), [0.3, 1.0, 2.0])


def test_preference_of_one_pair_is_dpo():
    """−log sigmoid(β(Δ_w − Δ_l)) of arXiv:2305.18290, equation 7, with its sign turned."""
    change, beta = np.array([0.3, -0.5]), 0.7
    value, slope = losses.preference(change, np.array([1.0, -1.0]), np.ones(2), beta)
    assert value == pytest.approx(-np.log1p(np.exp(-beta * 0.8)))
    assert slope == pytest.approx(beta / (1 + np.exp(beta * 0.8)) * np.array([1, -1]))


def test_preference_averages_over_pairs_and_counts():
    change = np.array([0.3, -0.5, 0.1])
    one_by_one = losses.preference(change[[0, 1, 1, 2]], np.array([1, -1, -1, 1.0]), np.ones(4), 0.7)
    counted = losses.preference(change, np.array([1, -1, 1.0]), np.array([1, 2, 1.0]), 0.7)
    assert counted.value == pytest.approx(one_by_one.value)
    first, second, _, last = one_by_one.slope
    assert counted.slope == pytest.approx([first, 2 * second, last])
    numeric = slope_of(
        lambda x: losses.preference(x, np.array([1, -1, 1.0]), np.array([1, 2, 1.0]), 0.7).value, change
    )
    np.testing.assert_allclose(counted.slope, numeric, atol=1e-9)
    silent = losses.preference(change, np.zeros(3), np.ones(3), 0.7)
    assert silent.value == 0
    assert not silent.slope.any()


def test_k3_is_unbiased_for_its_divergence_and_pulls_like_the_other():
    """Under samples from π the mean of k3 is KL(π‖π_ref), of its slope × score it is ∇KL(π_ref‖π)."""
    policy, reference = np.array([0.2, 0.5, 0.3]), np.array([0.4, 0.4, 0.2])
    value, slope = losses.k3_penalty(np.log(reference / policy))
    assert policy @ value == pytest.approx(policy @ np.log(policy / reference))
    scores = np.eye(3) - policy
    np.testing.assert_allclose((policy * slope) @ scores, policy - reference)  # ∇ of −Σ π_ref log π
    gap = np.log(reference / policy)
    numeric = slope_of(lambda x: losses.k3_penalty(np.log(reference) - x).value, np.log(reference) - gap)
    np.testing.assert_allclose(slope, numeric, atol=1e-8)


def test_length_weights():
    counts = np.array([3.0, 1.0])  # four completions: three of two tokens, one of one token
    expected = {
        "sum": [[3 / 4, 3 / 4, 0], [1 / 4, 0, 0]],
        "sequence": [[3 / 8, 3 / 8, 0], [1 / 4, 0, 0]],
        "token": [[3 / 7, 3 / 7, 0], [1 / 7, 0, 0]],
        "constant": [[3 / 12, 3 / 12, 0], [1 / 12, 0, 0]],
    }
    for lengths, weights in expected.items():
        np.testing.assert_allclose(losses.length_weights(SAID, counts, lengths), weights)
    with pytest.raises(ValueError, match="lengths must be one of 'sum'"):
        losses.length_weights(SAID, counts, "mean")
