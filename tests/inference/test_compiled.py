"""The compiled kernels as the plain Python they are written in, against enumeration and sums of logs."""

from functools import partial
from itertools import product

import numpy as np
import pytest

from pgm_nb.inference import Factors, compiled, compiled_class, incomplete
from pgm_nb.inference.class_parameters import ClassParameters, class_terms
from pgm_nb.inference.class_rows import class_scores
from pgm_nb.inference.incomplete import sum_out, wide_codes

HELPERS = ("_copy", "_fill", "_times", "_dot", "_meet", "_join", "_add", "_pass_on")
CHAIN, STAR, TWO = (-1, 0, 1, 2, 3), (-1, 0, 0, 0, 0), (-1, 0, 1, -1, 3)
DEEP = (-1, 0, 1, 1, 2, 2, 2)  # three children of an attribute beside which its mother has another


def a_forest(seed, mothers, *, whole=True, least=0.0):
    """Tables with two to four states; not whole: one whose chances do not add up to one."""
    rng = np.random.default_rng(seed)
    cards = rng.integers(2, 5, len(mothers))
    tables = []
    for i, mother in enumerate(mothers):
        shape = (2, cards[i]) if mother < 0 else (2, cards[mother], cards[i])
        chances = rng.random(shape) + 0.1
        chances /= chances.sum(axis=-1, keepdims=True)
        tables.append(np.log(chances if whole or i % 2 == 0 else chances * rng.uniform(0.3, 0.9)) - least)
    return Factors(np.log([0.3, 0.7]), tuple(range(len(mothers))), mothers, tuple(tables)), cards


def every_pattern(cards, seed):
    """Two rows for every choice of unknown attributes: more than are handled together."""
    rng = np.random.default_rng(seed)
    patterns = np.array(list(product([False, True], repeat=len(cards)))).T
    patterns = np.concatenate([patterns, patterns], axis=1)
    known = np.array([rng.integers(0, card, patterns.shape[1]) for card in cards])
    return np.where(patterns, cards[:, None], known).astype(np.uint8)


def by_enumeration(factors, cards, row):
    choices = [range(card) if code >= card else [code] for code, card in zip(row, cards, strict=True)]
    total = np.zeros(2)
    for values in product(*choices):
        logs = factors.log_prior.copy()
        for i, (mother, table) in enumerate(zip(factors.mothers, factors.tables, strict=True)):
            logs = logs + (table[:, values[i]] if mother < 0 else table[:, values[mother], values[i]])
        total += np.exp(logs)
    return np.log(total)


@pytest.fixture
def given_up(monkeypatch):
    """Let the kernels run as Python; returns how many rows each call left to the sums of logarithms."""
    found = []

    def run(kernel, *arguments):
        *_, small, first, last = arguments
        kernel(*arguments)
        found.append(int(small[first:last].sum()))

    for module, helpers, kernel in (
        (compiled, ("_begin", "_scale"), "sum_out"),
        (compiled_class, HELPERS, "class_scores"),
    ):
        for name in helpers:
            monkeypatch.setattr(module, name, getattr(module, name).py_func)
        monkeypatch.setattr(module, kernel, partial(run, getattr(module, kernel).py_func))
    return found


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("mothers", [CHAIN, STAR, TWO])
@pytest.mark.parametrize("seed", [0, 1])
def test_sums_over_what_is_unknown(given_up, seed, mothers, whole):
    factors, cards = a_forest(seed, mothers, whole=whole)
    codes = every_pattern(cards, seed)
    found = np.empty((codes.shape[1], 2))
    sum_out(factors, codes, found, "compiled")
    expected = [by_enumeration(factors, cards, row) for row in codes.T]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    assert sum(given_up) == 0


def test_only_the_rows_that_are_asked_for_are_written(given_up):
    factors, cards = a_forest(0, TWO)
    codes = every_pattern(cards, 0)
    found, small = np.full((codes.shape[1], 2), np.nan), np.zeros(codes.shape[1], dtype=np.uint8)
    compiled.sum_out(wide_codes(factors, codes), *factors.laid, factors.log_prior, found, small, 3, 9)
    assert np.flatnonzero(np.isfinite(found).all(axis=1)).tolist() == [3, 4, 5, 6, 7, 8]


@pytest.mark.parametrize(("least", "lost"), [(0.0, False), (60.0, False), (200.0, False), (500.0, True)])
@pytest.mark.parametrize("mothers", [CHAIN, STAR, TWO])
def test_products_below_the_smallest_number_are_scaled_and_lost_sums_are_made_in_logs(
    given_up, mothers, least, lost
):
    """Every chance is smaller by the same factor, so each attribute lowers the score by its logarithm."""
    factors, cards = a_forest(2, mothers)
    tiny, _ = a_forest(2, mothers, least=least)
    codes = every_pattern(cards, 2)
    expected, found = np.empty((2, codes.shape[1], 2))
    sum_out(factors, codes, expected, "numpy")
    sum_out(tiny, codes, found, "compiled")
    np.testing.assert_allclose(found, expected - 5 * least, rtol=0, atol=1e-9)
    incomplete = (codes >= cards[:, None]).any(axis=0)
    assert sum(given_up) == (incomplete.sum() if lost else 0)  # every sum is too small, every product is not


@pytest.mark.parametrize("depth", [1, 2])
def test_a_row_in_which_a_ruled_out_state_may_come_back_is_summed_in_logs(given_up, depth):
    """Six children speak for one state of an unknown mother, then six for the other; or their children do."""
    rare = 1e-60
    pair = np.log(np.array([[[rare, 1 - rare], [1 - rare, rare]]]))
    mothers = (-1, *(0,) * 12, *(range(1, 13) if depth == 2 else ()))
    tables = (np.log([[0.3, 0.7]]), *(pair,) * (12 * depth))
    factors = Factors(np.zeros(1), tuple(range(len(mothers))), mothers, tables)
    codes = np.full((len(mothers), 37), 2, dtype=np.uint8)
    codes[-12:-6, 34], codes[-6:, 34] = 0, 1
    codes[-12:-9] = 0  # in the other rows three alone speak
    expected, found = np.empty((2, 37, 1))
    sum_out(factors, codes, expected, "numpy")
    sum_out(factors, codes, found, "compiled")
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert given_up == [1]


@pytest.mark.parametrize(("far", "lost"), [(-500.0, 1), (-740.0, 3), (-900.0, 3)])
def test_what_is_rarest_is_left_to_sums_of_logs(given_up, far, lost):
    """A product may leave the range of numbers by a chance that is all but zero, not by one that is."""
    rare = np.array([[[far, 0.0], [0.0, far]]] * 2)
    rare[1, 0, 0] = -np.inf
    tables = (np.array([[0.0, far]] * 2), rare, rare, rare)
    factors = Factors(np.log([0.5, 0.5]), (0, 1, 2, 3), (-1, 0, 0, 0), tables)
    codes = np.array([[0] * 33 + [0, 1, 2], [1] * 33 + [0, 1, 0], [1] * 33 + [0, 1, 2], [2] * 36])
    expected, found = np.empty((2, 36, 2))
    sum_out(factors, codes, expected, "numpy")
    sum_out(factors, codes, found, "compiled")
    assert np.argwhere(np.isneginf(expected)).tolist() == [[33, 1]]
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert given_up == [lost]


def test_what_cannot_be_is_minus_infinity(given_up):
    factors, cards = a_forest(3, CHAIN)
    first, second, *others = factors.tables
    never = np.concatenate([np.full_like(second[:1], -np.inf), second[1:]])
    factors = Factors(factors.log_prior, factors.columns, CHAIN, (first, never, *others))
    codes = every_pattern(cards, 3)[:, :1]
    found = np.empty((1, 2))
    sum_out(factors, codes, found, "compiled")
    assert np.isneginf(found[0, 0])
    with np.errstate(divide="ignore"):
        assert found[0, 1] == pytest.approx(by_enumeration(factors, cards, codes[:, 0])[1], abs=1e-12)


def parameters_for(factors, seed):
    rng, d = np.random.default_rng(seed), len(factors.tables)
    return ClassParameters(
        known=np.array([1.0, 3.0, 5.0]),
        bias=rng.normal(size=(3, 2)),
        weights=rng.random((3, d)),
        fades=np.array([0.3, 0.6, 1.0]),
        mains=tuple(rng.normal(size=(2, table.shape[-1])) for table in factors.tables),
        cells=tuple(rng.normal(size=table.shape) for table in factors.tables),
    )


@pytest.mark.parametrize("near", [True, False])
@pytest.mark.parametrize("mothers", [CHAIN, STAR, TWO, (-1, 0, 1, 1, 0), DEEP])
@pytest.mark.parametrize("seed", [0, 1])
def test_class_trained_scores(given_up, monkeypatch, seed, mothers, near):
    """With and without tables given ancestors beyond the mother."""
    factors, cards = a_forest(seed, mothers)
    if near:
        monkeypatch.setattr(incomplete, "DISTANT_STATES", 1)
    assert factors.distant.starts.shape[1] == (1 if near else 4)
    parameters = parameters_for(factors, seed)
    codes = every_pattern(cards, seed)
    codes = codes[:, (codes >= cards[:, None]).any(axis=0)]  # in complete rows nothing is summed out
    base, terms = class_terms(parameters, factors, codes)
    found = class_scores(parameters, factors, codes, "compiled")
    np.testing.assert_allclose(found, base + terms.sum(axis=1), rtol=0, atol=1e-11)
    assert given_up
    assert sum(given_up) == 0


def test_tables_that_are_no_probabilities_are_not_multiplied(given_up):
    factors, cards = a_forest(0, CHAIN, whole=False)
    parameters = parameters_for(factors, 0)
    codes = every_pattern(cards, 0)
    codes = codes[:, (codes >= cards[:, None]).any(axis=0)]
    base, terms = class_terms(parameters, factors, codes)
    found = class_scores(parameters, factors, codes, "compiled")
    np.testing.assert_allclose(found, base + terms.sum(axis=1), rtol=0, atol=1e-11)
    assert given_up == []


@pytest.mark.parametrize("near", [True, False])
@pytest.mark.parametrize(("least", "lost"), [(80.0, False), (500.0, True)])
@pytest.mark.parametrize("mothers", [CHAIN, STAR])
def test_class_trained_scores_of_rare_rows(given_up, monkeypatch, mothers, least, lost, near):
    """The first state of every attribute is rare, whatever the state of its mother."""
    if near:
        monkeypatch.setattr(incomplete, "DISTANT_STATES", 1)
    factors, cards = a_forest(4, mothers)
    tables = []
    for table in factors.tables:
        logs = table.copy()
        logs[..., 0] = -least
        logs[..., 1:] -= np.logaddexp.reduce(logs[..., 1:], axis=-1, keepdims=True)
        tables.append(logs)
    factors = Factors(factors.log_prior, factors.columns, mothers, tuple(tables))
    parameters = parameters_for(factors, 4)
    codes = every_pattern(cards, 4)
    codes = np.where(codes < cards[:, None], 0, codes).astype(np.uint8)
    hidden = codes >= cards[:, None]
    open_rows = [any(not row[i] and m >= 0 and row[m] for i, m in enumerate(mothers)) for row in hidden.T]
    base, terms = class_terms(parameters, factors, codes)
    found = class_scores(parameters, factors, codes, "compiled")
    some = hidden.any(axis=0)
    np.testing.assert_allclose(found[some], (base + terms.sum(axis=1))[some], rtol=1e-12, atol=1e-9)
    assert sum(given_up) == (sum(open_rows) if lost else 0)


@pytest.mark.parametrize("plain", [True, False])
@pytest.mark.parametrize("near", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_class_trained_scores_where_some_cells_alone_are_rare(request, monkeypatch, seed, near, plain):
    """So rare that their products are no numbers: exp(-900), whatever the class, in one cell of five."""
    given_up = request.getfixturevalue("given_up") if plain else [1]
    if near:
        monkeypatch.setattr(incomplete, "DISTANT_STATES", 1)
    factors, cards = a_forest(seed, DEEP)
    rng, tables = np.random.default_rng(seed), []
    for table in factors.tables:
        logs = np.where(rng.random(table.shape) < 0.2, -900.0, table)
        logs[..., -1] = table[..., -1]
        tables.append(logs - np.logaddexp.reduce(logs, axis=-1, keepdims=True))
    factors = Factors(factors.log_prior, factors.columns, DEEP, tuple(tables))
    parameters = parameters_for(factors, seed)
    codes = every_pattern(cards, seed)
    codes = codes[:, (codes >= cards[:, None]).any(axis=0)]
    base, terms = class_terms(parameters, factors, codes)
    found = class_scores(parameters, factors, codes, "compiled")
    np.testing.assert_allclose(found, base + terms.sum(axis=1), rtol=1e-12, atol=1e-9)
    assert 0 < sum(given_up) < codes.shape[1]


def two_states(*logs):
    """The same table in both classes: log P(0 | mother), for her first and second state."""
    first = np.array(logs)
    return np.stack([np.stack([first, np.log(-np.expm1(first))], axis=-1)] * 2)


@pytest.mark.parametrize(
    ("mothers", "tables"),
    [
        (
            (-1, 0, 0, 0, 0),
            [two_states(-185.0, -185.0)] * 4,
        ),  # together exp(-740), of which few digits are left
        ((-1, 0, 1, 1, 1, 1), [two_states(-900.0, -1e-9), *[two_states(-20.0, -400.0)] * 4]),
    ],
)
def test_messages_that_run_out_of_numbers_one_by_one(given_up, mothers, tables):
    even = np.log(np.full((2, 2), 0.5))
    factors = Factors(np.log([0.3, 0.7]), tuple(range(len(mothers))), mothers, (even, *tables))
    codes = np.full((len(mothers), 34), 2, dtype=np.uint8)
    codes[-4:, 33] = 0
    parameters = parameters_for(factors, 5)
    base, terms = class_terms(parameters, factors, codes)
    found = class_scores(parameters, factors, codes, "compiled")
    np.testing.assert_allclose(found, base + terms.sum(axis=1), rtol=1e-12, atol=1e-9)
    assert given_up == [1]
