"""The page of the family says what the models say, and names sources and tests that exist."""

import re
import sys
from pathlib import Path

import pytest

import pgm_nb as pnb

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def family():
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        import family
    finally:
        sys.path.pop(0)
    return family


def test_the_page_is_what_the_models_say(family):
    page = family.PAGE.read_text(encoding="utf-8")
    assert page.split(family.BEGIN)[1].split(family.END)[0].strip() == family.table().strip(), (
        "run python docs/family.py"
    )


def test_every_model_is_there_with_its_formula(family):
    named = {written.partition("(")[0] for written in family.FAMILY}
    assert named == {kind.__name__ for kind in pnb.MODELS}
    formulas = (ROOT / "docs" / "models.md").read_text(encoding="utf-8")
    for name in named:
        assert name in formulas


def test_sources_are_the_cited_ones(family):
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    entries = re.findall(r"notes: (\w+)\n.*?family-names: ([^,]+),.*?year: (\d+)", cited, re.DOTALL)
    assert len(entries) > 10
    for model, author, year in entries:
        sources = [known.source for name, known in family.FAMILY.items() if name.partition("(")[0] == model]
        assert any(source.startswith(author) and year in source for source in sources), (model, author, year)
    for name, known in family.FAMILY.items():
        if known.source not in ("textbook", "Henriksen 2016"):  # a note without a full reference
            model = name.partition("(")[0]
            found = [(a, y) for m, a, y in entries if m == model]
            assert any(known.source.startswith(a) and y in known.source for a, y in found), name


def test_oracles_exist(family):
    for known in family.FAMILY.values():
        file, test = known.test.split("::")
        assert f"def {test}(" in (ROOT / "tests" / file).read_text(encoding="utf-8")
