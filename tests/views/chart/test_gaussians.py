"""Bell curves and ellipses: every name as it is, every curve and every cluster drawn, all of it inside."""

from xml.etree import ElementTree

import pytest

from pgm_nb.views.chart.gaussians import Ellipse, density_chart, ellipse_chart
from pgm_nb.views.chart.look import to_svg

SVG = "{http://www.w3.org/2000/svg}"


def texts(root):
    return [text.text for text in root.iter(f"{SVG}text")]


def marks(root, kind):
    return [e for e in root.iter() if e.get("aria-roledescription") == f"{kind} mark"]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_densities_are_well_formed(theme):
    chart = density_chart({"a<&>\x00": [(0, 1), (5, 0)]}, ['"x"', "]]>"], theme=theme)
    root = ElementTree.fromstring(to_svg(chart))
    assert "a<&>␀" in texts(root)
    assert "]]>" in texts(root)
    assert len(marks(root, "line")) == 2


def test_the_area_under_a_bell_curve_is_one():
    (rows,) = density_chart({"a": [(3.0, 2.0)]}, ["x"]).to_dict()["datasets"].values()
    step = rows[1]["x"] - rows[0]["x"]
    assert sum(row["density"] for row in rows) * step == pytest.approx(1, abs=1e-3)
    assert max(rows, key=lambda row: row["density"])["x"] == 3.0


def test_classes_of_one_name_keep_their_own_curves():
    (rows,) = density_chart({"a": [(0, 1), (5, 1)]}, ["x\x00", "x␀"]).to_dict()["datasets"].values()
    assert len({row["class"] for row in rows}) == 2


def test_ellipses_are_well_formed_and_inside():
    ellipses = [
        Ellipse("a<1>", 0, (0.0, 0.0), ((2.0, 1.0), (-1.0, 2.0))),
        Ellipse("b 1", 1, (9.0, 9.0), ((0, 0),) * 2),
    ]
    root = ElementTree.fromstring(to_svg(ellipse_chart(("u&", "v"), ["a", "b"], ellipses, [(1.0, 2.0, 0)])))
    assert len(marks(root, "line")) == 2
    assert len(marks(root, "rule")) == 4
    for line in marks(root, "line"):
        corners = [tuple(map(float, pair.split(","))) for pair in line.get("d").strip("MZ").split("L")]
        assert all(0 <= x <= 460 and 0 <= y <= 340 for x, y in corners)
    assert {"u&", "v", "a<1>", "b 1", "a", "b"} <= set(texts(root))
