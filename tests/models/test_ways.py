"""Every model by every way of learning: it is what `fit` learns from all rows, or a sentence says why not.

The rows are in the order of a file: states, classes and missing cells of the later rows are not in the first.
"""

import warnings

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.counts import count
from pgm_nb.errors import DataError, PgmNbError
from pgm_nb.models import streaming
from pgm_nb.models.partitions import count_part, summarise_part
from pgm_nb.models.stream import RowStream, merged

CUTS = {"load": [0.3, 0.7]}


def file_order():
    """Return some of the cars, with a column of numbers, one of few numbers, and cells missing at the end."""
    X, y = pnb.load_sample("car")
    X, y = X[::7].reset_index(drop=True), y[::7].reset_index(drop=True)
    rng = np.random.default_rng(0)
    good = (y != "unacc").to_numpy()
    X = X[["buying price", "persons", "safety", "luggage boot"]].astype(object)
    X["load"] = rng.random(len(X)) / 2 + 0.4 * good
    X["trips"] = np.arange(len(X)) // 60 + 2.0
    X.loc[len(X) - 20 :: 3, "safety"] = None
    X.loc[len(X) - 25 :: 4, "load"] = np.nan
    return X, y


X, Y = file_order()
FIRST, LATER = slice(0, 90), slice(90, None)
BATCHES = [(X[i : i + 90], Y[i : i + 90]) for i in range(0, len(X), 90)]
CLASSES = np.unique(Y)
DECLARED = Y.astype(pd.CategoricalDtype(CLASSES))

VARIANTS = {
    "nb": pnb.NaiveBayes(discretizer=CUTS),
    "nb class": pnb.NaiveBayes(discretizer=CUTS, parameters="class"),
    "nb unsmoothed": pnb.NaiveBayes(discretizer=CUTS, smoothing=None),
    "nb drop": pnb.NaiveBayes(discretizer=CUTS, missing="drop"),
    "nb mode": pnb.NaiveBayes(discretizer=CUTS, missing="mode"),
    "tan": pnb.TreeAugmentedNaiveBayes(discretizer=CUTS),
    "tan class": pnb.TreeAugmentedNaiveBayes(discretizer=CUTS, parameters="class", smoothing=1.0),
    "gnb": pnb.GeneralizedNaiveBayes(discretizer=CUTS),
    "gnb generative": pnb.GeneralizedNaiveBayes(discretizer=CUTS, parameters="generative"),
    "gnb class search": pnb.GeneralizedNaiveBayes(discretizer=CUTS, parameters="generative", search="class"),
    "gnb order 4": pnb.GeneralizedNaiveBayes(discretizer=CUTS, parameters="generative", order=4),
    "hnb": pnb.HiddenNaiveBayes(discretizer=CUTS),
    "phnb": pnb.PackagedHiddenNaiveBayes(discretizer=CUTS),
    "phnb auto": pnb.PackagedHiddenNaiveBayes(discretizer=CUTS, threshold="auto"),
    "aode": pnb.AveragedOneDependence(discretizer=CUTS),
    "waode": pnb.AveragedOneDependence(discretizer=CUTS, weighting="information"),
    "kdb": pnb.KDependenceBayes(discretizer=CUTS),
    "kdb select": pnb.KDependenceBayes(discretizer=CUTS, select=True),
    "odanb": pnb.OneDependenceAugmented(discretizer=CUTS),
    "atan": pnb.AveragedTree(discretizer=CUTS),
    "class trees": pnb.ClassTreesBayes(discretizer=CUTS),
    "class cherries": pnb.ClassTreesBayes(discretizer=CUTS, order=3),
    "snb": pnb.SelectiveNaiveBayes(discretizer=CUTS),
    "wanb": pnb.AttributeWeightedNaiveBayes(discretizer=CUTS),
    "bernoulli": pnb.BernoulliNaiveBayes(threshold=0.5),
    "multinomial": pnb.MultinomialNaiveBayes(),
    "gaussian": pnb.GaussianNaiveBayes(),
    "local pca": pnb.LocalPCAMixture(),
    "kernel": pnb.KernelSemiNaiveBayes(window=10_000),
}
FROM_ROWS = [
    *("nb class", "tan class", "gnb", "kdb", "kdb select"),
    *("class cherries", "snb", "wanb"),
]


def fresh(key):
    return type(VARIANTS[key])(**VARIANTS[key].get_params())


@pytest.fixture(scope="module")
def fitted():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {key: fresh(key).fit(X, Y) for key in VARIANTS}


def by_weights(key):
    return fresh(key).fit(X, Y, sample_weight=np.ones(len(X)))


def by_batches(key):
    return fresh(key).fit_batches(BATCHES)


def by_one_reading(key):
    return fresh(key).fit_batches(iter(BATCHES), classes=CLASSES[::-1])


def by_declared_classes(key):
    return fresh(key).fit_batches([(X[:60], DECLARED[:60]), (X[60:], DECLARED[60:])])


def by_like(key):
    return fresh(key).fit_batches(iter(BATCHES), like=fresh(key).fit(X[FIRST], DECLARED[FIRST]))


def by_partial_fit(key):
    model = fresh(key)
    for rows, labels in BATCHES:
        model.partial_fit(rows, labels, classes=CLASSES)
    return model


def by_weighted_partial_fit(key):
    model = fresh(key)
    for rows, labels in BATCHES:
        model.partial_fit(rows, labels, classes=CLASSES, sample_weight=np.ones(len(rows)))
    return model


def by_window(key):
    model = fresh(key)
    for rows, labels in BATCHES:
        model.partial_fit(rows, labels, classes=CLASSES, window=99)
    return model


def by_fit_and_partial_fit(key):
    return fresh(key).fit(X[FIRST], DECLARED[FIRST]).partial_fit(X[LATER], Y[LATER])


def by_counts(key):
    model, given = fresh(key), {"discretizer": CUTS, "missing": getattr(VARIANTS[key], "missing", "state")}
    if key == "bernoulli":
        given["discretizer"] = {"load": [0.5], "trips": [0.5]}
    here = pnb.count_table(X[FIRST], Y[FIRST], classes=CLASSES, **given)
    there = pnb.count_table(X[LATER], Y[LATER], like=here, missing=given["missing"])
    return model.fit_counts(here + there)


def by_parts(key):
    """What Dask and Spark do with partitions, in an order of their own."""
    model, parts = fresh(key), list(enumerate(BATCHES))
    found = [summarise_part(a, b, i, model._summary()) for i, (a, b) in parts[::-1]]
    coding = model._learned_coding(merged([merged(found[:2]), merged(found[2:])]))
    like = RowStream(coding, Y.name, True, model.missing)
    total = merged([count_part(a, b, i, like) for i, (a, b) in parts[::-1]])
    return model._settle_by(total.rows(), total)


def by_dask(key):
    table = dd.from_pandas(X.assign(**{Y.name: Y}), npartitions=3)
    return fresh(key).fit(table, Y.name)


WAYS = [way for name, way in globals().items() if name.startswith("by_")]
ALL = "learns from rows: call fit or fit_batches with all of them"
COMMONEST = "missing='mode' puts the commonest state of all rows"
AT_ONCE = dict.fromkeys(["multinomial", "local pca"], "learns from all rows at once")
NO_BATCHES = dict.fromkeys(["multinomial", "local pca", "kernel", "gaussian"], "reads no batches")
SEEN_ONLY = dict.fromkeys(["nb unsmoothed", "bernoulli"], "name all of them with classes=")
PYTHON = "unexpected keyword"  # the method has no such parameter
REFUSED = {  # way -> model -> what it says; whatever is not here must be equal to `fit`
    by_weights: dict.fromkeys(["local pca", "kernel"], PYTHON),
    by_batches: NO_BATCHES,
    by_one_reading: NO_BATCHES | {"nb mode": COMMONEST},
    by_declared_classes: NO_BATCHES,
    by_like: NO_BATCHES | SEEN_ONLY | {"nb mode": COMMONEST},
    by_partial_fit: AT_ONCE | {"nb mode": COMMONEST},
    by_weighted_partial_fit: AT_ONCE | {"nb mode": COMMONEST, "kernel": PYTHON},
    by_window: AT_ONCE | {"nb mode": COMMONEST, "gaussian": PYTHON, "kernel": PYTHON},
    by_fit_and_partial_fit: AT_ONCE
    | SEEN_ONLY
    | dict.fromkeys([*set(FROM_ROWS) - {"snb"}, "atan", "class trees"], "has not kept")
    | dict.fromkeys(["gaussian", "kernel"], "name it in classes= at the first call")
    | {"nb mode": COMMONEST, "phnb auto": ALL},
    by_counts: dict.fromkeys(NO_BATCHES, "is not learned from counts")
    | dict.fromkeys([*FROM_ROWS, "phnb auto"], ALL)
    | {"nb mode": COMMONEST, "gnb order 4": "order=4 counts sets of columns; use order=3"},
    by_parts: dict.fromkeys(NO_BATCHES, "no attribute '_summary'"),
    by_dask: dict.fromkeys(NO_BATCHES, "A name is enough only for a Dask or Spark DataFrame"),
}
STRUCTURE_STAYS = [
    "nb",
    "nb drop",
    "tan",
    "gnb generative",
    "gnb class search",
    "gnb order 4",
    "snb",
]  # of a fitted model


def test_every_model_is_in_the_matrix():
    assert {type(model) for model in VARIANTS.values()} == set(pnb.MODELS)


@pytest.mark.filterwarnings("ignore:No row has the class")
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_every_model_by_every_way(way, fitted, monkeypatch):
    monkeypatch.setattr(streaming, "SAMPLE_ROWS", 100)  # states and cut points are those of the first rows
    wrong = []
    for key, whole in fitted.items():
        said = REFUSED[way].get(key)
        try:
            found = way(key)
        except (PgmNbError, AttributeError, TypeError) as error:
            if said is None or said not in str(error):
                wrong.append(f"{key}: {type(error).__name__}: {error}")
            continue
        if said is not None:
            wrong.append(f"{key}: not refused")
        elif way is by_fit_and_partial_fit and key in STRUCTURE_STAYS:
            wrong += [f"{key}: {what}" for what in other_tables(found)]
        else:
            wrong += [f"{key}: {what}" for what in differences(found, whole)]
    assert not wrong, "\n".join(wrong)


def differences(found, whole):
    if not np.array_equal(found.classes_, whole.classes_):
        yield f"the classes are {found.classes_}"
    elif getattr(found, "encoder_", None) != getattr(whole, "encoder_", None):
        yield f"the states are {[column.states for column in found.encoder_.columns]}"
    else:
        if found.missing_ != whole.missing_:
            yield f"{found.missing_} instead of {whole.missing_}"
        if isinstance(found, pnb.models.TableClassifier) and found.structure_ != whole.structure_:
            yield "another structure"
        off = np.abs(found.predict_proba(X) - whole.predict_proba(X)).max()
        if not off < 1e-12:
            yield f"off by {off}"


def other_tables(found):
    """Tables that are not those of all rows, on the structure of the first rows."""
    rows = type(found)(**found.get_params()).code_table(X, Y)
    counts = count(rows.codes, rows.y, rows.encoder.cards, len(rows.classes))
    expected = found._keep_of(rows, counts, found.structure_)
    if found.encoder_ != rows.encoder:
        yield f"the states are {[column.states for column in found.encoder_.columns]}"
    elif not all(map(np.array_equal, found.learned_.counts.tables, expected.tables)):
        yield "tables of other rows"


def test_a_row_without_weight_changes_nothing_and_a_weight_of_two_is_the_row_twice():
    """Rows of weight zero have states, classes, numbers and gaps of their own."""
    times = np.arange(len(X)) % 3
    times[(Y == "vgood") | (X["persons"] == "more") | X["safety"].isna()] = 0
    cars = X.assign(load=X["load"].where(times > 0, 1000 - 2000 * (np.arange(len(X)) % 2)))
    twice = np.repeat(np.arange(len(X)), times)
    some, wrong, refused = np.flatnonzero(times), [], []
    for key in VARIANTS.keys() - REFUSED[by_weights].keys():
        whole = fresh(key).fit(cars.iloc[twice], Y.iloc[twice])
        found = fresh(key).fit(cars, Y, sample_weight=times)
        wrong += [f"{key}: {what}" for what in differences(found, whole)]
        try:
            found = fresh(key).fit(cars, Y, sample_weight=times / 4)
        except DataError as error:
            refused.append(key)
            known = ("counts whole rows", "weights must be whole", "not 'drop'")
            wrong += [] if any(said in str(error) for said in known) else [f"{key}: {error}"]
            continue
        without = fresh(key).fit(cars.iloc[some], Y.iloc[some], sample_weight=times[some] / 4)
        wrong += [f"{key}, real weights: {what}" for what in differences(found, without)]
    assert not wrong, "\n".join(wrong)
    real = {"nb", "nb class", "nb unsmoothed", "nb mode", "tan", "tan class", "gnb", "gnb generative"}
    real |= {"gnb class search", "bernoulli", "multinomial", "gaussian"}
    assert VARIANTS.keys() - refused - REFUSED[by_weights].keys() == real


def test_gaussian_with_weights_is_gaussian_of_repeated_rows_in_any_batches():
    """Every variance is smoothed by a share of the largest one: that of the rows as they are weighted."""
    rows, labels = pnb.load_sample("wine")
    times = np.arange(len(rows)) % 3
    whole = pnb.GaussianNaiveBayes(var_smoothing=0.1).fit(rows, labels, sample_weight=times / 2)
    repeated = np.repeat(np.arange(len(rows)), times)
    twice = pnb.GaussianNaiveBayes(var_smoothing=0.1).fit(rows.iloc[repeated], labels.iloc[repeated])
    assert whole.epsilon_ == pytest.approx(twice.epsilon_, rel=1e-13)
    np.testing.assert_allclose(whole.var_, twice.var_, rtol=1e-12)
    model = pnb.GaussianNaiveBayes(var_smoothing=0.1)
    for i in range(0, len(rows), 30):  # the file is sorted by class
        some = slice(i, i + 30)
        model.partial_fit(rows[some], labels[some], np.unique(labels), sample_weight=times[some] / 2)
    np.testing.assert_allclose(model.predict_proba(rows), twice.predict_proba(rows), rtol=0, atol=1e-12)


def test_what_can_only_be_decided_on_all_rows_is_refused():
    first, labels = pd.DataFrame({"a": [1.0, 2.0] * 3, "b": ["x", "y"] * 3}), [0, 1] * 3
    for later, said in (
        (first.assign(a=np.arange(6.0)), "'a' has more than 3 distinct values .* give its cut points"),
        (first.assign(b=[True, False] * 3), "'b' was text at training"),
        (first.assign(b=pd.Categorical(list("xyzxyz"), ordered=True)), None),
    ):
        model = pnb.NaiveBayes(n_bins=3).partial_fit(first, labels)
        before = model.predict_proba(first)
        if said is None:
            assert model.partial_fit(later, labels).encoder_.columns[1].states == ("x", "y", "z")
            continue
        with pytest.raises(DataError, match=said):
            model.partial_fit(later, labels)
        np.testing.assert_array_equal(model.predict_proba(first), before)  # as it was, and it goes on
        assert model.partial_fit(first, labels).learned_.counts.y.sum() == 12
    grades = first.assign(b=pd.Categorical(first["b"], ["x", "y"], ordered=True))
    with pytest.raises(DataError, match="'b' is ordered with the states x, y, and a later row has 'z'"):
        pnb.NaiveBayes().partial_fit(grades, labels).partial_fit(first.assign(b="z"), labels)
    table = dd.from_pandas(first.assign(y=labels), npartitions=2)
    with pytest.raises(DataError, match="without weights"):
        pnb.NaiveBayes().fit(table, "y", sample_weight=[1.0] * 6)
