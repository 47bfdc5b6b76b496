"""The star with Gaussian leaves."""

import json
import pickle

import pytest

from pgm_nb.errors import StructureError
from pgm_nb.graphs import GaussianStar, from_json

STAR = GaussianStar(
    "ill",
    ("age <&>", "sex", "dose"),
    ("no", 'y"es'),
    {"age <&>": [(40, 10), (60, 5)], "dose": [(1, 0.5), (2, 0)]},
    {"age <&>": 0.5, "sex": 0.1, "dose": 0.3},
)


def test_round_trips():
    assert from_json(STAR.to_json()) == STAR
    assert pickle.loads(pickle.dumps(STAR)) == STAR
    assert hash(from_json(STAR.to_json())) == hash(STAR)
    assert STAR.gaussians["age <&>"] == ((40.0, 10.0), (60.0, 5.0))


@pytest.mark.parametrize("view", GaussianStar.views)
@pytest.mark.parametrize("format", ["svg", "png", "pdf", "dot"])
def test_every_view_draws(view, format):
    assert STAR.draw(view, format=format)


def test_densities_view_tells_mean_and_deviation():
    dot = STAR.to_dot("densities")
    assert "40 ± 10" in dot
    assert dot.count("±") >= 4


def test_densities_svg():
    svg = STAR.densities_svg()
    assert svg.count('"line mark"') == 4
    assert "age &lt;&amp;&gt;" in svg
    assert STAR.densities_svg(["dose"]).count('"line mark"') == 2
    with pytest.raises(StructureError, match="'sex' is not a measured attribute"):
        STAR.densities_svg(["sex"])


@pytest.mark.parametrize(
    ("gaussians", "message"),
    [
        ({"b": [(0, 1), (0, 1)]}, "'b', which is not among the attributes"),
        ({"a": [(0, 1)]}, "one Gaussian for each of the 2 classes"),
        ({"a": [(0, -1), (0, 1)]}, "not negative"),
        ({"a": [(0, float("nan")), (0, 1)]}, "finite mean"),
        ({"a": [0, 1]}, "pairs of mean and standard deviation"),
    ],
)
def test_wrong_leaves_are_refused(gaussians, message):
    with pytest.raises(StructureError, match=message):
        GaussianStar("y", ("a",), ("no", "yes"), gaussians)


def test_wrong_json_is_refused():
    content = json.loads(STAR.to_json()) | {"classes": "no"}
    with pytest.raises(StructureError, match="'classes' of a gaussian star must be a JSON list"):
        from_json(json.dumps(content))
