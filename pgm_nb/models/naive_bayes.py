"""Naive Bayes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from pgm_nb.learning import Trace, naive
from pgm_nb.models.about import About
from pgm_nb.models.forest import ForestClassifier

if TYPE_CHECKING:
    from pgm_nb.graphs import Star
    from pgm_nb.information import Information

__all__ = ["NaiveBayes"]


class NaiveBayes(ForestClassifier):
    """Naive Bayes: given the class the attributes are independent; the graph is a star.

    Parameters
    ----------
    discretizer : str, mapping per column of names or cut points, or None
        How numeric columns become states; learned on the training rows only: "quantile", "uniform", "mdlp",
        "order", "kmeans" or "caim". None: every distinct value is a state.
    n_bins : int, optional
        Bins per numeric column, unless "mdlp" or "caim" choose how many; 10 when not given.
    smoothing : "hierarchical", "backoff", float or None
        "hierarchical" estimates P(x), P(x|y) and P(x|mother,y), each level borrowing from the one above, by
        weights chosen per attribute and level by leaving the training rows out one by one; intervals of a
        number also borrow from their neighbours. "backoff" blends only the last two, with a few fixed
        imaginary rows besides. A number m is an m-estimate: m imaginary rows spread evenly over the states.
        None is the unsmoothed rule of Kovács et al. 2024, with its repair for rows that every class rules
        out; nothing is trained for the class then.
    missing : {"state", "drop", "mode"}
        Missing cells at training: a state of their own, rows dropped, or the commonest state.
        `missing_` counts them.
    parameters : {"generative", "class"}
        Tables that describe the attributes in each class, or parameters on the same graph that are trained
        to predict the class: one weight per cluster and a correction per cell, pulled towards the tables,
        with strengths chosen by cross-validation on the training rows. They depend on how many attributes
        of a row are known, so that little evidence is not overrated. KL divergence, samples and questions
        about attributes still come from the generative tables.

    Attributes
    ----------
    structure_ : Star
    trace_ : Trace
    divergence_ : Divergence
    importance_ : DataFrame
    class_parameters_ : ClassParameters or None
        What was trained for the class; None with ``parameters="generative"``.
    classes_, feature_names_in_, n_features_in_, encoder_, missing_

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> model = pnb.NaiveBayes().fit(X, y)
    >>> model.importance_.head(2).round(3)
          attribute mother   gain  weight     kl
    0   petal width   None  1.349   1.349  6.038
    1  petal length   None  1.344   2.693  4.694
    >>> round(model.score(X, y), 2)
    0.95
    """

    about: ClassVar[About] = ForestClassifier.about.but(
        short_name="nb",
        title="Naive Bayes",
        summary="Every attribute depends on the class alone.",
        has_nomogram=True,
        is_baseline=True,
    )
    _searches_pairs: ClassVar[bool] = False

    def _learn(self, info: Information, names: Sequence[str], target: str) -> tuple[Star, Trace]:
        return naive(info, names, target)
