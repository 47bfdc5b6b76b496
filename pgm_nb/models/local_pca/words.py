"""Words as numbers for the local-PCA mixture: the numbers by which the classes differ most."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import pandas as pd

from pgm_nb.arrays import Floats, Places
from pgm_nb.data import Encoder, learn_encoder
from pgm_nb.data.frame import is_number
from pgm_nb.models.continuous import stack_numbers

__all__ = ["WordNumbers", "word_scores"]


@dataclass(frozen=True, eq=False)
class WordNumbers:
    """Which columns hold words, and the number of every word.

    Examples
    --------
    >>> frame = pd.DataFrame({"age": [30.0, 40.0, 50.0, 60.0], "sex": ["f", "f", "m", None]})
    >>> words = WordNumbers.learn(frame, np.array([0, 0, 1, 1]), 2)
    >>> words.cells(frame).round(2).tolist()
    [[30.0, -0.71], [40.0, -0.71], [50.0, 1.41], [60.0, nan]]
    """

    encoder: Encoder  #: of the columns of words; a missing cell is no state
    scores: tuple[Floats, ...]  #: the number of every state

    @classmethod
    def learn(cls, frame: pd.DataFrame, y: Places, n_classes: int) -> Self:
        """Learn the numbers of the words of a training table."""
        places = [place for place in range(frame.shape[1]) if not is_number(frame.iloc[:, place])]
        if not places:
            return cls(Encoder(()), ())
        encoder, codes, _, _ = learn_encoder(frame.iloc[:, places], None, discretizer=None, missing="state")
        columns = tuple(
            replace(column, states=column.states[:-1], missing_state=False)
            if column.missing_state
            else column
            for column in encoder.columns
        )
        scores = []
        for column, coded in zip(columns, codes, strict=True):
            known = coded < column.card
            cells = y[known] * column.card + coded[known]
            counts = np.bincount(cells, minlength=n_classes * column.card).reshape(n_classes, column.card)
            scores.append(word_scores(counts.astype(np.float64)))
        return cls(Encoder(columns), tuple(scores))

    def cells(self, frame: pd.DataFrame) -> Floats:
        """Return a table as numbers, (n, d); NaN for a word that training did not have."""
        if not self.scores:
            return stack_numbers(frame, range(frame.shape[1]))
        names = [str(name) for name in frame.columns]
        coded = set(self.encoder.names)
        measured = [place for place, name in enumerate(names) if name not in coded]
        cells = np.empty(frame.shape, order="F")
        cells[:, measured] = stack_numbers(frame, measured)
        words = frame.iloc[:, [names.index(name) for name in self.encoder.names]]
        for name, codes, scores in zip(
            self.encoder.names, self.encoder.encode(words), self.scores, strict=True
        ):
            cells[:, names.index(name)] = np.append(scores, np.nan)[codes]
        return cells

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {"encoder": self.encoder.to_dict(), "scores": [scores.tolist() for scores in self.scores]}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any] | None) -> Self:
        """Return what `to_dict` wrote; without a record there are no words."""
        if record is None:
            return cls(Encoder(()), ())
        scores = tuple(np.array(numbers, dtype=np.float64) for numbers in record["scores"])
        return cls(Encoder.from_dict(record["encoder"]), scores)


def word_scores(counts: Floats) -> Floats:
    """Return a number for every state of a column from its counts by class, (k, v).

    The first axis of correspondence analysis: of all numbers of mean 0 and variance 1 over the rows, those
    whose means differ most between the classes. With two classes the order is that of P(class | state). One
    imaginary row, spread as all rows are, is added to every state, so that rare words stay near the middle.
    The commonest state has a number that is not positive.

    Examples
    --------
    >>> word_scores(np.array([[30.0, 0.0], [0.0, 10.0]])).round(3)
    array([-0.577,  1.732])
    """
    total = counts.sum()
    states = counts.shape[1]
    if states < 2 or total == 0:
        return np.zeros(states)
    base = counts.sum(axis=1, keepdims=True) / total
    shares = (counts + base) / (total + states)
    rows, columns = shares.sum(axis=1, keepdims=True), shares.sum(axis=0, keepdims=True)
    expected = rows @ columns
    present = rows[:, 0] > 0
    residuals = ((shares - expected) / np.sqrt(np.where(expected > 0, expected, 1.0)))[present]
    _, values, axes = np.linalg.svd(residuals, full_matrices=False)
    if not values[0] > 1e-12:  # the classes do not differ: any numbers do
        return np.zeros(states)
    scores: Floats = axes[0] / np.sqrt(columns[0])
    weights = counts.sum(axis=0) / total
    scores = scores - weights @ scores
    scores /= np.sqrt(weights @ scores**2)
    return -scores if scores[int(counts.sum(axis=0).argmax())] > 0 else scores
