"""The local-PCA mixture: full-covariance Gaussians per cluster, split where the training rows ask for it."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import multivariate_normal, norm

import pgm_nb as pnb
from pgm_nb.errors import DataError
from pgm_nb.graphs import from_json
from pgm_nb.models.local_pca.model import LocalPCAMixture


@pytest.fixture(scope="module")
def two_heaps():
    """Two heaps of each class by turns along a line, so that one Gaussian cannot hold a class."""
    rng = np.random.default_rng(0)
    centres = np.repeat([[-6.0, 0.0], [6.0, 2.0], [0.0, 1.0], [12.0, 3.0]], [60, 40, 70, 40], axis=0)
    X = pd.DataFrame(centres + rng.normal(size=(210, 2)) * [1.5, 1.0], columns=["u", "v"])
    return X, pd.Series(["a"] * 100 + ["b"] * 110, name="side")


def test_one_cluster_per_class_is_its_gaussian():
    X, y = pnb.load_sample("seeds")
    model = LocalPCAMixture(max_iter=1).fit(X, y)
    scores = [
        multivariate_normal(X[y == c].mean(), np.cov(X[y == c].T, bias=True)).logpdf(X)
        for c in model.classes_
    ]
    expected = np.column_stack(scores) - np.log(3)
    np.testing.assert_allclose(
        model.predict_joint_log_proba(X), expected, rtol=1e-8, atol=1e-8
    )  # the columns nearly depend


@pytest.mark.parametrize("vote", ["winner", "sum"])
def test_scores_are_those_of_the_clusters(two_heaps, vote):
    X, y = two_heaps
    model = LocalPCAMixture(vote=vote).fit(X, y)
    space = model.learned_.space
    by_class = {0: [], 1: []}
    for part in model.learned_.clusters:
        mean = space.mean + space.scale * part.mean
        covariance = part.covariance * np.outer(space.scale, space.scale)
        by_class[part.owner].append(multivariate_normal(mean, covariance).logpdf(X))
    join = np.max if vote == "winner" else np.logaddexp.reduce
    expected = np.column_stack([join(np.array(by_class[c]), axis=0) for c in (0, 1)]) - np.log(2)
    np.testing.assert_allclose(model.predict_joint_log_proba(X), expected, rtol=0, atol=1e-9)


def test_splits_what_one_gaussian_cannot_hold(two_heaps):
    X, y = two_heaps
    plain, split = LocalPCAMixture(max_iter=1).fit(X, y), LocalPCAMixture().fit(X, y)
    assert split.score(X, y) > plain.score(X, y)
    assert split.clusters_per_class_ > 1
    trace = split.trace_
    assert trace.iterations[trace.kept].error == pytest.approx(1 - split.score(X, y), abs=1e-12)
    errors = [step.error for step in trace.iterations]
    assert trace.kept == int(np.argmin(errors))
    assert split.n_iter_ == len(errors)
    assert trace.to_frame()["kept"].sum() == 2


def test_moved_rows_are_the_misclassified_ones(two_heaps):
    X, y = two_heaps
    before, model = LocalPCAMixture(max_iter=1).fit(X, y), LocalPCAMixture(max_iter=2).fit(X, y)
    wrong = np.flatnonzero(before.predict(X) != y)
    assert sorted(sum(model.trace_.iterations[1].moved, ())) == wrong.tolist()
    assert sum(map(len, model.trace_.iterations[0].moved)) == 0


def test_units_change_nothing():
    X, y = pnb.load_sample("wdbc")
    one = LocalPCAMixture().fit(X, y)
    other = X * 10.0 ** np.arange(-10, 20)
    two = LocalPCAMixture().fit(other, y)
    np.testing.assert_allclose(one.predict_proba(X), two.predict_proba(other), rtol=0, atol=1e-6)
    np.testing.assert_allclose(
        one.structure_.clusters[0].variances, two.structure_.clusters[0].variances, rtol=1e-6
    )


class TestDegenerate:
    def test_constant_and_dependent_columns_say_nothing(self):
        X, y = pnb.load_sample("iris")
        alone = LocalPCAMixture().fit(X, y).predict_proba(X)
        more = X.assign(
            same=7.0, twice=2 * X["sepal width"] + 1, sum=X["petal width"] - 3 * X["petal length"]
        )
        model = LocalPCAMixture().fit(more, y)
        np.testing.assert_allclose(model.predict_proba(more), alone, rtol=0, atol=1e-9)
        assert model.importance_.set_index("attribute").loc["same", "gain"] == 0
        assert all(len(part.variances) == 4 for part in model.structure_.clusters)

    def test_one_row_per_class_is_the_nearest_row(self):
        X, y = np.array([[0.0, 0.0], [4.0, 1.0], [1.0, 5.0]]), ["a", "b", "c"]
        model = LocalPCAMixture().fit(X, y)
        assert model.trace_.iterations[0].regularised == (True, True, True)
        assert model.predict(X).tolist() == y
        assert all(part.regularised for part in model.structure_.clusters)

    def test_fewer_rows_than_columns(self):
        rng = np.random.default_rng(0)
        y = np.arange(24) % 2
        X = rng.normal(size=(24, 40)) + 2 * y[:, None]
        model = LocalPCAMixture().fit(X, y)
        assert np.isfinite(model.predict_joint_log_proba(X)).all()
        assert model.score(rng.normal(size=(200, 40)) + 2, np.ones(200, dtype=int)) > 0.95

    def test_one_small_class_beside_a_large_one(self):
        rng = np.random.default_rng(0)
        X = np.vstack([rng.normal(size=(100, 3)), [[9.0, 9, 9], [9.5, 9, 9]]])
        model = LocalPCAMixture().fit(X, [0] * 100 + [1] * 2)
        assert model.trace_.iterations[0].regularised == (False, True)
        assert model.predict([[9.2, 9.1, 9.0], [0.0, 0.0, 0.0]]).tolist() == [1, 0]

    def test_ignored_clusters_are_reported(self):
        X, y = pnb.load_sample("iris")
        trace = LocalPCAMixture().fit(X, y).trace_
        assert trace.iterations[1].ignored == (0, 1, 1)  # two and one misclassified rows in four columns
        assert trace.iterations[1].clusters == (1, 1, 1)
        assert trace.reason == "the training error stopped falling"

    def test_nothing_but_constant_columns(self):
        model = LocalPCAMixture().fit(np.ones((4, 2)), [0, 0, 1, 1])
        assert model.predict_proba(np.ones((1, 2)))[0] == pytest.approx([0.5, 0.5])
        assert model.structure_.clusters[0].variances == ()

    def test_near_singular(self):
        rng = np.random.default_rng(0)
        x = rng.normal(size=200)
        X = np.column_stack([x, x + 1e-4 * rng.normal(size=200)])
        y = (X[:, 1] > X[:, 0]).astype(int)
        assert LocalPCAMixture().fit(X, y).score(X, y) > 0.9


class TestUnknown:
    def test_is_integrated_out(self, two_heaps):
        X, y = two_heaps
        model = LocalPCAMixture(vote="sum").fit(X, y)
        row = X.iloc[[3]]
        grid = np.linspace(-60, 60, 20001)
        completed = pd.DataFrame({"u": row["u"].iloc[0], "v": grid})
        summed = np.trapezoid(np.exp(model.predict_joint_log_proba(completed)), grid, axis=0)
        unknown = model.predict_joint_log_proba(row.assign(v=np.nan))[0]
        assert np.exp(unknown) == pytest.approx(summed, rel=1e-6)

    def test_equals_the_model_of_the_known_columns(self):
        X, y = pnb.load_sample("seeds")
        whole = LocalPCAMixture(max_iter=1).fit(X, y)
        part = LocalPCAMixture(max_iter=1).fit(X.drop(columns="area"), y)
        rows = X.copy()
        rows.loc[::2, "area"] = np.nan
        posterior = whole.predict_proba(rows)
        np.testing.assert_allclose(posterior[::2], part.predict_proba(X.drop(columns="area"))[::2], atol=1e-9)
        np.testing.assert_allclose(posterior[1::2], whole.predict_proba(X)[1::2], atol=1e-12)

    @pytest.mark.parametrize("vote", ["winner", "sum"])
    def test_nothing_known_gives_the_prior(self, two_heaps, vote):
        model = LocalPCAMixture(vote=vote, priors=[0.3, 0.7]).fit(*two_heaps)
        nothing = pd.DataFrame({"u": [np.nan], "v": [np.nan]})
        assert model.predict_proba(nothing)[0] == pytest.approx([0.3, 0.7], abs=1e-15)

    def test_training_uses_the_known_cells(self):
        X = pd.DataFrame({"u": [0.0, 2.0, 4.0, 6.0, 9.0, 3.0], "v": [1.0, 3.0, 2.0, np.nan, np.nan, 6.0]})
        model = LocalPCAMixture(max_iter=1).fit(X.iloc[[0, 1, 2, 3, 0, 1, 2, 5]], list("aaaabbbb"))
        assert (model.missing_.cells, model.missing_.rows_dropped) == (1, 0)
        space, part = model.learned_.space, model.learned_.clusters[0]
        mean = space.mean + space.scale * part.mean
        covariance = part.covariance * np.outer(space.scale, space.scale)
        assert mean == pytest.approx([3.0, 2.0], abs=1e-12)  # of 0, 2, 4, 6 and of 1, 3, 2
        shared = (-3.0 * -1.0 + -1.0 * 1.0 + 1.0 * 0.0) / np.sqrt(4 * 3)
        np.testing.assert_allclose(covariance, [[5.0, shared], [shared, 2 / 3]], atol=1e-12)
        row = pd.DataFrame({"u": [3.5], "v": [np.nan]})
        log_density = model.predict_joint_log_proba(row)[0, 0] - np.log(0.5)
        assert log_density == pytest.approx(norm(3.0, np.sqrt(5.0)).logpdf(3.5), abs=1e-12)

    def test_a_class_without_a_value_borrows_from_all_rows(self):
        X, y = pnb.load_sample("iris")
        holes = X.assign(**{"petal width": X["petal width"].where(y != "setosa")})
        model = LocalPCAMixture(max_iter=1).fit(holes, y)
        setosa, width = model.learned_.clusters[0], list(X.columns).index("petal width")
        assert (setosa.mean[width], setosa.covariance[width, width]) == (0.0, 1.0)
        assert not np.delete(setosa.covariance[width], width).any()
        assert model.score(holes, y) > 0.95

    def test_a_column_without_any_value_says_nothing(self):
        X, y = pnb.load_sample("seeds")
        alone, model = LocalPCAMixture().fit(X, y), LocalPCAMixture().fit(X.assign(empty=np.nan), y)
        found = model.predict_proba(X.assign(empty=np.nan))
        np.testing.assert_allclose(found, alone.predict_proba(X), atol=1e-9)

    def test_a_table_full_of_holes(self):
        X, y = pnb.load_sample("wine")
        holes = X.mask(np.random.default_rng(0).random(X.shape) < 0.2)
        model = LocalPCAMixture().fit(holes, y)
        assert model.score(X, y) > 0.9
        assert np.isfinite(model.predict_log_proba(holes)).all()


class TestWords:
    X = pd.DataFrame({"age": [1.0, 2.0, 3.0, 5.0] * 5, "sex": ["f", "f", "m", "f"] * 5})
    y = pd.Series(["a", "a", "b", "b"] * 5)

    def test_two_words_are_a_column_of_zeros_and_ones(self):
        """Two numbers differ from zero and one by their unit only, and units change nothing."""
        coded = self.X.assign(sex=(self.X["sex"] == "m").astype(float))
        words, plain = LocalPCAMixture().fit(self.X, self.y), LocalPCAMixture().fit(coded, self.y)
        np.testing.assert_allclose(words.predict_proba(self.X), plain.predict_proba(coded), atol=1e-9)

    def test_an_unseen_word_is_unknown(self):
        model = LocalPCAMixture().fit(self.X, self.y)
        rows = pd.DataFrame({"age": [2.0, 2.0], "sex": ["x", None]})
        np.testing.assert_array_equal(*model.predict_proba(rows))

    def test_array_of_objects(self):
        model = LocalPCAMixture().fit(self.X.to_numpy(), self.y)
        named = LocalPCAMixture().fit(self.X, self.y)
        np.testing.assert_array_equal(model.predict_proba(self.X.to_numpy()), named.predict_proba(self.X))

    def test_saved_and_loaded(self, tmp_path):
        model = LocalPCAMixture().fit(self.X, self.y)
        model.save(tmp_path / "m.pgmnb")
        again = pnb.load(tmp_path / "m.pgmnb")
        np.testing.assert_array_equal(again.predict_proba(self.X), model.predict_proba(self.X))

    def test_growth_in_a_plane_of_words(self):
        model = LocalPCAMixture().fit(self.X, self.y)
        assert "<svg" in model.growth_in("plane", self.X, self.y, 99).draw("light")[0]
        assert "<svg" in model.draw_clusters(["age", "sex"], self.X, self.y)


class TestBadInput:
    X, y = pd.DataFrame({"age": [1.0, 2.0, 3.0, 5.0], "dose": [2.0, 1.0, 4.0, 3.0]}), ["a", "a", "b", "b"]

    def test_text(self):
        model = LocalPCAMixture().fit(self.X, self.y)
        with pytest.raises(DataError, match="'age' must hold numbers"):
            model.predict(pd.DataFrame({"age": ["old"], "dose": [1.0]}))

    def test_infinity(self):
        with pytest.raises(DataError, match="'age' contains infinity in row 2"):
            LocalPCAMixture().fit(self.X.assign(age=[1.0, np.inf, 3.0, 5.0]), self.y)

    def test_numbers_too_large_to_square(self):
        with pytest.raises(DataError, match="'age' holds numbers too large to square"):
            LocalPCAMixture().fit(self.X.assign(age=[1e200, -1e200, 3.0, 5.0]), self.y)

    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"vote": "mean"}, "vote must be 'winner' or 'sum'"),
            ({"max_iter": 0}, "max_iter must be a whole number"),
            ({"priors": [0.5, 0.6]}, "sum to one"),
        ],
    )
    def test_parameters(self, parameters, message):
        with pytest.raises(DataError, match=message):
            LocalPCAMixture(**parameters).fit(self.X, self.y)

    def test_attributes_of_the_picture(self):
        model = LocalPCAMixture().fit(self.X, self.y)
        with pytest.raises(DataError, match="no attribute 'ages'; did you mean 'age'"):
            model.draw_clusters(["ages", "dose"])
        with pytest.raises(DataError, match="two different attributes"):
            model.draw_clusters(["age", "age"])


def test_graph_holds_the_components(two_heaps):
    X, y = two_heaps
    model = LocalPCAMixture().fit(X, y)
    graph = model.structure_
    assert from_json(graph.to_json()) == graph
    for part, cluster in zip(graph.clusters, model.learned_.clusters, strict=True):
        loadings = np.array(part.loadings)
        np.testing.assert_allclose(loadings @ loadings.T, np.eye(2), atol=1e-12)
        np.testing.assert_allclose(loadings.T * part.variances @ loadings, cluster.covariance, atol=1e-12)
        assert sum(part.explained) == pytest.approx(1)
        assert list(part.variances) == sorted(part.variances, reverse=True)
    assert model.draw_clusters(X=X, y=y).count('"line mark"') == len(graph.clusters)


@pytest.mark.parametrize("vote", ["winner", "sum"])
def test_pgmpy_factors_multiply_to_the_posterior(two_heaps, vote):
    X, y = two_heaps
    model = LocalPCAMixture(vote=vote, priors=[0.2, 0.8]).fit(X, y)
    for row in (X.iloc[5], X.iloc[150], pd.Series({"u": 1.0, "v": np.nan})):
        prior, likelihood = model.to_pgmpy(row)
        product = prior.product(likelihood, inplace=False)
        product.normalize(inplace=True)
        assert product.values == pytest.approx(model.predict_proba(row.to_frame().T)[0], abs=1e-9)


@pytest.mark.parametrize("vote", ["winner", "sum"])
@pytest.mark.parametrize("sample", ["iris", "seeds", "wdbc"])
def test_terms_sum_to_the_score(sample, vote):
    X, y = pnb.load_sample(sample)
    model = LocalPCAMixture(vote=vote, priors=None).fit(X, y)
    rows = X.iloc[::5].copy()
    rows.iloc[::3, 1] = np.nan
    terms = model.terms(rows)
    steps = list(model.importance_["attribute"])
    assert list(terms.names) == (steps if vote == "winner" else ["number of clusters", *steps])
    np.testing.assert_allclose(terms.scores(), model.predict_joint_log_proba(rows), rtol=0, atol=1e-9)
    why = model.explain(X.iloc[0])
    assert why.probability == pytest.approx(model.predict_proba(X.head(1)).max(), abs=1e-9)
