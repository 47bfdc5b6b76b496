"""The first visit: a tour that leads through pages, ends, and does not come back; phones see everything."""

import pytest
from playwright.sync_api import expect

from pgm_nb.app.shell.router import PAGES
from pgm_nb.app.widgets.tour import STATIONS

pytestmark = pytest.mark.browser

OUTSIDE = """() => {
  const main = document.querySelector("[data-testid=stMain]");
  const inside = (e) => e.getBoundingClientRect().right <= innerWidth + 1;
  const scrolled = (e) => { // in a table or a list that scrolls by itself
    for (let p = e.parentElement; p && p !== main; p = p.parentElement)
      if (getComputedStyle(p).overflowX !== "visible" && inside(p)) return true;
    return false;
  };
  const out = [...main.querySelectorAll("*")].filter((e) => e.getBoundingClientRect().width
    && !e.closest("svg, canvas, [data-testid=stDataFrame]") && !inside(e) && !scrolled(e));
  const wide = main.scrollWidth > main.clientWidth ? [`${main.scrollWidth} pixels`] : [];
  return [...wide, ...out.map((e) => e.textContent.slice(0, 40))];
}"""


def test_the_tour_leads_on_ends_and_is_remembered(page, address, settled):
    settled(page)
    page.get_by_role("button", name="Start the tour").click()
    expect(page.get_by_text("1 of 6.")).to_be_visible()
    page.get_by_role("button", name="On to Growth").click()
    expect(page.get_by_text("2 of 6.")).to_be_visible()
    settled(page)
    page.wait_for_url(lambda url: "/growth" in url)
    for place, name in enumerate([*STATIONS][2:], start=3):
        page.get_by_role("button", name=f"On to {PAGES[name]}").click()
        expect(page.get_by_text(f"{place} of 6.")).to_be_visible()
        settled(page)
        page.wait_for_url(f"**/{name}**")
    page.get_by_role("button", name="End the tour").click()
    expect(page.get_by_text("6 of 6.")).to_be_hidden()
    page.goto(address)
    settled(page)
    expect(page.get_by_text("New here?")).to_be_hidden()


def test_a_phone_sees_the_whole_width_of_every_page(page, address, settled):
    page.goto(f"{address}/?sample=iris&model=nb")
    for title in PAGES.values():
        page.set_viewport_size({"width": 1440, "height": 900})
        settled(page).get_by_role("link", name=title, exact=True).click()
        page.set_viewport_size({"width": 390, "height": 844})
        settled(page)
        assert page.evaluate(OUTSIDE) == [], title
