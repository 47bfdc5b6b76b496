"""Kinds of evidence: their likelihoods by hand, answers by brute force, and texts that read back."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.data import Column
from pgm_nb.engine.evidence import Between, read_evidence
from pgm_nb.engine.variables import Variable
from pgm_nb.errors import QueryError

AGE = Column("age", "numeric", ("≤ 40", "(40, 60]", "> 60", "missing"), cuts=(40.0, 60.0), missing_state=True)
COLOUR = Column("colour", "categorical", ("blue", "green", "red"))
LEGS = Column("legs", "ordered", (0, 2, 4, 8))


def weights(column, evidence):
    return Variable(column.name, column.labels, column).likelihood(evidence).tolist()


class TestWeights:
    @pytest.mark.parametrize(
        ("column", "evidence", "expected"),
        [
            (COLOUR, pnb.one_of("red", "blue"), [1, 0, 1]),
            (COLOUR, pnb.not_("red"), [1, 1, 0]),
            (COLOUR, pnb.likelihood({"red": 0.7, "blue": 0.2}), [0.2, 0, 0.7]),
            (COLOUR, {"red": 0.7, "blue": 0.2}, [0.2, 0, 0.7]),
            (AGE, pnb.not_(50), [1, 0, 1, 0]),
            (AGE, pnb.one_of(50, None), [0, 1, 0, 1]),
            (AGE, pnb.between(40, 60), [0, 1, 0, 0]),
            (AGE, pnb.between(45, 50), [0, 0.25, 0, 0]),
            (AGE, pnb.between(30, 45), [1, 0.25, 0, 0]),
            (AGE, pnb.between(50, 50), [0, 1, 0, 0]),
            (AGE, pnb.above(60), [0, 0, 1, 0]),
            (AGE, pnb.above(70), [0, 0, 1, 0]),
            (AGE, pnb.below(44), [1, 0.2, 0, 0]),
            (LEGS, pnb.between(2, 4), [0, 1, 1, 0]),
            (LEGS, pnb.above(2), [0, 0, 1, 1]),
            (LEGS, pnb.below(2), [1, 0, 0, 0]),
        ],
    )
    def test_by_hand(self, column, evidence, expected):
        np.testing.assert_allclose(weights(column, evidence), expected, atol=1e-15)

    @pytest.mark.parametrize(
        ("column", "evidence", "said"),
        [
            (COLOUR, pnb.one_of("pink"), "no state 'pink'"),
            (COLOUR, pnb.between(1, 2), "a range needs numbers"),
            (COLOUR, pnb.not_("red", "blue", "green"), r"\(not red, blue or green\) rules out every state"),
            (LEGS, pnb.between(5, 7), "rules out every state"),
            (COLOUR, pnb.likelihood({"red": -1}), "must be a number from 0"),
            (AGE, "40..50", "no state '40..50'"),
        ],
    )
    def test_what_cannot_be_is_refused(self, column, evidence, said):
        with pytest.raises(QueryError, match=said):
            weights(column, evidence)

    @pytest.mark.parametrize(
        ("make", "arguments"),
        [
            (pnb.between, (50, 40)),
            (pnb.between, ("a", 3)),
            (pnb.between, (-np.inf, np.inf)),
            (pnb.above, (np.nan,)),
            (pnb.below, (-np.inf,)),
            (pnb.one_of, ()),
            (pnb.not_, ()),
        ],
    )
    def test_senseless_evidence_is_refused(self, make, arguments):
        with pytest.raises(QueryError):
            make(*arguments)


def read(text, columns=(AGE, COLOUR, LEGS)):
    of = {column.name: column for column in columns}

    def value(name, said):
        column = of[name]
        if column.kind == "numeric":
            try:
                return (float(said),)
            except ValueError:
                return None
        return next(((state,) for state in column.states if str(state) == said), None)

    return read_evidence(text, of, value)


class TestTexts:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("age=64", 64.0),
            ("age=40..50", pnb.between(40, 50)),
            ("age=-4.5..-2", pnb.between(-4.5, -2)),
            ("age=40..", Between(40.0, np.inf)),
            ("age=..40", Between(-np.inf, 40.0)),
            ("age>=40", Between(40.0, np.inf)),
            ("age<=40", Between(-np.inf, 40.0)),
            ("age>60", pnb.above(60)),
            ("age<40", pnb.below(40)),
            ("colour!=red", pnb.not_("red")),
            ("colour!=red|blue", pnb.not_("red", "blue")),
            ("colour=red|blue", pnb.one_of("red", "blue")),
            ("colour=red:0.7|blue:0.2", pnb.likelihood({"red": 0.7, "blue": 0.2})),
            ("legs=2|4", pnb.one_of(2, 4)),
        ],
    )
    def test_read(self, text, expected):
        name, found = read(text)
        assert name == text[: len(name)]
        assert found == expected
        if not isinstance(found, float):
            assert read(found.written(name)) == (name, found)

    @pytest.mark.parametrize(
        "text",
        ["age", "age=", "age=old", "age=50..40", "age=..", "age>x", "age>inf", "colour!=pink",
         "colour=red|pink", "colour=red:x|blue:1", "colour=red:0|blue:0", "weight=3"],
    )  # fmt: skip
    def test_what_cannot_be_read(self, text):
        assert read(text) is None

    def test_values_and_names_may_look_like_evidence(self):
        odd = Column("a=b", "categorical", ("x|y", "1..2", "x", "y"))
        other = Column("a", "categorical", ("b=x", "c"))
        assert read("a=b=x|y", (odd, other)) == ("a=b", "x|y")
        assert read("a=b=1..2", (odd, other)) == ("a=b", "1..2")
        assert read("a=b=y|x", (odd, other)) == ("a=b", pnb.one_of("y", "x"))
        assert read("a!=b=x", (odd, other)) == ("a", pnb.not_("b=x"))


def brute_force(model, given):
    """P(class | evidence) by summing the joint distribution over all combinations of states."""
    tree = model.junction_tree()
    tables = tree.conditionals()
    attributes, mothers = tree.variables.attributes, tree.factors.mothers
    weight = {name: tree.variables[name].likelihood(value) for name, value in given.items()}
    target = tree.variables.target.name
    total = np.zeros(len(tree.variables.target.labels))
    for y in range(len(total)):
        for states in product(*(range(len(v.labels)) for v in attributes)):
            chance = tables[target][y] * weight.get(target, np.ones(len(total)))[y]
            for i, (variable, state) in enumerate(zip(attributes, states, strict=True)):
                table = tables[variable.name]
                row = table[y] if mothers[i] < 0 else table[y, states[mothers[i]]]
                chance *= row[state] * weight.get(variable.name, np.ones(len(row)))[state]
            total[y] += chance
    return total / total.sum()


KINDS = [pnb.NaiveBayes, pnb.TreeAugmentedNaiveBayes, pnb.GeneralizedNaiveBayes]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.about.short_name)
@pytest.mark.parametrize("seed", range(4))
def test_answers_equal_brute_force(kind, seed):
    rng = np.random.default_rng(seed)
    y = rng.choice(["no", "perhaps", "yes"], 80)
    X = pd.DataFrame(
        {
            "age": rng.normal(50, 12, 80) + 9 * (y == "yes"),
            "colour": rng.choice(["red", "green", "blue"], 80),
            "dose": rng.integers(0, 4, 80).astype(float),
            "sex": rng.choice(["f", "m"], 80),
        }
    )
    X["size"] = X["age"] + rng.normal(0, 5, 80)
    model = kind(parameters="generative", n_bins=3, smoothing=1.0).fit(X, y)
    for given in (
        {"age": pnb.between(42, 61)},
        {"age": pnb.above(55), "colour": pnb.not_("red"), "sex": "f"},
        {"colour": pnb.one_of("red", "blue"), "dose": pnb.below(2), "size": 51.0},
        {"size": pnb.between(30, 47.5), "class": pnb.not_("no"), "sex": {"f": 0.9, "m": 0.4}},
        {
            "age": pnb.between(20, 90),
            "dose": pnb.one_of(1, 3),
            "colour": pnb.likelihood({"red": 2, "green": 1}),
        },
    ):
        expected = brute_force(model, given)
        tree = model.junction_tree().observe(given)
        np.testing.assert_allclose(model.class_posterior(tree), expected, atol=1e-9)
        if "class" not in given:
            found = model.query("class", given=given)["probability"]
            np.testing.assert_allclose(found, expected, atol=1e-9)


def test_a_range_of_a_column_of_few_numbers_with_missing_cells():
    """The state "missing" is no number, and does not make the others words."""
    X = pd.DataFrame({"stage": [1, 2, 3, None] * 15, "age": np.arange(60.0)})
    model = pnb.NaiveBayes(parameters="generative").fit(X, [0, 0, 1, 1] * 15)
    range_, value = (model.query("class", {"stage": known}) for known in (pnb.above(2), 3))
    np.testing.assert_allclose(range_["probability"], value["probability"], rtol=0, atol=1e-12)


def test_a_range_may_be_open_at_one_end_only():
    assert pnb.between(3, np.inf) == Between(3.0, np.inf)
    assert pnb.between(-np.inf, 3) == Between(-np.inf, 3.0)
    for ends in ((-np.inf, np.inf), (4, 3)):
        with pytest.raises(QueryError, match="from a lower to a higher number"):
            pnb.between(*ends)
    for make in (pnb.above, pnb.below):
        with pytest.raises(QueryError):
            make(np.inf)


def test_a_narrow_range_is_a_small_share_of_its_interval():
    column = Column("age", "numeric", ("≤ 40", "(40, 60]", "> 60"), cuts=(40.0, 60.0))
    found = Variable("age", column.labels, column).likelihood(pnb.between(50, 50.5))
    np.testing.assert_allclose(found, [0, 0.025, 0], atol=1e-12)


def test_a_range_of_one_number_is_that_number():
    column = Column("stage", "numeric", (1, 2, 3))
    stage = Variable("stage", column.labels, column)
    assert stage.likelihood(pnb.between(2, 2)).tolist() == [0.0, 1.0, 0.0]


def test_a_column_of_numbers_and_words_has_no_ranges():
    column = Column("stage", "categorical", (1, 2, "late"))
    with pytest.raises(QueryError):
        Variable("stage", column.labels, column).likelihood(pnb.between(1, 2))
