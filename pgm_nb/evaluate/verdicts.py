"""What a comparison says in words: which model is best, and which others may be as good."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from pgm_nb.scoring.metrics import METRICS
from pgm_nb.words import log_loss, p_value, percent, plural

if TYPE_CHECKING:
    from pgm_nb.evaluate.comparison import Comparison

__all__ = ["BEST", "CHANCE", "finding", "meaning_of_p", "verdicts"]

CHANCE = 0.05  #: a difference with a smaller p-value counts as more than chance
BEST = "best"
AS_GOOD = "may be as good: the difference may be chance"
WORSE = "worse, by more than chance"
NOT_TESTED = "not tested: it needs two folds"


def verdicts(result: Comparison, metric: str = "log_loss") -> pd.DataFrame:
    """Hold every model against the best one.

    The p-values are corrected for all pairs of models, not only for those with the best one: which one is
    best was not known beforehand.

    Returns
    -------
    DataFrame
        Best model first: `model`, mean `score`, `difference` to the best one, its `standard_error`, `p` and
        the `verdict` in words. Models that failed on all folds are left out.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> models = {"Gaussian": pnb.GaussianNaiveBayes(), "flat": pnb.NaiveBayes(n_bins=2)}
    >>> verdicts(pnb.compare(models, X, y, cv=5))[["model", "verdict"]]
          model                     verdict
    0  Gaussian                        best
    1      flat  worse, by more than chance
    """
    columns = ["model", "score", "difference", "standard_error", "p", "verdict"]
    best = result.best(metric)
    if best is None:
        return pd.DataFrame(columns=columns)
    means = result.to_frame().set_index("model")[metric].dropna()
    pairs = result.pairs(metric)
    rows: list[tuple[object, ...]] = [(best, means[best], 0.0, float("nan"), float("nan"), BEST)]
    order = means.drop(best).sort_values(ascending=not METRICS[metric].higher_is_better, kind="stable")
    for name, score in order.items():
        [pair] = pairs[pairs[["model", "other"]].isin([best, name]).all(axis=1)].to_dict("records")
        sign = 1.0 if pair["model"] == name else -1.0
        p = pair["p_holm"]
        verdict = NOT_TESTED if pd.isna(p) else WORSE if p < CHANCE else AS_GOOD
        rows.append((name, score, sign * pair["difference"], pair["standard_error"], p, verdict))
    return pd.DataFrame(rows, columns=columns)


def finding(result: Comparison) -> str:
    """Say which model predicts best, and whether its lead over the next is more than chance.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> models = {"Gaussian": pnb.GaussianNaiveBayes(), "flat": pnb.NaiveBayes(n_bins=2)}
    >>> finding(pnb.compare(models, X, y, cv=5)).partition(":")[0]
    'Gaussian predicts best'
    """
    table = verdicts(result)
    if table.empty:
        return "None of the models could be tested on this table."
    best = table["model"].iloc[0]
    scores = result.to_frame().set_index("model").loc[best]
    sentence = (
        f"{best} predicts best: it is right in {percent(scores['accuracy'], digits=1)} of the rows, "
        f"with {log_loss(scores['log_loss'])}."
    )
    if len(table) == 1 or pd.isna(table["p"].iloc[1]):
        return sentence
    second, p = table["model"].iloc[1], table["p"].iloc[1]
    verdict = "is more than chance" if p < CHANCE else "may be chance"
    return f"{sentence} Its lead over {second} {verdict} ({p_value(p)})."


def meaning_of_p(result: Comparison) -> str:
    """Say in plain words what the p-values of a comparison mean.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> models = {"NB": pnb.NaiveBayes(), "TAN": pnb.TreeAugmentedNaiveBayes()}
    >>> print(meaning_of_p(pnb.compare(models, X, y, cv=5)))
    p says how often chance alone would make a difference at least as large between two equally good models.
    Below 0.05 a difference counts as more than chance. The folds share rows, and the test allows for that.
    With 5 folds, a small difference that is real can go unnoticed.
    """
    pairs = len(result.models) * (len(result.models) - 1) // 2
    folds = len(result.folds)
    corrected = f" p is corrected for the {plural(pairs, 'pair')} of models." if pairs > 1 else ""
    few = f" With {plural(folds, 'fold')}, a small difference that is real can go unnoticed."
    return (
        "p says how often chance alone would make a difference at least as large between two equally good "
        f"models. Below {CHANCE} a difference counts as more than chance. The folds share rows, and the test "
        f"allows for that.{corrected}{few if folds < 10 else ''}"
    )
