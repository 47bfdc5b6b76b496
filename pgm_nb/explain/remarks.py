"""What is unusual about a case, said aloud: numbers out of range, combinations never seen, conflict."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from pgm_nb.data.labels import number_label
from pgm_nb.inference import Evidence
from pgm_nb.words import listed

if TYPE_CHECKING:
    from pgm_nb.explain.cases import CaseAnalysis
    from pgm_nb.explain.protocols import Known
    from pgm_nb.explain.support import RowsBehind

__all__ = ["IMPOSSIBLE", "conflict_remarks", "remarks", "row_remarks"]

Mark = Callable[[str], str]
Fact = Callable[[str, Any], str]
IMPOSSIBLE = (
    "These values are far from those of every class, so the probabilities only show how common the classes "
    "are. Check the numbers."
)
MANY = 5  # known values up to which a combination that no row has is worth a remark


def remarks(
    analysis: CaseAnalysis, known: Known, rows: RowsBehind | None = None, *, mark: Mark = str
) -> tuple[str, ...]:
    """Say what is unusual about what is known of a case, one sentence each; nothing if all is usual.

    Parameters
    ----------
    analysis : CaseAnalysis
        The model.
    known : mapping
        The case; it must be usable.
    rows : RowsBehind, optional
        The training rows. Without them nothing is said about ranges and combinations.
    mark : callable
        Marks the names, for instance in bold.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> from pgm_nb.explain.cases import CaseAnalysis
    >>> X, y = pnb.load_sample("iris")
    >>> model = pnb.NaiveBayes(parameters="generative", n_bins=5, smoothing=1.0).fit(X, y)
    >>> case, rows = {"petal width": 9.0}, pnb.rows_behind(model, X, y)
    >>> remarks(CaseAnalysis.of(model, X), case, rows)
    ('petal width = 9 is out of range: the rows have 0.1 to 2.5.',)
    """
    said = [] if rows is None else row_remarks(rows, known, analysis.fact, mark=mark)
    if analysis.is_impossible(known):
        said.append(IMPOSSIBLE)
    return (*said, *conflict_remarks(analysis.conflict(known), mark=mark))


def row_remarks(rows: RowsBehind, known: Mapping[str, Any], fact: Fact, *, mark: Mark = str) -> list[str]:
    """Say which numbers are out of the range of the rows, and which known values no row has together.

    Parameters
    ----------
    rows : RowsBehind
        The rows.
    known : mapping
        What is known, as `query` takes it.
    fact : callable
        Writes what is known of an attribute, such as ``sex = male``.
    mark : callable
        Marks the names.
    """
    said = []
    for name, (low, high) in rows.out_of_range(known).items():
        value, ends = known[name], f"{number_label(low, 6)} to {number_label(high, 6)}"
        if isinstance(value, Evidence):
            said.append(f"{mark(name)} is {value}, which is out of range: the rows have {ends}.")
        else:
            number = number_label(float(str(value)), 6)
            said.append(f"{mark(name)} = {number} is out of range: the rows have {ends}.")
    unseen = [fact(name, known[name]) for name in _unseen(known, rows)]
    if unseen:
        said.append(f"No row has these values together: {mark(listed(unseen, limit=MANY))}.")
    return said


def conflict_remarks(found: tuple[float, str] | None, *, mark: Mark = str) -> tuple[str, ...]:
    """Say that the known values are in conflict, as `pgm_nb.inference.conflict` found it; nothing for None.

    Examples
    --------
    >>> print(*conflict_remarks((26.4, "feathers")))  # doctest: +ELLIPSIS
    These values hardly go together: ... about 26 times rarer ... feathers fits least ...
    """
    if found is None:
        return ()
    times, odd = found
    often = f"about {times:,.0f} times" if times < 1e6 else "more than a million times"
    return (
        f"These values hardly go together: their combination is {often} rarer than it would be if they "
        f"were independent. {mark(odd)} fits least with the rest; is it right?",
    )


def _unseen(known: Mapping[str, Any], rows: RowsBehind) -> tuple[str, ...]:
    """Return the attributes whose values no row has together: a pair if there is one, else all of a few.

    With many known values hardly any case is like another, so only pairs are worth a remark then.
    """
    pair: tuple[str, ...] | None = rows.unseen_pair(known)
    if pair is None and 2 < len(known) <= MANY and rows.support(known).n == 0:
        pair = tuple(known)
    return pair or ()
