"""The first visit: a tour that leads through pages, ends, and does not come back; phones see everything."""

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

OUTSIDE = """[...document.querySelectorAll("h1, h2, h4, p, button, .role-legend")]
    .filter(e => e.closest("[data-testid=stMain]") && !e.closest("[data-testid=stDataFrame]"))
    .filter(e => e.getBoundingClientRect().right > innerWidth + 1)
    .map(e => e.textContent.slice(0, 40))"""


def test_the_tour_leads_on_ends_and_is_remembered(page, address, settled):
    settled(page)
    page.get_by_role("button", name="Start the tour").click()
    expect(page.get_by_text("1 of 6.")).to_be_visible()
    page.get_by_role("button", name="On to Growth").click()
    expect(page.get_by_text("2 of 6.")).to_be_visible()
    settled(page)
    assert "/growth" in page.url
    page.get_by_role("button", name="End the tour").click()
    expect(page.get_by_text("2 of 6.")).to_be_hidden()
    page.goto(address)
    settled(page)
    expect(page.get_by_text("New here?")).to_be_hidden()


@pytest.mark.parametrize("title", ["Structure", "Fit", "Export", "What if"])
def test_a_phone_sees_the_whole_width(page, address, settled, title):
    page.goto(f"{address}/?sample=iris")
    settled(page)
    page.get_by_role("link", name=title, exact=True).click()
    settled(page)
    page.set_viewport_size({"width": 390, "height": 844})
    settled(page)
    assert page.evaluate(OUTSIDE) == []
