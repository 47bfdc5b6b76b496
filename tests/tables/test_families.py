"""The tables of a tree: in which order its attributes come."""

import numpy as np
import pytest

from pgm_nb.counts import count
from pgm_nb.counts.weighted import count_weighted
from pgm_nb.information import information
from pgm_nb.tables.families import Families, _relevance, families
from pgm_nb.training.class_parameters import generative


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


def packed(**changes):
    """A chain of two attributes in three classes, one of them without rows, as a file holds it."""
    pair = np.array([[[1, 2], [0, 1]], [[0, 0], [0, 0]], [[2, 1], [1, 2]]])
    chain = Families(pair.sum(axis=(1, 2)), (0, 1), (-1, 0), (pair.sum(axis=2), pair))
    description, arrays = chain.pack()
    return chain, description | changes.pop("description", {}), arrays | changes


def test_a_class_without_rows_is_read_back():
    chain, description, arrays = packed()
    again = Families.unpack(description, arrays)
    assert again.y.tolist() == [4, 0, 6]
    for one, other in zip(again.tables, chain.tables, strict=True):
        np.testing.assert_array_equal(one, other)
    assert not again.y.flags.writeable
    assert not any(table.flags.writeable for table in again.tables)


def test_counts_that_do_not_add_up_are_refused():
    _, description, arrays = packed(y=np.array([4, 1, 6]))
    with pytest.raises(ValueError, match="do not add up"):
        Families.unpack(description, arrays)
    _, description, arrays = packed(description={"mothers": (-1, 1)})
    with pytest.raises(ValueError, match="does not belong"):
        Families.unpack(description, arrays)
    _, description, arrays = packed(description={"mothers": (-1, -1)})
    with pytest.raises(ValueError, match="does not belong"):
        Families.unpack(description, arrays)


def test_weights_add_up_as_far_as_they_can():
    table = np.array([[0.1, 0.2], [0.3, 0.4]])
    Families(np.array([0.3, 0.7]), (0,), (-1,), (table,)).check()  # 0.1 + 0.2 is not 0.3 to the last digit
    with pytest.raises(ValueError, match="do not add up"):
        Families(np.array([0.31, 0.7]), (0,), (-1,), (table,)).check()


def test_tables_fit_columns_with_as_many_states():
    chain, _, _ = packed()
    assert chain.fits((2, 2))
    assert chain.fits((2, 2, 5))
    assert not chain.fits((2, 3))
    assert not chain.fits((2,))


def test_what_says_most_about_the_class_comes_first():
    y = np.array([0, 1] * 20)
    codes = np.array([np.arange(40) // 2 % 2, y, np.where(np.arange(40) < 8, 0, y)], dtype=np.uint8)
    star = families(count(codes, y, (2, 2, 2), 2), [0, 1, 2], np.array([-1, -1, -1]))
    assert star.by_relevance().columns == (1, 2, 0)


def test_tables_of_attributes_with_several_mothers_are_taken_as_given():
    rng = np.random.default_rng(5)
    codes = np.array([rng.integers(0, v, 60) for v in (2, 3, 4)], dtype=np.uint8)
    y = rng.integers(0, 2, 60)
    three = np.zeros((2, 2, 3, 4), dtype=int)
    np.add.at(three, (y, *codes), 1)
    found = families(count(codes, y, (2, 3, 4), 2), [0, 1, 2], np.array([-1, 0, 0]), {2: [1]}, {2: three})
    assert found.given == ((), (0,), (0, 1))
    np.testing.assert_array_equal(found.tables[2], three)


def test_a_forest_has_one_form():
    table = np.array([[1, 2], [3, 4]])
    star = Families(np.array([3, 7]), (0, 1), (-1, -1), (table, table), ((), ()))
    assert star.others == ()


def test_every_attribute_is_there_once():
    table = np.array([[1, 2], [3, 4]])
    with pytest.raises(ValueError, match="not as many"):
        Families(np.array([3, 7]), (0, 0), (-1, -1), (table, table)).check()
    with pytest.raises(ValueError, match="further mothers"):
        Families(np.array([3, 7]), (0, 1), (-1, -1), (table, table), ((0,),)).check()


def test_weights_stay_numbers_and_rows_stay_whole():
    codes, y = np.array([[0, 1, 1], [0, 0, 1]], dtype=np.uint8), np.array([0, 0, 1])
    whole = families(count(codes, y, (2, 2), 2), [0, 1], np.array([-1, 0]))
    assert {table.dtype.kind for table in (whole.y, *whole.tables)} == {"i"}
    weighed = families(
        count_weighted(codes, y, np.array([0.5, 0.25, 1.0]), (2, 2), 2), [0, 1], np.array([-1, 0])
    )
    assert weighed.y.tolist() == [0.75, 1.0]
    assert weighed.tables[0].tolist() == [[0.5, 0.25], [0.0, 1.0]]
    assert weighed.tables[1][0].tolist() == [[0.5, 0.0], [0.25, 0.0]]
