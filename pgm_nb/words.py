"""Words for messages: the nearest name, a short list of names, a count of things."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

__all__ = ["did_you_mean", "listed", "plural"]


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return ``"; did you mean 'class'?"`` for the known name nearest to `name`, or ``""``.

    Examples
    --------
    >>> did_you_mean("clas", ["age", "class"])
    "; did you mean 'class'?"
    >>> did_you_mean("zzz", ["age", "class"])
    ''
    """
    by_folded = {candidate.casefold(): candidate for candidate in known}
    close = get_close_matches(name.casefold(), by_folded, n=1)
    return f"; did you mean {by_folded[close[0]]!r}?" if close else ""


def listed(names: Sequence[object], limit: int = 12) -> str:
    """Return the names separated by commas, the rest beyond `limit` only counted.

    Examples
    --------
    >>> listed(["age", "sex"])
    'age, sex'
    >>> listed(range(20), limit=3)
    '0, 1, 2 and 17 more'
    """
    shown = ", ".join(str(name) for name in names[:limit])
    return f"{shown} and {len(names) - limit:,} more" if len(names) > limit else shown


def plural(count: int, noun: str) -> str:
    """Return the count with its noun.

    Examples
    --------
    >>> plural(1, "row"), plural(12960, "row")
    ('1 row', '12,960 rows')
    """
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
