"""The records of pages: every page opens on whatever table there is, and says what it answers."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pgm_nb.app.pages import FIRST, PAGES, page_named
from pgm_nb.app.widgets import tour
from pgm_nb.data import excerpt as limits
from pgm_nb.words import GLOSSARY, SCORES

SCRIPT = (Path(tour.__file__).parent / "tour.js").read_text(encoding="utf-8")


def test_every_record_is_complete():
    for field in ("name", "title"):
        assert len({getattr(page, field) for page in PAGES}) == len(PAGES)
    for page in PAGES:
        assert page.answers.endswith(".")
        assert len(page.answers) < 110
        assert set(page.words) <= {*GLOSSARY, *SCORES}
        assert not page.rows.endswith(".")  # a sentence goes on
    assert page_named(FIRST).tour  # the tour begins where it is offered


def test_the_script_of_the_tour_reads_what_it_is_given():
    for name in ("data.stations", "data.offered", "data.offer", "data.page", "station.says", "next.title"):
        assert name in SCRIPT


def test_the_line_and_the_words_are_on_the_page(visit):
    app = visit("data", sample="iris")
    assert any(page_named("data").answers in element.proto.body for element in app.get("html"))
    [words] = [found for found in app.expander if found.label == "What the words mean"]
    assert "log-odds" in words.markdown[0].value


@pytest.mark.parametrize("page", [page.name for page in PAGES])
def test_a_table_with_too_many_columns_opens_on_every_page(page, visit, tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "MOST_COLUMNS", 100)  # more than fit into one picture
    frame = pd.DataFrame(np.random.default_rng(0).integers(0, 3, size=(60, 120))).add_prefix("x")
    file = tmp_path / "wide.csv"
    frame.assign(outcome=["ill", "well"] * 30).to_csv(file, index=False)
    monkeypatch.setenv("PGM_NB_DATA", str(file))
    app = visit(page, columns="last")
    assert not app.error
    assert app.selectbox(key="columns").value == "last"
    assert "100 of 121 columns" in app.sidebar.info[0].value.replace("\\", "")


def test_the_class_named_at_the_start_is_among_the_columns(visit, tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "MOST_COLUMNS", 3)
    file = tmp_path / "wide.csv"
    file.write_text("a,b,c,d,kind,e,f\n" + "1,2,3,4,p,5,6\n2,3,4,5,q,6,7\n" * 10)
    monkeypatch.setenv("PGM_NB_DATA", str(file))
    monkeypatch.setenv("PGM_NB_CLASS", "kind")
    app = visit("data")
    assert app.selectbox(key="class").value == "kind"
    assert app.selectbox(key="class").options == ["a", "b", "kind"]
