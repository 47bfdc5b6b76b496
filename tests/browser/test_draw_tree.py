"""Draw a tree by hand in a real Chromium: two clicks make a link, a file makes the whole tree."""

import re

import pytest
from playwright.sync_api import expect

import pgm_nb as pnb

pytestmark = pytest.mark.browser

PATIENCE = 30_000  # milliseconds: a busy machine is slow, not broken


def node(page, name):
    return page.locator("g.node").filter(has=page.locator("text", has_text=re.compile(f"^{name}$")))


def test_click_child_and_mother_then_read_a_file(page, address, settled):
    page.goto(f"{address}/?sample=iris&do=tree")
    settled(page)
    node(page, "petal length").click()
    settled(page)
    node(page, "petal width").click()
    expect(page.locator("g.edge.tree")).to_have_count(1, timeout=PATIENCE)
    expect(page.get_by_text("3 attributes have no mother yet")).to_be_visible(timeout=PATIENCE)
    settled(page)
    page.wait_for_url(lambda url: "tree=petal+length%3Apetal+width" in url)

    names = tuple(pnb.load_sample("iris")[0].columns)
    star = dict.fromkeys(names[:3], "petal width")
    content = pnb.Tree("class", names, star).to_json().encode()
    upload = page.locator("[data-testid=stFileUploaderDropzoneInput], input[type=file]").last
    upload.set_input_files({"name": "mine.json", "mimeType": "application/json", "buffer": content})
    expect(page.get_by_text("The tree is complete;")).to_be_visible(timeout=PATIENCE)
    expect(page.get_by_text("Captured less")).to_be_visible(timeout=PATIENCE)
