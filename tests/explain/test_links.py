"""How certain links are."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.naive_bayes import GaussianNB

import pgm_nb as pnb
from pgm_nb.errors import DataError
from pgm_nb.explain.links import corrected, g_test


@pytest.fixture(scope="module")
def chain():
    """Four bits: b copies a nearly always, c copies b often, d is noise."""
    rng = np.random.default_rng(0)
    n = 400
    y, a = rng.integers(0, 2, n), rng.integers(0, 2, n)
    b = a ^ (rng.random(n) < 0.05)
    c = b ^ (rng.random(n) < 0.2)
    return pd.DataFrame({"a": a, "b": b.astype(int), "c": c.astype(int), "d": rng.integers(0, 2, n)}), y


@pytest.mark.parametrize("model", [pnb.TreeAugmentedNaiveBayes(), pnb.GeneralizedNaiveBayes(search="exact")])
def test_strong_edges_stay_and_weak_ones_come_and_go(model, chain):
    stability = pnb.edge_stability(model, *chain, n_bootstrap=60)
    assert stability.frequency("a", "b") == stability.frequency("b", "a") == 1.0
    assert stability.frequency("b", "c") > 0.8
    assert stability.frequency("a", "d") < 0.8
    assert sum(stability.counts.values()) == 60 * 3  # a tree over four attributes has three edges


def test_frequencies_are_those_of_models_fitted_to_the_drawn_rows(chain):
    X, y = chain
    model = pnb.TreeAugmentedNaiveBayes(discretizer=None)
    stability = pnb.edge_stability(model, X, y, n_bootstrap=8, random_state=5)
    expected = {}
    for seed in np.random.SeedSequence(5).spawn(8):
        rows = np.random.default_rng(seed).integers(0, len(y), len(y))
        for child, mother in (
            pnb.TreeAugmentedNaiveBayes().fit(X.iloc[rows], y[rows]).structure_.mothers.items()
        ):
            pair = tuple(sorted((child, mother)))
            expected[pair] = expected.get(pair, 0) + 1
    assert stability.counts == expected


def test_the_table(chain):
    stability = pnb.edge_stability(pnb.GeneralizedNaiveBayes(), *chain, n_bootstrap=30)
    table = stability.to_frame()
    assert table.columns.tolist() == ["source", "target", "kind", "frequency", "learned"]
    assert set(table["kind"]) == {"cherry"}
    assert table["learned"].sum() == 3
    assert table["frequency"].is_monotonic_decreasing
    learned = {frozenset(pair) for pair in stability.structure.mothers.items()}
    kept = table[table["learned"]]
    assert {frozenset(pair) for pair in zip(kept["source"], kept["target"], strict=True)} == learned


def test_bags(chain):
    stability = pnb.edge_stability(pnb.PackagedHiddenNaiveBayes(), *chain, n_bootstrap=20)
    assert stability.frequency("a", "b") == 1.0
    assert set(stability.to_frame()["kind"]) == {"bag"}
    assert b"100%" in stability.draw()


def test_any_number_of_processes_gives_the_same(chain):
    one, two = (
        pnb.edge_stability(pnb.TreeAugmentedNaiveBayes(), *chain, n_bootstrap=6, n_jobs=jobs)
        for jobs in (1, 2)
    )
    assert one.counts == two.counts
    other = pnb.edge_stability(pnb.TreeAugmentedNaiveBayes(), *chain, n_bootstrap=6, random_state=1)
    assert one.counts != other.counts


@pytest.mark.parametrize("missing", ["state", "drop", "mode"])
def test_missing_cells(chain, missing):
    X, y = chain
    X = X.astype(float).mask(np.random.default_rng(1).random(X.shape) < 0.1)
    stability = pnb.edge_stability(pnb.TreeAugmentedNaiveBayes(missing=missing), X, y, n_bootstrap=5)
    assert stability.frequency("a", "b") == 1.0


def test_the_picture_carries_the_numbers_and_any_name(chain):
    X, y = chain
    hostile = X.rename(columns={"a": '<a & "b">'})
    stability = pnb.edge_stability(pnb.GeneralizedNaiveBayes(), hostile, y, n_bootstrap=5)
    picture = stability.draw().decode()
    assert "100%" in picture
    assert "bootstrap samples" in picture
    assert '<a & "b">' not in picture
    assert stability._repr_svg_().startswith("<")


def test_progress(chain):
    told = []
    pnb.edge_stability(pnb.TreeAugmentedNaiveBayes(), *chain, n_bootstrap=4, progress=told.append)
    assert told == [0.25, 0.5, 0.75, 1.0]


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (pnb.NaiveBayes(), "Naive Bayes always has the same links"),
        (pnb.HiddenNaiveBayes(), "learns from the data which attributes to link"),
        (pnb.GaussianNaiveBayes(), "Gaussian naive Bayes always has the same links"),
        (GaussianNB(), "but was given an object of type GaussianNB"),
    ],
)
def test_models_without_edges_are_refused(model, message, chain):
    with pytest.raises(DataError, match=message):
        pnb.edge_stability(model, *chain)


def test_no_drawing_is_refused(chain):
    with pytest.raises(DataError, match="n_bootstrap must be at least 1, but is 0"):
        pnb.edge_stability(pnb.TreeAugmentedNaiveBayes(), *chain, n_bootstrap=0)


class TestG:
    def test_by_hand(self):
        # one class, table 10 20 / 30 40: expected 12 18 / 28 42
        by_hand = 2 * (
            10 * np.log(10 / 12) + 20 * np.log(20 / 18) + 30 * np.log(30 / 28) + 40 * np.log(40 / 42)
        )
        statistic, df = g_test(np.array([[[10, 20], [30, 40]]]))
        assert statistic == pytest.approx(by_hand)
        assert df == 1

    @pytest.mark.parametrize("seed", range(5))
    def test_scipy_agrees_class_by_class(self, seed):
        counts = np.random.default_rng(seed).poisson(5, (3, 4, 3)) + 1
        one_by_one = [stats.chi2_contingency(table, correction=False, lambda_=0) for table in counts]
        statistic, df = g_test(counts)
        assert statistic == pytest.approx(sum(result.statistic for result in one_by_one))
        assert df == sum(result.dof for result in one_by_one)

    def test_states_that_never_occur_have_no_degree_of_freedom(self):
        counts = np.zeros((2, 3, 4), dtype=np.int64)
        counts[0, :2, :3] = 5  # two by three states in the first class
        counts[1, 0, :] = 2  # one state of the first attribute in the second
        assert g_test(counts) == (pytest.approx(0, abs=1e-12), 2)


class TestCorrections:
    p_values = np.array([0.01, 0.04, 0.03, 0.005])

    def test_holm_by_hand(self):
        assert corrected(self.p_values, "holm") == pytest.approx([0.03, 0.06, 0.06, 0.02])

    def test_benjamini_and_hochberg_by_hand(self):
        assert corrected(self.p_values, "bh") == pytest.approx([0.02, 0.04, 0.04, 0.02])

    def test_none(self):
        assert corrected(self.p_values, None).tolist() == self.p_values.tolist()

    def test_no_p_value_above_one(self):
        assert corrected(np.array([0.6, 0.7]), "holm").tolist() == [1.0, 1.0]


@pytest.fixture(scope="module")
def table():
    """b copies a within the class; noise is noise."""
    rng = np.random.default_rng(2)
    n = 300
    y = rng.choice(["ill", "well"], n)
    a = rng.choice(["p", "q", "r"], n)
    b = np.where(rng.random(n) < 0.3, a, rng.choice(["p", "q", "r"], n))
    return pd.DataFrame({"a": a, "b": b, "noise": rng.choice(["u", "v"], n)}), y


class TestEdges:
    def test_every_edge_against_scipy(self, table):
        X, y = table
        model = pnb.TreeAugmentedNaiveBayes().fit(X, y)
        tests = pnb.edge_tests(model, X, y).set_index(["source", "target"])
        assert len(tests) == 5
        for (source, target), found in tests.iterrows():
            classes = [""] if found["kind"] == "class" else ["ill", "well"]
            of = pd.Series(y, name="class") if found["kind"] == "class" else X[source]
            results = [
                stats.chi2_contingency(pd.crosstab(of[rows], X[target][rows]), correction=False, lambda_=0)
                for rows in ((y == c) | (c == "") for c in classes)
            ]
            statistic, df = sum(r.statistic for r in results), sum(r.dof for r in results)
            assert found["statistic"] == pytest.approx(statistic)
            assert found["df"] == df
            assert found["p_value"] == pytest.approx(stats.chi2.sf(statistic, df))
            assert found["rows"] == 300

    def test_information_is_that_of_the_structure(self, table):
        model = pnb.GeneralizedNaiveBayes().fit(*table)
        tests = pnb.edge_tests(model, *table)
        weights = {(edge.source, edge.target): edge.weight for edge in model.structure_.edges}
        for found in tests.itertuples():
            assert found.information == pytest.approx(weights[found.source, found.target], abs=1e-12)

    def test_permutations_agree_with_the_g_test(self, table):
        g = pnb.edge_tests(pnb.TreeAugmentedNaiveBayes(), *table)
        permuted = pnb.edge_tests(
            pnb.TreeAugmentedNaiveBayes(), *table, method="permutation", n_permutations=4000
        )
        assert permuted["statistic"].tolist() == g["statistic"].tolist()
        error = np.sqrt(g["p_value"] * (1 - g["p_value"]) / 4000)
        assert (np.abs(permuted["p_value"] - g["p_value"]) < 4 * error + 0.02).all()

    def test_permuted_tables_are_those_of_permuted_rows(self, table):
        X, y = table
        model = pnb.TreeAugmentedNaiveBayes().fit(X, y)
        found = pnb.edge_tests(model, X, y, method="permutation", n_permutations=2000)
        edge = found[(found["kind"] == "tree")].iloc[-1]
        rng = np.random.default_rng(0)
        a, b = (pd.factorize(X[name])[0] for name in (edge["source"], edge["target"]))
        groups = [np.flatnonzero(y == c) for c in ("ill", "well")]
        extreme = 0
        for _ in range(2000):
            shuffled = b.copy()
            for rows in groups:
                shuffled[rows] = rng.permutation(b[rows])
            counts = np.zeros((2, 3, 3), dtype=np.int64)
            np.add.at(counts, ((y == "well").astype(int), a, shuffled), 1)
            extreme += g_test(counts)[0] >= edge["statistic"] - 1e-9
        p = (extreme + 1) / 2001
        assert abs(edge["p_value"] - p) < 4 * np.sqrt(2 * p * (1 - p) / 2000) + 2 / 2001

    def test_enough_permutations_to_stand_the_correction(self, table):
        tests = pnb.edge_tests(pnb.TreeAugmentedNaiveBayes(), *table, method="permutation")
        strongest = tests.loc[tests["information"].idxmax()]
        assert strongest["p_corrected"] <= 5 / 1000 + 1e-12

    def test_a_fitted_model_is_tested_on_the_rows_given(self, table):
        X, y = table
        model = pnb.TreeAugmentedNaiveBayes().fit(X[:150], y[:150])
        fresh = pnb.edge_tests(model, X[150:], y[150:])
        pairs = {frozenset(pair) for pair in model.structure_.mothers.items()}
        tree = fresh[fresh["kind"] == "tree"]
        assert {frozenset(pair) for pair in zip(tree["source"], tree["target"], strict=True)} == pairs
        assert (fresh["rows"] == 150).all()

    def test_unknown_cells_are_left_out(self, table):
        X, y = table
        model = pnb.TreeAugmentedNaiveBayes().fit(X, y)
        holes = X.copy()
        holes.loc[:9, "a"] = np.nan
        holes.loc[10, "noise"] = "never seen"
        rows = pnb.edge_tests(model, holes, y).set_index(["source", "target"])["rows"]
        assert rows["class", "a"] == 290
        assert rows["class", "noise"] == 299

    def test_hidden_parents_are_tested_once_per_pair(self, table):
        tests = pnb.edge_tests(pnb.HiddenNaiveBayes(), *table)
        assert len(tests) == 3 + 3
        assert set(tests["kind"]) == {"class", "hidden"}

    def test_arrays(self, table):
        X, y = table
        numbers = X.apply(lambda column: pd.factorize(column)[0]).to_numpy()
        tests = pnb.edge_tests(pnb.TreeAugmentedNaiveBayes().fit(numbers, y), numbers, y)
        assert tests["target"].iloc[0] == "x0"

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"method": "t"}, "method must be"),
            ({"correction": "bonferroni"}, "correction must be"),
            ({"n_permutations": 0}, "at least 1"),
        ],
    )
    def test_bad_options_are_refused(self, table, options, message):
        with pytest.raises(DataError, match=message):
            pnb.edge_tests(pnb.TreeAugmentedNaiveBayes(), *table, **options)

    def test_a_strange_label_is_refused(self, table):
        X, y = table
        model = pnb.TreeAugmentedNaiveBayes().fit(X, y)
        with pytest.raises(DataError, match="one is 'dead'"):
            pnb.edge_tests(model, X, np.where(np.arange(300) == 7, "dead", y))
