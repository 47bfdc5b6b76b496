"""Stage 2 of importance (Kovács et al. 2024): how well a model of the first parts alone predicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from pgm_nb.arrays import Floats, Places
from pgm_nb.engine.sums import normalise
from pgm_nb.errors import DataError
from pgm_nb.explain.case_values import rows_and_labels
from pgm_nb.explain.importance.out_of_fold import fit_fold
from pgm_nb.explain.protocols import ExplainedModel, check_model
from pgm_nb.scoring.folds import Fold, Progress, folds_per_pass, in_parallel, make_folds
from pgm_nb.scoring.metrics import CURVE_METRICS, METRICS, score_sizes

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd

__all__ = ["ImportanceCurve", "importance_curve"]

_ROUNDING = 1e-12  # scores that differ by no more are equal


@dataclass(frozen=True, eq=False)
class ImportanceCurve:
    """Scores on rows not trained on against the number of parts of a model.

    Attributes
    ----------
    names : tuple of str
        The parts in the order in which a model of all rows takes them.
    unit : str
        What the parts are: "attributes", or "parts" where one part is about several.
    positive : str
        With two classes the one whose precision, recall, F1 and AUC are meant (the second); else "".
    folds : array (folds, sizes, metrics)
        The score of every fold for 0, 1, ... all parts; metrics as `CURVE_METRICS`.
    folds_per_pass : int
        Folds in one pass over the rows.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> curve = pnb.importance_curve(pnb.GeneralizedNaiveBayes(), *pnb.load_sample("iris"))
    >>> curve.names[:2]
    ('petal width', 'petal length')
    >>> curve.smallest["log_loss"], curve.best["log_loss"]
    (2, 2)
    """

    names: tuple[str, ...]
    unit: str
    positive: str
    folds: Floats
    folds_per_pass: int

    def __post_init__(self) -> None:
        self.folds.flags.writeable = False

    @property
    def mean(self) -> Floats:
        """Mean over the folds, (sizes, metrics)."""
        mean: Floats = self.folds.mean(axis=0)
        return mean

    @property
    def standard_error(self) -> Floats:
        """Standard error of the mean, (sizes, metrics).

        The deviation between folds over the root of the folds *in one pass*: repeated passes steady the
        mean, but they bring no new rows.
        """
        error: Floats = self.folds.std(axis=0, ddof=1) / np.sqrt(self.folds_per_pass)
        return error

    @property
    def best(self) -> dict[str, int]:
        """The number of parts with the best mean of each metric; of equals the smallest."""
        best = [self._best(m) for m in range(len(CURVE_METRICS))]
        return dict(zip(CURVE_METRICS, best, strict=True))

    @property
    def smallest(self) -> dict[str, int]:
        """The smallest number of parts within one standard error of the best, for each metric."""
        cost, error = self._cost, self.standard_error
        found = {}
        for m, name in enumerate(CURVE_METRICS):
            best = self._best(m)
            limit = cost[best, m] + error[best, m] + _ROUNDING
            found[name] = int(np.flatnonzero(cost[:, m] <= limit)[0])
        return found

    def to_frame(self) -> pd.DataFrame:
        """One row per number of parts: what comes in, then mean and standard error of each metric."""
        import pandas as pd

        frame = pd.DataFrame({self.unit: range(len(self.mean)), "part": self._labels()})
        mean, error = self.mean, self.standard_error
        for m, name in enumerate(CURVE_METRICS):
            frame[name], frame[f"{name}_se"] = mean[:, m], error[:, m]
        return frame

    def chart(self, metrics: str | Sequence[str] = "log_loss", *, theme: str = "light") -> alt.LayerChart:
        """Draw one or more metrics with their standard errors; numbers show where the pointer rests.

        Parameters
        ----------
        metrics : str or sequence of str
            Some of `CURVE_METRICS`. With one of them, the best and the smallest good number of parts are
            marked.
        theme : {"light", "dark"}
            Colours for a light or a dark page.
        """
        from pgm_nb.views.chart.explanation import Line, lines

        chosen = [metrics] if isinstance(metrics, str) else list(metrics)
        for name in chosen:
            if name not in CURVE_METRICS:
                raise DataError(f"there is no metric {name!r}; choose from {', '.join(CURVE_METRICS)}.")
        mean, error, labels = self.mean, self.standard_error, self._labels()
        drawn = [
            Line(METRICS[name].title, mean[:, m].tolist(), error[:, m].tolist())
            for name, m in ((name, CURVE_METRICS.index(name)) for name in chosen)
        ]
        marks = {}
        if len(chosen) == 1:
            marks = {
                "best": self.best[chosen[0]],
                "smallest within one standard error": self.smallest[chosen[0]],
            }
        return lines(drawn, labels, x_title=f"{self.unit} used", marks=marks, theme=theme)

    @property
    def _cost(self) -> Floats:
        """The mean, turned so that less is better; a score that is not defined is never best."""
        sign = np.where(np.array(CURVE_METRICS) == "log_loss", 1.0, -1.0)
        return np.nan_to_num(self.mean * sign, nan=np.inf)

    def _best(self, metric: int) -> int:
        cost = self._cost[:, metric]
        return int(np.flatnonzero(cost <= cost.min() + _ROUNDING)[0])

    def _labels(self) -> list[str]:
        labels = ["base rate", *self.names][: len(self.mean)]
        return labels + [""] * (len(self.mean) - len(labels))


def importance_curve(
    model: ExplainedModel,
    X: Any,
    y: Any,
    *,
    cv: Any = 5,
    random_state: int | None = 0,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> ImportanceCurve:
    """Score the model with its first 0, 1, ... all parts on rows it was not trained on.

    In every fold a copy of the model is trained once; the scores of all smaller models are then partial
    sums of its score, so the whole curve costs one cross-validation. The parts come in the order of
    `importance_` of that fold's model. For GNB a model of p attributes is one of p - 1 clusters.

    Parameters
    ----------
    model : model of pgm_nb
        Fitted or not; it is copied.
    X, y
        Table and labels.
    cv : int, str, splitter of scikit-learn, or iterable of pairs of arrays
        A number of stratified folds; "10x10" for ten times ten; or folds of your own.
    random_state : int, optional
        Which folds.
    n_jobs : int
        Processes that share the folds; any number gives the same result.
    progress : callable, optional
        Called with the fraction done; may raise to cancel.

    Returns
    -------
    ImportanceCurve

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> curve = pnb.importance_curve(pnb.NaiveBayes(), *pnb.load_sample("iris"), cv="2x5")
    >>> curve.to_frame()[["attributes", "part", "accuracy", "accuracy_se"]].round(2).head(3)
       attributes          part  accuracy  accuracy_se
    0           0     base rate      0.33         0.00
    1           1   petal width      0.93         0.02
    2           2  petal length      0.96         0.01
    """
    from sklearn.base import clone

    check_model(model, "prefix_scores", "An importance curve")
    frame, labels = rows_and_labels(X, y)
    classes, codes = np.unique(labels.to_numpy(), return_inverse=True)
    folds = make_folds(frame, labels.to_numpy(), cv, random_state)
    if len(folds) < 2:
        raise DataError(f"cross-validation needs at least 2 folds, but cv gives {len(folds)}: ask for more.")
    whole: ExplainedModel = clone(model).fit(frame, labels)
    terms = whole.terms(frame.iloc[:1])
    work = partial(_score_fold, model, frame, labels, len(classes), codes)
    found = in_parallel(work, folds, n_jobs=n_jobs, progress=progress)
    alone = all(about[:1] == (name,) for name, about in zip(terms.names, terms.attributes, strict=True))
    return ImportanceCurve(
        terms.names,
        "attributes" if alone else "parts",
        str(classes[1]) if len(classes) == 2 else "",
        _of_one_length(found),
        folds_per_pass(folds, len(frame)),
    )


def _score_fold(
    model: ExplainedModel,
    frame: pd.DataFrame,
    labels: pd.Series,
    n_classes: int,
    codes: Places,
    fold: Fold,
) -> Floats:
    fitted: ExplainedModel = fit_fold(model, frame, labels, n_classes, fold)
    joint = fitted.prefix_scores(frame.iloc[fold.test])  # (n, sizes, k)
    posterior = normalise(joint.reshape(-1, joint.shape[2]), fitted.class_log_prior_).reshape(joint.shape)
    return score_sizes(posterior, codes[fold.test])


def _of_one_length(curves: Sequence[Floats]) -> Floats:
    """Stack curves; a model that has fewer parts than another keeps its last score."""
    longest = max(len(curve) for curve in curves)
    return np.stack([np.pad(curve, ((0, longest - len(curve)), (0, 0)), mode="edge") for curve in curves])
