"""What people do with their table, in a real Chromium: look at it, and set their own cut points."""

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def open_data(page, settled, go):
    settled(page)
    go(page, "Data")
    expect(page.get_by_role("heading", name="Intervals of numbers")).to_be_visible()
    return settled(page)


def test_cut_points_by_click_typing_and_undo(page, settled, go):
    open_data(page, settled, go)
    chart = page.locator("[data-testid=stVegaLiteChart]").nth(1)
    chart.scroll_into_view_if_needed()
    expect(chart.locator("canvas, svg").first).to_be_visible()
    settled(page)
    box = chart.bounding_box()
    page.mouse.click(box["x"] + 0.8 * box["width"], box["y"] + 0.5 * box["height"])
    page.wait_for_url("**cut=mean*")
    settled(page)
    points = page.get_by_role("textbox", name="Cut points")
    assert len(points.input_value().split(",")) == 10  # the nine automatic ones and a new one

    points.fill("12, 15.5")
    points.press("Enter")
    page.wait_for_url("**cut=mean+radius%3A12%2C15.5*")
    settled(page)
    expect(page.get_by_text("compared with automatic intervals")).to_be_visible()
    page.get_by_role("button", name="Back to automatic", exact=True).click()
    page.wait_for_url(lambda url: "cut=" not in url)
    settled(page)
    page.get_by_role("button", name="Undo", exact=True).click()
    page.wait_for_url("**cut=mean+radius%3A12%2C15.5*")


def test_a_table_with_too_many_columns_is_cut_with_a_word(page, settled, go):
    open_data(page, settled, go)
    names = ",".join(f"g{i}" for i in range(1500)) + ",outcome\n"
    rows = "".join(",".join(str((i * j) % 7) for j in range(1500)) + f",{'ab'[i % 2]}\n" for i in range(30))
    page.locator("input[type=file]").first.set_input_files(
        {"name": "wide.csv", "mimeType": "text/csv", "buffer": (names + rows).encode()}
    )
    expect(page.get_by_text("1,000 of 1,501 columns are used")).to_be_visible()
    expect(page.get_by_role("combobox", name="Columns used")).to_be_visible()
    settled(page)


def test_a_file_that_is_too_large_is_refused_with_a_visible_sentence(page, settled, tmp_path):
    settled(page)
    large = tmp_path / "large.csv"
    with large.open("wb") as file:
        file.truncate(210_000_000)
    page.locator("input[type=file]").first.set_input_files(large)
    refused = page.get_by_text("File must be 200.0MB or smaller")
    expect(refused).to_be_visible()
    wide = "element => element.getBoundingClientRect().width > 150"  # not only for screen readers
    page.wait_for_function(wide, arg=refused.element_handle())
