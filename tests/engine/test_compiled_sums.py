"""The kernels of the engine, as the plain Python they are written in."""

from itertools import product

import numpy as np
import pytest

from pgm_nb.engine import compiled_sums
from pgm_nb.engine.sums import terms_of
from pgm_nb.tables.factors import Factors
from pgm_nb.training.class_parameters import ClassParameters, class_scores, class_terms

CARDS = (2, 3, 2, 3, 2)
GRAPHS = [
    ((), (0,), (1, 0), (0, 2), (2, 3)),
    ((), (0,), (1, 0), (2, 0, 1), (3, 1, 2)),
    ((), (0,), (1,), (1,), (0,)),
    ((), (), (), (), ()),
]
KERNELS = ("reveal", "look_up")
PARTS = ("_insert", "_empty_scopes", "_find_scopes", "_lay_out", "_at_known", "_say", "_pass_on")


@pytest.fixture
def plain(monkeypatch):
    """Let the kernels run as Python; lists the marks of rows that are left to sums of logarithms."""
    marks = []

    def watched(kernel):
        def run(*given):
            kernel(*given)
            marks.extend([each for each in given if getattr(each, "dtype", None) == np.uint8][-1:])

        return run

    for name in PARTS:
        monkeypatch.setattr(compiled_sums, name, getattr(compiled_sums, name).py_func)
    for name in KERNELS:
        monkeypatch.setattr(compiled_sums, name, watched(getattr(compiled_sums, name).py_func))
    return marks


def tables_of(rng, given, rare=0.0, whole=True, cards=CARDS):
    """Random tables of two classes; some cells are exp(-900), and the sums of some are not one."""
    tables = []
    for i, mothers in enumerate(given):
        chances = rng.dirichlet(np.ones(cards[i]), size=(2, *(cards[m] for m in mothers)))
        logs = np.where(rng.random(chances.shape) < rare, -900.0, np.log(chances))
        tables.append(logs if whole or i % 2 else logs - 0.3)
    first = tuple(mothers[0] if mothers else -1 for mothers in given)
    more = tuple(mothers[1:] for mothers in given)
    return Factors(np.log([0.3, 0.7]), tuple(range(5)), first, tuple(tables), more)


def every_pattern(rng, cards=CARDS):
    patterns = np.array([*product([False, True], repeat=5)]).T
    known = np.array([rng.integers(0, card, 32) for card in cards])
    return np.where(patterns, np.array(cards)[:, None], known).astype(np.uint8)


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("rare", [0.0, 0.3])
@pytest.mark.parametrize("given", GRAPHS)
def test_terms_by_models_of_their_own(plain, given, rare, whole):
    rng = np.random.default_rng(3)
    several = [tables_of(rng, given, rare, whole) for _ in range(3)]
    codes, which = every_pattern(rng), rng.integers(0, 3, 32)
    expected = terms_of(several, which, codes, "numpy")
    found = terms_of(several, which, codes, "compiled")
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
    assert any(mark.any() for mark in plain) == (rare > 0)


@pytest.mark.parametrize("cards", [(1, 3, 2, 3, 2), (2, 1, 2, 1, 2), (2, 3, 1, 1, 1)])
@pytest.mark.parametrize("given", GRAPHS)
def test_attributes_of_one_state_may_be_unknown(plain, given, cards):
    rng = np.random.default_rng(5)
    several, codes = [tables_of(rng, given, whole=False, cards=cards)], every_pattern(rng, cards)
    found, expected = (
        terms_of(several, np.zeros(32, dtype=int), codes, kernel) for kernel in ("compiled", "numpy")
    )
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_messages_that_run_out_of_numbers_one_by_one(plain):
    """Four attributes with two mothers, one unknown: exp(-185) each, together too little for a number."""
    given = ((), (0,), (0, 1), (0, 1), (0, 1), (0, 1))
    rare = np.broadcast_to([-185.0, 0.0], (2, 2, 2, 2)).copy()
    tables = (np.log(np.full((2, 2), 0.5)), np.log(np.full((2, 2, 2), 0.5)), rare, rare, rare, rare)
    others = tuple(mothers[1:] for mothers in given)
    factors = Factors(np.log([0.3, 0.7]), tuple(range(6)), (-1, 0, 0, 0, 0, 0), tables, others)
    codes = np.array([[2, 2], [0, 0], [0, 1], [0, 0], [0, 0], [0, 0]], dtype=np.uint8)
    found = terms_of([factors], np.zeros(2, dtype=int), codes, "compiled")
    expected = [[0.0, np.log(0.5), first, -185.0, -185.0, -185.0] for first in (-185.0, 0.0)]
    np.testing.assert_allclose(found[:, :, 0], expected, rtol=1e-12, atol=1e-12)
    assert not any(mark.any() for mark in plain)  # what is heard is scaled


@pytest.mark.parametrize(("rare", "lost"), [(1e-20, 0), (1e-60, 1), (1e-300, 1)])
def test_a_state_that_was_all_but_ruled_out_comes_back(plain, rare, lost):
    """Six children speak for one state of their unknown mothers, then six for the other."""
    given = ((), (0,), *((0, 1),) * 12)
    pair = np.log([[[rare, 1 - rare], [rare, 1 - rare]], [[1 - rare, rare], [1 - rare, rare]]])
    tables = (np.log([[0.3, 0.7]]), np.log([[[0.2, 0.8], [0.5, 0.5]]]), *(pair[None],) * 12)
    others = tuple(mothers[1:] for mothers in given)
    factors = Factors(np.zeros(1), tuple(range(14)), (-1, *(0,) * 13), tables, others)
    codes = np.array([[2], [2], *[[0]] * 6, *[[1]] * 6], dtype=np.uint8)
    found = terms_of([factors], np.zeros(1, dtype=int), codes, "compiled")[0, :, 0]
    joint = (tables[0][0, :, None] + tables[1][0]).ravel()
    said = np.stack([pair.reshape(4, 2)[:, code] for code in codes[2:, 0]])
    expected = np.logaddexp.reduce(joint + np.cumsum(said, axis=0), axis=1)  # over both mothers, by hand
    np.testing.assert_allclose(np.cumsum(found)[2:], expected, rtol=1e-12)
    assert sum(mark.sum() for mark in plain) == lost


@pytest.mark.parametrize("given", GRAPHS)
def test_complete_rows_are_looked_up(plain, given):
    rng = np.random.default_rng(3)
    several = [tables_of(rng, given) for _ in range(2)]
    codes = np.array([*product(*map(range, CARDS))], dtype=np.uint8).T
    which = np.arange(codes.shape[1]) % 2
    found = terms_of(several, which, codes, "compiled")
    for row, states in enumerate(codes.T):
        for i, mothers in enumerate(given):
            table = several[which[row]].tables[i]
            assert found[row, i].tolist() == table[(slice(None), *states[list(mothers)], states[i])].tolist()


@pytest.mark.parametrize("given", GRAPHS)
def test_weighted_terms(plain, given):
    rng = np.random.default_rng(4)
    factors, codes = tables_of(rng, given), every_pattern(rng)
    parameters = ClassParameters(
        known=np.array([1.0, 3.0, 5.0]),
        bias=rng.normal(size=(3, 2)),
        weights=rng.random((3, 5)),
        fades=np.array([0.3, 0.6, 1.0]),
        mains=tuple(rng.normal(size=(2, card)) for card in CARDS),
        cells=tuple(rng.normal(size=table.shape) for table in factors.tables),
    )
    codes = codes[:, (codes >= np.array(CARDS)[:, None]).any(axis=0)]  # the others are looked up
    base, terms = class_terms(parameters, factors, codes)
    found = class_scores(parameters, factors, codes, "compiled")
    np.testing.assert_allclose(found, base + terms.sum(axis=1), rtol=0, atol=1e-11)
