"""What other pages say about the papers is what the results give; figures and marks stand on one page."""

import re
from pathlib import Path

from papers.figures import printed
from papers.ptree import SYSTEMS, TABLES
from papers.run import PAPERS
from papers.store import read_results

DOCS = Path(__file__).parents[2] / "docs"
STORED = read_results(DOCS / "reproduction" / "results.csv")
MODELS = (DOCS / "models.md").read_text(encoding="utf-8")


def _numbers(record):
    """Return the numbers of a nested record."""
    return [
        n for value in record.values() for n in (_numbers(value) if hasattr(value, "values") else [value])
    ]


def test_printed_figures_stand_in_the_reproduction_alone():
    every = [number for paper in PAPERS if paper != "gaussian" for number in _numbers(printed(paper)[1])]
    shown = {f"{100 * number if number < 1 else number:.2f}" for number in every}
    assert len(shown) > 150
    for words in ("94.24", "reproduced, by"):  # ours on nursery, and a mark
        assert words not in MODELS
    assert not shown & set(re.findall(r"\b\d\d\.\d\d\b", MODELS))


def test_links_to_the_reproduction_lead_somewhere():
    text = (DOCS / "reproduction.md").read_text(encoding="utf-8")
    heads = re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE)
    places = {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}
    for path in DOCS.glob("*.md"):
        for place in re.findall(r"\(reproduction\.md#([\w-]+)\)", path.read_text(encoding="utf-8")):
            assert place in places, (path.name, place)
    for place in re.findall(r"\]\(#([\w-]+)\)", text):
        assert place in places


def test_what_the_page_of_models_says_of_p_trees():
    assert "kernels beat Gaussians, and joining by kernels helps on all three tables" in MODELS
    for name in TABLES:
        theirs = printed("ptree")[1][name]
        ours = {system: STORED.find("ptree", "table", name, system, "error").value for system in SYSTEMS}
        for errors in (theirs, ours):
            for system in ("kernel_semi_nb_1", "kernel_semi_nb_2"):
                assert errors[system] < errors["ptree_nb"] < errors["traditional_nb"]
    for system in ("discrete_semi_nb_1", "discrete_semi_nb_2"):
        assert STORED.find("ptree", "table", "spambase", system, "gain").value < 0


def test_what_the_page_of_models_says_of_zeros():
    assert "smoothing is more accurate than it on all five tables" in MODELS
    for name in printed("gnb")[1]["accuracy"]:
        for system in ("GNB-A", "GNB-O"):
            repaired = STORED.find("gnb", "tried", name, f"{system}, every zero repaired", "accuracy")
            assert STORED.find("gnb", "smoothed", name, system, "accuracy").value > repaired.value
