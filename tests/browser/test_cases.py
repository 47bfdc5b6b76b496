"""From the list of cases to one of them, in a real Chromium."""

import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def test_sort_share_and_open_a_case(page, address, settled, choose, go):
    page.goto(f"{address}/?sample=wdbc&model=nb")
    settled(page)
    go(page, "Cases")
    expect(page.get_by_text("get a wrong class from a model")).to_be_visible()
    settled(page)
    choose(page, "Sort", "By row")
    expect(page.get_by_role("heading", name="Row 1", exact=True)).to_be_visible()
    page.wait_for_url(lambda url: "cases_order=row" in url)
    other = page.context.new_page()  # whoever gets the address sees the same
    other.goto(page.url)
    expect(other.get_by_role("heading", name="Row 1", exact=True)).to_be_visible()
    other.close()
    choose(page, "Sort", "Wrong ones first")
    page.wait_for_url(lambda url: "cases_order" not in url)
    expect(page.get_by_text("which is wrong, and")).to_be_visible()
    heading = page.get_by_role("heading", name=re.compile(r"^Row [\d,]+$")).inner_text()
    page.get_by_role("button", name="Open in What if").click()
    expect(page.get_by_text(f"In the table, {heading.lower()} is")).to_be_visible()
    settled(page)
    page.wait_for_url(lambda url: "/what_if" in url)
    expect(page.get_by_text("With 30 of 30 attributes known")).to_be_visible()


def test_a_further_question_is_part_of_the_address(page, address, settled, go):
    page.goto(f"{address}/?sample=iris&model=nb")
    settled(page)
    go(page, "What if")
    settled(page)
    page.get_by_text("Which numbers matter?").click()
    expect(page.get_by_text("depends most on these numbers")).to_be_visible()
    settled(page)
    page.wait_for_url(lambda url: "more=numbers" in url)
    other = page.context.new_page()
    other.goto(page.url)
    expect(other.get_by_text("depends most on these numbers")).to_be_visible()
