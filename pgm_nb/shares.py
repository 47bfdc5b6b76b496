"""Whether amounts of information are written in bits, or as percentages for those who do not use bits."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

__all__ = ["Scale", "as_shares", "scale", "typical"]


@dataclass(frozen=True)
class Scale:
    """What amounts of information are shares of; both are asked for only where they are needed."""

    whole: Callable[[], float]  #: what the best tree captures, in bits
    of_class: Callable[[], float]  #: everything there is to know about the class, in bits


_SCALE: ContextVar[Scale | None] = ContextVar("scale", default=None)


@contextmanager
def as_shares(of: Scale | None) -> Iterator[None]:
    """Write amounts of information as percentages inside; with None, in bits as ever.

    Examples
    --------
    >>> from pgm_nb.words import about_class, bits, in_bits, log_loss
    >>> with as_shares(Scale(lambda: 8.0, lambda: 1.0)):
    ...     print(in_bits(2.0), about_class(0.5), log_loss(1.0), repr(bits(2.0)))
    25.0% 50% a typical probability of 50.0% for the true class ''
    """
    before = _SCALE.set(of)
    try:
        yield
    finally:
        _SCALE.reset(before)


def scale() -> Scale | None:
    """Return what amounts are written as shares of; None if they are written in bits.

    Examples
    --------
    >>> scale() is None
    True
    """
    return _SCALE.get()


def typical(loss: float) -> float:
    """Return the probability of the true class that a log-loss in bits amounts to: their geometric mean.

    Examples
    --------
    >>> typical(0.0), typical(1.0), typical(2.0)
    (1.0, 0.5, 0.25)
    """
    return float(2.0**-loss)
