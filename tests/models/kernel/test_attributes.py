"""Numbers on a scale of b bits: monotone, bounded, and unmoved by units or row order."""

from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pgm_nb.errors import DataError
from pgm_nb.models.kernel.rows import BitScale, learn_scale

numbers = st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=30).map(np.array)


@given(numbers, st.integers(1, 16), st.booleans())
def test_codes_keep_the_order_and_fill_the_range(values, bits, log):
    scale = learn_scale(values, bits=bits, log=log)
    codes = scale.codes(scale.scaled(values))
    in_order = codes[np.argsort(values, kind="stable")]
    assert (np.diff(in_order) >= 0).all()
    assert in_order[0] == 0
    assert in_order[-1] == (0 if scale.low == scale.high else (1 << bits) - 1)


def test_what_lies_outside_goes_to_the_border():
    scale = learn_scale(np.array([0.0, 10.0]), bits=4, log=False)
    assert scale.codes(np.array([-1e9, 1e9])).tolist() == [0, 15]


def test_the_order_of_rows_has_no_say():
    values = np.random.default_rng(0).lognormal(size=1000)
    assert learn_scale(values, bits=8, log=True) == learn_scale(values[::-1], bits=8, log=True)


def test_log_scaling_does_not_depend_on_units():
    values = np.array([0.0, 0.01, 2.0, 700.0])
    one, other = (learn_scale(values * factor, bits=8, log=True) for factor in (1.0, 4.0))
    assert one.scaled(values).tolist() == other.scaled(4.0 * values).tolist()
    assert one.scaled(np.array([-2.0])) == -one.scaled(np.array([2.0]))


@pytest.mark.parametrize("values", [[0.1] * 3, [0.0]])
def test_a_constant_column_tells_nothing_apart(values):
    scale = learn_scale(np.array(values), bits=8, log=False)
    assert scale.deviation == scale.deviation_in_steps == inf
    assert scale.codes(np.array([-1.0, 7.0])).tolist() == [0, 0]
    assert BitScale.from_dict(scale.to_dict()) == scale


def test_log_scaling_survives_the_largest_and_the_smallest_numbers():
    scale = learn_scale(np.array([5e-324, 2.0]), bits=4, log=True)
    assert np.isfinite(scale.scaled(np.array([1e308, -1e308]))).all()


def test_numbers_too_far_apart():
    with pytest.raises(DataError, match="within 1e308"):
        learn_scale(np.array([-1e308, 1e308]), bits=8, log=False)
