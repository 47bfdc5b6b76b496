"""Values that are computed when they are first asked for, and then kept."""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import Any, Generic, Self, TypeVar, cast

__all__ = ["Later", "once"]

Value = TypeVar("Value")


def once(owner: object, name: str, source: object, compute: Callable[[], Value]) -> Value:
    """Return what `compute` gave when it was called for this very source; else call it.

    It is kept in `_answers` of its owner, which pickles and copies leave out.

    Examples
    --------
    >>> found = Later.of(1)
    >>> [once(found, "double", source, lambda: 2 * found.value) for source in ("a", "a", "b")]
    [2, 2, 2]
    """
    answers = vars(owner).setdefault("_answers", {})
    found = answers.get(name)
    if found is None or found[0] is not source:
        found = answers[name] = source, compute()
    return cast("Value", found[1])


class Later(Generic[Value]):
    """A value and how to compute it; what it is computed from is let go as soon as it is known.

    A pickle holds the value itself, never the rows that it would be computed from.

    Examples
    --------
    >>> found = Later(lambda: 6 * 7)
    >>> found.is_known, found.value, found.is_known
    (False, 42, True)
    """

    def __init__(self, compute: Callable[[], Value]) -> None:
        self._compute: Callable[[], Value] | None = compute
        self._lock = RLock()
        self._value: Value

    @classmethod
    def of(cls, value: Value) -> Self:
        """Return a value that is known already."""
        known = cls(lambda: value)
        known._compute, known._value = None, value
        return known

    @property
    def is_known(self) -> bool:
        """Whether it has been computed."""
        return self._compute is None

    @property
    def value(self) -> Value:
        """The value; computed once, also if several threads ask for it."""
        with self._lock:
            if self._compute is not None:
                self._value = self._compute()
                self._compute = None
            return self._value

    def __reduce__(self) -> tuple[Callable[[Value], Self], tuple[Any, ...]]:
        return type(self).of, (self.value,)
