"""The Altair charts: they are drawn, they say their numbers, and any name is only data."""

import json

import pytest

from pgm_nb.views.chart.explanation import Bar, Line, lines, waterfall

HOSTILE = '<script>alert("&")</script>'


def rows(chart):
    return [row for data in chart.to_dict()["datasets"].values() for row in data]


def svg(chart):
    import vl_convert

    return vl_convert.vegalite_to_svg(chart.to_json())


class TestWaterfall:
    def test_bars_follow_each_other_from_start_to_end(self):
        chart = waterfall(0.5, [Bar("a", -1.0), Bar("b", 2.0), Bar("c", 0.25)], title="t")
        bars = [row for row in rows(chart) if "begin" in row]
        assert [row["name"] for row in bars] == ["base rate", "b", "a", "c", "all together"]
        assert [row["begin"] for row in bars] == [0, 0.5, 2.5, 1.5, 0]
        assert [row["end"] for row in bars] == [0.5, 2.5, 1.5, 1.75, 1.75]

    def test_small_bars_are_one(self):
        chart = waterfall(0.0, [Bar(f"a{i}", 1.0 / (i + 1)) for i in range(9)], title="t", largest=3)
        bars = [row for row in rows(chart) if "begin" in row]
        assert bars[-2]["name"] == "6 others"
        assert bars[-1]["end"] == pytest.approx(sum(1 / (i + 1) for i in range(9)))

    def test_infinite_steps_are_drawn_and_said(self):
        chart = waterfall(0.0, [Bar("a", float("inf")), Bar("b", -1.0)], title="t")
        bars = [row for row in rows(chart) if "begin" in row]
        assert [row["label"] for row in bars] == ["+0.00", "+∞", "−1.00", "+∞"]
        json.dumps(chart.to_dict(), allow_nan=False)

    @pytest.mark.parametrize("theme", ["light", "dark"])
    def test_it_is_drawn_with_any_name(self, theme):
        picture = svg(
            waterfall(0.0, [Bar(HOSTILE, 1.0, HOSTILE), Bar(HOSTILE, 2.0)], title=HOSTILE, theme=theme)
        )
        assert picture.startswith("<svg")
        assert "<script" not in picture


class TestLines:
    def test_values_errors_and_marks(self):
        drawn = [Line("accuracy", [0.5, 0.9], [0.1, 0.02]), Line("AUC", [0.5, float("nan")], [0.0, 0.0])]
        chart = lines(drawn, ["", HOSTILE], x_title="attributes", marks={"best": 1})
        found = [row for row in rows(chart) if row.get("line") == "accuracy"]
        assert [row["low"] for row in found] == pytest.approx([0.4, 0.88])
        json.dumps(chart.to_dict(), allow_nan=False)
        picture = svg(chart)
        assert "best: 1" in picture
        assert "<script" not in picture
