"""What a question may name, and what a value says about the states."""

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.data import Column
from pgm_nb.engine.variables import Variable, Variables
from pgm_nb.errors import QueryError


@pytest.fixture(scope="module")
def tree():
    """Attributes of two, three and four states, some of which a class never has."""
    y = np.arange(60) % 3
    wide = np.where(y == 0, np.arange(60) // 3 % 2, np.arange(60) // 3 % 4)
    X = pd.DataFrame({"wide": wide, "narrow": wide % 2, "middle": (wide + y) % 3}).astype(str)
    own = pnb.CherryTree("class", ["wide", "narrow", "middle"], {"narrow": "wide", "middle": "narrow"})
    model = pnb.GeneralizedNaiveBayes(structure=own, parameters="generative", smoothing=None)
    return model.fit(X, pd.Series(y, name="class").astype(str)).junction_tree()


def test_a_state_is_one_and_zeros(tree):
    variable = tree.variables.target
    assert variable.likelihood(variable.labels[1]).tolist() == [0.0, 1.0, 0.0]


@pytest.mark.parametrize(
    ("asked", "given", "sentence"),
    [
        ((), (), "no variable is asked for"),
        (("class", "class"), (), "'class' is asked for twice"),
        (("class", "narrow"), ("narrow",), "both asked for and given"),
        ({"narrow": 1.0}, (), "what is known comes second"),
    ],
)
def test_questions_that_cannot_be(tree, asked, given, sentence):
    with pytest.raises(QueryError, match=sentence):
        tree.variables.check(asked, given)
    assert tree.variables.check("class", ()) == ("class",)


def test_every_column_of_the_network_sums_to_one(tree):
    """Without smoothing, states of a mother that a class never has are given a uniform column."""
    tables = tree.conditionals()
    unreached = 0
    for variable, logs in zip(tree.variables.attributes, tree.factors.tables, strict=True):
        table = tables[variable.name]
        assert np.abs(table.sum(axis=-1) - 1).max() < 1e-12
        empty = np.exp(logs).sum(axis=-1) == 0
        unreached += int(empty.sum())
        assert (table[empty] == 1 / table.shape[-1]).all()
        assert np.abs(table[~empty] - np.exp(logs)[~empty]).max() < 1e-12
    assert unreached > 0


def test_an_empty_cell_is_the_last_state_where_it_is_one():
    column = Column("sex", "categorical", ("f", "m", "missing"), missing_state=True)
    variable = Variable("sex", column.labels, column)
    assert [variable.state(value) for value in ("f", "m", None, "missing")] == [0, 1, 2, 2]
    without = Column("sex", "categorical", ("f", "m"))
    with pytest.raises(QueryError, match="'sex' has no state 'None'"):
        Variable("sex", without.labels, without).state(None)


def test_columns_that_the_model_leaves_out_are_heard():
    y, a, b, spare, other = (Variable(name, ("0", "1")) for name in "yabst")
    variables = Variables(y, (a, b), (spare, other))
    assert [variables.heard(name) for name in "yabst"] == [y, a, b, spare, other]
    assert [variables.is_spare(name) for name in "yabst"] == [False, False, False, True, True]
    assert [variables.position(name) for name in "ab"] == [0, 1]
    with pytest.raises(QueryError, match="'t' takes no part in this model, which left it out"):
        variables.position("t")


def test_a_number_is_binned_however_it_is_given():
    column = Column("age", "numeric", ("≤ 40", "(40, 60]", "> 60"), cuts=(40.0, 60.0))
    age = Variable("age", column.labels, column)
    assert [age.state(value) for value in (40, 40.5, "59", np.float64(61))] == [0, 1, 1, 2]
    for value in ("old", np.inf, -np.inf):
        with pytest.raises(QueryError, match="has no state"):
            age.state(value)
