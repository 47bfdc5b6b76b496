"""Proof that a page is one module and one record: the example of CONTRIBUTING.md, added as it says there."""

import json
import re
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from pgm_nb.app import pages
from pgm_nb.app.pages import PAGES, Page

RECIPE = Path(__file__).parents[3] / "CONTRIBUTING.md"
_, *BLOCKS = re.split(r"```python\n", RECIPE.read_text(encoding="utf-8").split("## Add a page")[1])
MODULE, RECORD = (dedent("   " + block.split("```")[0].lstrip(" ")) for block in BLOCKS)
PAGE = eval(RECORD, {"Page": Page})


@pytest.fixture(autouse=True)
def _added(tmp_path, monkeypatch):
    (tmp_path / f"{PAGE.name}.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.setattr(pages, "__path__", [*pages.__path__, str(tmp_path)])
    for module in ("pgm_nb.app.pages", "pgm_nb.app.shell.router"):
        monkeypatch.setattr(f"{module}.PAGES", (*PAGES, PAGE))
    yield
    sys.modules.pop(f"{pages.__name__}.{PAGE.name}", None)


def tour(app):
    [found] = [each for each in app.get("bidi_component") if "stations" in each.proto.json]
    return json.loads(found.proto.json)


def test_it_opens_and_its_choice_is_in_the_address(visit):
    app = visit("values", sample="iris")
    assert not app.error
    assert app.main.markdown[0].value == "**sepal length** has 35 values."
    assert any(PAGE.answers in element.proto.body for element in app.get("html"))
    app.selectbox(key="values_of").set_value("class").run()
    assert app.main.markdown[0].value == "**class** has 3 values."
    assert app.query_params["values_of"] == "class"


def test_it_is_in_the_menu_the_tour_and_the_address(visit):
    app = visit("data", sample="iris")
    assert [page.title for page in app.session_state["pages"].values()] == [
        page.title for page in (*PAGES, PAGE)
    ]
    assert app.session_state["pages"]["values"].url_path == "values"
    said = tour(app)
    assert said["stations"][-1] == {"page": "values", "title": "Values", "says": PAGE.tour}
    assert "seven stations" in said["offer"]


def test_without_a_table_it_says_what_it_needs(visit, upload):
    import pgm_nb as pnb
    from pgm_nb.models.files import saved

    app = upload(visit("values"), "iris.pgmnb", saved(pnb.NaiveBayes().fit(*pnb.load_sample("iris"))))
    assert app.info[0].value.startswith(f"{PAGE.rows}, but this is a saved model without its table.")
