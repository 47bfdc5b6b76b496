"""The same rows give the same answers, however they are stored, ordered or declared."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb

every_kind = pytest.mark.parametrize("kind", pnb.MODELS, ids=lambda kind: kind.about.short_name)


@pytest.fixture(scope="module")
def table():
    """Measured numbers, few different numbers, declared words of which some are never seen, and gaps."""
    rng = np.random.default_rng(0)
    n = 150
    y = np.arange(n) % 3
    X = pd.DataFrame(
        {
            "weight": y + rng.normal(size=n),
            "dose": rng.choice([0.1, 0.3, 2.7], n),
            "stage": pd.Categorical(
                np.array(["lo", "hi", "hi"])[(y + (rng.random(n) < 0.2)) % 3], ["lo", "mid", "hi", "never"]
            ),
            "sex": rng.choice(["f", "m"], n),
        }
    )
    X.loc[rng.random(n) < 0.1, "weight"] = np.nan
    return X, pd.Series(np.array(["a", "b", "c"])[y], name="outcome")


@every_kind
def test_in_single_precision(kind, table):
    X, y = table
    model = kind().fit(X, y)
    single = X.assign(weight=X["weight"].astype(np.float32), dose=X["dose"].astype(np.float32))
    np.testing.assert_allclose(model.predict_proba(single), model.predict_proba(X), rtol=0, atol=1e-6)


@every_kind
def test_an_array_in_single_precision(kind, table):
    X, y = table
    cells = X[["weight", "dose"]].to_numpy()
    model = kind().fit(cells, y)
    single = model.predict_proba(cells.astype(np.float32))
    np.testing.assert_allclose(single, model.predict_proba(cells), rtol=0, atol=1e-6)


@every_kind
def test_rows_in_another_order(kind, table):
    X, y = table
    order = np.random.default_rng(1).permutation(len(X))
    model, other = kind().fit(X, y), kind().fit(X.iloc[order], y.iloc[order])
    expected = model.predict_proba(X)
    np.testing.assert_allclose(model.predict_proba(X.iloc[order]), expected[order], rtol=0, atol=1e-12)
    np.testing.assert_allclose(other.predict_proba(X), expected, rtol=0, atol=1e-9)


@every_kind
def test_columns_in_another_order(kind, table):
    X, y = table
    turned = X[["sex", "dose", "stage", "weight"]]
    model, other = kind().fit(X, y), kind().fit(turned, y)
    np.testing.assert_allclose(other.predict_proba(turned), model.predict_proba(X), rtol=0, atol=1e-9)
    with pytest.raises(ValueError, match="same order"):  # scikit-learn's rule for every estimator
        model.predict_proba(turned)


@every_kind
def test_words_declared_or_not(kind, table):
    X, y = table
    model = kind().fit(X, y)
    expected = model.predict_proba(X)
    plain = X.assign(stage=X["stage"].astype(str))
    more = X.assign(stage=X["stage"].cat.set_categories(["hi", "lo", "other"]))
    for asked in (plain, more):
        np.testing.assert_array_equal(model.predict_proba(asked), expected)


@every_kind
def test_a_word_declared_and_never_seen(kind, table):
    X, y = table
    model = kind().fit(X, y)
    asked = X.head(7).assign(stage=pd.Categorical(["never"] * 7, X["stage"].cat.categories))
    found = model.predict_proba(asked)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=0, atol=1e-12)
    same = model.predict_proba(asked.assign(stage="never"))
    np.testing.assert_array_equal(found, same)


@every_kind
def test_reasons_sum_to_the_log_odds_of_the_prediction(kind, table):
    X, y = table
    few = np.r_[0:5, 40:46]  # few rows, fewer of them complete
    rows = X.assign(twice=2 * X["weight"], dose=X["dose"].mask(X.index % 2 == 0))
    model = kind().fit(rows.iloc[few], y.iloc[few])
    asked = pd.concat([rows.head(12), rows.head(12).assign(twice=[1.0, -3.0] * 6)])  # not twice any more
    logs = model.predict_log_proba(asked)
    for place in range(len(asked)):
        why = model.explain(asked.iloc[[place]])
        label, against = (list(model.classes_).index(name) for name in (why.label, why.against))
        odds = logs[place, label] - logs[place, against]
        assert why.log_odds == pytest.approx(odds, abs=1e-7)
        assert why.to_frame()["contribution"].sum() == pytest.approx(odds, abs=1e-7)


@pytest.mark.parametrize(("sample", "ties"), [("heart", False), ("zoo", True)])
def test_columns_in_another_order_matter_only_for_ties(sample, ties):
    """What `docs/reliability.md` says: links of equal information go by column order."""
    X, y = pnb.load_sample(sample)
    turned, moved = X[X.columns[::-1]], {}
    for kind in pnb.models.TABLE_MODELS:
        moved[kind.about.short_name] = np.abs(
            kind().fit(X, y).predict_proba(X) - kind().fit(turned, y).predict_proba(turned)
        ).max()
    found = {name for name, most in moved.items() if most > 1e-7}
    assert found <= ({"tan", "gnb", "kdb", "atan", "class-trees"} if ties else set())
    if ties:
        page = (Path(__file__).parents[2] / "docs" / "reliability.md").read_text(encoding="utf-8")
        assert f"probabilities move by up to {max(moved.values()):.3f} " in page
