"""The result of a comparison: tables, tests, charts, and what it says in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pgm_nb.arrays import Floats
from pgm_nb.errors import DataError
from pgm_nb.scoring.metrics import METRICS, Reliability
from pgm_nb.scoring.significance import corrected_error, corrected_t_test, holm, wilcoxon
from pgm_nb.words import Scale, did_you_mean, log_loss, p_value, percent, plural, plus_minus

if TYPE_CHECKING:
    import altair as alt

__all__ = ["BEST", "SCORED", "Comparison", "Failure", "finding", "meaning_of_p", "verdicts"]

TIMES = ("fit_seconds", "predict_seconds")
QUALITIES = ("accuracy", "log_loss", "brier", "auc")
SCORED = (*QUALITIES, *TIMES)  #: what a comparison measures, in the order of its columns


class Failure(NamedTuple):
    """A model that failed on a fold, and why.

    Examples
    --------
    >>> Failure("Naive Bayes", 1, 3, "the table has no rows").fold
    3
    """

    model: str
    repeat: int
    fold: int
    reason: str


@dataclass(frozen=True, eq=False)
class Comparison:
    """Models on the same folds of one table; made by `pgm_nb.compare`.

    Parameters
    ----------
    models : tuple of str
        Their names, in the order given.
    classes : tuple of str
        The classes of the table.
    n_rows : int
        Rows that were tested.
    folds : array
        Repeat, number, count of training rows and of test rows of every fold.
    values : array
        Scores by model, fold and metric; NaN where the model failed.
    reliabilities : tuple of Reliability
        Calibration of each model over all test rows.
    failed : tuple of Failure
        What went wrong.
    of_rows : int, optional
        Rows of the whole table, from which the tested ones were drawn.
    asked : int, optional
        Folds in all, of which these are the finished ones.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> result = pnb.compare({"NB": pnb.NaiveBayes(), "TAN": pnb.TreeAugmentedNaiveBayes()}, X, y, cv="2x5")
    >>> result
    Comparison: NB, TAN on 150 rows, 2 repeats of 5 folds
    >>> result.scores.shape
    (20, 9)
    """

    models: tuple[str, ...]
    classes: tuple[str, ...]
    n_rows: int
    folds: NDArray[np.intp]
    values: Floats
    reliabilities: tuple[Reliability, ...]
    failed: tuple[Failure, ...] = ()
    of_rows: int = 0
    asked: int = 0

    def __post_init__(self) -> None:
        for array in (self.folds, self.values):
            array.flags.writeable = False

    @property
    def ratio(self) -> float:
        """Test rows per training row: how much the training rows of two folds overlap."""
        return float(np.mean(self.folds[:, 3] / self.folds[:, 2]))

    @property
    def scores(self) -> pd.DataFrame:
        """One row per model and fold: accuracy, log-loss (bits), Brier score, AUC, seconds."""
        m, j, _ = self.values.shape
        keys = pd.DataFrame(
            {
                "model": np.repeat(self.models, j),
                "repeat": np.tile(self.folds[:, 0], m),
                "fold": np.tile(self.folds[:, 1], m),
            }
        )
        return keys.join(pd.DataFrame(self.values.reshape(m * j, -1), columns=list(SCORED)))

    @property
    def failures(self) -> pd.DataFrame:
        """One row per model and fold that failed, with the reason."""
        return pd.DataFrame(self.failed, columns=list(Failure._fields))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per model: means with their standard errors, calibration error, median seconds.

        The standard errors allow for the overlap of the folds (Nadeau and Bengio 2003). A model that failed
        in some folds has its means over the others; `failed` counts the failures.
        """
        return pd.DataFrame([self._row(place, name) for place, name in enumerate(self.models)])

    def _row(self, place: int, name: str) -> dict[str, object]:
        own = self.values[place]
        done = own[~np.isnan(own[:, 0])]
        row: dict[str, object] = {"model": name}
        for column, metric in enumerate(SCORED):
            found = done[:, column][~np.isnan(done[:, column])]
            if metric in TIMES:
                row[metric] = float(np.median(found)) if len(found) else float("nan")
            else:
                row[metric] = float(found.mean()) if len(found) else float("nan")
                row[f"{metric}_se"] = corrected_error(found, self.ratio)
        return {**row, "ece": self.reliabilities[place].error, "failed": len(own) - len(done)}

    def pairs(self, metric: str = "accuracy") -> pd.DataFrame:
        """Test every pair of models on the folds that both finished.

        Returns
        -------
        DataFrame
            Per pair: the mean `difference` (model minus other) and its `standard_error`; `t` and `p` of the
            corrected resampled t-test (Nadeau and Bengio 2003), `p_holm` corrected for the number of pairs
            (Holm 1979); and the same for Wilcoxon's signed-rank test, which takes the folds as independent
            and is therefore too confident. `folds` counts them; with fewer than two the tests are NaN.

        Examples
        --------
        >>> import pgm_nb as pnb
        >>> X, y = pnb.load_sample("iris")
        >>> models = {"NB": pnb.NaiveBayes(), "TAN": pnb.TreeAugmentedNaiveBayes()}
        >>> pnb.compare(models, X, y, cv=5).pairs("log_loss")[["model", "other", "folds"]]
          model other  folds
        0    NB   TAN      5
        """
        scores = self.values[:, :, SCORED.index(_known(metric))]
        table = pd.DataFrame(
            [self._pair(a, b, scores[a] - scores[b]) for a, b in combinations(range(len(self.models)), 2)],
            columns=["model", "other", "folds", "difference", "standard_error", "t", "p", "wilcoxon_w",
                     "wilcoxon_p"],
        )  # fmt: skip
        table.insert(7, "p_holm", holm(table["p"]))
        return table.assign(wilcoxon_p_holm=holm(table["wilcoxon_p"]))

    def _pair(self, a: int, b: int, differences: Floats) -> tuple[object, ...]:
        both = differences[~np.isnan(differences)]
        if len(both) < 2:
            mean = float(both.mean()) if len(both) else float("nan")
            return self.models[a], self.models[b], len(both), mean, *[float("nan")] * 5
        t, w = corrected_t_test(both, self.ratio), wilcoxon(both)
        error = corrected_error(both, self.ratio)
        return self.models[a], self.models[b], len(both), both.mean(), error, *t, *w

    def best(self, metric: str = "log_loss") -> str | None:
        """Return the model with the best mean, the first of equals; None if all failed."""
        means = self.to_frame().set_index("model")[_known(metric)].dropna()
        if means.empty:
            return None
        return str(means.idxmax() if METRICS[metric].higher_is_better else means.idxmin())

    def calibration(self) -> pd.DataFrame:
        """Return the reliability curves: per model and bin what was predicted and what came true.

        Over all test rows, the probability of the predicted class, in ten bins of about equally many rows.
        """
        curves = zip(self.models, self.reliabilities, strict=True)
        rows = [
            (name, place + 1, predicted, observed, n)
            for name, curve in curves
            for place, (predicted, observed, n) in enumerate(
                zip(curve.predicted.tolist(), curve.observed.tolist(), curve.rows.tolist(), strict=True)
            )
        ]
        return pd.DataFrame(rows, columns=["model", "bin", "predicted", "observed", "rows"])

    def chart(self, metric: str = "accuracy", *, theme: str = "light") -> alt.LayerChart:
        """Draw a score: a tick for every fold, and the mean with its standard error."""
        from pgm_nb.views.chart.scores import score_chart

        place = SCORED.index(_known(metric))
        table = self.to_frame()
        errors = table.get(f"{metric}_se", pd.Series(0.0, index=table.index))
        return score_chart(
            dict(zip(self.models, self.values[:, :, place].tolist(), strict=True)),
            dict(zip(self.models, zip(table[metric], errors, strict=True), strict=True)),
            METRICS[metric].title,
            best=self.best(metric),
            theme=theme,
        )

    def calibration_chart(self, *, theme: str = "light") -> alt.LayerChart:
        """Draw the reliability curves: a model on the diagonal is right as often as it predicts."""
        from pgm_nb.views.chart.scores import calibration_chart

        curves = {
            name: list(
                zip(curve.predicted.tolist(), curve.observed.tolist(), curve.rows.tolist(), strict=True)
            )
            for name, curve in zip(self.models, self.reliabilities, strict=True)
        }
        return calibration_chart(curves, theme=theme)

    def failure_sentences(self) -> Iterator[str]:
        """Yield a sentence per model and reason: how often the model failed, and why."""
        for (name, reason), part in self.failures.groupby(["model", "reason"], sort=False):
            yield f"{name} failed in {len(part)} of {plural(len(self.folds), 'fold')}: {reason}"

    def __repr__(self) -> str:
        repeats = int(self.folds[:, 0].max())
        folds = plural(len(self.folds) // repeats, "fold")
        shape = folds if repeats == 1 else f"{repeats} repeats of {folds}"
        rows = f"{self.n_rows:,} of " if self.n_rows < self.of_rows else ""
        rows += plural(max(self.n_rows, self.of_rows), "row")
        return f"Comparison: {', '.join(self.models)} on {rows}, {shape}"

    def _repr_html_(self) -> str:
        failures = "".join(f"<li>{escape(sentence)}</li>" for sentence in self.failure_sentences())
        table = self.summary().to_html(index=False, border=0)  # pandas escapes the names
        return f"<div><p>{escape(repr(self))}</p>{table}<ul>{failures}</ul></div>"

    def summary(self) -> pd.DataFrame:
        """Return `to_frame` as text: means ± standard errors; ECE is the calibration error."""
        table = self.to_frame()
        text = {"model": table["model"]}
        for metric in QUALITIES:
            pairs = zip(table[metric], table[f"{metric}_se"], strict=True)
            text[METRICS[metric].title] = pd.Series([plus_minus(mean, error, 4) for mean, error in pairs])
        text["ECE"] = table["ece"].map("{:.4f}".format)
        for metric in TIMES:
            text[METRICS[metric].title] = table[metric].map("{:.4f}".format)
        return pd.DataFrame(text)


def _known(metric: str) -> str:
    if metric not in SCORED:
        raise DataError(
            f"there is no score {metric!r}{did_you_mean(str(metric), SCORED)} (scores: {', '.join(SCORED)})."
        )
    return metric


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


def finding(result: Comparison, *, scale: Scale | None = None) -> str:
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
        f"with {log_loss(scores['log_loss'], scale=scale)}."
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
