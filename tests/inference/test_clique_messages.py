"""Sums over clusters of four whose numbers lie so far apart that only their logarithms can be held."""

import numpy as np
import pytest

from pgm_nb.inference import Factors
from pgm_nb.inference.cliques import clique_terms


def three(pair):
    """Attributes a, b given a, and c given both, with two states each."""
    first = np.log([[0.3, 0.7], [0.6, 0.4]])
    second = np.log(np.full((2, 2, 2), 0.5))
    third = np.broadcast_to(np.array(pair)[None, :, None, :], (2, 2, 2, 2)).copy()
    return Factors(np.log([0.5, 0.5]), (0, 1, 2), (-1, 0, 0), (first, second, third), ((), (), (1,)))


@pytest.mark.parametrize(("state", "kept"), [(0, 0), (1, 1)])
def test_the_larger_number_decides(state, kept):
    """c = 0 is certain under a = 0 and all but impossible under a = 1; c = 1 the other way round."""
    factors = three([[0.0, -900.0], [-900.0, 0.0]])
    codes = np.array([[2], [1], [state]], dtype=np.uint8)  # a is unknown
    found = clique_terms(factors, codes)[0].sum(axis=0)
    np.testing.assert_allclose(found, factors.tables[0][:, kept] + np.log(0.5), rtol=0, atol=1e-9)


def test_a_sum_of_numbers_that_are_all_too_small():
    factors = three([[-900.0, 0.0], [-900.0, 0.0]])
    codes = np.array([[2], [1], [0]], dtype=np.uint8)
    found = clique_terms(factors, codes)[0].sum(axis=0)
    np.testing.assert_allclose(found, np.log(0.5) - 900, rtol=0, atol=1e-9)


def test_the_state_that_fits_is_all_but_impossible_itself():
    """P(a = 1) and P(c | a = 0) are both exp(-900): two terms of the same size remain."""
    factors = three([[-900.0, 0.0], [0.0, -900.0]])
    first = np.array([[0.0, -900.0], [0.0, -900.0]])
    factors = Factors(
        factors.log_prior, factors.columns, factors.mothers, (first, *factors.tables[1:]), factors.others
    )
    codes = np.array([[2], [1], [0]], dtype=np.uint8)
    found = clique_terms(factors, codes)[0].sum(axis=0)
    np.testing.assert_allclose(found, np.log(2) + np.log(0.5) - 900, rtol=0, atol=1e-9)


def test_an_unknown_attribute_adds_the_sum_of_its_table():
    """Nothing where that is one; here it is 0.7 under a = 0 and 0.2 under a = 1."""
    factors = three(np.log([[0.3, 0.4], [0.1, 0.1]]))
    codes = np.array([[0, 1, 2], [1, 1, 1], [2, 2, 2]], dtype=np.uint8)
    found = clique_terms(factors, codes).sum(axis=1)
    chances = np.exp(factors.tables[0]) * [0.7, 0.2]
    expected = np.array([chances[:, 0], chances[:, 1], chances.sum(axis=1)]) * 0.5
    np.testing.assert_allclose(found, np.log(expected), rtol=0, atol=1e-12)


def test_a_sum_too_small_beside_one_that_is_not():
    """c = 0 is certain under a = 0; under a = 1, which is known, it is all but impossible whatever b is."""
    factors = three([[0.0, -900.0], [-900.0, 0.0]])
    codes = np.array([[1], [2], [0]], dtype=np.uint8)  # b is unknown
    for kernel in ("numpy", "compiled"):
        found = clique_terms(factors, codes, kernel)[0].sum(axis=0)
        np.testing.assert_allclose(found, factors.tables[0][:, 1] - 900, rtol=0, atol=1e-9)
