"""A really ugly file in a real Chromium: from an upload that cannot be used to readable classes."""

import random

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

CODEBOOK = b"column,value,name,unit\noutcome,0,healthy,\noutcome,1,diabetic,\npressure,,blood pressure,mmHg\n"


def ugly(n=120):
    """Return a file with names that occur twice, decimal commas, units, marks, dates and gaps."""
    draw = random.Random(1)
    rows = []
    for i in range(n):
        ill = draw.random() < 0.4
        dose = "k. A." if i % 17 == 0 else f"{draw.gauss(12 if ill else 9, 2):.1f} mg".replace(".", ",")
        insulin = 0 if i % 2 else int(14 + draw.gammavariate(2, 60))
        pressure = -999 if i % 13 == 0 else int(draw.gauss(80, 9))
        born = f"{draw.randint(1, 28):02d}.{draw.randint(1, 12):02d}.{draw.randint(1930, 1990)}"
        seen = f"{draw.randint(1, 28):02d}.{draw.randint(1, 12):02d}.{draw.randint(2018, 2021)}"
        outcome = "" if i % 19 == 0 else int(ill)
        rows.append(f"{1000 + 37 * i};{dose};{insulin};{pressure};{born};{seen};{i % 4};{outcome}")
    header = "patient id;dose;insulin;pressure;born;seen;dose;outcome"
    return "\n".join([header, *rows, ""]).encode()


def press(page, settled, name):
    page.get_by_role("button", name=name).first.click()
    return settled(page)


def test_an_ugly_file_becomes_a_model(page, settled, go):
    settled(page)
    file = {"name": "ugly.csv", "mimeType": "text/csv", "buffer": ugly()}
    page.locator("input[type=file]").first.set_input_files(file)
    expect(page.get_by_text("More than one column is called “dose”")).to_be_visible()
    press(page, settled, "Number the names")
    expect(page.get_by_text("nothing can be learned about the class")).to_be_visible()  # still on Structure
    press(page, settled, "Leave these rows out")
    expect(page.get_by_role("heading", name="Downloads")).to_be_visible()

    go(page, "Data")
    expect(page.get_by_text("Does 0 mean not measured?")).to_be_visible()
    settled(page)
    page.get_by_text("What changes").first.click()
    settled(page)
    expect(page.locator("[data-testid=stPopoverBody]").locator("[data-testid=stDataFrame]")).to_be_visible()
    page.keyboard.press("Escape")
    settled(page)
    press(page, settled, "Read as numbers")
    press(page, settled, "All of these mean not measured")
    press(page, settled, "Age at “seen”")
    expect(page.get_by_text("born: the age in years on seen is used.")).to_be_visible()
    expect(page.get_by_text("Numbers the rows, like a patient number.")).to_be_visible()
    press(page, settled, "Undo the last change")
    expect(page.get_by_text("born holds dates")).to_be_visible()

    page.get_by_text("Names and units: the codebook").click()
    book = {"name": "book.csv", "mimeType": "text/csv", "buffer": CODEBOOK}
    page.locator("input[type=file]").last.set_input_files(book)
    expect(page.get_by_text("The codebook names 1 column and the values of outcome.")).to_be_visible()
    settled(page)
    address = page.url
    assert "recipe=" in address

    page.get_by_role(
        "link", name="Structure"
    ).first.click()  # at the root: of other pages a reload asks in vain
    expect(page.get_by_role("heading", name="Downloads")).to_be_visible()
    settled(page)
    page.reload()
    expect(page.get_by_text("diabetic").first).to_be_visible()  # the upload and its repairs are still here
    settled(page)
    go(page, "Export")
    expect(page.get_by_text("recipe = pnb.Recipe(")).to_be_visible()
    settled(page)
    go(page, "What if")
    expect(page.get_by_role("group", name="blood pressure (mmHg)")).to_be_visible()
    settled(page)
