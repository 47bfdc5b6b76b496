"""Draw a tree by hand in a real Chromium: two clicks make a link, a file makes the whole tree."""

import pytest
from playwright.sync_api import expect

import pgm_nb as pnb

pytestmark = pytest.mark.browser


def test_click_child_and_mother_then_read_a_file(page, address, settled, attribute):
    page.goto(f"{address}/?sample=iris&do=tree")
    settled(page)
    attribute(page, "petal length").click()
    settled(page)
    attribute(page, "petal width").click()
    expect(page.locator("g.edge.tree")).to_have_count(1)
    expect(page.get_by_text("3 attributes have no mother yet")).to_be_visible()
    settled(page)
    page.wait_for_url(lambda url: "tree=petal+length%3Apetal+width" in url)

    names = tuple(pnb.load_sample("iris")[0].columns)
    star = dict.fromkeys(names[:3], "petal width")
    content = pnb.Tree("class", names, star).to_json().encode()
    upload = page.locator("[data-testid=stFileUploaderDropzoneInput], input[type=file]").last
    upload.set_input_files({"name": "mine.json", "mimeType": "application/json", "buffer": content})
    expect(page.get_by_text("The tree is complete;")).to_be_visible()
    expect(page.get_by_text("Captured less")).to_be_visible()
