"""What is unusual about a case, said aloud: numbers out of range, combinations never seen, conflict."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pgm_nb.data.labels import number_label
from pgm_nb.words import listed

if TYPE_CHECKING:
    from pgm_nb.explain.cases import CaseAnalysis
    from pgm_nb.explain.protocols import Known
    from pgm_nb.explain.support import RowsBehind

__all__ = ["remarks"]

Mark = Callable[[str], str]
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
    said = []
    if rows is not None:
        for name, (low, high) in rows.out_of_range(known).items():
            value = number_label(float(str(known[name])), 6)
            ends = f"{number_label(low, 6)} to {number_label(high, 6)}"
            said.append(f"{mark(name)} = {value} is out of range: the rows have {ends}.")
        unseen = _unseen(analysis, known, rows)
        if unseen:
            said.append(f"No row has these values together: {mark(listed(unseen, limit=MANY))}.")
    if analysis.is_impossible(known):
        said.append(
            "These values are far from those of every class, so the probabilities only show how common the "
            "classes are. Check the numbers."
        )
    conflict = analysis.conflict(known)
    if conflict is not None:
        times, odd = conflict
        often = f"about {times:,.0f} times" if times < 1e6 else "more than a million times"
        said.append(
            f"These values hardly go together: their combination is {often} rarer than it would be if they "
            f"were independent. {mark(odd)} fits least with the rest; is it right?"
        )
    return tuple(said)


def _unseen(analysis: CaseAnalysis, known: Known, rows: RowsBehind) -> list[str]:
    """Return the facts that no row has together: a pair if there is one, else all of a few; empty if none.

    With many known values hardly any case is like another, so only pairs are worth a remark then.
    """
    pair: tuple[str, ...] | None = rows.unseen_pair(known)
    if pair is None and 2 < len(known) <= MANY and rows.support(known).n == 0:
        pair = tuple(known)
    return [] if pair is None else [analysis.fact(name, known[name]) for name in pair]
