"""Time from a table of floats to a fitted TAN, binning included: what a user waits for."""

import numpy as np
import pandas as pd
from harness import Contender, Table, Target, compare, ratio, three_digits
from peers import TAN_PEERS, Coded, Tan
from sklearn.naive_bayes import CategoricalNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer
from synthetic import sample_tree

from pgm_nb import TreeAugmentedNaiveBayes
from pgm_nb.counts import count
from pgm_nb.information import information, weight
from pgm_nb.warm_up import warm_up

__all__ = ["benchmark"]

OURS, LOWER_BAR = "pgm_nb, from floats", "scikit-learn bins + CategoricalNB, from floats"
FEWER = 100  # pgmpy gets one row in this many


def benchmark(quick: bool, missing: dict[str, str]) -> tuple[Table, list[Target]]:
    warm_up()
    n, d = (10_000, 30) if quick else (100_000, 100)
    X, y = _floats(n, d)
    fitted = TreeAugmentedNaiveBayes(n_bins=5).fit(X, y)
    codes = fitted.encoder_.encode(X)
    assert set(fitted.encoder_.cards) == {5}
    place = {name: i for i, name in enumerate(fitted.encoder_.names)}
    root = place[next(name for name in place if name not in fitted.structure_.mothers)]
    table = Coded(codes, y.to_numpy(), 5, 2, root)
    few = Coded(codes[:, ::FEWER].copy(), table.y[::FEWER].copy(), 5, 2, root)

    field = [Contender(OURS, lambda: _mothers(TreeAugmentedNaiveBayes(n_bins=5).fit(X, y), place))]
    if "pyAgrum" not in missing:
        field.append(Contender("pyAgrum, from codes", _mothers_only(TAN_PEERS["pyAgrum"](table))))
    slow = f"pgmpy, from codes, 1/{FEWER} of the rows"
    if "pgmpy" not in missing:
        field.append(Contender(slow, TAN_PEERS["pgmpy"](few), equal=False))
    bins = KBinsDiscretizer(5, encode="ordinal", strategy="quantile", quantile_method="averaged_inverted_cdf")
    baseline = make_pipeline(bins, CategoricalNB())
    field.append(Contender(LOWER_BAR, lambda: baseline.fit(X, y), equal=False))

    info = information(count(codes, table.y, table.cards, 2))

    def agree(ours: np.ndarray, theirs: np.ndarray) -> bool:
        return bool(np.isclose(weight(info, theirs), weight(info, ours), rtol=1e-9))

    times = compare(field, agree, rounds=9, budget=10.0)
    rows = [
        (name, time.milliseconds(), f"{three_digits(ratio(time, times[OURS]))} x")
        for name, time in times.items()
    ]
    shape = f"{n:,} x {d} floats"
    theirs = times.get("pyAgrum, from codes")
    targets = [
        Target(f"TAN from {shape}: faster than pyAgrum from codes", 5, theirs and ratio(theirs, times[OURS])),
        Target(
            f"TAN from {shape}: faster than pgmpy, which gets 1/{FEWER} of the rows",
            100,
            ratio(times[slow], times[OURS]) if slow in times else None,
        ),
    ]
    notes = [
        "Same work: the trees from our codes have the same sum of I(Xi;Xj|Y). pgmpy on fewer rows and naive "
        "Bayes (a lower bar: no pairs, no tree) do less work.",
        *(f"{name}: {missing[name]}." for name in ("pyAgrum", "pgmpy") if name in missing),
    ]
    return Table(
        f"From a DataFrame of {shape} to a fitted TAN", ("contender", "ms", "time / ours"), rows, notes
    ), targets


def _floats(n: int, d: int) -> tuple[pd.DataFrame, pd.Series]:
    """Return continuous columns: the states of a random tree with uniform noise inside each."""
    codes, y = sample_tree(n, d, 5, 2)
    values = codes + np.random.default_rng(1).random(codes.shape)
    return pd.DataFrame(values.T, columns=[f"x{i}" for i in range(d)]), pd.Series(y, name="class")


def _mothers(model: TreeAugmentedNaiveBayes, place: dict[str, int]) -> np.ndarray:
    mothers = np.full(len(place), -1)
    for child, mother in model.structure_.mothers.items():
        mothers[place[child]] = place[mother]
    return mothers


def _mothers_only(fit):
    def run() -> np.ndarray:
        found: Tan = fit()
        return found.mothers

    return run
