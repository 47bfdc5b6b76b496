"""Every page opens on whatever table there is."""

import numpy as np
import pandas as pd
import pytest

from pgm_nb.app.shell.router import PAGES
from pgm_nb.data import portions as limits


@pytest.mark.parametrize("page", PAGES)
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
