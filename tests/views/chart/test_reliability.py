import pytest
from scipy.stats import binomtest

from pgm_nb.views.chart.reliability import interval, reliability_chart


@pytest.mark.parametrize(("right", "rows"), [(0, 7), (3, 12), (50, 100), (40, 40)])
def test_wilson_interval_is_scipys(right, rows):
    expected = binomtest(right, rows).proportion_ci(method="wilson")
    assert interval(right / rows, rows) == pytest.approx((expected.low, expected.high), abs=1e-4)


def test_nothing_is_known_of_no_rows():
    assert interval(0.5, 0) == (0.0, 1.0)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_chart_holds_the_groups(theme):
    chart = reliability_chart([0.6, 0.9], [0.5, 0.95], [40, 60], theme=theme).to_dict()
    points = next(data for data in chart["datasets"].values() if "rows" in data[0])
    assert [(p["said"], p["came"], p["rows"], p["says"], p["happens"]) for p in points] == [
        (0.6, 0.5, 40, "60%", "50%"),
        (0.9, 0.95, 60, "90%", "95%"),
    ]


def test_no_groups_at_all():
    assert reliability_chart([], [], []).to_dict()["layer"]
