"""What people do, in a real Chromium: open, change the model, upload a table, take pictures away."""

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

NAMES = ("<b>age</b>", ":smile:", "$x$ a -> b")
TABLE = ",".join([*NAMES, "kind", "outcome"]) + "\n"
TABLE += "".join(f"{i % 3},{i % 2},{i % 5},{'pq'[i % 2]},{'ill' if i % 4 else 'well'}\n" for i in range(60))


def picture(page):
    return page.locator(".frame svg")


def test_open_choose_and_go_back(page, choose):
    heading = page.get_by_role("heading", level=2)
    expect(heading).to_have_text("Breast tumours (WDBC)")
    assert page.title() == "Structure explorer · pgm_nb"
    picture(page).wait_for()
    box = picture(page).bounding_box()
    assert box["width"] > 400
    assert box["height"] > 400
    expect(picture(page).locator("g.node")).to_have_count(31)

    expect(page.get_by_text("proven best")).to_have_count(0)
    choose(page, "Model", "Tree augmented naive Bayes (TAN)")
    expect(page.get_by_text("proven best")).to_be_visible()
    page.wait_for_url(lambda url: "model=tan" in url)
    page.go_back()
    expect(page.get_by_text("proven best")).to_have_count(0)


def test_upload_choose_the_class_and_take_pictures_away(page, choose, taken):
    picture(page).wait_for()
    page.locator("input[type=file]").set_input_files(
        {"name": "patients.csv", "mimeType": "text/csv", "buffer": TABLE.encode()}
    )
    expect(page.get_by_role("heading", level=2)).to_have_text("patients.csv")
    expect(page.get_by_text("outcome: ill 45, well 15")).to_be_visible()
    sentence = page.locator("[data-testid=stMarkdown]", has_text="Arrows lead").inner_text()
    assert ":smile:" in sentence.replace("\u2060", "")  # a name, not a picture
    choose(page, "Class", "kind")
    expect(page.get_by_text("kind: p 30, q 30")).to_be_visible()
    picture(page).wait_for()

    svg = taken(page, "SVG")
    assert svg.startswith(b"<svg")
    assert all(name.replace("<", "&lt;").replace(">", "&gt;") in svg.decode() for name in NAMES)
    assert taken(page, "PNG").startswith(b"\x89PNG\r\n\x1a\n")

    page.locator("input[type=file]").set_input_files(
        {"name": "broken.csv", "mimeType": "text/csv", "buffer": b"age,class\n1,a\n2,b,c\n"}
    )
    expect(page.get_by_role("alert")).to_contain_text("broken.csv")


def test_the_first_page_can_be_asked_for_by_its_name(window, address, settled):
    page = window()
    refused = []
    page.on("response", lambda response: refused.append(response.url) if response.status >= 400 else None)
    page.goto(f"{address}/structure?sample=iris&view=junction")
    expect(page.get_by_role("heading", name="Iris flowers")).to_be_visible()
    settled(page)
    assert page.get_by_text("Page not found").count() == 0
    assert page.url == f"{address}/?sample=iris&view=junction"
    expect(page.get_by_role("radio", name="Clusters", exact=True)).to_be_checked()
    looked = f"{address}/structure/_stcore/"  # where Streamlit looks for its own root first
    assert [url for url in refused if not url.startswith(looked)] == []
