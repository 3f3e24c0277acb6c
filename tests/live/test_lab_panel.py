"""The training lab's panel under a real kernel, driven by a reader's clicks and keys."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect


@pytest.mark.parametrize("run_notebook", ["lab"], indirect=True)
def test_the_panel_runs_stops_and_compares(run_notebook):
    page: Page = run_notebook(["from grpo_lessons.lab import lab\nlab()"])
    start, stop = (page.locator(".widget-button", has_text=name) for name in ("Start", "Stop"))
    rows = page.locator(".widget-html table tr")
    expect(stop).to_be_disabled()
    image = page.locator("img.widget-image")
    expect(image).to_be_hidden()  # an empty picture would show as a broken one
    expect(page.locator(".widget-slider", has_text="learning rate")).to_contain_text("0.50")

    # a run of the default choices goes to its end
    start.click()
    expect(rows).to_have_count(2)
    expect(start).to_be_enabled()
    expect(rows.nth(1)).to_contain_text("GRPO, G = 8, rate 0.5")
    expect(rows.nth(1).locator("td").nth(1)).to_have_text("150")
    expect(image).to_be_visible()
    assert image.evaluate("picture => picture.naturalWidth") > 0

    # a long one, in the small language, is watched and stopped
    page.get_by_label("policy").select_option(label="one prompt, a small language")
    page.get_by_label("algorithm").select_option(label="GSPO")
    for slider, value in (("updates a step", "16"), ("steps", "1000")):  # some seconds, were it not stopped
        readout = page.locator(".widget-slider", has_text=slider).locator(".widget-readout")
        readout.fill(value)
        readout.press("Enter")
    start.click()
    expect(stop).to_be_enabled()
    expect(start).to_be_disabled()
    expect(rows).to_have_count(3)  # the one before, and this one so far
    stop.click()
    expect(start).to_be_enabled()
    name, took = rows.nth(2).locator("td").all_inner_texts()[:2]
    assert name == "GSPO, G = 8, rate 0.5, 16 updates, small language"
    assert 0 < int(took) < 1000
