"""Nobody is kept out of a page: WCAG 2.1 A and AA, as far as a program can tell, and a phone's screen."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from pgm_nb.app.pages import PAGES

pytestmark = pytest.mark.browser

RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}
FADED_IN = """() => document.getAnimations() // colours as they are in the end
  .filter((each) => each.effect.getComputedTiming().endTime !== Infinity).forEach((each) => each.finish())"""
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


def test_every_page_light_and_dark_and_on_a_phone(window, address, settled, go):
    page = window()
    page.goto(f"{address}/?sample=heart&at=thal&given=age=64&given=thal=normal")
    settled(page)
    for title in [each.title for each in PAGES]:
        page.set_viewport_size({"width": 1440, "height": 900})
        go(page, title)
        settled(page)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            settled(page)
            expect(page.get_by_test_id("stProgress")).to_have_count(0)
            settled(page)
            page.evaluate(FADED_IN)
            found = Axe().run(page, options=RULES)
            assert found.violations_count == 0, f"{title}, {scheme}: {found.generate_report()}"
        page.set_viewport_size({"width": 390, "height": 844})
        settled(page)
        assert page.evaluate(OUTSIDE) == [], title
