"""Joint entropy, weight and KL divergence: by hand, by definition, and for WDBC."""

import json
import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgm_nb.counts import count
from pgm_nb.errors import DataError
from pgm_nb.information import Divergence, information, joint_entropy, kl_divergence, weight

LN2 = math.log(2)


def random_table(seed, d=4, n=60, k=2, v=3):
    rng = np.random.default_rng(seed)
    return rng.integers(0, v, (d, n)).astype(np.uint8), rng.integers(0, k, n), (v,) * d


def random_mothers(seed, d):
    """A random tree (every column depends on one before it) with some columns on the class alone."""
    rng = np.random.default_rng(seed)
    return np.array([-1] + [int(rng.integers(-1, c)) for c in range(1, d)])


def kl_by_definition(codes, y, mothers, attributes):
    """Sum P log2 P / Q over the rows seen, with Q = P(y) prod P(x|mother,y), or P(x) if left out."""
    n = len(y)

    def probability(*columns):
        return Counter(zip(*(c.tolist() for c in columns), strict=True))

    def conditional(c, row):
        x, given = codes[c], [y] if mothers[c] < 0 else [y, codes[mothers[c]]]
        joint = probability(x, *given)[tuple(int(a[row]) for a in (x, *given))]
        return joint / probability(*given)[tuple(int(a[row]) for a in given)]

    total = 0.0
    whole = probability(y, *codes)
    for row in range(n):
        p = whole[(int(y[row]), *(int(x[row]) for x in codes))] / n
        q = probability(y)[(int(y[row]),)] / n
        for c in range(len(codes)):
            if c in attributes:
                q *= conditional(c, row)
            else:
                q *= probability(codes[c])[(int(codes[c][row]),)] / n
        total += math.log2(p / q) / n
    return total


def test_joint_entropy_by_hand():
    # rows (y, x): (0,0) twice, (0,1), (1,1): H = 1/2 * 1 + 2 * 1/4 * 2
    assert joint_entropy(np.array([[0, 0, 1, 1]], dtype=np.uint8), np.array([0, 0, 0, 1]), (2,)) == 1.5


@settings(max_examples=40)
@given(
    cards=st.lists(st.integers(1, 300), min_size=1, max_size=30),
    n=st.integers(1, 200),
    few=st.integers(1, 3),
    seed=st.integers(0, 2**32 - 1),
)
def test_joint_entropy_equals_counting_rows(cards, n, few, seed):
    # at most 8 * few distinct rows, so that rows repeat beyond the first 64-bit word
    rng = np.random.default_rng(seed)
    distinct = np.array([rng.integers(0, v, few * 8) for v in cards], dtype=np.uint16)
    codes, y = distinct[:, rng.integers(0, few * 8, n)], rng.integers(0, few, n)
    rows = Counter(zip(y.tolist(), *codes.tolist(), strict=True)).values()
    expected = -sum(r / n * math.log2(r / n) for r in rows)
    assert joint_entropy(codes, y, cards) == pytest.approx(expected, abs=1e-13)


def test_joint_entropy_tells_the_last_column_apart():
    codes = np.zeros((100, 4), dtype=np.uint8)
    codes[99] = [0, 1, 2, 3]
    assert joint_entropy(codes, np.zeros(4, dtype=int), (4,) * 100) == 2.0


@pytest.mark.parametrize(("k", "d"), [(4, 63), (2, 64), (3, 70), (4, 130)])
def test_joint_entropy_of_more_states_than_a_word_holds(k, d):
    """Rows that agree in the columns of the first word, and differ later, in the class, or nowhere."""
    codes = np.zeros((d, 64), dtype=np.uint8)
    codes[-1, 1::2] = 1
    codes[0, 32:] = 1
    y = np.arange(64) // 2 % k
    rows = Counter(zip(y.tolist(), *codes.tolist(), strict=True))
    expected = -sum(n / 64 * math.log2(n / 64) for n in rows.values())
    assert joint_entropy(codes, y, (2,) * d) == pytest.approx(expected, abs=1e-12)


def test_weight_by_hand():
    # y = x0 xor x1 and x2 = y: relevance (0, 0, 1); I(X0;X1|Y) = 1, the others 0
    codes, y = np.array([[0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0]], dtype=np.uint8), np.array([0, 1, 1, 0])
    found = information(count(codes, y, (2, 2, 2), 2))
    assert weight(found, [-1, -1, -1]) == 1.0
    assert weight(found, [-1, 0, 0]) == 2.0
    assert weight(found, [-1, 0, 0], attributes=[0, 1]) == 1.0
    # H(Xi) sum 3, H(Y) 1, H(rows) 2
    assert kl_divergence(found, 2.0, [-1, 0, 0]) == 0.0
    assert kl_divergence(found, 2.0, [-1, -1, -1]) == 1.0
    assert kl_divergence(found, 2.0, [-1, 0, 0], attributes=[0, 1]) == 1.0


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32 - 1))
def test_kl_by_formula_equals_kl_by_definition(seed):
    codes, y, cards = random_table(seed)
    mothers = random_mothers(seed, 4)
    found, joint = information(count(codes, y, cards, 2)), joint_entropy(codes, y, cards)
    for attributes in ([0, 1, 2, 3], [0, 1, 2], [0]):
        formula = kl_divergence(found, joint, mothers, attributes)
        assert formula == pytest.approx(kl_by_definition(codes, y, mothers, attributes), abs=1e-12)


def test_wrong_mothers_are_named():
    codes, y, cards = random_table(0)
    found = information(count(codes, y, cards, 2))
    with pytest.raises(DataError, match="one mother for each of the 4 columns"):
        weight(found, [-1, 0])
    with pytest.raises(DataError, match="mother of column 1 must be another column or -1, got 1"):
        weight(found, [-1, 1, 0, 0])
    with pytest.raises(DataError, match="mother of column 2 must be another column or -1, got 4"):
        weight(found, [-1, 0, 4, 0])
    with pytest.raises(DataError, match="mother of column 3 must be another column or -1, got -2"):
        weight(found, [-1, 0, 0, -2])
    with pytest.raises(DataError, match="mother of column 1 is column 0, which is left out"):
        weight(found, [-1, 0, -1, -1], attributes=[1, 2])


def test_divergence_object():
    found = Divergence(kl=0.5, weight=1.75, weight_naive=1.0, weight_best=2.0, joint_entropy=3.0)
    assert found.to_dict() == {
        "kl": 0.5,
        "weight": 1.75,
        "weight_naive": 1.0,
        "weight_best": 2.0,
        "joint_entropy": 3.0,
        "proven": True,
        "gap": 0.25,
    }
    assert "0.2500 below it" in str(found)


def test_wdbc_golden_figures(wdbc_codes):
    golden = json.loads((Path(__file__).parents[1] / "golden" / "wdbc_information.json").read_text())
    codes, y = wdbc_codes
    found = information(count(codes, y, (5,) * 30, 2))
    joint = joint_entropy(codes, y, (5,) * 30)
    assert joint * LN2 == pytest.approx(golden["joint_entropy"], abs=1e-9)
    naive = [-1] * 30
    assert weight(found, naive) * LN2 == pytest.approx(golden["naive"]["W"], abs=1e-9)
    assert kl_divergence(found, joint, naive) * LN2 == pytest.approx(golden["naive"]["KL"], abs=1e-9)
    mothers = tree_from(golden["tan_edges"], 30)
    assert weight(found, mothers) * LN2 == pytest.approx(golden["tan"]["W"], abs=1e-9)
    assert kl_divergence(found, joint, mothers) * LN2 == pytest.approx(golden["tan"]["KL"], abs=1e-9)


def tree_from(edges, d):
    """Hang a list of edges on column 0."""
    mothers, reached = [-1] * d, [0]
    for mother in reached:
        for edge in edges:
            if mother in edge:
                child = edge[0] + edge[1] - mother
                if child not in reached:
                    mothers[child] = mother
                    reached.append(child)
    assert len(reached) == d
    return mothers
