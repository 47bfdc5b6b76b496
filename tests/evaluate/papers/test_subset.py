"""A fast part of the papers' protocols on the samples, held against what docs/reproduction.md prints."""

from pathlib import Path

import pytest

import pgm_nb as pnb
from pgm_nb.evaluate.papers import reproduce

PAGE = Path(__file__).parents[3] / "docs" / "reproduction.md"


@pytest.fixture
def folder(tmp_path):
    """A folder with samples that are tables of the papers."""
    for name in ("wine", "seeds", "nursery"):
        X, y = pnb.load_sample(name)
        X.assign(**{"class": y.to_numpy()}).to_csv(tmp_path / f"{name}.csv", index=False)
    return tmp_path


def test_the_page_prints_what_the_protocol_gives(folder):
    found = reproduce("local-pca", folder, tables=("wine", "seeds"))
    rows = [line for line in found.markdown().splitlines() if line.startswith(("| wine |", "| seeds |"))]
    assert len(rows) == 4
    page = PAGE.read_text(encoding="utf-8")
    assert [row for row in rows if row not in page] == []
    assert found.figures[0].mark == "better"  # wine


def test_one_repeat_of_hidden_naive_bayes(folder):
    found = reproduce("phnb", folder, repeats=1, tables=("nursery",))
    assert found.figures[0].system == "HNB"
    assert found.figures[0].ours == pytest.approx(94.25, abs=0.005)
    assert {figure.mark for figure in found.figures} == {"not judged"}


def test_every_mark_on_the_page_follows_from_its_z():
    lines = [
        line[2:-2].split(" | ") for line in PAGE.read_text(encoding="utf-8").splitlines() if line[:2] == "| "
    ]
    judged = 0
    for row in lines:
        if row[0] in ("table", "---"):
            continue
        measure, (theirs, ours, difference), (error, z, mark) = row[1], map(float, row[3:6]), row[6:9]
        assert ours - theirs == pytest.approx(difference, abs=0.0151)  # three rounded numbers
        if not z.strip():
            assert mark == "not judged"
            continue
        judged += 1
        gain = float(z) if measure != "error" else -float(z)
        assert mark == ("reproduced" if abs(gain) <= 2 else "better" if gain > 0 else "not reproduced"), row
        if float(error) >= 0.1:
            assert float(z) == pytest.approx(
                difference / float(error), abs=0.05 + 0.06 * abs(float(z)) + 0.05
            )
    assert judged > 150
