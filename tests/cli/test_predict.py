"""``pgm-nb predict``."""

import pandas as pd
import pytest

import pgm_nb as pnb


def test_predict_writes_csv_in_row_order(run, patients, model, tmp_path):
    target = tmp_path / "predictions.csv"
    code, out, _ = run("predict", model, patients, "-o", target)
    assert (code, "80 rows" in out) == (0, True)
    written = pd.read_csv(target)
    fitted = pnb.load(model)
    rows = pd.read_csv(patients)[["age", "fever", "cough"]]
    assert written.columns.tolist() == ["prediction", "P(ill)", "P(well)"]
    assert written["prediction"].tolist() == fitted.predict(rows).tolist()
    assert written[["P(ill)", "P(well)"]].to_numpy() == pytest.approx(fitted.predict_proba(rows), abs=1e-15)


def test_predict_prints_when_no_file_is_named(run, patients, model):
    code, out, _ = run("predict", model, patients)
    assert code == 0
    assert out.splitlines()[0] == "prediction,P(ill),P(well)"
    assert len(out.splitlines()) == 81


def test_predict_with_unknown_cells_and_extra_columns(run, model, tmp_path):
    path = tmp_path / "new.csv"
    path.write_text("note,cough,fever,age\nhello,yes,,\nworld,,39.5,40\n")
    code, out, _ = run("predict", model, path)
    assert code == 0
    assert len(out.splitlines()) == 3
