"""From costs to a decision, in a real Chromium."""

import io

import pandas as pd
import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def test_a_dearer_miss_lowers_the_threshold(page, address, settled, go):
    page.goto(f"{address}/?sample=iris&model=gaussian")
    settled(page)
    go(page, "Decisions")
    expect(page.get_by_text("is decided from a probability of 50.0% on")).to_be_visible()
    settled(page)
    cost = page.get_by_role("spinbutton", name="A miss costs")
    cost.fill("9")
    cost.press("Enter")
    expect(page.get_by_text("is decided from a probability of 10.0% on")).to_be_visible()
    settled(page)
    page.wait_for_url(lambda url: "miss=9" in url)
    expect(page.get_by_role("heading", name="Every class against the rest")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="Numbers as CSV").first.click()
    counts = pd.read_csv(io.BytesIO(download.value.path().read_bytes()))
    assert counts.iloc[:, 1:].to_numpy().sum() == 150


def test_the_base_rate_moves_the_answer(page, address, settled, go):
    page.goto(f"{address}/?sample=wdbc&model=nb")
    settled(page)
    go(page, "What if")
    settled(page)
    page.get_by_text("Base rate").click()
    rate = page.get_by_role("spinbutton", name="malignant, in %")
    rate.fill("20")
    rate.press("Enter")
    expect(page.get_by_text("has a probability of 80.0%").first).to_be_visible()
    settled(page)
    page.wait_for_url(lambda url: "prior=malignant%3D0.2" in url)
