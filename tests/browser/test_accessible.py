"""Nobody is kept out of a page: the rules of WCAG 2.1, levels A and AA, as far as a program can tell."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from pgm_nb.app.shell.router import FIRST, PAGES

pytestmark = pytest.mark.browser

RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}
SHOWN = {"structure": "?sample=heart&at=thal", "what_if": "?sample=heart&given=age=64&given=thal=normal"}


@pytest.mark.parametrize("name", PAGES)
def test_every_page_light_and_dark(name, chromium, address, settled):
    context = chromium.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.goto(f"{address}/{'' if name == FIRST else name}{SHOWN.get(name, '?sample=heart')}")
    page.wait_for_selector("h2")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        settled(page)
        page.wait_for_function("() => !document.querySelector('[data-testid=stProgress]')")
        settled(page)
        found = Axe().run(page, options=RULES)
        if found.violations_count:  # colours that were still fading in have arrived a second later
            page.wait_for_timeout(1000)
            found = Axe().run(page, options=RULES)
        assert found.violations_count == 0, f"{scheme}: {found.generate_report()}"
    context.close()
