import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from pgm_nb.data.cuts import (
    bin_codes,
    mdlp_cuts,
    order_cuts,
    quantile_cuts,
    readable_cuts,
    uniform_cuts,
)
from pgm_nb.data.frame import as_frame
from pgm_nb.data.learn import learn_encoder
from pgm_nb.data.read import load_sample
from pgm_nb.errors import DataError

columns = hnp.arrays(
    np.float64,
    st.integers(1, 60),
    elements=st.one_of(st.floats(-1e6, 1e6), st.integers(-3, 3).map(float)),
)


@given(columns, st.integers(2, 12))
def test_quantile_edges_are_numpys_to_the_last_bit(x, n_bins):
    expected = np.unique(np.quantile(x, np.arange(1, n_bins) / n_bins))
    expected = expected[expected < x.max()] + 0.0
    assert quantile_cuts(np.sort(x), n_bins).tobytes() == expected.tobytes()


@given(columns, st.integers(1, 40))
def test_codes_count_the_cuts_below(x, n_cuts):
    cuts = tuple(np.unique(np.linspace(-3, 3, n_cuts)).tolist())
    assert bin_codes(x, cuts).tolist() == np.searchsorted(cuts, x, side="left").tolist()


@given(columns, st.integers(2, 9))
def test_order_statistics_belong_to_the_interval_above(x, n_bins):
    ordered = np.sort(x)
    places = [int(np.ceil(b * len(x) / n_bins - 1e-9)) - 1 for b in range(1, n_bins)]
    above = np.unique(ordered[places])
    expected = np.array([sum(value >= c for c in above if c > ordered[0]) for value in x])
    found = np.searchsorted(order_cuts(ordered, n_bins), x, side="left")
    assert (found == expected).all()


def test_order_statistics_by_hand():
    frame = as_frame(pd.DataFrame({"age": [5, 1, 2, 2, 3, 4], "dose": [5.0, 1, 2, 2, 3, 4]}))
    encoder, codes, *_ = learn_encoder(frame, None, discretizer="order", n_bins=3)
    assert encoder.columns[0].cuts == encoder.columns[1].cuts == (1.5, 2.5)
    assert codes.tolist() == [[2, 0, 1, 1, 2, 2]] * 2


def test_uniform_edges_of_equal_width():
    assert uniform_cuts(np.array([0.0, 3.0, 10.0]), 10).tolist() == list(range(1, 10))
    assert np.isfinite(uniform_cuts(np.array([-1.7e308, 0.0, 1.7e308]), 4)).all()


def test_few_distinct_values_stay_as_they_are():
    frame = as_frame(pd.DataFrame({"a": [1, 2, 3, 4, 5] * 4, "b": range(20)}))
    for discretizer in ("quantile", "uniform"):
        a, b = learn_encoder(frame, None, discretizer=discretizer, n_bins=5)[0].columns
        assert (a.states, a.cuts) == ((1, 2, 3, 4, 5), None)
        assert (b.card, len(b.cuts)) == (5, 4)


def test_the_default_is_ten_intervals():
    frame = as_frame(pd.DataFrame({"a": np.arange(100.0)}))
    assert learn_encoder(frame, None)[0].cards == (10,)
    assert learn_encoder(frame, None, discretizer="uniform")[0].cards == (10,)
    assert learn_encoder(frame, None, discretizer=None)[0].cards == (100,)


def test_equal_quantiles_merge_and_nothing_lies_above_the_maximum():
    zeros_first = as_frame(pd.DataFrame({"a": [0] * 50 + list(range(1, 51))}))
    (column,) = learn_encoder(zeros_first, None, n_bins=5)[0].columns
    assert column.cuts == (0.5, 10.5, 30.5)
    top_heavy = as_frame(pd.DataFrame({"a": [*range(50), *[99] * 50]}))
    (column,) = learn_encoder(top_heavy, None, n_bins=5)[0].columns
    assert column.cuts == (19.5, 39.5)


@example(np.array([0.0, 3.0, -1.0]), 4, False)  # edges 0, 1, 2: the first moves past the second
@given(columns, st.integers(2, 12), st.booleans())
def test_readable_cuts_keep_the_bins_and_lie_between_values(x, n_bins, centre):
    ordered = np.sort(x)
    edges = (quantile_cuts if centre else uniform_cuts)(ordered, n_bins)
    cuts = readable_cuts(edges, ordered, centre=centre)
    before, after = bin_codes(ordered, tuple(edges)).astype(int), bin_codes(ordered, cuts).astype(int)
    assert ((np.diff(before) > 0) == (np.diff(after) > 0)).all()  # the same rows together
    assert (np.diff(cuts) > 0).all()
    for cut in cuts:
        below, above = ordered[ordered <= cut].max(), ordered[ordered > cut].min()
        assert below < cut < above or above == np.nextafter(below, np.inf) or np.isclose(below, above)


@pytest.mark.parametrize("sample", ["wdbc", "heart", "wine", "iris", "seeds", "banknote", "vehicle"])
@pytest.mark.parametrize("method", ["quantile", "uniform", "mdlp", "kmeans", "caim"])
def test_single_precision_changes_no_bin_and_labels_are_true(sample, method):
    X, y = load_sample(sample)
    frame = as_frame(X)
    encoder = learn_encoder(frame, np.unique(y, return_inverse=True)[1], discretizer=method)[0]
    numeric = frame.select_dtypes("number").columns
    single = frame.astype(dict.fromkeys(numeric, np.float32))
    assert (encoder.encode(as_frame(single)) == encoder.encode(frame)).all()
    for column in encoder.columns:
        for place, cut in enumerate(column.cuts or ()):
            upper = column.labels[place].rstrip("]").split()[-1]
            lower = column.labels[place + 1].strip("(> ").split(",")[0]
            assert float(upper) == float(lower) == cut  # the number a person reads


def brute_force_mdlp(x, y):
    """Fayyad & Irani straight from the paper: every midpoint, recursion, no counting tricks."""

    def entropy(labels):
        p = np.unique(labels, return_counts=True)[1] / len(labels)
        return -(p * np.log2(p)).sum()

    points = np.unique(x)
    best = None
    for cut in (points[1:] + points[:-1]) / 2:
        left, right = y[x <= cut], y[x > cut]
        mixed = (len(left) * entropy(left) + len(right) * entropy(right)) / len(y)
        if best is None or mixed < best[0] - 1e-12:
            best = mixed, cut, left, right
    if best is None:
        return []
    mixed, cut, left, right = best
    k, k1, k2 = (len(set(part)) for part in (y, left, right))
    delta = np.log2(3**k - 2) - (k * entropy(y) - k1 * entropy(left) - k2 * entropy(right))
    if entropy(y) - mixed <= (np.log2(len(y) - 1) + delta) / len(y):
        return []
    below = x <= cut
    return sorted([*brute_force_mdlp(x[below], left), cut, *brute_force_mdlp(x[~below], right)])


@pytest.mark.parametrize("seed", range(12))
def test_mdlp_equals_the_papers_recursion(seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, 150)
    x = np.round(rng.normal(size=150) + y * rng.integers(0, 4), 1)
    cuts = brute_force_mdlp(x, y)
    assert mdlp_cuts(x, y) == pytest.approx(cuts, abs=1e-12)


def test_mdlp_leaves_an_uninformative_column_one_state():
    frame = as_frame(pd.DataFrame({"noise": np.arange(20.0), "signal": np.arange(20.0)}))
    y = np.tile([0, 1], 10)
    encoder, codes, _, _ = learn_encoder(frame, y, discretizer="mdlp")
    assert encoder.columns[0].labels == ("any value",)
    assert not codes.any()


def test_mdlp_by_hand_with_missing_cells():
    x = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, np.nan, np.nan]
    y = np.array([0] * 5 + [1] * 5 + [0, 1])
    encoder, codes, _, _ = learn_encoder(as_frame(pd.DataFrame({"a": x})), y, discretizer="mdlp")
    assert encoder.columns[0].states == ("≤ 5.5", "> 5.5", "missing")
    assert codes.tolist() == [[0] * 5 + [1] * 5 + [2, 2]]


def test_explicit_cuts_and_quantiles_for_the_rest():
    frame = as_frame(pd.DataFrame({"age": np.arange(100.0), "dose": np.arange(100.0)}))
    encoder = learn_encoder(frame, None, discretizer={"age": [40, 60]})[0]
    assert encoder.columns[0].cuts == (40.0, 60.0)
    assert encoder.columns[0].labels == ("≤ 40", "(40, 60]", "> 60")
    assert encoder.cards == (3, 10)


def test_every_column_its_own_method():
    x = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 100.0])
    y = np.repeat([0, 1], 5)
    frame = as_frame(pd.DataFrame(dict.fromkeys(("own", "uniform", "mdlp", "quantile", "rest"), x)))
    ways = {"own": [2.5], "uniform": "uniform", "mdlp": "mdlp", "quantile": "quantile"}
    encoder = learn_encoder(frame, y, discretizer=ways, n_bins=2)[0]
    assert [column.cuts for column in encoder.columns] == [(2.5,), (50.0,), (4.5,), (4.5,), (4.5,)]
    cards = learn_encoder(frame.iloc[:, 1:], y, discretizer={"uniform": "uniform", "mdlp": "mdlp"})[0].cards
    assert cards == (10, 2, 10, 10)  # ten values at most: they stay as they are, except for "mdlp"


@pytest.mark.parametrize("method", ["quantile", "uniform", "mdlp", "kmeans", "caim"])
def test_naming_every_column_equals_naming_the_method(method):
    X, y = load_sample("wine")
    codes = pd.factorize(y, sort=True)[0]
    for n_bins in (None, 3):
        one = learn_encoder(X, codes, discretizer=method, n_bins=n_bins)[0]
        assert learn_encoder(X, codes, discretizer=dict.fromkeys(X, method), n_bins=n_bins)[0] == one


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"discretizer": {"agee": [1]}}, "'agee', which is not a column; did you mean 'age'"),
        ({"discretizer": {"sex": [1]}}, "'sex', which is not a numeric column"),
        ({"discretizer": {"age": [2, 1]}}, "strictly ascending"),
        ({"discretizer": {"age": [1, 1]}}, "strictly ascending"),
        ({"discretizer": {"age": [np.inf]}}, "finite"),
        ({"discretizer": {"age": ["old"]}}, "finite numbers"),
        ({"discretizer": {"age": 5}}, "finite numbers"),
        ({"discretizer": {"age": range(1000)}}, "1,000 cut points; at most 999"),
        (
            {"discretizer": {"age": "magic"}},
            "of 'age' must be 'quantile', 'uniform', 'mdlp', 'order', 'kmeans', 'caim' or cut points",
        ),
        ({"discretizer": {"sex": "mdlp"}}, "'sex', which is not a numeric column"),
        ({"discretizer": {"age": "mdlp"}}, "needs y"),
        ({"discretizer": "magic"}, "'quantile', 'uniform', 'mdlp', 'order', 'kmeans', 'caim', None"),
        ({"discretizer": "caim"}, "'caim' chooses its cuts by the class: it needs y"),
        ({"discretizer": "mdlp"}, "needs y"),
        ({"n_bins": 1}, "n_bins must be a whole number from 2"),
        ({"n_bins": 2.5}, "n_bins must be a whole number"),
        ({"missing": "ignore"}, "'state', 'drop' or 'mode'"),
    ],
)
def test_bad_options_are_refused_in_a_sentence(options, sentence):
    frame = as_frame(pd.DataFrame({"age": [1.0, 2.0], "sex": ["f", "m"]}))
    with pytest.raises(DataError, match=sentence):
        learn_encoder(frame, None, **options)


def test_any_number_of_threads_gives_the_same():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30_000, 10))
    X[rng.random(X.shape) < 0.01] = np.nan
    frame = as_frame(X)
    one, two = (learn_encoder(frame, None, n_threads=n) for n in (1, 3))
    assert one[0] == two[0]
    assert np.array_equal(one[1], two[1])
    assert one[3] == two[3]
    assert np.array_equal(one[0].encode(frame, n_threads=1), two[0].encode(frame, n_threads=3))
