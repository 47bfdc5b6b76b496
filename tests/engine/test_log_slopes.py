"""Sums over unknown attributes with their derivatives, against enumeration."""

from itertools import product

import numpy as np
import pytest

from pgm_nb.engine.elimination import summed_with_slopes

CARDS = (3, 2, 2, 3, 2)
SCOPES = (
    (0,),
    (1,),
    (0, 1, 2),
    (3, 0),
    (2, 3),
    (),
    (4,),
)  # a loop 0-2-3, a table in no order, one of no axis


@pytest.mark.parametrize("seed", range(4))
def test_sums_and_posteriors_are_those_of_enumeration(seed):
    rng = np.random.default_rng(seed)
    tables = [rng.random((2, *(CARDS[i] for i in scope))) for scope in SCOPES]
    tables[2][0, 0] = 0.0  # what is impossible stays so
    weights, cells = np.zeros(2), [np.zeros(table.shape) for table in tables]
    for states in product(*map(range, CARDS)):
        at = [(slice(None), *(states[i] for i in scope)) for scope in SCOPES]
        weight = np.prod([table[place] for table, place in zip(tables, at, strict=True)], axis=0)
        weights += weight
        for cell, place in zip(cells, at, strict=True):
            cell[place] += weight
    with np.errstate(divide="ignore"):
        factors = [(scope, np.log(table)) for scope, table in zip(SCOPES, tables, strict=True)]
    steps = rng.permutation(5).tolist()
    total, slopes = summed_with_slopes(factors, steps)
    np.testing.assert_allclose(total, np.log(weights), rtol=0, atol=1e-12)
    for slope, cell in zip(slopes, cells, strict=True):
        expected = cell / weights.reshape(-1, *(1,) * (cell.ndim - 1))
        np.testing.assert_allclose(slope, expected, rtol=0, atol=1e-12)
