"""The page of all papers: it is what the stored results give; a fast part of them is measured again."""

import math
import re
from pathlib import Path

import pytest

import pgm_nb as pnb
from papers.data import RunOptions
from papers.figures import HEADER, Figure, Reproduction, against, differences, dot_plot
from papers.page import facts, page, table_page, write_page
from papers.run import PAPERS, measure, missing_parts, parts_of, report
from papers.store import Measured, Results, read_results

DOCS = Path(__file__).parents[2] / "docs"
STORED = read_results(DOCS / "reproduction" / "results.csv")


def test_the_page_is_what_the_results_give(tmp_path):
    written = write_page(tmp_path, STORED)
    assert len(written) > 8
    differ = [
        path.name for path in written if path.read_bytes() != (DOCS / path.relative_to(tmp_path)).read_bytes()
    ]
    assert differ == []  # else: pgm-nb reproduce all --stored --docs docs


def test_every_result_belongs_to_an_experiment_of_now():
    known = {
        (paper, part.name, table) for paper in PAPERS for part in parts_of(paper) for table in part.tables
    }
    assert {row.key[:3] for row in STORED} <= known


@pytest.fixture
def folder(tmp_path):
    """A folder with samples that are tables of the papers."""
    for name in ("wine", "seeds", "nursery"):
        X, y = pnb.load_sample(name)
        X.assign(**{"class": y.to_numpy()}).to_csv(tmp_path / f"{name}.csv", index=False)
    return tmp_path


def test_the_results_are_what_the_protocols_give(folder):
    results = Results()
    asked = [one for one in missing_parts(results, ("local-pca",)) if one[1].name == "table"]
    measure(results, RunOptions(folder, 0), [one for one in asked if one[2] in ("wine", "seeds")])
    assert len(results) == 8
    for row in results:
        stored = STORED.find(*row.key)
        assert (row.value, row.deviation) == pytest.approx((stored.value, stored.deviation), abs=2e-6)
    assert report("local-pca", results).figures[2].mark == "better"  # wine


def test_one_repeat_of_hidden_naive_bayes(folder):
    results = Results()
    [asked] = [
        one for one in missing_parts(results, ("phnb",)) if one[1].name == "table" and one[2] == "nursery"
    ]
    measure(results, RunOptions(folder, 1), [asked])
    [figure, *_] = report("phnb", results).figures
    assert figure.system == "HNB"
    assert figure.ours == pytest.approx(94.25, abs=0.005)
    assert figure.mark == "not judged"


def test_every_figure_that_differs_is_explained_or_what_was_tried_is_named():
    for paper in PAPERS:
        for figure in report(paper, STORED).figures:
            if figure.mark in ("better", "not reproduced"):
                assert re.search(r"explained by .|tried: ['\w]", figure.why), (paper, figure)
            assert math.isfinite(figure.z) or figure.mark == "not judged"


def test_every_printed_figure_on_record_is_there():
    found = {paper: len(report(paper, STORED).figures) for paper in PAPERS}
    assert found["gnb"] == 100
    assert found["phnb"] == 36
    assert found["ptree"] == 18
    assert found["local-pca"] == 84
    assert found["gaussian"] == 9


def test_facts_are_counted():
    figures = (
        Figure("t", "GNB-A", "accuracy", 90, 95, 1, usual=96),
        Figure("t", "GNB-O", "accuracy", 90, 91, 1, usual=90),
        Figure("t", "NB", "accuracy", 90, 80, 1, usual=81),
    )
    found = facts({"gnb": Reproduction("gnb", "", "", figures)})
    assert (found["gnb_all"], found["gnb_same"], found["gnb_better"], found["gnb_worse"]) == (
        "2",
        "1",
        "1",
        "0",
    )
    assert (found["smooth"], found["smooth_of"], found["smooth_nb"]) == ("1", "2", "1")
    assert found["all_worse"] == "1"


def test_what_was_not_run_is_said():
    text = page(
        Results([Measured("phnb", "best", "sick", "PHNB, best threshold", "accuracy", 97.0, float("nan"), 1)])
    )
    assert "Not run: gnb, tables on wdbc, heart_cleveland" in text
    assert "Repeated less often than the protocol asks for: phnb, best on sick (1 of 10)." in text
    assert "Not run" not in text.split("phnb, best on ")[1].split(";")[0]


def test_how_many_repeats_a_figure_rests_on_is_said():
    found = Results(
        Measured("phnb", "best", name, "PHNB, best threshold", "accuracy", 97.0, 0.1, repeats)
        for name, repeats in (("sick", 3), ("nursery", 10))
    )
    text = page(found)
    assert "Repeated less often than the protocol asks for: phnb, best on sick (3 of 10)." in text
    [row] = re.findall(r"^\| sick .*$", text, flags=re.MULTILINE)
    assert row.split(" | ")[6] == "3"
    assert HEADER[6] == "repeats"
    assert "Repeated less often" not in page(Results([*found.of("phnb", "best", "nursery")]))
    shown = {paper: report(paper, STORED).figures for paper in PAPERS}
    assert all(figure.repeats > 2 or figure.mark == "not judged" for figure in sum(shown.values(), ()))


def test_a_system_repeated_less_often_than_the_others_is_named():
    found = Results(
        Measured("local-pca", "slow columns", "eeg_eye_state", system, "accuracy", 60.0, 0.1, repeats)
        for system, repeats in (("MLP", 10), ("SVM", 4), ("proposed", 10))
    )
    assert "asks for: local-pca, slow columns on eeg_eye_state (SVM: 4 of 10)." in page(found)


def test_the_table_holds_every_figure_and_needs_no_script():
    reports = {paper: report(paper, STORED) for paper in PAPERS}
    text = table_page(reports)
    assert text.count("<tr data-paper") == sum(len(found.figures) for found in reports.values())
    assert '<form id="filters" hidden>' in text
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")


def test_a_point_is_where_its_figures_are():
    svg = against(
        "A & B", [Figure("t", "s", "m", 10.0, 20.0, 1.0), Figure("t", "s", "m", 20.0, 10.0, float("nan"))]
    )
    assert "A &amp; B" in svg
    assert "prefers-color-scheme: dark" in svg  # letters that can be read on either ground
    side, room = 380 / 1.1, 0.5  # ends 9.5 and 20.5
    x, y = 70 + side * room / 10, 40 + side * room / 10
    assert f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3"' in svg
    bars = svg.split('<circle cx="')[0].count("<line")
    assert bars == 2  # the diagonal, and the bar of the figure that has an error


def test_theirs_and_ours_are_in_one_row():
    svg = dot_plot("Gain", [("one", -1.0, 1.0, 0.0), ("two", 0.0, 1.0, 0.1)])
    assert svg.count('r="5"') == svg.count('r="3.5"') == 2
    assert svg.index("one") < svg.index("two")


def test_differences_are_drawn_about_zero():
    svg = differences(
        "Two", [Figure("t", "s", "m", 10.0, 11.0, 0.5), Figure("u", "s", "m", 10.0, 9.0, float("nan"))]
    )
    far = (1 + 2 * 0.5) * 1.05
    for difference in (1.0, -1.0):
        assert f'<circle cx="{290 + 400 * (difference + far) / (2 * far):.1f}"' in svg
    assert svg.index("t, s") < svg.index("u, s")


def test_a_mark_by_the_papers_own_deviation_stands():
    figures = {(figure.table, figure.system): figure for figure in report("ptree", STORED).figures}
    spam = figures["spambase", "traditional_nb"]
    assert abs(spam.z) < 2
    assert spam.mark == "not reproduced"
    marks = {(figure.table, figure.system): figure.mark for figure in report("local-pca", STORED).figures}
    assert marks["sonar", "proposed"] == marks["eeg_eye_state", "NB"] == "not reproduced"
    assert marks["wine", "proposed"] == marks["parkinsons", "proposed"] == "better"


def test_nursery_is_not_reproduced():  # ours and Weka's are 94.25, 94.56 is printed
    [nursery, *_] = report("phnb", STORED).figures
    assert (nursery.table, nursery.system, nursery.theirs) == ("nursery", "HNB", 94.56)
    assert nursery.ours == pytest.approx(94.25, abs=0.02)
    assert nursery.mark == "not reproduced"
