"""What a spreadsheet would take for a formula is text in every CSV that a command writes."""

import csv

import pytest

WORDS, LABELS = ("=HYPERLINK(1)", "@cmd"), ("+ill", "-well")
ROWS = "".join(f"{i % 5},{WORDS[i % 3 == 0]},{LABELS[i // 2 % 2]}\n" for i in range(60))


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(f"=age,-word,@outcome\n{ROWS}", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "words",
    [
        ["cases", "{table}", "--class", "@outcome", "--folds", "3"],
        ["importance", "{table}", "--class", "@outcome"],
        ["decide", "{table}", "--class", "@outcome", "--class-that-counts=+ill"],
        ["predict", "{model}", "{table}"],
    ],
    ids=lambda words: words[0],
)
def test_no_cell_is_a_formula(run, table, tmp_path, words):
    model, written = tmp_path / "m.pgmnb", tmp_path / "out.csv"
    if words[0] == "predict":
        assert run("fit", table, "--class", "@outcome", "-o", model)[0] == 0
    code, _, errors = run(*(word.format(table=table, model=model) for word in words), "-o", written)
    assert code == 0, errors
    with written.open(encoding="utf-8", newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert any(cell.startswith("'") for cell in cells)
    assert [cell for cell in cells if cell[:1] in "=+-@" and cell and not _is_number(cell)] == []


def _is_number(cell):
    try:
        float(cell)
    except ValueError:
        return False
    return True
