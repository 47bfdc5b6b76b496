"""The files around the code say what the code says."""

import re
from pathlib import Path

import pgm_nb as pnb

ROOT = Path(__file__).parents[1]


def test_one_version_everywhere():
    cited = re.search(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)
    assert cited[1] == pnb.__version__
    assert f"## {pnb.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_cited_models_exist():
    cited = re.findall(
        r"^    notes: (.+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert cited
    assert set(cited) <= {kind.__name__ for kind in pnb.MODELS}


def test_the_guides_name_files_that_exist():
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]
    for page in pages:
        for name in re.findall(
            r"`((?:[\w.]+/)+[\w.-]+\.(?:py|md|html|toml))`", page.read_text(encoding="utf-8")
        ):
            assert any((folder / name).exists() for folder in (ROOT, ROOT / "pgm_nb", ROOT / "docs")), (
                page,
                name,
            )


def test_every_csv_is_written_without_formulas():
    """`csv_text` alone writes CSV: a cell that begins with = is code to a spreadsheet."""
    writers = [
        path.relative_to(ROOT / "pgm_nb").as_posix()
        for path in (ROOT / "pgm_nb").rglob("*.py")
        if re.search(r"\.to_csv\(|csv\.writer|DictWriter", path.read_text(encoding="utf-8"))
    ]
    assert writers == ["data/text.py"]
