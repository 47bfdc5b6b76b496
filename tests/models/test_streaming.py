"""Batches, updates, weights and forgetting: what is learned is what one table would teach."""

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.data.summary import RowSample
from pgm_nb.errors import DataError

TABLE_MODELS = [kind for kind in pnb.MODELS if hasattr(kind, "fit_batches")]
X, Y = pnb.load_sample("heart")


def halves(n=3):
    return [(X.iloc[part], Y.iloc[part]) for part in np.array_split(np.arange(len(X)), n)]


def same(one, other):
    assert one.structure_ == other.structure_
    assert one.encoder_ == other.encoder_
    np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))
    np.testing.assert_array_equal(one.classes_, other.classes_)


@pytest.mark.parametrize("kind", TABLE_MODELS, ids=lambda kind: kind.about.short_name)
def test_batches_teach_what_the_whole_table_teaches(kind):
    whole = kind().fit(X, Y)
    same(kind().fit_batches(halves()), whole)
    same(kind().fit_batches(iter(halves(2))), whole)  # read once: all rows are among the first
    same(kind().fit_batches(iter(halves(4)), like=whole), whole)
    assert whole.missing_ == kind().fit_batches(halves()).missing_


@pytest.mark.parametrize(
    "kind",
    [kind for kind in TABLE_MODELS if "discretizer" in kind().get_params()],
    ids=lambda k: k.about.short_name,
)
def test_updates_with_given_states_teach_what_the_whole_table_teaches(kind):
    cuts = {n: [float(c) for c in X[n].quantile([0.3, 0.7]).unique()] for n in X if X[n].nunique() > 5}
    words = X.assign(**{n: X[n].astype("category") for n in X if n not in cuts})
    whole = kind(discretizer=cuts).fit(words, Y)
    model = kind(discretizer=cuts)
    for start in (0, 100, 200):
        model.partial_fit(words[start : start + 100], Y[start : start + 100], classes=Y.unique())
    assert model.encoder_ == whole.encoder_
    assert model.structure_ == whole.structure_
    np.testing.assert_array_equal(model.predict_proba(words), whole.predict_proba(words))


def test_more_rows_than_the_sample_still_give_all_counts(monkeypatch):
    monkeypatch.setattr(RowSample.__init__, "__defaults__", (50,))
    whole = pnb.TreeAugmentedNaiveBayes().fit(X, Y)
    found = pnb.TreeAugmentedNaiveBayes().fit_batches(halves(), like=whole)
    same(found, whole)
    assert np.isnan(found.divergence_.kl)
    assert found.divergence_.weight == whole.divergence_.weight
    assert str(found.divergence_).startswith("KL divergence not measured; weight ")
    by_sample = pnb.GeneralizedNaiveBayes().fit_batches(halves())  # trained for the class on 50 rows
    assert by_sample.predict_proba(X).shape == (len(X), 2)
    tables = pnb.KDependenceBayes(k=2).fit_batches(halves())  # counted in the sample
    assert tables.predict_proba(X).shape == (len(X), 2)


def test_order_4_searches_in_a_sample_and_counts_all_rows(monkeypatch):
    whole = pnb.GeneralizedNaiveBayes(order=4, n_bins=3, parameters="generative").fit(X, Y)
    monkeypatch.setattr(RowSample.__init__, "__defaults__", (200,))
    model = pnb.GeneralizedNaiveBayes(order=4, n_bins=3, parameters="generative")
    found = model.fit_batches(halves(), like=whole)
    assert any(len(mothers) > 1 for mothers in found.structure_.families.values())
    counts, codes, y = found.learned_.counts, whole.encode(X), np.searchsorted(whole.classes_, Y)
    for column, mothers, table in zip(counts.columns, counts.given, counts.tables, strict=True):
        wanted = np.zeros_like(table)
        np.add.at(wanted, (y, *(codes[counts.columns[m]] for m in mothers), codes[column]), 1)
        np.testing.assert_array_equal(table, wanted)
    assert found.missing_ == whole.missing_  # the third reading is not noted again
    assert np.isnan(found.divergence_.kl)
    with pytest.raises(DataError, match=r"batches that can be read again, .* order=4 counts sets of columns"):
        pnb.GeneralizedNaiveBayes(order=4).fit_batches(iter(halves()), like=whole)


def test_a_value_that_has_no_state_yet_gets_one():
    first = pd.DataFrame({"a": ["x", "z"] * 10, "b": [1.0, 2.0] * 10})
    later = pd.DataFrame({"a": ["y", "x"], "b": [1.0, np.nan]})
    model = pnb.NaiveBayes().partial_fit(first, [0, 1] * 10).partial_fit(later, [0, 1])
    assert [column.states for column in model.encoder_.columns] == [("x", "y", "z"), (1.0, 2.0, "missing")]
    assert model.learned_.counts.tables[0].tolist() == [[10, 1, 0], [1, 0, 10]]
    assert model.missing_.rows_dropped == 0
    with pytest.raises(DataError, match="class 7, but the classes are 0, 1"):
        model.partial_fit(first, [7] * 20)


def test_a_pass_finds_what_a_sample_misses(monkeypatch):
    monkeypatch.setattr(RowSample.__init__, "__defaults__", (20,))
    rare = pd.DataFrame({"word": ["a", "b"] * 500, "few": [1, 2] * 500, "many": np.arange(1000.0)})
    rare.loc[999, ["word", "few"]] = ["rare", 3]
    rare.loc[998, "many"] = np.nan
    model = pnb.NaiveBayes(n_bins=5).fit_batches([(rare[:500], [0, 1] * 250), (rare[500:], [0, 1] * 250)])
    word, few, many = model.encoder_.columns
    assert (word.states, few.states, many.missing_state) == (("a", "b", "rare"), (1, 2, 3), True)
    assert model.learned_.counts.y.sum() == 1000


def test_frequencies_are_repeated_rows():
    times = np.arange(len(X)) % 4
    rows = np.repeat(np.arange(len(X)), times)
    for kind in (pnb.GeneralizedNaiveBayes, pnb.HiddenNaiveBayes):
        same(kind().fit(X, Y, sample_weight=times), kind().fit(X.iloc[rows], Y.iloc[rows]))


def test_real_weights_count():
    weights = np.where(np.arange(len(X)) % 2, 0.25, 1.5)
    model = pnb.TreeAugmentedNaiveBayes(discretizer=None, smoothing=1.0)
    codes = X[["sex", "exercise induced angina", "chest pain type"]]
    model.fit(codes, Y, sample_weight=weights)
    by_hand = pd.DataFrame({"y": Y, "w": weights}).groupby("y")["w"].sum()
    np.testing.assert_allclose(model.learned_.counts.y, by_hand)
    eight = pnb.TreeAugmentedNaiveBayes(
        discretizer=None, smoothing=8.0
    )  # eighths of rows, eight times the prior
    eight.fit(codes, Y, sample_weight=(8 * weights).astype(int))
    np.testing.assert_allclose(model.predict_proba(codes), eight.predict_proba(codes), rtol=1e-12)
    with pytest.raises(DataError, match="counts whole rows"):
        pnb.HiddenNaiveBayes().fit(codes, Y, sample_weight=weights)


def test_forgetting_halves_what_was_counted():
    model = pnb.TreeAugmentedNaiveBayes(n_bins=3).partial_fit(X, Y)
    before = model.learned_.counts.y
    model.partial_fit(X[:50], Y[:50], decay=0.5)
    fresh = np.bincount(model.classes_.searchsorted(Y[:50]), minlength=2)
    np.testing.assert_allclose(model.learned_.counts.y, before / 2 + fresh)
    assert np.isfinite(model.predict_proba(X)).all()
    with pytest.raises(DataError, match="decay must be a number from"):
        model.partial_fit(X, Y, decay=0)


def test_a_model_with_weights_is_saved(tmp_path):
    model = pnb.TreeAugmentedNaiveBayes().fit(X, Y, sample_weight=np.linspace(0.1, 2, len(X)))
    model.save(tmp_path / "m.pgmnb")
    np.testing.assert_array_equal(pnb.load(tmp_path / "m.pgmnb").predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("weights", [[1.0], np.full(len(X), -1.0), np.full(len(X), np.nan), np.zeros(len(X))])
def test_weights_that_are_none(weights):
    with pytest.raises(DataError, match="sample_weight"):
        pnb.NaiveBayes().fit(X, Y, sample_weight=weights)


@pytest.mark.parametrize("kind", [pnb.NaiveBayes, pnb.TreeAugmentedNaiveBayes, pnb.HiddenNaiveBayes])
def test_a_loaded_model_takes_further_rows(kind, tmp_path):
    first = kind().fit(X[:200], Y[:200])
    first.save(tmp_path / "m.pgmnb")
    model = pnb.load(tmp_path / "m.pgmnb").partial_fit(X[200:], Y[200:])
    again = kind().fit_batches([(X, Y)], like=first)
    np.testing.assert_array_equal(model.learned_.counts.y, again.learned_.counts.y)
    if kind is pnb.TreeAugmentedNaiveBayes:  # the counts of other trees are not in the file
        assert model.structure_ == first.structure_
    else:
        np.testing.assert_array_equal(model.predict_proba(X), again.predict_proba(X))
    with pytest.raises(DataError, match="begin with partial_fit"):
        model.partial_fit(X, Y, decay=0.5)


def test_quantiles_from_a_sketch():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.normal(size=50_000), "b": rng.integers(0, 3, 50_000)})
    y = (table["a"] > 0).astype(int)
    batches = [(table[i : i + 10_000], y[i : i + 10_000]) for i in range(0, 50_000, 10_000)]
    model = pnb.NaiveBayes(n_bins=10).fit_batches(batches, bins="sketch")
    ranks = np.array([(table["a"] <= cut).mean() for cut in model.encoder_.columns[0].cuts])
    np.testing.assert_allclose(ranks, np.arange(1, 10) / 10, atol=0.002)
    assert model.encoder_.columns[1].states == (0, 1, 2)


CELLS, CANCER = pnb.load_sample("wdbc")
CELLS = CELLS.iloc[:, :6]
WINDOWS = [(CELLS[i : i + 120], CANCER[i : i + 120]) for i in range(0, 480, 120)]


@pytest.mark.parametrize("kind", [pnb.NaiveBayes, pnb.GeneralizedNaiveBayes, pnb.HiddenNaiveBayes])
def test_a_window_learns_from_its_batches_alone(kind):
    model = kind(n_bins=4)
    for batch, labels in WINDOWS:
        model.partial_fit(batch, labels, window=2)
    first = kind(n_bins=4).fit(*WINDOWS[0])
    alone = kind(n_bins=4).fit_batches(WINDOWS[2:], like=first)
    assert model.structure_ == alone.structure_
    assert model.missing_.n_rows == 240
    np.testing.assert_array_equal(model.predict_proba(CELLS), alone.predict_proba(CELLS))


def test_a_window_wider_than_the_stream_forgets_nothing():
    model, plain = pnb.TreeAugmentedNaiveBayes(), pnb.TreeAugmentedNaiveBayes()
    for batch, labels in WINDOWS:
        model.partial_fit(batch, labels, window=9)
        plain.partial_fit(batch, labels)
    np.testing.assert_array_equal(model.predict_proba(CELLS), plain.predict_proba(CELLS))


def test_what_does_not_go_together_is_refused():
    batch, labels = WINDOWS[0]
    for wrong in (0, True, 1.5):
        with pytest.raises(DataError, match="whole number of batches"):
            pnb.NaiveBayes().partial_fit(batch, labels, window=wrong)
    with pytest.raises(DataError, match="leave decay and weights out"):
        pnb.NaiveBayes().partial_fit(batch, labels, window=2, decay=0.5)
    with pytest.raises(DataError, match="give window= with every batch"):
        pnb.NaiveBayes().partial_fit(batch, labels, window=2).partial_fit(batch, labels)
    with pytest.raises(DataError, match="without a window"):
        pnb.NaiveBayes().partial_fit(batch, labels).partial_fit(batch, labels, window=2)


def test_what_is_no_pair_of_rows_and_classes_is_refused_with_a_sentence():
    X, y = pnb.load_sample("iris")
    for batches, said in [
        ([X, X], "one batch is a DataFrame"),
        (X, "the batches are a DataFrame"),
        (7, "the batches are a int"),
        ([(X, y, y)], "one batch is a tuple of 3"),
    ]:
        for bins in ("pass", "first"):
            with pytest.raises(DataError, match=f"pairs of rows and their classes.*{said}"):
                pnb.NaiveBayes().fit_batches(batches, bins=bins)


def test_labels_of_different_types_in_different_batches_are_refused():
    X, y = pnb.load_sample("iris")
    with pytest.raises(DataError, match="but are mixed"):
        pnb.NaiveBayes().fit_batches([(X, y), (X, np.arange(150) % 2)])
    with pytest.raises(DataError, match="but are mixed"):
        pnb.NaiveBayes().partial_fit(X, np.array(["a", 1] * 75, dtype=object))
    with pytest.raises(DataError, match="at least two classes"):
        pnb.NaiveBayes().partial_fit(X[:50], y[:50], classes=["setosa"])
