"""What a first pass remembers of numbers: the distinct ones, while they are few."""

import numpy as np
import pytest

from pgm_nb.data.summary import _with_distinct


@pytest.mark.parametrize("seed", range(40))
def test_distinct_numbers_are_those_of_sorting(seed):
    rng = np.random.default_rng(seed)
    most = int(rng.integers(1, 17))
    known = np.unique(rng.integers(0, most, 3)).astype(float)[:most]
    values = rng.integers(0, rng.integers(1, 30), rng.integers(0, 200)).astype(float)
    if seed % 3 == 0:
        values = np.append(values, [999.5])  # a rare one, behind all others
    union = np.union1d(known, values)
    found = _with_distinct(known, values, most)
    if len(union) > most:
        assert found is None
    else:
        np.testing.assert_array_equal(found, union)
