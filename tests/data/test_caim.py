"""CAIM: by hand, and equal to the paper's search written out."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgm_nb.data import as_frame, learn_encoder
from pgm_nb.data.cuts import caim_cuts


def caim(x, y, cuts):
    total, edges = 0.0, [-np.inf, *sorted(cuts), np.inf]
    for low, high in pairwise(edges):
        inside = [label for value, label in zip(x, y, strict=True) if low < value <= high]
        total += max(inside.count(label) for label in set(inside)) ** 2 / len(inside)
    return total / (len(edges) - 1)


def brute_force(x, y):
    """Kurgan and Cios, section 2.3, step by step."""
    distinct = sorted(set(x))
    boundaries = [(a + b) / 2 for a, b in pairwise(distinct)]
    cuts, best, k = [], 0.0, 1
    while set(boundaries) - set(cuts):
        tried = [(caim(x, y, [*cuts, b]), -b) for b in boundaries if b not in cuts]
        most = max(value for value, _ in tried)
        value, cut = max((most, b) for found, b in tried if np.isclose(found, most, rtol=1e-13, atol=0))
        if value <= best and k >= len(set(y)):
            break
        cuts, best, k = [*cuts, -cut], value, k + 1
    return sorted(cuts)


@given(st.integers(0, 10**6))
@settings(max_examples=60)
def test_the_papers_search_written_out(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(5, 40)), int(rng.integers(2, 5))
    y = np.append(np.arange(k), rng.integers(0, k, n))
    x = np.round(rng.normal(size=len(y)) + y * rng.uniform(0, 3), 1)
    assert caim_cuts(x, y) == pytest.approx(brute_force(x.tolist(), y.tolist()), abs=1e-12)


def test_by_hand_with_missing_cells():
    # 1 2 3 | 4 5 6 | 7 8 9 with one row astray: (9/3 + 4/3 + 9/3)/3 = 22/9; after the first cut (9/3 + 9/6)/2
    x = np.array([1, 2, 3, np.nan, 4, 5, 6, 7, 8, 9.0])
    y = np.array([0, 0, 0, 1, 1, 1, 0, 2, 2, 2])
    encoder, codes, _, _ = learn_encoder(as_frame(pd.DataFrame({"a": x})), y, discretizer="caim")
    assert encoder.columns[0].cuts == (3.5, 6.5)
    assert codes[0].tolist() == [0, 0, 0, 3, 1, 1, 1, 2, 2, 2]  # missing is a state of its own
    known = ~np.isnan(x)
    assert caim(x[known].tolist(), y[known].tolist(), [3.5, 6.5]) == pytest.approx(22 / 9)


def test_a_constant_column_is_one_state():
    frame = as_frame(pd.DataFrame({"a": [2.0] * 6}))
    assert learn_encoder(frame, np.array([0, 1] * 3), discretizer="caim")[0].cards == (1,)
