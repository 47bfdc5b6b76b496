"""A project is saved and opened, and a saved model is looked at without its table, in a real Chromium."""

import pytest
from playwright.sync_api import expect

import pgm_nb as pnb

pytestmark = pytest.mark.browser

PATIENTS = (
    "dose,stage,age,outcome\n"
    + "".join(f"{i % 3},s{i % 2},{30 + i % 37},{'ill' if i % 4 < 2 else 'well'}\n" for i in range(60))
).encode()


def give(page, name, content):
    page.locator("input[type=file]").first.set_input_files(
        {"name": name, "mimeType": "application/octet-stream", "buffer": content}
    )


def test_a_project_is_saved_and_opened(page, address, settled, choose, taken, go):
    settled(page)
    give(page, "patients.csv", PATIENTS)
    expect(page.get_by_role("heading", name="patients.csv")).to_be_visible()
    settled(page)
    choose(page, "Class", "stage")
    choose(page, "Model", "Naive Bayes")
    go(page, "Export")
    settled(page)
    content = taken(page, "Save project")
    page.goto(f"{address}/?sample=iris")
    settled(page)
    give(page, "work.pgmnbproj", content)
    expect(page.get_by_role("heading", name="patients.csv")).to_be_visible()
    settled(page)
    page.wait_for_url(lambda url: "class=stage" in url)
    page.wait_for_url(lambda url: "model=nb" in url)
    page.wait_for_url(lambda url: "sample=upload" in url)


def test_a_saved_model_is_asked_without_its_table(page, settled, tmp_path, go):
    path = tmp_path / "iris.pgmnb"
    pnb.TreeAugmentedNaiveBayes().fit(*pnb.load_sample("iris")).save(path)
    settled(page)
    give(page, "iris.pgmnb", path.read_bytes())
    expect(page.get_by_text("A saved model without its table")).to_be_visible()
    settled(page)
    go(page, "What if")
    expect(page.get_by_text("How likely is each value of the class?")).to_be_visible()
    settled(page)
    go(page, "Compare")
    expect(page.get_by_text("This page tests models on the rows of a table")).to_be_visible()
