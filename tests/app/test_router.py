"""Every page opens on whatever table there is."""

import numpy as np
import pandas as pd
import pytest

from pgm_nb.app import limits
from pgm_nb.app.router import PAGES


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
