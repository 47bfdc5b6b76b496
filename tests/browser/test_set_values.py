"""Known values on the structure, in a real Chromium: click a bar, see the ring, visit other pages."""

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def test_click_a_bar_and_every_page_knows(page, address, settled, go):
    page.goto(f"{address}/?sample=house_votes&model=tan&do=values")
    settled(page)
    expect(page.locator("g.bars")).to_have_count(17)
    where = page.locator(".frame svg").get_attribute("viewBox")
    crime = page.locator("g.node").filter(has_text="crime")
    crime.locator("[data-state='1']").click()
    expect(page.get_by_text("With 1 of 16 attributes known")).to_be_visible()
    expect(crime.locator("rect[stroke-width='3']")).to_have_count(1)
    assert page.locator(".frame svg").get_attribute("viewBox") == where  # nothing jumps
    settled(page)
    page.wait_for_url(lambda url: "given=crime%3Dyes" in url)
    box = page.get_by_role("group", name="crime")  # one stop of the Tab key, arrows inside
    expect(box.locator("button[tabindex='0']")).to_have_count(1)
    box.locator("button[tabindex='0']").focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(box.locator("button").nth(2)).to_be_focused()
    go(page, "Growth")
    settled(page)
    page.wait_for_url(lambda url: "given=crime%3Dyes" in url)
    go(page, "What if")
    expect(page.get_by_text("With 1 of 16 attributes known")).to_be_visible()
