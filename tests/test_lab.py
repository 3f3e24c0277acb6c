"""The panel without a browser: its buttons are clicked in Python, in an event loop as a kernel has one."""

import asyncio

import pytest
from IPython.display import Markdown

from grpo_lessons import lab
from grpo_lessons.explorer import BUILDING
from grpo_lessons.family import FAMILY


@pytest.fixture
def panel(monkeypatch):
    monkeypatch.delenv(BUILDING, raising=False)
    made = lab.lab()
    made.steps.value = 20
    return made


def test_no_widget_during_a_build(monkeypatch):
    monkeypatch.setenv(BUILDING, "1")
    assert isinstance(lab.lab(), Markdown)


def test_start_runs_to_the_end_and_shows_it(panel):
    async def user():
        panel.start.click()
        assert panel.start.disabled
        assert not panel.stop.disabled
        await panel.task

    asyncio.run(user())
    ((name, run),) = panel.runs
    assert name == "GRPO, G = 8, rate 0.5"
    assert run.silent.size == 20 == panel.progress.value == panel.progress.max
    assert bytes(panel.picture.value).startswith(b"\x89PNG")
    assert f"{run.success[-1]:.3f}" in panel.table.value
    assert not panel.start.disabled
    assert panel.stop.disabled


def test_stop_keeps_what_was_done(panel):
    async def user():
        panel.steps.value = 1000
        panel.start.click()
        while panel.progress.value == 0:
            await asyncio.sleep(0.01)
        panel.stop.click()
        with pytest.raises(asyncio.CancelledError):
            await panel.task

    panel.algorithm.value = "RLOO"
    asyncio.run(user())
    ((_, run),) = panel.runs
    assert 0 < run.silent.size < 1000
    assert panel.progress.value == run.silent.size
    assert not panel.start.disabled


def test_two_runs_are_compared(panel):
    async def user():
        for name, size in (("GRPO", 8), ("Dr. GRPO", 16), ("GSPO", 2)):
            panel.algorithm.value, panel.group_size.value = name, size
            panel.start.click()
            await panel.task

    panel.policy.value = lab.POLICIES[1]
    panel.updates.value = 4
    asyncio.run(user())
    assert [name.split(",")[0] for name, _ in panel.runs] == ["GRPO", "Dr. GRPO", "GSPO"]
    assert "Dr. GRPO, G = 16" in panel.table.value
    assert "GSPO, G = 2, rate 0.5, 4 updates, small language" in panel.table.value
    assert "G = 8" not in panel.table.value  # the last two only


@pytest.mark.parametrize("policy", lab.POLICIES)
@pytest.mark.parametrize("name", FAMILY)
def test_every_choice_starts(policy, name):
    step = next(lab.start_run(policy, FAMILY[name], 2, group_size=4, learning_rate=0.5, steps=1, seed=0))
    assert 0 < step.after.mean() < 1


def test_names_are_escaped():
    run = lab.record(lab.train_prompts([0.5], steps=1))
    assert "<b>" not in lab.table([("<b>", run)])
