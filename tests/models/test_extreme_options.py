"""Numbers at the ends of what floating point holds: a sentence of ours, or probabilities that are right."""

from decimal import Decimal
from fractions import Fraction
from functools import partial
from inspect import signature

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.allowed import MOST, MOST_WHOLE, shown
from pgm_nb.errors import PgmNbError

EXTREME = (
    *(0, -1, 5e-324, 1e-320, 1e-300, 1 / MOST, 1e-9, 1e9, MOST, 1e300, 1e308, np.inf, -np.inf, np.nan),
    *(1, 2, 3, 10, 255, 2**31, 2**63, 10**400, 10**5000, MOST_WHOLE, True, np.True_, None, "x", "1", [1.0]),
    *(np.int8(3), np.uint8(3), np.float16(0.5), np.float32(1e30), np.longdouble(2), np.complex64(1)),
    *(
        np.float64(np.nan),
        Decimal("0.5"),
        Decimal("sNaN"),
        Decimal("1e999"),
        Fraction(1, 3),
        Fraction(10**400),
    ),
)

GIVEN = (*EXTREME[::3], 0, 10**400, np.nan, np.inf, "x", Decimal("sNaN"), 1e-320, MOST)


def _table():
    draw = np.random.default_rng(0)
    X = pd.DataFrame(draw.normal(size=(24, 3)).round(1), columns=["a", "b", "c"])
    X["d"] = draw.choice(["p", "q", "r"], 24)
    return X, pd.Series(np.where(X["a"] + draw.normal(size=24) > 0, "yes", "no"), name="class")


X, Y = _table()


def _numeric(kind):
    """Return the parameters of a model that take a number."""
    return [
        name
        for name, parameter in signature(kind).parameters.items()
        if {"int", "float"} & set(str(parameter.annotation).replace("|", " ").split())
    ]


def _wrong(ask):
    """Return what is wrong with an answer; nothing if it is a distribution, or an error of ours."""
    try:
        found = np.asarray(ask(), dtype=np.float64)
    except PgmNbError as error:
        return "" if " " in str(error) and len(str(error)) < 500 else f"a sentence of {len(str(error))}"
    except Exception as error:  # noqa: BLE001 whatever it is, it is not ours
        return repr(error)[:200]
    fine = np.isfinite(found).all() and np.allclose(found.sum(axis=-1), 1.0, rtol=0, atol=1e-9)
    return "" if fine else f"no distribution: {found.tolist()}"


def _all_wrong(asks, values=EXTREME):
    """Return what is wrong with the answers, by what was asked with which value."""
    asked = [(what, value) for what in asks for value in values]
    found = {f"{what}: {shown(value)}": _wrong(partial(asks[what], value)) for what, value in asked}
    return {what: wrong for what, wrong in found.items() if wrong}


@pytest.mark.parametrize("kind", pnb.MODELS)
def test_options(kind):
    def fitted(name, value):
        return kind(**{name: value}).fit(X, Y).predict_proba(X.head(5))

    assert not _all_wrong({name: partial(fitted, name) for name in _numeric(kind)})


@pytest.mark.parametrize("kind", pnb.MODELS)
def test_what_is_given_with_rows_and_questions(kind):
    model = kind().fit(X, Y)
    known = {"a": 0.1}

    def chances(given, **rest):
        return model.query("class", given=given, **rest)["probability"]

    def weighed(weights):
        return kind().fit(X, Y, sample_weight=weights).predict_proba(X.head(5))

    def decided(costs, label=None):
        return np.full(1, np.isin(model.decide(X.head(5), costs=costs, label=label), Y).all())

    asks = {
        "prior of rows": lambda v: model.predict_proba(X.head(5), prior={"yes": v, "no": 0.5}),
        "prior of a question": lambda v: chances(known, prior={"yes": v, "no": 1}),
        "cost of a miss": lambda v: decided({"miss": v, "false alarm": 1}, "yes"),
        "cost of a pair": lambda v: decided({("yes", "no"): v, ("no", "yes"): 1}),
        "number": lambda v: chances({"a": v}),
        "word": lambda v: chances({"d": v}),
        "likelihood": lambda v: chances({"d": pnb.likelihood({"p": v, "q": 1})}),
        "likelihoods": lambda v: chances({"d": pnb.likelihood({"p": v, "q": v})}),
        "between": lambda v: chances({"a": pnb.between(v, 3)}),
        "above": lambda v: chances({"a": pnb.above(v)}),
    }
    if "sample_weight" in signature(kind.fit).parameters:
        asks |= {
            "weight of all": lambda v: kind().fit(X, Y, sample_weight=[v] * 24).predict_proba(X.head(5)),
            "weight of one": lambda v: (
                kind().fit(X, Y, sample_weight=[v, *[1] * 23]).predict_proba(X.head(5))
            ),
        }
    if "priors" in signature(kind).parameters:
        asks["priors"] = lambda v: kind(priors=[v, 1 - 1e-9]).fit(X, Y).predict_proba(X.head(5))
    assert not _all_wrong(asks, GIVEN)


@pytest.mark.parametrize("kind", pnb.MODELS)
def test_the_ends_of_what_is_allowed_with_many_columns(kind):
    draw = np.random.default_rng(1)
    wide = pd.DataFrame(draw.choice(list("pqrst"), (40, 12))).rename(columns=str)
    if not kind.about.bins:
        wide = wide.replace(dict(zip("pqrst", (0.1, 0.7, 1.9, 4.2, 9.3), strict=True))).astype(float)
    labels = draw.choice(["no", "yes"], 40)
    mixed = wide.apply(lambda column: draw.permutation(column))

    def fitted(name, value):
        return kind(**{name: value}).fit(wide, labels).predict_proba(mixed)

    for name in {*_numeric(kind)} & {*kind.about.allowed}:
        allowed = kind.about.allowed[name]
        assert not _all_wrong({name: partial(fitted, name)}, (allowed.low, allowed.high))


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        (pnb.NaiveBayes, {"smoothing": np.float16(0.5)}),
        (pnb.BernoulliNaiveBayes, {"alpha": np.float16(0.5)}),
        (pnb.MultinomialNaiveBayes, {"alpha": Fraction(1, 2)}),
        (pnb.GaussianNaiveBayes, {"var_smoothing": Fraction(1, 2)}),
        (pnb.KernelSemiNaiveBayes, {"smoothing": Fraction(1, 2), "bits": np.uint8(4)}),
        (pnb.KDependenceBayes, {"k": np.uint8(1)}),
    ],
)
def test_a_number_of_any_type_is_that_number(kind, options, tmp_path):
    plain = {name: int(v) if isinstance(v, np.integer) else float(v) for name, v in options.items()}
    one, other = (kind(**given).fit(X, Y) for given in (options, plain))
    assert (one.predict_proba(X) == other.predict_proba(X)).all()
    for number, model in enumerate((one, other)):
        model.save(tmp_path / str(number))
    assert (tmp_path / "0").read_bytes() == (tmp_path / "1").read_bytes()
