"""Edit the tree by clicking, in a real Chromium: two boxes, a line, the price, undo, and the address."""

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def test_require_two_boxes_forbid_a_line_and_undo(page, address, settled, attribute):
    page.goto(f"{address}/?sample=iris&model=tan&do=links&details=True")
    settled(page)
    attribute(page, "petal length").click()
    expect(page.get_by_role("heading", name="petal length and …")).to_be_visible()
    settled(page)
    attribute(page, "petal width").click()
    expect(page.get_by_role("heading", name="petal length – petal width")).to_be_visible()
    expect(page.locator("g.node.selected")).to_have_count(2)
    page.get_by_role("button", name="Require", exact=True).click()
    expect(page.locator("g.edge.required")).to_have_count(1)
    expect(page.get_by_text("Weight lost")).to_be_visible()
    expect(page.get_by_text("On new rows the log-loss is")).to_be_visible()
    settled(page)
    page.wait_for_url(lambda url: "require=petal+length%3Apetal+width" in url)

    page.locator("g.edge.tree text").first.click()
    page.get_by_role("button", name="Forbid", exact=True).click()
    expect(page.locator("g.edge.forbidden")).to_have_count(1)
    settled(page)
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(page.locator("g.edge.forbidden")).to_have_count(0)
    settled(page)
    page.reload()
    settled(page)
    expect(page.locator("g.edge.required")).to_have_count(1)
