"""Which of many classes are shown: the most probable ones first, the rest folded."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["MANY", "TOP", "likeliest"]

MANY, TOP = 8, 6  # classes that are all shown; and of more, the most probable ones


def likeliest(shares: Sequence[float], chosen: int | None = None) -> tuple[list[int], list[int]]:
    """Return the places of the classes that are shown and of those that are folded.

    Few classes are all shown, in their own order. Of many, the most probable ones come first, and the one
    that was chosen is among them.

    Parameters
    ----------
    shares : sequence of float
        Probability of each class.
    chosen : int, optional
        Place of a class that is always shown.

    Examples
    --------
    >>> likeliest([0.2, 0.8])
    ([0, 1], [])
    >>> shown, rest = likeliest([place / 325 for place in range(26)], chosen=3)
    >>> shown, len(rest)
    ([25, 24, 23, 22, 21, 20, 3], 19)
    """
    if len(shares) <= MANY:
        return list(range(len(shares))), []
    order = sorted(range(len(shares)), key=lambda place: -float(shares[place]))
    shown = order[:TOP]
    if chosen is not None and chosen not in shown:
        shown.append(chosen)
    return shown, [place for place in order if place not in shown]
