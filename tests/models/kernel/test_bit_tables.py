"""Counts of pairs of ranges from a table of codes, against counting rows one by one."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pgm_nb.models.kernel.bit_tables import crossed_counts


@given(st.integers(0, 10**6))
@settings(deadline=None, max_examples=30)
def test_every_count_is_right(seed):
    rng = np.random.default_rng(seed)
    bits = tuple(int(width) for width in rng.integers(1, 6, 2))
    rows = np.array([rng.integers(0, 1 << width, 30) for width in bits], dtype=np.uint32)
    codes = np.array([rng.integers(0, 1 << width, 8) for width in bits])
    levels = (range(bits[0] + 1), (0, bits[1]))
    expected = [
        [
            [int(((rows[0] >> i == x >> i) & (rows[1] >> j == y >> j)).sum()) for j in levels[1]]
            for i in levels[0]
        ]
        for x, y in codes.T
    ]
    assert crossed_counts(rows, bits, codes, levels).tolist() == expected
