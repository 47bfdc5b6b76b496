"""Where the table comes from: uploads of every kind, good and bad, and what the app was started with."""

import io

import numpy as np
import pandas as pd
import pytest

from pgm_nb.app.widgets.markdown import literal


def csv(frame):
    return frame.to_csv(index=False).encode()


def quiet(app):
    assert not app.exception
    return app


def weight(app):
    return next(metric.value for metric in app.metric if metric.label == "Weight")


def test_an_upload_is_shown_at_once_and_stays_a_choice(visit, upload):
    frame = pd.DataFrame(
        {"age": [30, 40, 50, 60] * 5, "sex": ["f", "m"] * 10, "outcome": ["ill", "well"] * 10}
    )
    app = upload(visit(), "patients.csv", csv(frame))
    assert app.header[0].value == literal("patients.csv")
    assert app.session_state["class"] == "outcome"
    assert set(app.dataframe[0].value["attribute"]) == {"age", "sex"}
    quiet(app.selectbox(key="class").select("sex").run())
    assert set(app.dataframe[0].value["attribute"]) == {"age", "outcome"}
    quiet(app.selectbox(key="sample").select("iris").run())
    assert app.header[0].value == literal("Iris flowers")
    quiet(app.selectbox(key="sample").select("upload").run())
    assert app.header[0].value == literal("patients.csv")


def test_the_same_name_with_other_content_is_another_table(visit, upload):
    frame = pd.DataFrame({"a": ["x", "y"] * 4, "class": ["p", "q"] * 4})
    first = upload(visit(details="True"), "table.csv", csv(frame))
    second = upload(visit(details="True"), "table.csv", csv(frame.assign(a=["x", "x", "y", "y"] * 2)))
    assert weight(first) == "1.000 bits"
    assert weight(second) == "0.000 bits"


@pytest.mark.parametrize("write", ["parquet", "excel", "tsv"])
def test_other_kinds_of_files(write, visit, upload):
    frame = pd.DataFrame({"a": ["x", "y"] * 4, "class": ["p", "q"] * 4})
    if write == "tsv":
        app = upload(visit(details="True"), "table.tsv", frame.to_csv(index=False, sep="\t").encode())
    else:
        file = io.BytesIO()
        getattr(frame, f"to_{write}")(file, index=False)
        app = upload(
            visit(details="True"), {"parquet": "t.parquet", "excel": "t.xlsx"}[write], file.getvalue()
        )
    assert not app.error
    assert weight(app) == "1.000 bits"


LONG = pd.DataFrame(
    {"a": np.arange(10_000) % 3, "id": [f"p{i}" for i in range(10_000)], "class": ["x", "y"] * 5_000}
)
BAD = {
    "a picture": ("table.csv", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"),
    "not a workbook": ("table.xlsx", b"age,class\n1,a\n"),
    "not parquet": ("table.parquet", b"age,class\n1,a\n"),
    "ragged": ("table.csv", b"age,class\n1,a\n2,b,c\n3,a\n"),
    "empty": ("table.csv", b""),
    "no rows": ("table.csv", b"age,class\n"),
    "one column": ("table.csv", b"class\na\nb\n"),
    "one class": ("table.csv", b"age,class\n1,a\n2,a\n"),
    "infinite": ("table.csv", b"age,class\n1,a\ninf,b\n"),
}


REPAIRABLE = {
    "Leave these rows out": b"age,class\n1,a\n2,\n3,b\n",
    "Number the names": b"age,age,class\n1,2,a\n2,3,b\n",
    "Cut into 2 classes": csv(pd.DataFrame({"a": [1, 2] * 9, "class": np.arange(18) / 7})),
}


@pytest.mark.parametrize("button", REPAIRABLE)
def test_what_can_be_repaired_is_a_button_and_no_error(button, visit, upload):
    app = upload(visit(), "table.csv", REPAIRABLE[button])
    assert not app.error
    [repair] = [found for found in app.button if found.label == button]
    app = quiet(repair.click().run())
    assert not app.error
    assert "recipe" in app.query_params


@pytest.mark.parametrize("case", BAD)
def test_bad_uploads_get_a_sentence(case, visit, upload):
    app = upload(visit(), *BAD[case])
    [error] = app.error
    assert error.value.endswith("\\.")
    assert "Traceback" not in error.value
    quiet(app.selectbox(key="sample").select("iris").run())  # and there is a way back
    assert not app.error


def test_a_column_that_identifies_the_rows_is_left_out(visit, upload):
    app = upload(visit(), "table.csv", csv(LONG))
    assert not app.error
    assert app.multiselect(key="without").value == ["id"]
    assert app.dataframe[0].value["attribute"].tolist() == ["a"]


def test_columns_that_are_used_all_the_same_are_named(visit, upload):
    frame = pd.DataFrame({"id": [f"p{i}" for i in range(40)], "same": "x", "sex": ["f", "m"] * 20})
    app = upload(visit(), "table.csv", csv(frame.assign(**{"class": ["a", "a", "b", "b"] * 10})))
    assert not app.warning
    app.multiselect(key="without").set_value([])
    one_value, names = (warning.value for warning in quiet(app.run()).warning)
    assert "same" in one_value
    assert "id" in names


def test_without_a_likely_class_the_user_is_asked(visit, upload):
    frame = pd.DataFrame({"x": np.arange(30) / 7, "y": np.arange(30) / 3, "z": np.arange(30)})
    app = upload(visit(), "numbers.csv", csv(frame))
    assert app.session_state["class"] is None
    assert "class" in app.info[0].value
    quiet(app.selectbox(key="class").select("x").run())
    assert "looks like a measurement" in app.info[0].value


def test_started_with_a_file(monkeypatch, tmp_path, visit):
    path = tmp_path / "patients.csv"
    frame = pd.DataFrame({"kind": ["a", "b"] * 4, "sex": ["f", "m"] * 4, "class": ["x", "y"] * 4})
    path.write_bytes(csv(frame))
    monkeypatch.setenv("PGM_NB_DATA", str(path))
    monkeypatch.setenv("PGM_NB_CLASS", "kind")
    app = visit()
    assert app.selectbox(key="sample").options[0] == "patients.csv"
    assert (app.session_state["sample"], app.session_state["class"]) == ("file", "kind")
    path.write_bytes(csv(frame.head(6)))
    assert "6 rows" in quiet(app.run()).caption[0].value
    path.unlink()
    assert "cannot be opened" in quiet(app.run()).error[0].value


def test_started_with_a_sample(monkeypatch, visit):
    monkeypatch.setenv("PGM_NB_DATA", "iris")
    assert visit().header[0].value == literal("Iris flowers")
