"""Live notebooks as a reader meets them: one click, Python in the browser, nothing asked of anybody else."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import expect

from tests.browser import watched_page
from tests.lite.conftest import SITE, WAIT

CHAPTER = "07-silent-groups.ipynb"
HOMEWORK = sorted(path.name for path in (SITE / "lite" / "files" / "homework").glob("*.ipynb"))


def place_of(source: str) -> int:
    """Where in the chapter the one cell is whose source begins like this."""
    cells = json.loads((SITE / "lite" / "files" / CHAPTER).read_text("utf-8"))["cells"]
    (place,) = [i for i, cell in enumerate(cells) if "".join(cell["source"]).startswith(source)]
    return place


def test_one_click_and_nothing_before_it(browser, at_prefix):
    with watched_page(browser) as watched:
        page = watched.page
        page.goto(f"{at_prefix}notebooks/07-silent-groups.html")
        button = page.get_by_role("link", name="Run this chapter")
        expect(button).to_be_visible()
        page.wait_for_load_state("networkidle")
        assert not [url for url in watched.requests if "/lite/" in url]
        button.click()
        page.wait_for_url(f"{at_prefix}lite/start.html?notebook={CHAPTER}")
        expect(page.locator("#said")).to_contain_text("the first time about")
        page.get_by_role("link", name="Silent groups").click()
        page.wait_for_url(f"{at_prefix}notebooks/07-silent-groups.html")


def test_building_leaves_nothing_in_the_project():
    assert not list(SITE.parents[1].glob(".jupyterlite*"))


def test_what_is_said_of_the_size_is_true(browser, at_prefix):
    """Every file that is loaded until all is imported, counted once."""
    with watched_page(browser) as watched:
        page, loaded = watched.page, {}
        page.context.on("response", lambda got: loaded.update({got.url: got}))
        page.goto(f"{at_prefix}lite/start.html")
        said = int(page.locator("#said").inner_text().split("loads ")[1].split()[0])
        page.get_by_role("link", name="Silent groups").click()
        page.get_by_role("button", name="Start again").wait_for(timeout=WAIT)
        expect(page.locator("progress")).to_be_hidden(timeout=WAIT)
        files = {SITE / url.split("?")[0].removeprefix(at_prefix) for url in loaded if "/lite/" in url}
        size = sum(file.stat().st_size for file in files if file.is_file())
        assert said == pytest.approx(size / 1e6, rel=0.05)
        assert not watched.troubles


def test_a_chapter_from_top_to_bottom(live):
    """Its figures move, its self-checks answer; what a reader changes stays until they want it gone."""
    with live(CHAPTER) as notebook:
        page, frame = notebook.page, notebook.frame
        assert frame.locator(".jp-Dialog").count() == 0
        book = notebook.sources()
        outputs = notebook.run()
        texts = [json.dumps(output, ensure_ascii=False) for output in outputs]
        assert "all 256 groups" in texts[place_of("rewards, chance = ")]

        # an explorer
        explorer = place_of("fig, (top, low)")
        notebook.show(explorer)
        caption, slider = frame.locator(".gl-caption").first, frame.locator("input[name=G]").first
        expect(caption).to_contain_text("G = 8", timeout=WAIT)
        slider.focus()
        page.keyboard.press("ArrowRight")
        expect(caption).to_contain_text("G = 12")

        # a self-check, before and after an answer
        exercise = place_of("answer = ...\ncheck.number(answer, gl.min_group_size_for_coverage")
        assert "Not answered yet" in texts[exercise]
        notebook.write(exercise, book[exercise].replace("...", "59", 1))
        assert "Right" in json.dumps(notebook.run(exercise)[exercise])

        # a changed cell survives a reload, and is gone after one click, which can be taken back
        frame.locator(".jp-Notebook").wait_for()
        notebook.wait_until_saved()
        page.reload()
        notebook.wait_until_ready()
        assert notebook.sources()[exercise].startswith("answer = 59")
        page.get_by_role("button", name="Start again").click()
        notebook.wait_until_ready()
        assert notebook.sources() == book
        page.get_by_role("button", name="Bring my version back").click()
        notebook.wait_until_ready()
        assert notebook.sources()[exercise].startswith("answer = 59")


def test_another_chapter_from_top_to_bottom(live):
    with live("16-reading-your-own-run.ipynb") as notebook:
        assert sum(bool(output) for output in notebook.run()) > 5


def test_the_training_labs_panel(live):
    """Sliders of ipywidgets move, and a run of the default choices ends."""
    with live("15-training-lab.ipynb") as notebook:
        cells = notebook.sources()
        panel = next(i for i, source in enumerate(cells) if source.strip() == "lab()")
        imports = next(i for i, source in enumerate(cells) if "import matplotlib" in source)
        notebook.run(imports, panel)
        notebook.show(panel)
        slider = notebook.frame.locator(".widget-slider", has_text="group size")
        handle, mouse = slider.locator(".noUi-handle").bounding_box(), notebook.page.mouse
        mouse.move(handle["x"] + handle["width"] / 2, handle["y"] + handle["height"] / 2)
        mouse.down()
        mouse.move(handle["x"] + 400, handle["y"] + 5, steps=4)
        mouse.up()
        expect(slider.locator(".widget-readout")).to_have_text("64")
        notebook.frame.locator(".widget-button", has_text="Start").click()
        row = notebook.frame.locator(".widget-html table tr").nth(1)
        expect(row).to_contain_text("GRPO, G = 64", timeout=WAIT)
        expect(notebook.frame.locator(".widget-button", has_text="Start")).to_be_enabled(timeout=WAIT)


RIGHT_COUNT = """right_seen = 1
def right_count(advantage, group_size):
    return {answer}
"""


@pytest.mark.skipif(not HOMEWORK, reason="`make homework` has not been run: there is none in the site")
def test_homework_checks_itself(live):
    """As it is handed out; then with a wrong answer in the first question's cell, and with a right one."""
    with live(f"homework/{HOMEWORK[0]}") as notebook:
        outputs = notebook.run()
        assert any("Not answered yet" in json.dumps(output) for output in outputs)
        cells = notebook.sources()
        answer = next(i for i, source in enumerate(cells) if "def right_count" in source)
        check = next(i for i, source in enumerate(cells) if "right_count, [((1.0, 8), 4)" in source)

        def verdict(returned: str) -> str:
            notebook.write(answer, RIGHT_COUNT.format(answer=returned))
            return json.dumps(notebook.run(answer, check)[check])

        assert "Half right: everybody is one deviation from the mean" in verdict("group_size")
        assert "Right." in verdict("group_size / (1 + (advantage**2 if advantage > 0 else advantage**-2))")


@pytest.mark.skipif("hw05.ipynb" not in HOMEWORK, reason="`make homework` has not been run, or makes others")
def test_homework_brings_its_data(live):
    """Its cells write a file beside the notebook, and read it."""
    with live("homework/hw05.ipynb") as notebook:
        assert "lines, such as" in json.dumps(notebook.run(1, 2)[2])
