"""Whether an edge is more than chance: tests of (conditional) independence, corrected for their number.

An edge between attributes is tested against I(Xi;Xj|Y) = 0, an edge of the class against I(Xi;Y) = 0. The
statistic is G = 2 n ln(2) I with the information I in bits. Under independence it follows a chi-squared
distribution for large counts; permuting one attribute within each class makes no such assumption.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Codes, Floats, Ints, Places
from pgm_nb.errors import DataError
from pgm_nb.explain.protocols import CodedModel, check_model
from pgm_nb.explain.rows import rows_and_labels
from pgm_nb.scoring.parallel import Progress, in_parallel
from pgm_nb.scoring.significance import holm

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["edge_tests"]

METHODS = ("g", "permutation")
CORRECTIONS = ("holm", "bh", None)
_ROUNDING = 1e-9  # a permuted statistic that is smaller by no more is as large


class EdgeTest(NamedTuple):
    """What one edge gave: its rows, information in bits, statistic, degrees of freedom and p-value."""

    rows: int
    information: float
    statistic: float
    df: int
    p_value: float


def edge_tests(
    model: CodedModel,
    X: Any,
    y: Any,
    *,
    method: str = "g",
    correction: str | None = "holm",
    n_permutations: int | None = None,
    random_state: int | None = 0,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Test every edge of the structure against chance.

    A fitted model is tested as it is, on the rows given: with fresh rows the p-values are honest. A model
    that is not fitted is first fitted to the same rows; it has then picked the strongest of all edges, so
    their p-values are too small. Rows where an attribute of the edge is unknown are left out.

    Parameters
    ----------
    model : NaiveBayes, TreeAugmentedNaiveBayes, GeneralizedNaiveBayes, or one with hidden parents
        Fitted or not.
    X, y
        Table and labels.
    method : {"g", "permutation"}
        The G-test, with (v_i - 1)(v_j - 1) degrees of freedom per class, only states that occur counted; or
        the share of tables at least as dependent when one attribute is permuted within each class.
    correction : {"holm", "bh", None}
        For many edges: Holm (the chance of any false edge) or Benjamini and Hochberg (the share of false
        ones); over all edges of the table.
    n_permutations : int, optional
        How often an attribute is permuted. The smallest p-value is 1 / (n_permutations + 1), so many edges
        need many permutations to withstand the correction: by default 40 per edge, at least 999.
    random_state : int, optional
        Which permutations.
    n_jobs : int
        Processes that share the edges; any number gives the same result.
    progress : callable, optional
        Called with the fraction done; may raise to cancel.

    Returns
    -------
    DataFrame
        One row per edge: source, target, kind, rows, information (bits), statistic, df, p_value, p_corrected.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> tests = pnb.edge_tests(pnb.GeneralizedNaiveBayes(), X, y)
    >>> tests.loc[tests.kind == "tree", ["source", "target", "df", "p_corrected"]].round(5)
             source        target   df  p_corrected
    4   petal width  petal length   34      0.00003
    5  petal length  sepal length   72      0.00001
    6  sepal length   sepal width  128      0.00121
    """
    import pandas as pd
    from sklearn.base import clone

    _check(method, correction, n_permutations)
    check_model(model, "encode", "A test of edges")
    frame, labels = rows_and_labels(X, y)
    fitted: CodedModel = model if hasattr(model, "structure_") else clone(model).fit(X, y)
    known = frame if hasattr(fitted, "feature_names_in_") else frame.to_numpy()
    codes = fitted.encode(known)
    classes = _class_codes(labels, fitted.classes_)
    edges = _edges(fitted.structure_)
    times = n_permutations or max(999, 40 * len(edges))
    column = {name: i for i, name in enumerate(fitted.encoder_.names)}
    seeds = np.random.SeedSequence(random_state).spawn(len(edges))
    places = [(column.get(source, -1), column[target]) for source, target, _ in edges]
    cards = (*fitted.encoder_.cards, len(fitted.classes_))
    work = partial(_test_edge, codes, classes, cards, method == "permutation", times)
    found = in_parallel(work, list(zip(places, seeds, strict=True)), n_jobs=n_jobs, progress=progress)
    table = pd.DataFrame(edges, columns=["source", "target", "kind"])
    table = table.join(pd.DataFrame(found, columns=list(EdgeTest._fields)))
    table["p_corrected"] = corrected(table["p_value"].to_numpy(), correction)
    return table


def g_test(counts: Ints) -> tuple[float, int]:
    """G statistic and degrees of freedom of tables n(y, a, b), (k, r, c): the sum over the classes y.

    Examples
    --------
    >>> statistic, df = g_test(np.array([[[10, 20], [30, 40]]]))
    >>> round(statistic, 4), df
    (0.8043, 1)
    """
    rows, columns = counts.sum(axis=2), counts.sum(axis=1)
    r, c = (rows > 0).sum(axis=1), (columns > 0).sum(axis=1)
    df = int((np.maximum(r - 1, 0) * np.maximum(c - 1, 0)).sum())
    return float(_statistics(counts[None])[0]), df


def corrected(p_values: Floats, correction: str | None) -> Floats:
    """Correct p-values for their number, by Holm or by Benjamini and Hochberg.

    Examples
    --------
    >>> corrected(np.array([0.01, 0.04, 0.03]), "holm").tolist()
    [0.03, 0.06, 0.06]
    """
    if correction is None:
        return p_values.copy()
    if correction == "bh":
        from scipy.stats import false_discovery_control

        controlled: Floats = false_discovery_control(p_values, method="bh")
        return controlled
    return holm(p_values)


def _test_edge(
    codes: Codes,
    y: Places,
    cards: tuple[int, ...],
    permute: bool,
    times: int,
    edge: tuple[tuple[int, int], np.random.SeedSequence],
) -> EdgeTest:
    from scipy.stats import chi2

    (source, target), seed = edge
    if source < 0:  # an edge of the class: one table of the class and the attribute
        counts = _table(codes[target], y, np.zeros_like(y), (cards[target], cards[-1], 1))
    else:
        counts = _table(codes[source], codes[target], y, (cards[source], cards[target], cards[-1]))
    n = int(counts.sum())
    statistic, df = g_test(counts)
    if permute:
        others = _permuted(counts, times, np.random.default_rng(seed))
        extreme = int((others >= statistic - _ROUNDING * max(statistic, 1.0)).sum())
        p_value = (extreme + 1) / (times + 1)
    else:
        p_value = float(chi2.sf(statistic, df)) if df else 1.0
    return EdgeTest(n, statistic / (2 * n * np.log(2)) if n else 0.0, statistic, df, p_value)


def _table(a: NDArray[Any], b: NDArray[Any], given: Places, cards: tuple[int, int, int]) -> Ints:
    """n(given, a, b) over the rows where all three are known, (k, r, c)."""
    r, c, k = cards
    known = (a < r) & (b < c)
    flat = (given[known].astype(np.intp) * r + a[known]) * c + b[known]
    return np.bincount(flat, minlength=k * r * c).reshape(k, r, c)


def _statistics(counts: Ints) -> Floats:
    """G of many tables at once, (tables,): 2 sum n ln(n n(y) / n(y,a) n(y,b)); counts (tables, k, r, c)."""
    expected = (
        counts.sum(axis=3, keepdims=True)
        * counts.sum(axis=2, keepdims=True)
        / np.maximum(counts.sum(axis=(2, 3), keepdims=True), 1)
    )
    ratio = np.divide(counts, expected, out=np.ones(counts.shape), where=counts > 0)
    total: Floats = 2 * (counts * np.log(ratio)).sum(axis=(1, 2, 3))
    return total


def _permuted(counts: Ints, times: int, rng: np.random.Generator) -> Floats:
    """G of tables drawn with the margins of each class: what permuting within the class would give."""
    from scipy.stats import random_table

    total = np.zeros(times)
    for table in counts:
        rows, columns = table.sum(axis=1), table.sum(axis=0)
        rows, columns = rows[rows > 0], columns[columns > 0]
        if len(rows) > 1 and len(columns) > 1:
            drawn = random_table(rows, columns).rvs(size=times, random_state=rng)
            total += _statistics(drawn.astype(np.int64)[:, None])
    return total


def _edges(structure: Any) -> list[tuple[str, str, str]]:
    """Return source, target and kind of every edge; two attributes that contribute to each other once."""
    seen: dict[frozenset[str], tuple[str, str, str]] = {}
    for edge in structure.edges:
        seen.setdefault(frozenset((edge.source, edge.target)), (edge.source, edge.target, edge.kind))
    return list(seen.values())


def _class_codes(labels: pd.Series, classes: NDArray[Any]) -> Places:
    place = {label: code for code, label in enumerate(classes.tolist())}
    codes = [place.get(label, -1) for label in labels.tolist()]
    if -1 in codes:
        strange = labels.iloc[codes.index(-1)]
        raise DataError(
            f"every label must be a class of the model ({', '.join(map(str, place))}), but one is {strange!r}"
        )
    return np.array(codes, dtype=np.intp)


def _check(method: str, correction: str | None, n_permutations: int | None) -> None:
    if method not in METHODS:
        raise DataError(f"method must be 'g' or 'permutation', but is {method!r}")
    if correction not in CORRECTIONS:
        raise DataError(f"correction must be 'holm', 'bh' or None, but is {correction!r}")
    if n_permutations is not None and n_permutations < 1:
        raise DataError(f"n_permutations must be at least 1, but is {n_permutations}")
