"""Chapter 15: its comparisons come out as it says, and prose, explorer and package say the same.

The algorithms themselves are held to exact expectations in tests/test_training.py and beside it.
"""

import numpy as np
import pytest
from IPython.display import Markdown

import grpo_lessons as gl
from grpo_lessons.family import FAMILY
from grpo_lessons.prose import percent
from grpo_lessons.sampling import retry_draws
from grpo_lessons.training import beta_population, record, train_prompts


@pytest.mark.parametrize("name", ["GRPO", "Dr. GRPO", "RLOO", "REINFORCE", "CISPO", "GSPO"])
@pytest.mark.parametrize("updates", [1, 4])
def test_no_group_moves_a_lone_prompt_down(name, updates):
    steps = train_prompts(beta_population(300), FAMILY[name], learning_rate=2.0, steps=30, updates=updates)
    before = None
    for step in steps:
        if before is not None:
            assert np.all(step.logits >= before - 1e-12)
        before = step.logits


def test_first_speeds_differ_by_the_ratio_of_weights(chapter):
    """One tiny step of each: mean success grows by η E[w v²], and the factor is the chapter's."""
    p0 = chapter.names["p0"]
    grown = {}
    for name in ("GRPO", "Dr. GRPO"):
        first = [
            record(train_prompts(p0, FAMILY[name], learning_rate=1e-3, steps=1, seed=seed))
            for seed in range(40)
        ]
        grown[name] = np.mean([run.success[1] - run.success[0] for run in first])
    assert grown["GRPO"] / grown["Dr. GRPO"] == pytest.approx(chapter.names["faster"], rel=0.02)
    assert chapter.number("faster") == pytest.approx(chapter.names["faster"], abs=0.005)


def test_most_of_the_lead_is_learning_rate(chapter):
    lead = chapter.number("grpo_end") - chapter.number("dr_end")
    assert 100 * lead == pytest.approx(chapter.number("gap_end"), abs=0.7)
    left = chapter.number("grpo_end") - chapter.number("fair_end")
    assert 100 * left == pytest.approx(chapter.number("gap_left"), abs=0.15)
    assert 0.85 < chapter.number("gap_share") < 0.95
    assert left > 5 * 0.001  # what is left is more than the intervals


def test_refill_lies_on_grpo_by_rollouts_and_leads_by_steps(chapter):
    assert chapter.number("roll_dapo") == pytest.approx(chapter.number("roll_grpo"), abs=0.01)
    assert chapter.number("step_dapo") > chapter.number("step_grpo") + 0.08
    assert chapter.number("roll_retry") < chapter.number("roll_grpo") - 0.08
    assert chapter.number("stuck_retry") < chapter.number("stuck_grpo") / 4
    assert chapter.number("spent_retry") > chapter.number("spent_dapo") > 1.5


def test_group_sizes_change_places_with_the_rate(chapter):
    assert chapter.number("one_2") > chapter.number("one_64") + 0.3
    assert chapter.number("scaled_64") > chapter.number("scaled_2") + 0.15
    assert chapter.number("rloo_64") == pytest.approx(chapter.number("rloo_2"), abs=0.04)


def test_what_is_let_through_decides_after_several_updates(chapter):
    means = {
        name: np.mean([run.success[-1] for run in runs]) for name, runs in chapter.names["parted"].items()
    }
    assert list(means) == sorted(means, key=means.get)  # as the table lists them
    held = [np.mean([run.clipped.mean() for run in runs]) for runs in chapter.names["parted"].values()]
    assert held == sorted(held, reverse=True)


def test_length_weights_turn_the_step(chapter):
    growth = chapter.names["growth"]
    assert growth("sequence") > growth("constant") > growth("token")
    later = chapter.names["twentieth"].logits
    assert growth("sequence", later) / growth("constant", later) == pytest.approx(0.5, abs=0.1)
    assert chapter.number("shrink_grpo") == pytest.approx(growth("sequence", later), abs=0.005)
    assert chapter.number("shrink_grpo") < 0
    assert chapter.number("grow_grpo") == pytest.approx(growth("sequence"), abs=0.005)
    assert chapter.number("tis_with") < chapter.number("tis_without")


def test_silence_of_the_run_is_the_closed_form(chapter):
    z = np.array(chapter.names["z"])
    assert np.abs(z).max() < 4.5
    assert abs(z.mean()) < 4 / np.sqrt(z.size)
    assert z.std() == pytest.approx(1, abs=4 / np.sqrt(2 * z.size))
    assert chapter.names["run"].silent_expected[0] == pytest.approx(
        gl.silent_probability(chapter.names["p0"], 8).mean()
    )


def test_clip_follows_the_step(chapter):
    share, same_step = chapter.names["clip_share"], chapter.names["same_step"]
    for p in (0.1, 0.5):
        dr = [
            float(share("Dr. GRPO", rate, p, 8).replace("\N{NARROW NO-BREAK SPACE}%", ""))
            for rate in (0.3, same_step(p, 8))
        ]
        grpo = float(share("GRPO", 0.3, p, 8).replace("\N{NARROW NO-BREAK SPACE}%", ""))
        assert dr[0] < 0.6 * grpo
        assert dr[1] == pytest.approx(grpo, rel=0.1)
    assert chapter.number("clipped_one") == 0


def test_shared_parameters_push_some_prompts_down(chapter):
    fallen = chapter.names["fallen"]
    assert fallen["parameters of its own"] == 0
    assert fallen["shared parameters"] == pytest.approx(chapter.number("fallen_shared"), abs=0.005)
    assert fallen["shared parameters"] > 0.05


def test_twins_at_two(chapter):
    some = chapter.names["some"]
    finals = [
        record(train_prompts(some, FAMILY[name], group_size=2, learning_rate=rate, steps=50)).final
        for name, rate in (("GRPO", 0.3), ("RLOO", 0.3), ("Dr. GRPO", 0.6))
    ]
    np.testing.assert_allclose(finals[1], finals[0], rtol=1e-12)
    np.testing.assert_allclose(finals[2], finals[0], rtol=1e-12)


def test_best_baseline_of_one_logit_is_q(chapter):
    assert chapter.names["best"] == pytest.approx(0.8)
    assert chapter.names["noise"][0.8] == 0
    assert chapter.names["noise"][0.5] < chapter.names["noise"][0.2]


def test_explorer_says_what_a_fresh_run_gives(chapter):
    said = chapter.explorers["training-run"].value(method="DAPO", G=2, lr=1.0, t=24)
    some = chapter.names["some"]
    steps = list(
        train_prompts(some, FAMILY["DAPO"], group_size=2, learning_rate=1.0, steps=24, batch=150, seed=1)
    )
    assert (
        f"mean success {steps[-1].after.mean():.3f} for {sum(step.rollouts for step in steps):,.0f} rollouts"
        in said
    )
    assert f"{percent(np.mean(steps[-1].after < 0.05))} of prompts are below 0.05" in said


def test_panel_is_a_sentence_on_a_page(monkeypatch):
    monkeypatch.setenv("GRPO_LESSONS_BUILDING", "1")
    from grpo_lessons.lab import lab

    assert isinstance(lab(), Markdown)


def test_retry_pays_at_both_ends(chapter):
    """Its completions by the prompt's p: early they go to hopeless prompts, in the end to certain ones."""
    paid, prompts = chapter.names["paid"], chapter.names["prompts_in"]
    early, whole = chapter.names["until"]
    assert paid[early][0] > 4 * prompts[early][0]
    assert paid[whole][2] > 1.5 * max(prompts[whole][2], paid[whole][0])
    for name, value in (("paid_hopeless", paid[early][0]), ("paid_certain", paid[whole][2])):
        assert chapter.number(name) == pytest.approx(value, abs=0.005)
    # each step's expected draws against those that it counts
    steps = chapter.names["tries"]
    counted = sum(step.rollouts for step in steps)
    expected = 8 * sum(retry_draws(step.before[step.prompts], 8).sum() for step in steps)
    assert counted == pytest.approx(expected, rel=0.02)


def test_what_is_left_belongs_to_rare_prompts(chapter):
    assert chapter.number("rare_gap") > 0.6 > 2 * chapter.number("rare_share")


def test_reinforce_has_less_noise_than_rloo_at_either_baseline(chapter):
    noise, rloo = chapter.names["noise"], float(chapter.names["rloo_noise"])
    assert noise[0.5] < noise[0.2] < rloo
    assert rloo == pytest.approx(0.008114, abs=1e-6)
