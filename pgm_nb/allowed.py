"""What a value that a user gives may be: options of models, weights, shares, likelihoods, costs, prices."""

from contextlib import suppress
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pgm_nb.arrays import Floats
from pgm_nb.errors import DataError, PgmNbError

__all__ = ["FINITE", "MOST", "NOT_NEGATIVE", "POSITIVE", "SHARE", "Allowed", "number_array", "shown", "whole"]

MOST = 1e100  # products of three such numbers, and of three of 1 / MOST, are still floating-point numbers
MOST_WHOLE = 10**9
MOST_SHOWN = 60  # characters of a wrong value in a sentence


@dataclass(frozen=True)
class Allowed:
    """A range of numbers, a few words, or both.

    Examples
    --------
    >>> rows = Allowed(1e-100, 1e100, what="a positive number", words=("paper", None), advice="1.0 is usual")
    >>> rows.check("smoothing", np.float32(0.5)), rows.check("smoothing", "paper")
    (0.5, 'paper')
    >>> rows.check("smoothing", 0)
    Traceback (most recent call last):
    pgm_nb.errors.DataError: smoothing must be 'paper', a positive number from 1e-100 to 1e+100 or None, but
    is 0; 1.0 is usual
    """

    low: float = np.inf  #: by default no number at all
    high: float = -np.inf
    what: str = "a number"
    whole: bool = False
    words: tuple[str | None, ...] = ()
    advice: str = ""  #: what to do, said after a wrong value

    def check(self, name: str, value: Any, error: type[PgmNbError] = DataError) -> Any:
        """Return the value, a number as an `int` or a `float`; refuse any other in a sentence."""
        plain = value.item() if isinstance(value, np.generic) else value
        if (plain is None or isinstance(plain, str)) and plain in self.words:
            return plain
        number = isinstance(plain, Integral if self.whole else Real) and not isinstance(plain, bool)
        if number and self.low <= plain <= self.high:  # exact, however large a whole number is
            with suppress(OverflowError):
                return int(plain) if self.whole else float(plain)
        advice = f"; {self.advice}" if self.advice else ""
        raise error(f"{name} must be {self}, but is {shown(value)}{advice}")

    def __str__(self) -> str:
        ways = [repr(word) for word in self.words if word is not None]
        if self.low <= self.high:
            form = ",d" if self.whole else "g"
            ways.append(f"{self.what} from {self.low:{form}} to {self.high:{form}}")
        ways += ["None"] if None in self.words else []
        return " or ".join(part for part in (", ".join(ways[:-1]), ways[-1]) if part)


FINITE = Allowed(-MOST, MOST)
NOT_NEGATIVE = Allowed(0, MOST)
POSITIVE = Allowed(1 / MOST, MOST, "a positive number")
SHARE = Allowed(0, 1, "a share")


def whole(
    low: int, high: int = MOST_WHOLE, what: str = "a whole number", none: bool = False, advice: str = ""
) -> Allowed:
    """Return a range of whole numbers, perhaps with None.

    Examples
    --------
    >>> print(whole(2, 9, none=True))
    a whole number from 2 to 9 or None
    """
    return Allowed(low, high, what, whole=True, words=(None,) if none else (), advice=advice)


def number_array(name: str, values: ArrayLike, n: int, each: str) -> Floats:
    """Return one number that is not negative for each of n things, as an array; tiny ones are refused too.

    Examples
    --------
    >>> number_array("sample_weight", [0, 2], 2, "rows")
    array([0., 2.])
    >>> number_array("sample_weight", [1, "x"], 2, "rows")
    Traceback (most recent call last):
    pgm_nb.errors.DataError: sample_weight must have a number for each of the 2 rows, but is [1, 'x']
    """
    try:
        array = np.asarray(values)
        found = None if array.dtype.kind == "c" else array.astype(np.float64)
    except (TypeError, ValueError, ArithmeticError):  # a ragged list, a word; 10**400, a signalling NaN
        found = None
    if found is None or found.shape != (n,):
        got = shown(values) if found is None else f"of shape {found.shape}"
        raise DataError(f"{name} must have a number for each of the {n:,} {each}, but is {got}")
    wrong = ~((found == 0) | ((found >= POSITIVE.low) & (found <= POSITIVE.high)))
    if wrong.any():
        raise DataError(
            f"{name} must hold finite numbers that are not negative, each 0 or {POSITIVE}, but holds "
            f"{found[wrong][0]:g}; correct it"
        )
    return found


def shown(value: Any) -> str:
    """Return how a wrong value is written in a sentence: in one short line, whatever it is.

    Examples
    --------
    >>> shown("x"), len(shown(10**400)), shown(10**9999)
    ("'x'", 60, 'a very long int')
    """
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # Python writes no whole number of more than 4,300 digits
        return f"a very long {type(value).__name__}"
    return text if len(text) <= MOST_SHOWN else f"{text[: MOST_SHOWN - 3]}..."
