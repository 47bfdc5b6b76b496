"""The tables of a tree: in which order its attributes come."""

import numpy as np
import pytest

from pgm_nb.counts import count
from pgm_nb.inference.class_parameters import generative
from pgm_nb.inference.families import _relevance, families
from pgm_nb.information import information


def test_relevance_is_that_of_the_table():
    rng = np.random.default_rng(3)
    codes = np.array([rng.integers(0, v, 70) for v in (2, 3, 4)], dtype=np.uint8)
    counts = count(codes, rng.integers(0, 3, 70), (2, 3, 4), 3)
    bits = information(counts).relevance
    for column in range(3):
        assert _relevance(counts.single(column)) == pytest.approx(70 * bits[column] * np.log(2), abs=1e-9)


def test_parameters_that_change_nothing():
    rng = np.random.default_rng(3)
    codes = np.array([rng.integers(0, v, 30) for v in (2, 3)], dtype=np.uint8)
    found = generative(families(count(codes, rng.integers(0, 2, 30), (2, 3), 2), [0, 1], np.array([-1, 0])))
    assert found.known.tolist() == [1.0]
    assert found.bias.tolist() == [[0.0, 0.0]]
    assert found.weights.tolist() == [[1.0, 1.0]]
    assert found.fades.tolist() == [0.0]
    assert [main.tolist() for main in found.mains] == [[[0.0] * 2] * 2, [[0.0] * 3] * 2]


def test_attributes_of_one_cluster_are_counted_together():
    rng = np.random.default_rng(4)
    codes = np.array([rng.integers(0, v, 60) for v in (2, 3, 4)], dtype=np.uint8)
    y = rng.integers(0, 2, 60)
    chain = families(count(codes, y, (2, 3, 4), 2), [0, 1, 2], np.array([-1, 0, 1]))
    expected = np.zeros((2, 3, 2), dtype=int)
    np.add.at(expected, (y, codes[1], codes[0]), 1)
    np.testing.assert_array_equal(chain.together((1, 0)), expected)
    np.testing.assert_array_equal(chain.together((2,)), expected_alone(codes[2], y))
    with pytest.raises(ValueError, match="not in one cluster"):
        chain.together((0, 2))


def expected_alone(column, y):
    found = np.zeros((2, 4), dtype=int)
    np.add.at(found, (y, column), 1)
    return found
