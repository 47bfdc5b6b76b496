"""A visitor sets what is known, sees what follows and why, and shares the link."""

import re

import pytest
from playwright.sync_api import expect

import pgm_nb as pnb

pytestmark = pytest.mark.browser


@pytest.fixture
def asked(page, address, settled, go):
    page.goto(f"{address}/?groups=5")
    settled(page)
    go(page, "What if")
    page.get_by_text("Nothing is known yet").wait_for()
    return settled(page)


@pytest.fixture(scope="module")
def chances():
    """P(benign) and P(malignant) of a tumour of which the worst radius alone is known, in words."""
    model = pnb.GeneralizedNaiveBayes(n_bins=5).fit(*pnb.load_sample("wdbc"))
    return [f"{p:.1%}" for p in model.query("class", given={"worst radius": 17.0})["probability"]]


def sentence(page):
    return page.get_by_test_id("stCode").text_content()


def test_evidence_is_set_explained_and_taken_back(asked, settled, chances):
    page, (benign, malignant) = asked, chances
    assert "P(class = benign) = 62.7%" in sentence(page)
    page.get_by_role("button", name=re.compile(r"^worst radius: \(16, 20\.3\]")).click()
    page.get_by_text("With 1 of 30 attributes known").wait_for()
    settled(page)
    assert "worst radius in (16, 20.3]" in sentence(page)
    page.get_by_role("button", name=f"class: malignant, {malignant}").wait_for()
    page.wait_for_url(lambda url: "given=worst+radius%3D17" in url)
    page.get_by_text(f"Together they give malignant a probability of {malignant}").wait_for()
    page.get_by_role("button", name=f"class: benign, {benign}").click()
    page.get_by_text(f"Together they give benign a probability of {benign}").wait_for()
    page.get_by_role("button", name=re.compile(r"^worst concave points · ")).click()
    expect(page.get_by_role("combobox", name="Attribute")).to_have_value("worst concave points")
    page.get_by_role("spinbutton", name="Value").fill("0.1")
    page.get_by_role("spinbutton", name="Value").press("Enter")
    page.get_by_text("With 2 of 30 attributes known").wait_for()
    settled(page)
    page.wait_for_url(lambda url: "given=worst+concave+points%3D0.1" in url)
    page.get_by_role("button", name="Undo").click()
    page.get_by_text("With 1 of 30 attributes known").wait_for()
    settled(page)
    page.get_by_role("button", name="Undo").click()
    page.get_by_text("Nothing is known yet").wait_for()
    settled(page)
    page.wait_for_url(lambda url: "given" not in url)


def test_boxes_are_found_by_name(asked):
    page = asked
    page.get_by_role("searchbox", name="Find an attribute").fill("fractal")
    assert page.get_by_role("group", name="mean fractal dimension").is_visible()
    assert page.get_by_role("group", name="worst radius").is_hidden()
    page.get_by_role("searchbox", name="Find an attribute").fill("nothing like it")
    page.get_by_text("No attribute name contains this text.").filter(visible=True).wait_for()


def test_a_case_survives_another_page(asked, settled, go):
    page = asked
    page.get_by_role("spinbutton", name="Use a case from the table").fill("3")
    page.get_by_role("spinbutton", name="Use a case from the table").press("Enter")
    page.get_by_text("In the table, row 3 is malignant.").wait_for()
    settled(page)
    before = sentence(page)
    go(page, "Structure")
    page.get_by_role("heading", name="Attributes in the order they joined").wait_for()
    go(page, "What if")
    page.get_by_text("In the table, row 3 is malignant.").wait_for()
    settled(page)
    assert sentence(page) == before
    page.wait_for_url(lambda url: "case=3" in url)
