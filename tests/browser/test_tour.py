"""The first visit: a tour that leads through pages, ends, and does not come back."""

import pytest
from playwright.sync_api import expect

from pgm_nb.app.pages import PAGES

pytestmark = pytest.mark.browser


def test_the_tour_leads_on_ends_and_is_remembered(page, address, settled):
    settled(page)
    page.get_by_role("button", name="Start the tour").click()
    expect(page.get_by_text("1 of 6.")).to_be_visible()
    page.get_by_role("button", name="On to Growth").click()
    expect(page.get_by_text("2 of 6.")).to_be_visible()
    settled(page)
    page.wait_for_url(lambda url: "/growth" in url)
    for place, stop in enumerate([stop for stop in PAGES if stop.tour][2:], start=3):
        page.get_by_role("button", name=f"On to {stop.title}").click()
        expect(page.get_by_text(f"{place} of 6.")).to_be_visible()
        settled(page)
        page.wait_for_url(f"**/{stop.name}**")
    page.get_by_role("button", name="End the tour").click()
    expect(page.get_by_text("6 of 6.")).to_be_hidden()
    page.goto(address)
    settled(page)
    expect(page.get_by_text("New here?")).to_be_hidden()
