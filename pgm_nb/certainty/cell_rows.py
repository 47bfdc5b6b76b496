"""What the rows of cells say about the level above: how probable they are, and how many come from it.

Most cells have few rows, and what is done for every row of a cell is done for all cells at once. So cells are
put in the order of their rows, most first: the cells that have another row are then the first so many.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import sparse

from pgm_nb.arrays import Floats, Places

__all__ = ["CONCENTRATIONS", "LEAST", "CellRows", "SharedRows", "adding_up", "trigamma"]

CONCENTRATIONS = np.array([0.5, 1, 2, 4, 8, 16, 32, 64, 200, 1000])
LEAST = 1e-12  # keeps shares and imaginary rows positive
FEW = 8  # rows of a cell that are gone through one by one
MOST_NUMBERS = 1 << 15  # that are handled at once: they stay next to the processor


class CellRows:
    """The rows of some cells: the same in all chains, or those of one chain.

    Parameters
    ----------
    rows : array (cells,)
        The rows n of each cell; parts of a row, too.

    Attributes
    ----------
    order : array
        The cells that have rows, those with most rows first.
    is_whole : bool
        Whether no cell has a part of a row.

    Examples
    --------
    >>> cells = CellRows(np.array([0.0, 1.0, 3.0]))
    >>> cells.passed_up(np.full((3, 2), 1e9), np.random.default_rng(0)).tolist()
    [[0.0, 0.0], [1.0, 1.0], [3.0, 3.0]]
    """

    def __init__(self, rows: Floats) -> None:
        self.rows = rows
        steps = np.minimum(np.ceil(rows), FEW + 1).astype(np.uint8)
        self._more = len(rows) - np.cumsum(np.bincount(steps, minlength=FEW + 2))
        self.order: Places = np.argsort(FEW + 1 - steps, kind="stable")[: self._more[0]]
        self._n = rows[self.order, None]
        self.is_whole = bool((self._n == np.rint(self._n)).all())

    def log_rising(self, above: Floats, sums: sparse.csc_array) -> Floats:
        """Sum log G(a p + n) / G(a p) over cells, for every concentration a: (sums, concentrations, chains).

        Few rows are factors: a p (a p + 1) (a p + 2), one more for every row.

        Parameters
        ----------
        above : array (cells, chains)
            What the level above says about the cells, p.
        sums : sparse array (sums, cells with rows)
            Which of the cells, in `order`, are added up.

        Examples
        --------
        >>> cells = CellRows(np.array([2.0, 0.0, 5.0]))
        >>> logs = cells.log_rising(np.array([[0.5], [0.25], [0.25]]), adding_up(np.array([0, 0]), 1))
        >>> np.exp(logs[0, 3, 0]).round(3)  # a = 4: 2 3 times 1 2 3 4 5
        np.float64(720.0)
        """
        return _rising(above, sums, self.order, self._log_factors)

    def _log_factors(self, leaning: Floats) -> Floats:
        """Return log G(l + n) / G(l) of the cells in order, (cells, any), l being their imaginary rows."""
        if not self.is_whole:
            both = leaning + self._n
            shares = _first_factors(leaning) / _first_factors(both)
            found: Floats = np.log(shares) + _log_gamma(both + FEW) - _log_gamma(leaning + FEW)
            return found
        factors = leaning.copy()
        for row in range(1, FEW):
            more = self._more[row]
            factors[:more] *= leaning[:more] + row
        logs: Floats = np.log(factors, out=factors)
        if many := self._more[FEW]:
            logs[:many] += _log_gamma(leaning[:many] + self._n[:many]) - _log_gamma(leaning[:many] + FEW)
        return logs

    def passed_up(self, leaning: Floats, rng: np.random.Generator) -> Floats:
        """Draw how many of the rows of each cell come from the level above: Antoniak's number of tables.

        The first row does, and the row after i others with probability l / (l + i), l being the imaginary
        rows of the cell. After the first few rows the rest is drawn at once, as a binomial number of the same
        mean and variance.

        Parameters
        ----------
        leaning : array (cells, chains)
            The imaginary rows of the cells.
        rng : Generator
            The source of chance.

        Returns
        -------
        array (cells, chains)
        """
        found = np.repeat(np.minimum(self.rows, 1.0)[:, None], leaning.shape[1], axis=1)
        several = self.order[: self._more[1]]
        worth = np.maximum(leaning.take(several, axis=0), LEAST)
        total = np.ones(worth.shape)
        for before in range(1, FEW):
            more = self._more[before]
            limit = worth[:more]
            if not self.is_whole:  # of a part of a row, a part
                limit = np.minimum(self._n[:more] - before, 1.0) * limit
            total[:more] += rng.random(limit.shape) * (worth[:more] + before) < limit
        if many := self._more[FEW]:
            total[:many] += _rest_passed_up(self._n[:many], worth[:many], rng)
        found[several] = total
        return found


class SharedRows:
    """Rows of cells that lean on the same parents: what they say adds up, parent by parent.

    Of all cells of a parent that have more than i rows, the row after i others has the same probability.

    Parameters
    ----------
    rows : array (cells,)
        The rows n of each cell, whole numbers above zero.
    parent : array (cells,)
        The parent of each cell.
    parents : int
        How many parents there are.
    """

    def __init__(self, rows: Floats, parent: Places, parents: int) -> None:
        further = [np.bincount(parent[rows > i], minlength=parents) for i in range(FEW + 1)]
        steps = np.count_nonzero(further, axis=0).astype(np.uint8)
        self.order: Places = np.argsort(FEW + 1 - steps, kind="stable")[: np.count_nonzero(steps)]
        self._more = [int(np.count_nonzero(number)) for number in further]
        self._further = np.array(further, dtype=float)[:, self.order, None]
        place = np.empty(parents, dtype=np.intp)
        place[self.order] = np.arange(len(self.order))
        many = rows > FEW
        alike, times = np.unique(np.stack([place[parent[many]], rows[many]]), axis=1, return_counts=True)
        self._many, self._n, self._times = alike[0].astype(np.intp), alike[1, :, None], times[:, None]
        self._of_many = adding_up(self._many, self._more[FEW])

    def log_rising(self, above: Floats, sums: sparse.csc_array) -> Floats:
        """Do what `CellRows.log_rising` does; `above` and `sums` are those of the parents.

        Examples
        --------
        >>> cells = SharedRows(np.array([2.0, 5.0]), np.array([0, 0]), 1)
        >>> logs = cells.log_rising(np.array([[0.5]]), adding_up(np.array([0]), 1))
        >>> np.exp(logs[0, 3, 0]).round(3)  # a = 4: 2 3 times 2 3 4 5 6
        np.float64(4320.0)
        """
        return _rising(above, sums, self.order, self._log_factors)

    def _log_factors(self, leaning: Floats) -> Floats:
        logs: Floats = self._further[0] * np.log(leaning)
        for row in range(1, FEW):
            more = self._more[row]
            logs[:more] += self._further[row, :more] * np.log(leaning[:more] + row)
        if many := self._more[FEW]:
            rest = self._times * _log_gamma(leaning.take(self._many, axis=0) + self._n)
            logs[:many] += self._of_many @ rest
            logs[:many] -= self._further[FEW, :many] * _log_gamma(leaning[:many] + FEW)
        return logs


def _rising(
    above: Floats, sums: sparse.csc_array, order: Places, log_factors: Callable[[Floats], Floats]
) -> Floats:
    """Sum logs of rising factorials over cells, (sums, concentrations, chains), as many at once as fit."""
    p = np.maximum(above.take(order, axis=0), LEAST)[:, None]
    found = np.empty((sums.shape[0], len(CONCENTRATIONS), above.shape[1]))
    step = max(1, MOST_NUMBERS // max(1, p.size))
    for start in range(0, len(CONCENTRATIONS), step):
        a = CONCENTRATIONS[start : start + step, None]
        logs = log_factors((p * a).reshape(len(p), a.size * above.shape[1]))
        found[:, start : start + step] = (sums @ logs).reshape(len(found), a.size, above.shape[1])
    return found


def adding_up(owner: Places, owners: int) -> sparse.csc_array:
    """Return a matrix that adds up values, (cells, any), for their owners.

    Examples
    --------
    >>> adding_up(np.array([0, 2, 0]), 3) @ np.array([[1.0], [2.0], [4.0]])
    array([[5.],
           [0.],
           [2.]])
    """
    cells = np.arange(len(owner) + 1)
    return sparse.csc_array((np.ones(len(owner)), owner, cells), shape=(owners, len(owner)))


def _rest_passed_up(n: Floats, worth: Floats, rng: np.random.Generator) -> Floats:
    """Draw how many rows after the first few come from the level above."""
    low, high = worth + FEW, worth + n
    mean = worth * (_digamma(high) - _digamma(low))
    lost = worth**2 * (trigamma(low) - trigamma(high))  # what its variance lacks to its mean
    size = np.maximum(np.rint(mean**2 / lost), np.ceil(mean))
    found: Floats = rng.binomial(size.astype(np.int64), mean / size).astype(float)
    return found


def _first_factors(x: Floats) -> Floats:
    """Return x (x + 1) ... (x + 7), as many factors as there are few rows."""
    found = x.copy()
    for row in range(1, FEW):
        found *= x + row
    return found


def _log_gamma(x: Floats) -> Floats:
    """Return the log of the gamma function of numbers from 8 on, but for a constant, to 1e-9.

    Stirling's series: many times as fast as SciPy's function.
    """
    inverse = 1 / x
    square = inverse * inverse
    found: Floats = np.log(x)
    found *= x - 0.5
    found -= x
    found += inverse * (1 / 12 - square * (1 / 360 - square / 1260))
    return found


def _digamma(x: Floats) -> Floats:
    """Return the digamma function of numbers from 8 on, to 1e-8; faster than that of SciPy."""
    inverse = 1 / x
    found: Floats = np.log(x)
    found -= inverse * (0.5 + inverse * (1 / 12 - inverse * inverse / 120))
    return found


def trigamma(x: Floats) -> Floats:
    """Return the derivative of digamma for numbers from 8 on.

    Examples
    --------
    >>> trigamma(np.array([10.0])).round(7)  # pi^2 / 6 less 1 + 1/4 + ... + 1/81
    array([0.1051663])
    """
    inverse = 1 / x
    square = inverse * inverse
    found: Floats = inverse + square / 2 + inverse * square * (1 / 6 - square / 30)
    return found
