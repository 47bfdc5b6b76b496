"""What can be said about one thing in a picture: numbers, sentences, tables."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from pgm_nb.app.widgets.tables import Table, percentages

__all__ = ["MOST", "Detail", "Number", "ranked"]

MOST = 12  # members or loadings that a table lists


@dataclass(frozen=True)
class Number:
    """A number with its name and a word of help."""

    label: str
    value: str
    help: str = ""


@dataclass(frozen=True)
class Detail:
    """What the panel says; sentences are Markdown with the names of strangers escaped."""

    title: str
    says: tuple[str, ...]
    numbers: tuple[Number, ...] = ()
    tables: tuple[Table, ...] = ()
    more: tuple[Table, ...] = ()  #: tables on demand
    attribute: str | None = None  #: the attribute it is about, if it is one


def ranked(title: str, corner: str, head: str, shares: Mapping[str, float]) -> Table:
    """Return a table of shares, the largest first; the rest of very many is summed up.

    Examples
    --------
    >>> ranked("Bag", "attribute", "share", {"age": 0.25, "sex": 0.75}).rows
    ('sex', 'age')
    """
    order = sorted(shares.items(), key=lambda pair: -pair[1])
    shown = dict(order if len(order) <= MOST + 1 else order[:MOST])
    rest = order[len(shown) :]
    labels, values = [*shown], [*shown.values()]
    if rest:
        labels, values = [*labels, f"{len(rest)} others"], [*values, sum(share for _, share in rest)]
    return percentages(title, corner, labels, [head], np.array(values))
