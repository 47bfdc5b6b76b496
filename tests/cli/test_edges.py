"""Edges that the tree must or must not have, on the command line."""

import pytest

import pgm_nb as pnb
from pgm_nb.cli.learn import read_edge
from pgm_nb.errors import DataError

EDGES = ["--require", "petal length:petal width", "--forbid", "sepal length:sepal width"]


@pytest.mark.parametrize("model", ["tan", "gnb"])
def test_the_tree_has_what_is_required_and_the_price_is_printed(model, run, tmp_path):
    path = tmp_path / "iris.pgmnb"
    code, out, _ = run(
        "fit", "iris", "--model", model, "--bins", 5, "--parameters", "generative", *EDGES, "-o", path
    )
    assert code == 0
    kind = {"tan": pnb.TreeAugmentedNaiveBayes, "gnb": pnb.GeneralizedNaiveBayes}[model]
    expected = kind(
        n_bins=5,
        parameters="generative",
        required=[("petal length", "petal width")],
        forbidden=[("sepal length", "sepal width")],
    ).fit(*pnb.load_sample("iris"))
    assert expected.constraints_.to_string(index=False, float_format="{:.4f}".format) in out
    saved = pnb.load(path)
    assert saved.structure_ == expected.structure_
    edges = {frozenset(edge) for edge in saved.structure_.mothers.items()}
    assert frozenset({"petal length", "petal width"}) in edges
    assert frozenset({"sepal length", "sepal width"}) not in edges


def test_without_edges_no_prices_are_printed(run):
    assert "required" not in run("fit", "iris", "--model", "tan")[1]


def test_edges_of_several_files(run, tmp_path):
    X, y = pnb.load_sample("iris")
    frame = X.assign(**{"class": y})
    parts = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for part, rows in zip(parts, (frame[::2], frame[1::2]), strict=True):
        rows.to_csv(part, index=False)
    code, out, _ = run("fit", *parts, "--model", "tan", "--parameters", "generative", *EDGES)
    assert code == 0
    assert "what was required and forbidden" in out


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--require", "petal length"], "has no colon"),
        (["--require", "petal length:petal"], "'petal', which is not an attribute"),
        (["--model", "nb", "--forbid", "petal length:petal width"], "use --model"),
    ],
)
def test_edges_that_cannot_be_read(options, says, run):
    code, _, problem = run("fit", "iris", *options)
    assert code != 0
    assert says in problem


def test_names_with_colons():
    names = ["a", "a:b", "c", "b:c"]
    assert read_edge("c:a:b", "--require", names) == ("c", "a:b")
    assert read_edge("a:b:b:c", "--require", names) == ("a:b", "b:c")
    assert read_edge("x:y:z", "--require", names) == ("x", "y:z")
    with pytest.raises(DataError, match="'a' and 'b:c' or 'a:b' and 'c'"):
        read_edge("a:b:c", "--require", names)


def test_the_price_on_new_rows_is_said_when_asked_for(run):
    code, out, _ = run("fit", "iris", "--model", "tan", "--bins", "5", *EDGES, "--price")
    assert code == 0
    assert "The tree as asked for captures" in out
    assert "On new rows the log-loss is" in out
    assert "no price" in run("fit", "iris", "--model", "tan", "--price")[2]


def test_a_tree_of_ones_own_is_fitted_as_it_is(run, tmp_path):
    path = tmp_path / "mine.json"
    mothers = {"sepal length": "petal width", "sepal width": "petal width", "petal length": "sepal width"}
    tree = pnb.Tree("class", tuple(pnb.load_sample("iris")[0].columns), mothers)
    path.write_text(tree.to_json(), encoding="utf-8")
    saved = tmp_path / "mine.pgmnb"
    code, out, _ = run("fit", "iris", "--bins", "5", "--structure", str(path), "--price", "-o", str(saved))
    assert code == 0
    assert "The tree as asked for captures" in out
    assert dict(pnb.load(saved).structure_.mothers) == mothers

    assert run("fit", "iris", "--model", "tan", "--structure", str(path), "-o", str(saved))[0] == 0
    assert dict(pnb.load(saved).structure_.mothers) == mothers
    assert "--model gnb" in run("fit", "iris", "--model", "hnb", "--structure", str(path))[2]
    path.write_text(
        pnb.Tree("class", ("petal width", "stem"), {"stem": "petal width"}).to_json(), encoding="utf-8"
    )
    assert "'stem', which is not a column" in run("fit", "iris", "--structure", str(path))[2]
    assert "no file" in run("fit", "iris", "--structure", str(tmp_path / "gone.bif"))[2]
