"""The charts of the fit carry the exact numbers, and any name."""

import pytest

from pgm_nb.views.chart.fit import Fit, Loss, loss_chart, split_chart, steps_chart

FITS = [Fit("Naive Bayes", 1.0, 0.0, 2.0, 0.75), Fit("<b>$x$</b>", 1.0, 0.75, 1.25, 0.0)]


def rows(chart):
    return [row for data in chart.to_dict()["datasets"].values() for row in data]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_parts_add_up_to_one_length(theme):
    drawn = [row for row in rows(split_chart(FITS, theme=theme)) if "bits" in row]
    for fit in FITS:
        assert sum(row["bits"] for row in drawn if row["model"] == fit.model) == fit.total == 3.0


def test_curves_begin_with_no_attribute():
    curves = {fit.model: [("", 3.0), ("a:b.c[0]", fit.kl)] for fit in FITS}
    drawn = rows(steps_chart(curves))
    assert [(row["number"], row["kl"]) for row in drawn] == [(0, 3.0), (1, 2.0), (0, 3.0), (1, 1.25)]
    assert drawn[1]["attribute"] == "a:b.c[0]"


def test_losses_on_both_kinds_of_rows():
    drawn = rows(loss_chart([Loss("NB", 0.2, 0.3, 0.01)]))
    assert {(row["rows"], row["loss"]) for row in drawn if "rows" in row} == {
        ("training rows", 0.2),
        ("unseen rows", 0.3),
    }


@pytest.mark.parametrize(
    "chart", [split_chart(FITS), steps_chart({"NB": [("", 1.0)]}), loss_chart([Loss("NB", 0.2, 0.3, 0.01)])]
)
def test_charts_are_valid(chart):
    import vl_convert

    assert vl_convert.vegalite_to_svg(chart.to_json()).startswith("<svg")
