"""What people take away, in a real Chromium: every file opens, and the report opens offline."""

import io

import pandas as pd
import pytest
from PIL import Image
from playwright.sync_api import expect

import pgm_nb as pnb

pytestmark = pytest.mark.browser


def test_files_and_the_report(page, address, settled, taken, window, tmp_path, go):
    page.goto(f"{address}/?sample=iris&model=tan")
    settled(page)
    go(page, "Export")
    expect(page.get_by_role("heading", name="The same in Python")).to_be_visible()
    settled(page)
    with Image.open(io.BytesIO(taken(page, "PNG"))) as image:
        assert image.width > 200
    assert taken(page, "SVG").startswith(b"<svg")
    assert taken(page, "PDF").startswith(b"%PDF")
    assert taken(page, "DOT").startswith(b"digraph")
    assert b"<graphml" in taken(page, "GraphML")
    assert b"GeNIe" in taken(page, "XDSL") or b"<smile" in taken(page, "XDSL")
    (tmp_path / "model.pgmnb").write_bytes(taken(page, "Model file"))
    model = pnb.load(tmp_path / "model.pgmnb")
    found = pd.read_csv(io.BytesIO(taken(page, "Predictions (CSV)")))
    X, _ = pnb.load_sample("iris")
    assert found["prediction"].tolist() == model.predict(X).tolist()

    page.get_by_role("button", name="Make the report").click()
    expect(page.get_by_role("button", name="Report (HTML)")).to_be_visible()
    (tmp_path / "report.html").write_bytes(taken(page, "Report (HTML)"))
    opens_offline(window, tmp_path / "report.html")


def opens_offline(window, path):
    reader, problems, fetched = window(offline=True), [], []
    reader.on("console", lambda message: problems.append(message.text))
    reader.on("request", lambda request: fetched.append(request.url))
    reader.goto(path.as_uri())
    expect(reader.get_by_role("heading", level=1)).to_have_text("Iris flowers")
    assert reader.locator("img").evaluate_all("images => images.every(i => i.naturalWidth > 100)")
    assert reader.locator("figure svg").first.bounding_box()["width"] > 100
    assert problems == []
    assert [url for url in fetched if not url.startswith(("file:", "data:"))] == []
