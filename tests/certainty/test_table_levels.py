"""Tables laid out by levels: against plain loops over their contexts."""

import numpy as np
import pytest
from scipy.special import gammaln

from pgm_nb.certainty.cell_rows import CONCENTRATIONS
from pgm_nb.certainty.chains import levels_of


def some_tables():
    rng = np.random.default_rng(0)
    tables = [rng.integers(0, 4, shape) for shape in [(2, 3), (2, 3, 2), (2, 2, 3, 4)]]
    tables[2][0, 1] = 0  # a state of the first parent without rows
    return tables, [rng.integers(0, 4, (3, table.shape[-1])) for table in tables]


def test_if_every_row_is_passed_up_levels_are_the_margins_of_the_tables():
    tables, beside = some_tables()
    levels = levels_of(tables, beside)
    rows = [np.zeros((len(level.drawn_table), 1)) for level in levels]
    for place in (3, 2, 1):
        here = np.concatenate([levels[place].rows[:, None], rows[place]])
        rows[place - 1] += levels[place].to_parents @ here
    for place in (0, 1, 2):
        margins = [
            table.sum(axis=tuple(range(place, table.ndim - 1)))
            + (0 if place else other.sum(axis=0))  # other classes are children of P(x)
            for table, other in zip(tables, beside, strict=True)
            if table.ndim - 1 > place
        ]
        expected = np.concatenate([margin.ravel() for margin in margins])
        np.testing.assert_array_equal(rows[place][:, 0], expected)
        owners = [
            np.full(m.size, i) for i, m in zip(levels[place].tables[-len(margins) :], margins, strict=True)
        ]
        np.testing.assert_array_equal(levels[place].drawn_table, np.concatenate(owners))
    assert [level.tables.tolist() for level in levels] == [[0, 1, 2], [0, 1, 2], [1, 2], [2]]


def plain_logs(contexts, above):
    """Row after row: the share of its state among the rows before it, real and imaginary; of each a."""
    found = np.zeros(len(CONCENTRATIONS))
    for place, a in enumerate(CONCENTRATIONS):
        for rows, shares in zip(contexts, above, strict=True):
            urn = a * shares
            if (rows != np.rint(rows)).any():  # parts of rows: the gamma function says what goes between
                found[place] += (
                    (gammaln(urn + rows) - gammaln(urn)).sum() + gammaln(a) - gammaln(a + rows.sum())
                )
                continue
            for state, n in enumerate(rows):
                for _ in range(int(n)):
                    found[place] += np.log(urn[state] / urn.sum())
                    urn[state] += 1
    return found


@pytest.mark.parametrize("times", [1, 9, 0.5])
def test_concentrations_are_weighed_by_the_contexts_of_their_table(times):
    """Few rows, many, and halves of rows, which weights may make."""
    tables, beside = ([times * rows for rows in part] for part in some_tables())
    level = levels_of(tables, beside)[1]
    rng = np.random.default_rng(1)
    tops = [rng.dirichlet(np.ones(table.shape[-1]), size=2) for table in tables]  # P(x) in two chains
    drawn = times * rng.integers(0, 5, (2, len(level.drawn_table))).astype(float)
    found = level.concentration_logs(drawn.T, np.concatenate(tops, axis=1).T)
    own = {1: drawn[:, :4].reshape(2, 2, 2), 2: drawn[:, 4:].reshape(2, 2, 4)}
    for chain in range(2):
        for i, (table, other) in enumerate(zip(tables, beside, strict=True)):
            contexts = [*(own[i][chain] if i else table), *other]
            expected = plain_logs(contexts, [tops[i][chain]] * len(contexts))
            np.testing.assert_allclose(found[i, :, chain], expected, atol=1e-8)


def test_shares_of_every_context_add_up_to_one():
    level = levels_of(some_tables()[0])[1]
    rows = np.arange(1.0, 13.0)
    found = level.shares(rows[:, None])[:, 0]
    for cells in (slice(0, 2), slice(2, 4), slice(4, 8), slice(8, 12)):
        np.testing.assert_allclose(found[cells], rows[cells] / rows[cells].sum(), rtol=1e-11)
