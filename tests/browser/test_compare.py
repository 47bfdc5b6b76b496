"""Models compared and attributes counted, in a real Chromium."""

import io

import pandas as pd
import pytest
from playwright.sync_api import expect

import pgm_nb as pnb

pytestmark = pytest.mark.browser


def test_models_are_compared(page, address, settled, go):
    page.goto(f"{address}/?sample=iris")
    settled(page)
    go(page, "Compare")
    expect(page.get_by_text("predicts best")).to_be_visible()
    settled(page)
    expect(page.get_by_text("When a model says 80%, is it right 80% of the time?")).to_be_visible()
    page.get_by_role("radiogroup", name="Score").get_by_text("Accuracy").click()
    expect(page.get_by_text("Are the differences in accuracy more than chance?")).to_be_visible()
    settled(page)
    page.wait_for_url(lambda url: "by=accuracy" in url)
    with page.expect_download() as download:
        page.get_by_role("button", name="Numbers as CSV").first.click()
    scores = pd.read_csv(io.BytesIO(download.value.path().read_bytes()))
    assert set(scores["model"]) == {"Naive Bayes", "GNB-A", "TAN", "Logistic regression"}
    assert len(scores) == 4 * 5


def test_how_many_attributes_are_enough(page, address, settled, go):
    page.goto(f"{address}/?sample=iris&model=tan")
    settled(page)
    go(page, "Features")
    curve = pnb.importance_curve(pnb.TreeAugmentedNaiveBayes(), *pnb.load_sample("iris"))
    smallest = curve.smallest["log_loss"]
    said = f"{smallest} is the smallest number within one standard error of the best score."
    expect(page.get_by_text(said)).to_be_visible()
    expect(page.get_by_text("in at least 80% of the bootstrap samples")).to_be_visible()
    settled(page)
    expect(page.locator("svg.marks, canvas.marks").nth(1)).to_be_visible()


def test_what_matters_and_only_some_attributes_kept(page, address, settled, go):
    page.goto(f"{address}/?sample=iris&model=nb")
    settled(page)
    go(page, "Features")
    first = pnb.importance(pnb.NaiveBayes(), *pnb.load_sample("iris"))["attribute"][0]
    expect(page.get_by_text(f"{first} says most about the class")).to_be_visible()
    expect(page.get_by_text("What follows from another attribute")).to_be_visible()
    button = page.get_by_role("button", name="Keep only")
    expect(button).to_be_visible()
    settled(page)
    button.click()
    expect(page.get_by_role("button", name="Undo")).to_be_visible()
    settled(page)
    page.wait_for_url(lambda url: "without=" in url)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("button", name="Undo")).to_be_hidden()
    settled(page)
    page.wait_for_url(lambda url: "without=" not in url)
