"""The estimator: Weka's rows through `fit`, shares, pictures, pgmpy, refusals."""

import gzip
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.errors import DataError, StructureError
from pgm_nb.graphs import AveragedStars
from pgm_nb.views.graph.drawing import elements

GOLDEN = Path(__file__).parents[1] / "golden"


def frames(case):
    record = json.loads(gzip.decompress((GOLDEN / "weka" / f"{case}.json.gz").read_bytes()))
    *cards, k = record["cards"]

    def table(part):
        columns = {
            f"a{i}": pd.Categorical([int(cell) for cell in column], categories=range(v))
            for i, (column, v) in enumerate(zip(record[part][:-1], cards, strict=True))
        }
        y = pd.Categorical([int(cell) for cell in record[part][-1]], categories=range(k))
        return pd.DataFrame(columns), pd.Series(y, name="class")

    return *table("train"), table("test")[0], record


@pytest.mark.parametrize(("weighting", "key"), [(None, "AODE"), ("information", "WAODE")])
@pytest.mark.parametrize("case", ["nursery_first2000", "wdbc_bin10"])
def test_it_is_wekas(case, weighting, key):
    X, y, rows, record = frames(case)
    model = pnb.AveragedOneDependence(weighting=weighting).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(rows), record[key], rtol=0, atol=1e-9)


def test_shares():
    X, y = pnb.load_sample("heart")
    alike = pnb.AveragedOneDependence().fit(X, y).structure_
    assert {*alike.shares.values()} == {1 / X.shape[1]}
    model = pnb.AveragedOneDependence(weighting="information").fit(X, y)
    relevance = model.structure_.relevance
    for name, share in model.structure_.shares.items():
        assert share == pytest.approx(relevance[name] / sum(relevance.values()), abs=1e-12)
    assert (model.importance_["share"].diff().dropna() <= 0).all()


def test_no_information_at_all_is_an_equal_share():
    X = pd.DataFrame({"a": ["u", "v"] * 10, "b": ["w"] * 20})
    y = ["no", "no", "yes", "yes"] * 5
    model = pnb.AveragedOneDependence(weighting="information").fit(X, y)
    assert dict(model.structure_.shares) == {"a": 0.5, "b": 0.5}


@pytest.mark.filterwarnings("ignore::FutureWarning")  # pgmpy imports its own deprecated modules
def test_pgmpy_agrees_also_with_unknown_cells():
    from pgmpy.inference import VariableElimination

    X, y = pnb.load_sample("iris")
    for parameters in ({}, {"weighting": "information"}, {"frequency_limit": 40}):
        model = pnb.AveragedOneDependence(n_bins=3, **parameters).fit(X, y)
        network = model.to_pgmpy()
        for place in (0, 60, 120):
            for missing in ((), ("petal width",), ("petal length", "sepal width")):
                row = X.iloc[[place]].assign(**dict.fromkeys(missing, np.nan))
                codes = model.encode(row)[:, 0]
                given = {
                    c.name: c.labels[code]
                    for c, code in zip(model.encoder_.columns, codes, strict=True)
                    if code < c.card
                }
                asked = VariableElimination(network).query(
                    [model.structure_.target], given, show_progress=False
                )
                expected = asked.values / asked.values.sum()
                np.testing.assert_allclose(model.predict_proba(row)[0], expected, rtol=0, atol=1e-12)


def test_pictures():
    X, y = pnb.load_sample("heart")
    model = pnb.AveragedOneDependence(weighting="information").fit(X, y)
    graph = model.structure_
    assert graph.views == ("focus", "parents")
    drawing = graph.drawing("focus", focus="age")
    assert sum(arc.kind == "tree" for arc in drawing.arcs) == X.shape[1] - 1
    assert f"{100 * graph.shares['age']:.1f}%" in {node.number for node in drawing.nodes}
    for view in graph.views:
        assert b"<svg" in graph.draw(view)
        assert graph.sentence(view).endswith(".")
        for element in elements(graph.drawing(view)).values():
            found = model.describe(element)
            assert found.sentences
    assert "13 such stars" in graph.sentence("focus")


def test_a_wide_star_counts_the_rest():
    names = tuple(f"n{i}" for i in range(60))
    graph = AveragedStars("y", names, dict.fromkeys(names, 1 / 60))
    drawn = graph.drawing("focus")
    assert any(node.lines == ("19 more attributes",) for node in drawn.nodes)


@pytest.mark.parametrize(
    ("shares", "said"),
    [
        ({"a": 1.0}, "every attribute"),
        ({"a": 0.5, "b": 0.4}, "sum to one"),
        ({"a": 1.5, "b": -0.5}, "zero or more"),
    ],
)
def test_shares_are_checked(shares, said):
    with pytest.raises(StructureError, match=said):
        AveragedStars("y", ("a", "b"), shares)


@pytest.mark.parametrize(
    "parameters",
    [{"weighting": "gain"}, {"frequency_limit": -1}, {"smoothing": None}, {"smoothing": "backoff"}],
)
def test_refusals(parameters):
    X, y = pnb.load_sample("iris")
    with pytest.raises(DataError, match=next(iter(parameters))):
        pnb.AveragedOneDependence(**parameters).fit(X, y)
