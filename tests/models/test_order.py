"""Generalized naive Bayes of order 4: against the full joint distribution, pgmpy, and itself."""

import itertools

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.errors import DataError, StructureError
from pgm_nb.graphs import HigherCherryTree
from pgm_nb.models.files import load


def small_table(n=300, seed=0):
    """Five columns in which c and e depend on two others each."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    a, b = rng.integers(0, 2, n), rng.integers(0, 3, n)
    c = np.where(rng.random(n) < 0.1, rng.integers(0, 2, n), (a + b + y) % 2)
    d = np.where(rng.random(n) < 0.4, rng.integers(0, 3, n), b)
    e = np.where(rng.random(n) < 0.1, rng.integers(0, 2, n), (c + a) % 2)
    X = pd.DataFrame(dict(zip("abcde", (a, b, c, d, e), strict=True))).astype(str)
    return X, pd.Series(np.where(y == 1, "ill", "well"), name="state")


def fitted(**options):
    return pnb.GeneralizedNaiveBayes(order=4, **{"parameters": "generative", **options}).fit(*small_table())


@pytest.fixture(scope="module")
def model():
    return fitted()


@pytest.fixture(scope="module")
def joint(model):
    """P(y, x) of every combination, from the tables one by one."""
    factors, columns = model.factors_, model.encoder_.columns
    rows = []
    for states in itertools.product(*(range(c.card) for c in columns)):
        for y, label in enumerate(model.classes_):
            p = np.exp(factors.log_prior[y])
            for place, (column, table) in enumerate(zip(factors.columns, factors.tables, strict=True)):
                mothers = (states[factors.columns[m]] for m in factors.given[place])
                p *= np.exp(table[(y, *mothers, states[column])])
            rows.append([columns[i].labels[s] for i, s in enumerate(states)] + [label, p])
    return pd.DataFrame(rows, columns=[*"abcde", "state", "p"])


def test_it_finds_the_columns_that_act_together(model):
    assert isinstance(model.structure_, HigherCherryTree)
    sets = {frozenset((child, *mothers)) for child, mothers in model.structure_.families.items()}
    assert frozenset("abc") in sets
    assert sum(len(family) == 3 for family in sets) >= 2
    assert joint_sum(model) == pytest.approx(1, abs=1e-12)


def joint_sum(model):
    rows = pd.DataFrame(
        list(itertools.product(*(c.labels for c in model.encoder_.columns))), columns=[*"abcde"]
    )
    return np.exp(model.predict_joint_log_proba(rows)).sum()


def test_kl_divergence_by_the_full_joint_distribution():
    model = fitted(smoothing=None)
    X, y = small_table()
    own = np.exp(model.predict_joint_log_proba(X))[np.arange(len(y)), (y == "well").astype(int)]
    rows = X.assign(y=y).value_counts(normalize=True)
    observed = X.assign(y=y).apply(tuple, axis=1).map(rows)
    assert model.divergence_.kl == pytest.approx(np.mean(np.log2(observed / own)), abs=1e-9)


@pytest.mark.parametrize(
    "given", [{}, {"e": "1"}, {"a": "0", "d": "2"}, {"state": "ill", "c": "0", "b": "1"}]
)
def test_queries_by_enumeration(model, joint, given):
    rows = joint[(joint[list(given)] == pd.Series(given)).all(axis=1)] if given else joint
    for asked in (["state"], ["b"], ["a", "e"], ["d", "c", "state"], ["b", "a"]):
        if set(asked) & set(given):
            continue
        found = model.query(asked, given)
        expected = rows.groupby(asked)["p"].sum() / rows["p"].sum()
        found = found.set_index(asked)["probability"]
        pd.testing.assert_series_equal(found.sort_index(), expected, check_names=False, rtol=0, atol=1e-9)
    best = rows.loc[rows["p"].idxmax(), [*"abcde", "state"]].to_dict()
    assert model.map_query(given=given) == {k: v for k, v in best.items() if k not in given}


def test_unknown_cells_are_summed_out(model, joint):
    rows = pd.DataFrame(
        [["1", None, "0", None, "1"], [None] * 5, [None, "2", None, "1", None]], columns=[*"abcde"]
    )
    scores = np.exp(model.predict_joint_log_proba(rows))
    for (_, row), score in zip(rows.iterrows(), scores, strict=True):
        known = row.dropna()
        fits = joint[(joint[list(known.index)] == known).all(axis=1)] if len(known) else joint
        expected = fits.groupby("state")["p"].sum()[model.classes_]
        np.testing.assert_allclose(score, expected, atol=1e-12)


def test_pgmpy_gives_the_same_posterior(model):
    for given in ({"a": "1", "e": "0"}, {"d": "2"}):
        for asked in ("state", "b"):
            ours, theirs = model.query(asked, given), model.query(asked, given, engine="pgmpy")
            np.testing.assert_allclose(ours["probability"], theirs["probability"], atol=1e-9)
    network = model.to_pgmpy("bayesian network")
    assert set(network.get_parents("c")) == {"state", *model.structure_.families.get("c", ())}
    junction = model.to_pgmpy()
    assert len(junction.nodes()) == len(model.structure_.clusters)


def test_the_markov_network_has_the_trained_posterior():
    from pgmpy.inference import VariableElimination

    model = fitted(parameters="class")
    row = {"a": "1", "b": "2", "c": "0", "d": "1", "e": "1"}
    found = VariableElimination(model.to_pgmpy("markov network")).query(["state"], evidence=row)
    shares = found.values / found.values.sum()
    np.testing.assert_allclose(shares, model.predict_proba(pd.DataFrame([row]))[0], atol=1e-9)


def test_samples_follow_the_tables(model, joint):
    drawn = model.sample(20_000, {"e": "1"}, random_state=0)
    rows = joint[joint["e"] == "1"]
    for names in (["a", "c"], ["b", "state"]):
        expected = rows.groupby(names)["p"].sum() / rows["p"].sum()
        seen = drawn.groupby(names).size() / len(drawn)
        assert (seen - expected).abs().max() < 0.015


@pytest.mark.parametrize("parameters", ["generative", "class"])
def test_terms_add_up_to_the_scores(parameters):
    model = fitted(parameters=parameters)
    X = small_table()[0].head(40).astype(object)
    X.iloc[::3, 1] = None
    X.iloc[::4, [0, 3]] = None
    terms = model.terms(X)
    scores = model.predict_joint_log_proba(X)
    scores = scores - scores.mean(axis=1, keepdims=True)
    own = terms.scores() - terms.scores().mean(axis=1, keepdims=True)
    np.testing.assert_allclose(own, scores, atol=1e-9)
    assert max(map(len, terms.attributes)) == 3


@pytest.mark.parametrize("parameters", ["generative", "class"])
def test_saved_and_loaded(parameters, tmp_path):
    model = fitted(parameters=parameters)
    model.save(tmp_path / "m.pgmnb")
    again = load(tmp_path / "m.pgmnb")
    X, _ = small_table(50, seed=1)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.structure_ == model.structure_
    assert again.trace_ == model.trace_
    assert again.divergence_ == model.divergence_
    assert again.order == 4


def test_training_for_the_class_never_leaves_rows_worse_off_without_reason():
    model = fitted(parameters="class")
    path = dict(model.class_parameters_.path)
    assert path["generative"] > min(path.values())
    assert any(name.startswith("cells") for name in path)
    assert {cell.ndim for cell in model.class_parameters_.cells} == {2, 3, 4} or max(
        cell.ndim for cell in model.class_parameters_.cells
    ) == 4


def test_too_many_cells_leave_the_weights(monkeypatch):
    from pgm_nb.training import class_trained

    monkeypatch.setattr(class_trained, "MOST_NUMBERS", 1)
    model = fitted(parameters="class")
    assert [name for name, _ in model.class_parameters_.path] == ["generative", "weights"]


@pytest.mark.parametrize("parameters", ["generative", "class"])
def test_intervals_hold_the_probability(parameters):
    model = fitted(parameters=parameters)
    for given in ({"a": "1", "c": "0"}, {"e": pnb.one_of("0", "1"), "b": "2"}, {}):
        table = model.credible_interval(given)
        low, p, high = table["low"], table["probability"], table["high"]
        assert ((low <= p) & (p <= high)).all()
        assert ((high - low) > 0.005).all()


def test_entries_that_matter_are_written_with_all_mothers(model):
    found = pnb.parameter_sensitivity(model, {"a": "1", "c": "0", "b": "0", "e": "1"}, most=None)
    assert found["entry"].str.count(" = ").max() == 4
    step = 1e-6
    entry = found.iloc[0]
    assert abs(entry["derivative"]) > step


def test_network_files_name_all_mothers(model, tmp_path):
    model.export(tmp_path / "net.bif")
    text = (tmp_path / "net.bif").read_text()
    child, mothers = next((c, m) for c, m in model.structure_.families.items() if len(m) == 2)
    assert any(
        line.startswith(f"probability ( {child} |") and all(m in line for m in mothers)
        for line in text.splitlines()
    )


def test_the_growth_and_the_report_speak_of_mothers(model):
    growth = pnb.growth(model)
    told = " ".join(frame.sentence for frame in growth.story.frames)
    assert "joins with mothers " in told
    assert growth.story.heads == ("Attribute", "with mothers")
    assert " and " in model.importance_["mother"].iloc[-1]
    assert "at most" in str(model.divergence_)


def test_describing_a_separator_and_an_attribute(model):
    drawing = model.structure_.drawing("junction")
    separator = next(node for node in drawing.nodes if node.kind == "separator" and len(node.names) == 3)
    from pgm_nb.views.graph.drawing import Element

    said = model.describe(Element("separator", separator.names))
    assert "these three" in said.sentences[0]
    child = next(c for c, m in model.structure_.families.items() if len(m) == 2)
    said = model.describe(Element("attribute", (child,)))
    assert " with them" in " ".join(said.sentences)


def test_exact_is_never_lighter_and_is_proven():
    greedy, exact = fitted(), fitted(search="exact")
    assert exact.divergence_.weight >= greedy.divergence_.weight - 1e-9
    assert (exact.divergence_.gap, exact.divergence_.proven) == (0.0, True)
    assert greedy.divergence_.weight_best >= exact.divergence_.weight - 1e-9
    part = fitted(search="exact", max_clusters=2)
    assert len(part.structure_.clusters) == 2
    assert part.divergence_.weight >= fitted(max_clusters=2).divergence_.weight - 1e-9
    assert not part.divergence_.proven
    all_of_them = fitted(search="exact", max_clusters=len(exact.structure_.clusters))
    assert all_of_them.divergence_.proven


def test_order_three_is_what_it_was():
    X, y = pnb.load_sample("wdbc")
    plain = pnb.GeneralizedNaiveBayes(parameters="generative", n_bins=5).fit(X, y)
    same = pnb.GeneralizedNaiveBayes(parameters="generative", n_bins=5, order=3).fit(X, y)
    np.testing.assert_array_equal(plain.predict_proba(X), same.predict_proba(X))
    assert type(same.structure_).__name__ == "CherryTree"


def test_order_five():
    model = pnb.GeneralizedNaiveBayes(order=5, parameters="generative").fit(*small_table())
    assert joint_sum(model) == pytest.approx(1, abs=1e-12)
    assert max(map(len, model.structure_.families.values())) <= 3


def test_a_given_structure_is_fitted():
    given = HigherCherryTree(
        "state", tuple("abcde"), {"b": ("a",), "c": ("a", "b"), "d": ("b",), "e": ("c", "a")}
    )
    model = pnb.GeneralizedNaiveBayes(structure=given, parameters="generative").fit(*small_table())
    assert dict(model.structure_.families) == dict(given.families)
    assert model.divergence_.weight > 0


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"order": 2}, "order must be a whole number from 3 to 10, but is 2"),
        ({"order": 4.0}, "but is 4.0"),
        ({"order": 4, "search": "optimal"}, "is defined for one mother each"),
    ],
)
def test_what_cannot_be_is_refused(options, sentence):
    with pytest.raises(DataError, match=sentence):
        pnb.GeneralizedNaiveBayes(**options).fit(*small_table())


def test_whole_weights_are_repeated_rows_and_real_ones_are_refused():
    X, y = small_table()
    times = np.random.default_rng(0).integers(1, 4, len(y))
    weighted = pnb.GeneralizedNaiveBayes(order=4, parameters="generative").fit(X, y, sample_weight=times)
    repeated = np.repeat(np.arange(len(y)), times)
    plain = pnb.GeneralizedNaiveBayes(order=4, parameters="generative").fit(
        X.iloc[repeated], y.iloc[repeated]
    )
    assert weighted.structure_ == plain.structure_
    np.testing.assert_array_equal(weighted.predict_proba(X), plain.predict_proba(X))
    with pytest.raises(DataError, match="order=4 counts sets of columns; use order=3"):
        pnb.GeneralizedNaiveBayes(order=4, parameters="generative").fit(X, y, sample_weight=times / 2)


def test_further_rows_are_added_to_the_tables():
    X, y = small_table()
    model = pnb.GeneralizedNaiveBayes(order=4, parameters="generative").fit(X, y)
    before = model.learned_.counts
    more = model.partial_fit(X.head(20), y.head(20)).learned_.counts
    assert more.y.sum() == before.y.sum() + 20
    more.check()


def test_exact_obeys_wishes_and_says_their_price():
    free = fitted(search="exact")
    linked = {frozenset(pair) for c in free.structure_.clusters for pair in itertools.combinations(c[1:], 2)}
    first = next(tuple(sorted(pair)) for pair in linked)
    model = fitted(search="exact", forbidden=[first])
    found = {frozenset(pair) for c in model.structure_.clusters for pair in itertools.combinations(c[1:], 2)}
    assert frozenset(first) not in found
    assert model.trace_.price == pytest.approx(free.divergence_.weight - model.divergence_.weight, abs=1e-9)
    assert model.trace_.price >= 0
    assert model.divergence_.weight_best >= free.divergence_.weight - 1e-9
    assert not model.divergence_.proven


def test_exact_of_order_five_is_refused():
    with pytest.raises(StructureError, match="order 4 and at most 12"):
        pnb.GeneralizedNaiveBayes(order=5, search="exact").fit(*small_table())


def test_a_table_that_would_be_too_large_is_refused():
    n = 600
    X = pd.DataFrame({c: np.arange(n).astype(str) for c in "abc"})
    given = HigherCherryTree("y", tuple("abc"), {"b": ("a",), "c": ("a", "b")})
    with pytest.raises(DataError, match="cells; merge states"):
        pnb.GeneralizedNaiveBayes(structure=given).fit(X, np.tile([0, 1], n // 2))


@pytest.mark.parametrize("search", ["greedy", "class"])
@pytest.mark.parametrize("seed", range(4))
def test_required_and_forbidden_edges_hold_and_have_a_price(search, seed):
    rng = np.random.default_rng(seed)
    pairs = [tuple(pair) for pair in rng.permutation(list(itertools.combinations("abcde", 2)))]
    required, forbidden = pairs[:2], pairs[2:4]  # two close no cycle, and cut nothing off
    model = fitted(search=search, required=required, forbidden=forbidden)
    clusters = [set(cluster) for cluster in model.structure_.clusters]
    assert all(any({*pair} <= cluster for cluster in clusters) for pair in required)
    assert not any({*pair} <= cluster for pair in forbidden for cluster in clusters)
    assert len(model.constraints_) == 4
    if search == "greedy":
        free = fitted(search=search)
        gap = free.divergence_.weight - model.divergence_.weight
        assert model.trace_.price == pytest.approx(gap, abs=1e-9)


def test_a_required_edge_is_not_cut_off():
    with pytest.raises(StructureError, match="cuts off the required edge"):
        fitted(required=[("a", "b"), ("c", "d")], max_clusters=1)
