"""Tables that declare a class which no row has: what every command makes of them."""

import pandas as pd
import pytest

SMALL = ("nb", "kdb", "kernel", "gaussian")


@pytest.fixture
def tables(patients, tmp_path):
    """The same rows without, and with a declared class that comes first of all."""
    frame = pd.read_csv(patients)
    path = tmp_path / "patients.arff"
    kinds = ["age numeric", "fever numeric", "cough {yes,no}", "outcome {absent,ill,well}"]
    head = ["@relation patients", *(f"@attribute {kind}" for kind in kinds), "@data"]
    rows = frame[["age", "fever", "cough", "outcome"]].astype(str).agg(",".join, axis=1)
    path.write_text("\n".join([*head, *rows]), encoding="utf-8")
    return patients, path


@pytest.mark.parametrize("kind", SMALL)
def test_importance_and_cases_look_at_classes_that_occur(run, tables, kind):
    for command in (("importance", "--method", "drop"), ("cases", "--most", "5")):
        plain, declared = (
            run(command[0], table, "--class", "outcome", "--model", kind, *command[1:]) for table in tables
        )
        assert declared == plain
        assert declared[0] == 0


@pytest.mark.filterwarnings("always::UserWarning")
@pytest.mark.parametrize("kind", SMALL)
def test_a_row_is_explained(run, tables, tmp_path, kind):
    model = tmp_path / "model.pgmnb"
    code, out, said = run("fit", tables[1], "--class", "outcome", "--model", kind, "-o", model)
    assert code == 0
    assert "None" not in out
    kept = kind in ("nb", "kdb")
    sentence = "No row has the class 'absent', and "
    assert said.startswith("" if kept else f"pgm-nb fit: {sentence}")
    assert said.count(sentence) == (0 if kept else 1)
    assert ".py" not in said
    code, out, _ = run("explain", model, tables[1], "--row", "3")
    assert code == 0
    assert out.startswith("outcome = ")
    code, out, said = run("explain", model, tables[1], "--row", "3", "--label", "absent")
    if kept:
        assert "of 1 such row" in out or "such rows have outcome = absent." in out
        assert "The probability of absent is between" in out
    else:
        assert (code, said) == (2, "pgm-nb explain: there is no class 'absent' (classes: ill, well)\n")
