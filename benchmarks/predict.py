"""Prediction, microseconds per row: naive Bayes against scikit-learn, TAN against pyAgrum."""

import numpy as np
import pandas as pd
from harness import Contender, Table, Target, compare, three_digits
from peers import TAN_PEERS, Coded
from sklearn.naive_bayes import CategoricalNB
from tan import coded

from pgm_nb import NaiveBayes, TreeAugmentedNaiveBayes
from pgm_nb.engine.sums import log_joint
from pgm_nb.warm_up import warm_up

__all__ = ["benchmark"]

SHAPES = ((100_000, 30, 5, 2), (1_000_000, 50, 5, 2))
SLOW_ROWS = 200  # rows that pyAgrum predicts
NB, TAN, THEIRS, SLOW = "NB", "TAN", "scikit-learn CategoricalNB", "pyAgrum TAN"


def benchmark(quick: bool, missing: dict[str, str]) -> tuple[Table, list[Target]]:
    warm_up()
    rows, targets = [], []
    header = (f"{NB}, codes", f"{NB}, DataFrame", THEIRS, f"{TAN}, codes", f"{TAN}, DataFrame", SLOW)
    for shape in SHAPES[:1] if quick else SHAPES:
        table = coded(*shape)
        label = f"{shape[0]:,} x {shape[1]}"
        micros = _naive(table) | _trees(
            table, with_peer=SLOW.split()[0] not in missing and shape == SHAPES[0]
        )
        rows.append((label, *(three_digits(micros[name]) if name in micros else "-" for name in header)))
        faster = micros[THEIRS] / micros[f"{NB}, codes"]
        targets.append(Target(f"NB prediction from codes, {label}: faster than CategoricalNB", 5, faster))
    notes = [
        "Same work: NB and CategoricalNB give the same classes but for at most one row in 10,000 (near ties; "
        "one smooths the class prior, the other does not); pyAgrum's TAN gives the same on the "
        f"{SLOW_ROWS} rows it is timed on.",
        "Codes: from coded columns to classes, functions only. DataFrame: `predict` of the estimator on "
        "integer columns, which looks every value up again.",
    ]
    return Table("Prediction, us per row", ("rows x attributes", *header), rows, notes), targets


def _naive(table: Coded) -> dict[str, float]:
    frame = _frame(table)
    model = NaiveBayes(smoothing=float(table.v)).fit(frame, table.y)
    theirs = CategoricalNB(alpha=1.0, min_categories=table.v).fit(table.codes.T, table.y)
    integers = np.ascontiguousarray(table.codes.T)
    field = [
        Contender(f"{NB}, codes", lambda: log_joint(model.factors_, table.codes).argmax(axis=1)),
        Contender(f"{NB}, DataFrame", lambda: model.predict(frame)),
        Contender(THEIRS, lambda: theirs.predict(integers)),
    ]
    return _micros(field, table)


def _trees(table: Coded, with_peer: bool) -> dict[str, float]:
    frame = _frame(table)
    model = TreeAugmentedNaiveBayes(smoothing=float(table.v)).fit(frame, table.y)
    field = [
        Contender(f"{TAN}, codes", lambda: log_joint(model.factors_, table.codes).argmax(axis=1)),
        Contender(f"{TAN}, DataFrame", lambda: model.predict(frame)),
    ]
    micros = _micros(field, table)
    if with_peer:
        peer = TAN_PEERS["pyAgrum"](table)()
        few = table.codes[:, :SLOW_ROWS]
        times = compare(
            [
                Contender(TAN, lambda: log_joint(model.factors_, few).argmax(axis=1)),
                Contender(SLOW, lambda: peer.classify(SLOW_ROWS)),
            ],
            np.array_equal,
            rounds=3,
        )
        micros[SLOW] = 1e6 * times[SLOW].median / SLOW_ROWS
    return micros


def _micros(field: list[Contender], table: Coded) -> dict[str, float]:
    def agree(ours: np.ndarray, theirs: np.ndarray) -> bool:
        return bool(np.mean(ours != theirs) <= 1e-4)

    times = compare(field, agree, rounds=7)
    return {name: 1e6 * time.median / len(table.y) for name, time in times.items()}


def _frame(table: Coded) -> pd.DataFrame:
    return pd.DataFrame(dict(zip(table.names, table.codes, strict=True)))
