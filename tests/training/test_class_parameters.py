"""Class-trained scores of rows with unknown cells: compiled code beside the sums of `class_terms`."""

from dataclasses import replace

import numpy as np
import pytest

from pgm_nb.engine import sums
from pgm_nb.engine.sums import log_joint
from pgm_nb.engine.sums import terms as forest_terms
from pgm_nb.engine.variables import Variable, Variables
from pgm_nb.lazy import Later
from pgm_nb.tables.factors import Factors
from pgm_nb.tables.families import Families
from pgm_nb.training import class_parameters
from pgm_nb.training.class_parameters import (
    ClassParameters,
    class_potentials,
    class_scores,
    class_terms,
    generative,
    markov_potentials,
)


def a_forest(rng, d, v, k, mothers=None, spread=1.0):
    """Return random tables over a random forest."""
    above = tuple(int(rng.integers(-1, i)) for i in range(d)) if mothers is None else mothers
    cards = rng.integers(2, v + 1, d)
    tables = []
    for i, mother in enumerate(above):
        shape = (k, cards[i]) if mother < 0 else (k, cards[mother], cards[i])
        chances = rng.random(shape) ** spread + 1e-300
        tables.append(np.log(chances / chances.sum(axis=-1, keepdims=True)))
    return Factors(np.log(rng.dirichlet(np.ones(k))), tuple(range(d)), above, tuple(tables)), cards


def parameters_for(rng, factors):
    """Return parameters as training could give them, learned at three amounts of evidence."""
    d, k = len(factors.tables), len(factors.log_prior)
    return ClassParameters(
        known=np.unique(np.array([1, max(d // 2, 1), d])).astype(float),
        bias=rng.normal(size=(len({1, max(d // 2, 1), d}), k)),
        weights=rng.random((len({1, max(d // 2, 1), d}), d)),
        fades=rng.random(len({1, max(d // 2, 1), d})),
        mains=tuple(rng.normal(size=(k, table.shape[-1])) for table in factors.tables),
        cells=tuple(rng.normal(size=table.shape) for table in factors.tables),
    )


def hidden_rows(rng, cards, n, share):
    codes = np.array([rng.integers(0, card, n) for card in cards], dtype=np.uint8)
    return np.where(rng.random(codes.shape) < share, cards[:, None], codes).astype(np.uint8)


@pytest.mark.parametrize(
    ("d", "v", "k", "share"), [(1, 3, 2, 0.5), (6, 3, 2, 0.5), (12, 6, 4, 0.9), (40, 5, 3, 0.3)]
)
def test_compiled_and_plain_agree(d, v, k, share):
    rng = np.random.default_rng(d)
    for mothers in (None, tuple(range(-1, d - 1))):  # a forest, and a chain with long unknown parts
        factors, cards = a_forest(rng, d, v, k, mothers)
        parameters = parameters_for(rng, factors)
        codes = hidden_rows(rng, cards, 300, share)
        plain, compiled = (class_scores(parameters, factors, codes, way) for way in ("numpy", "compiled"))
        np.testing.assert_allclose(compiled, plain, rtol=0, atol=1e-11)


def test_rows_near_zero_are_summed_in_logs():
    """Four hundred children of one unknown mother, each nearly impossible: the product is below 1e-308."""
    rng = np.random.default_rng(1)
    factors, cards = a_forest(rng, 401, 2, 2, mothers=(-1, *(0,) * 400), spread=12.0)
    parameters = parameters_for(rng, factors)
    codes = np.zeros((401, 3), dtype=np.uint8)
    codes[0] = cards[0]
    rarest = [int(table.max(axis=(0, 1)).argmin()) for table in factors.tables[1:]]
    codes[1:, 1] = rarest
    plain, compiled = (class_scores(parameters, factors, codes, way) for way in ("numpy", "compiled"))
    np.testing.assert_allclose(compiled, plain, rtol=1e-12, atol=1e-9)
    base, values = class_terms(parameters, factors, codes[:, 1:2])
    assert values.sum() < -800  # what the product of probabilities could not hold
    np.testing.assert_allclose(compiled[1], base[0] + values[0].sum(axis=0), rtol=1e-12)


def test_tables_that_do_not_add_up_to_one():
    rng = np.random.default_rng(2)
    factors, cards = a_forest(rng, 7, 4, 3)
    tables = [table.copy() for table in factors.tables]
    tables[3][0] -= 0.5
    factors = Factors(factors.log_prior, factors.columns, factors.mothers, tuple(tables))
    parameters = parameters_for(rng, factors)
    codes = hidden_rows(rng, cards, 200, 0.6)
    plain, compiled = (class_scores(parameters, factors, codes, way) for way in ("numpy", "compiled"))
    np.testing.assert_allclose(compiled, plain, rtol=0, atol=1e-11)


def test_impossible_states_stay_impossible():
    rng = np.random.default_rng(3)
    factors, cards = a_forest(rng, 5, 3, 2)
    tables = [table.copy() for table in factors.tables]
    tables[0][0, 0] = -np.inf
    factors = Factors(factors.log_prior, factors.columns, factors.mothers, tuple(tables))
    codes = hidden_rows(rng, cards, 50, 0.4)
    codes[0] = 0
    scores = class_scores(parameters_for(rng, factors), factors, codes, "compiled")
    assert np.isneginf(scores[:, 0]).all()
    assert np.isfinite(scores[:, 1]).all()


def test_between_what_was_learned_lines_in_the_logarithm_of_the_number():
    rng = np.random.default_rng(3)
    factors, _ = a_forest(rng, 8, 3, 2)
    parameters = parameters_for(rng, factors)  # learned at 1, 4 and 8
    asked = np.array([0, 1, 2, 3, 4, 5, 7, 8])
    nodes, at = np.log([1, 4, 8]), np.log(np.maximum(asked, 1))
    learned = (parameters.bias, parameters.weights, parameters.fades[:, None])
    for found, values in zip(parameters.at(asked), learned, strict=True):
        expected = np.array([np.interp(at, nodes, column) for column in values.T]).T
        np.testing.assert_allclose(found.reshape(8, -1), expected, rtol=0, atol=1e-12)


def test_what_all_of_the_training_would_change_however_much_is_known():
    rng = np.random.default_rng(4)
    factors, cards = a_forest(rng, 6, 3, 3)
    parameters = parameters_for(rng, factors)
    codes = hidden_rows(rng, cards, 40, 0.7)
    full = replace(
        parameters,
        known=np.array([2.0]),
        bias=parameters.bias[2:],
        weights=parameters.weights[2:],
        fades=parameters.fades[2:],
    )
    base, values = class_terms(full, factors, codes)
    found = parameters.gained(factors, codes, forest_terms(factors, codes))
    np.testing.assert_allclose(found, base + values.sum(axis=1) - log_joint(factors, codes), atol=1e-11)


def test_parameters_that_change_nothing_say_so():
    counts = np.array([[4, 1], [2, 3]])
    nothing = generative(Families(np.array([5, 5]), (0, 1), (-1, -1), (counts, counts)))
    assert not nothing.changes_something
    for change in (
        {"weights": np.array([[1.0, 0.5]])},
        {"bias": np.array([[0.0, 0.5]])},
        {"cells": (np.zeros((2, 2)), np.array([[0.0, 0.5], [0.0, 0.0]]))},
    ):
        assert replace(nothing, **change).changes_something


@pytest.mark.parametrize("known", [[3.0, 1.0], [2.0, 2.0], [1.0, 3.0, 2.0], []])
def test_a_file_in_which_the_numbers_known_do_not_ascend_is_refused(known):
    rng = np.random.default_rng(5)
    factors, _ = a_forest(rng, 4, 3, 2)
    parameters = parameters_for(rng, factors)
    description, arrays = parameters.pack()
    again = ClassParameters.unpack(description, arrays)
    np.testing.assert_array_equal(again.known, parameters.known)
    for found, given in zip(
        (*again.mains, *again.cells), (*parameters.mains, *parameters.cells), strict=True
    ):
        np.testing.assert_array_equal(found, given)
    with pytest.raises(ValueError, match="do not ascend"):
        ClassParameters.unpack(description, arrays | {"known": np.array(known)})


def three_with_two_mothers(rng, k=2, cards=(2, 3, 4)):
    """The third attribute depends on both of the others."""
    shapes = ((k, cards[0]), (k, cards[0], cards[1]), (k, *cards))
    tables = tuple(np.log(rng.dirichlet(np.ones(shape[-1]), size=shape[:-1])) for shape in shapes)
    return Factors(np.log(rng.dirichlet(np.ones(k))), (0, 1, 2), (-1, 0, 0), tables, ((), (), (1,)))


def test_cells_of_several_mothers_count_only_where_all_are_known():
    rng = np.random.default_rng(6)
    factors = three_with_two_mothers(rng)
    parameters = parameters_for(rng, factors)
    codes = np.array([*np.ndindex(3, 4, 5)], dtype=np.uint8).T  # the last of each is unknown
    terms = forest_terms(factors, codes)
    base, values = class_terms(parameters, factors, codes)
    bias, weights, fades = parameters.at((codes < np.array([[2], [3], [4]])).sum(axis=0))
    np.testing.assert_allclose(base, factors.log_prior + bias, rtol=0, atol=1e-12)
    for row, x in enumerate(codes.T.tolist()):
        for i, mothers in enumerate(factors.given):
            added = np.zeros(2)
            if x[i] < factors.cards[i]:
                seen = mothers and all(x[m] < factors.cards[m] for m in mothers)
                whole = (slice(None), *(x[m] for m in mothers), x[i])
                added = parameters.cells[i][whole] if seen else parameters.mains[i][:, x[i]]
            expected = weights[row, i] * terms[row, i] + fades[row] * added
            np.testing.assert_allclose(values[row, i], expected, rtol=0, atol=1e-12)


def test_potentials_are_the_scores_of_complete_rows():
    rng = np.random.default_rng(7)
    factors = three_with_two_mothers(rng)
    parameters = parameters_for(rng, factors)
    parameters = replace(
        parameters, mains=(parameters.cells[0], *parameters.mains[1:])
    )  # no mother: the same
    codes = np.array([*np.ndindex(2, 3, 4)], dtype=np.uint8).T
    potentials = class_potentials(parameters, factors)
    base, values = class_terms(parameters, factors, codes)
    expected = base + values.sum(axis=1)
    np.testing.assert_allclose(log_joint(potentials, codes), expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(
        class_scores(parameters, factors, codes, "numpy"), expected, rtol=0, atol=1e-12
    )
    attributes = tuple(Variable(name, tuple("0123"[:v])) for name, v in zip("abc", (2, 3, 4), strict=True))
    network = markov_potentials(potentials, Variables(Variable("y", ("no", "yes")), attributes))
    assert [one.names for one in network] == [("y",), ("y", "a"), ("y", "a", "b"), ("y", "a", "b", "c")]
    logs = (potentials.log_prior, *potentials.tables)
    for one, table in zip(network, logs, strict=True):
        assert one.table.max() == 1.0
        np.testing.assert_allclose(one.table, np.exp(table - table.max()), rtol=0, atol=1e-12)


def test_what_was_learned_cannot_be_changed():
    parameters = parameters_for(np.random.default_rng(8), a_forest(np.random.default_rng(8), 4, 3, 2)[0])
    for array in (parameters.known, parameters.bias, parameters.factor, *parameters.mains, *parameters.cells):
        assert not array.flags.writeable


def test_a_file_from_before_the_spread_was_kept_is_not_stretched():
    rng = np.random.default_rng(8)
    factors, _ = a_forest(rng, 3, 3, 2)
    description, arrays = replace(parameters_for(rng, factors), stretch=Later.of(2.5)).pack()
    assert ClassParameters.unpack(description, arrays).spread == 2.5
    del description["spread"]
    before = ClassParameters.unpack(description, arrays)
    assert before.spread == 1.0
    assert before.factor.shape == (0, 0)  # nor was how sure the weights are


@pytest.mark.parametrize(("kernel", "calls"), [("numpy", 0), ("compiled", 1)])
def test_the_kernel_that_is_named_is_the_one_that_runs(monkeypatch, kernel, calls):
    seen, run = [], sums.in_threads  # in which compiled code runs
    monkeypatch.setattr(sums, "in_threads", lambda *given: seen.append(given) or run(*given))
    rng = np.random.default_rng(9)
    factors, cards = a_forest(rng, 3, 3, 2, mothers=(-1, 0, 1))
    class_scores(parameters_for(rng, factors), factors, cards[:, None].astype(np.uint8), kernel)
    assert len(seen) == calls


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
@pytest.mark.parametrize(("d", "most", "k"), [(3, 2, 2), (7, 2, 3), (8, 3, 2)])
def test_several_mothers_compiled_and_plain_agree(monkeypatch, d, most, k, share):
    """A band: each attribute depends on up to `most` before it, in any order of the axes; rows in blocks."""
    monkeypatch.setattr(class_parameters, "ROWS", 64)
    rng = np.random.default_rng(d)
    cards = rng.integers(2, 5, d)
    given = [tuple(rng.permutation(np.arange(max(0, i - most), i)).tolist()) for i in range(d)]
    tables = [
        np.log(rng.dirichlet(np.ones(cards[i]), (k, *(cards[m] for m in mothers))))
        for i, mothers in enumerate(given)
    ]
    first, others = tuple(m[0] if m else -1 for m in given), tuple(m[1:] for m in given)
    factors = Factors(np.log(rng.dirichlet(np.ones(k))), tuple(range(d)), first, tuple(tables), others)
    parameters = parameters_for(rng, factors)
    codes = hidden_rows(rng, cards, 200, share)
    plain, compiled = (class_scores(parameters, factors, codes, way) for way in ("numpy", "compiled"))
    np.testing.assert_allclose(compiled, plain, rtol=0, atol=1e-11)
    incomplete = (codes >= cards[:, None]).any(axis=0)
    base, values = class_terms(parameters, factors, codes[:, incomplete])
    np.testing.assert_allclose(compiled[incomplete], base + values.sum(axis=1), rtol=0, atol=1e-11)
