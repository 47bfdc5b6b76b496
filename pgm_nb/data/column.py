"""How the cells of one column become codes."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import pairwise
from math import isfinite
from sys import float_info
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pgm_nb.arrays import Codes, Ints, rebuilt, revived
from pgm_nb.data.cuts import bin_codes
from pgm_nb.data.frame import is_number, numbers, tidy
from pgm_nb.data.labels import number_label, unique_labels
from pgm_nb.errors import DataError
from pgm_nb.words import listed

__all__ = ["MOST_STATES", "Column", "code_type", "plain_states"]

State = str | int | float | bool

MOST_STATES = 1_000
KINDS = ("numeric", "categorical", "boolean", "ordered")
_NUMBER_KINDS = ("numeric", "boolean")
_LARGEST_BYTE_CARD = 254


@dataclass(frozen=True)
class Column:
    """How the cells of one column become codes.

    Attributes
    ----------
    name
        The column's name.
    kind
        ``"numeric"``, ``"categorical"``, ``"boolean"`` or ``"ordered"``.
    states
        The values a cell can have, in code order; for a binned column the names of its intervals.
    cuts
        Inner cut points of a binned column (the code is the number of cuts below the value), else None.
    missing_state
        Whether the last state stands for a missing cell.
    empty_unknown
        Whether an empty cell is unknown all the same; its state can still be named.

    Examples
    --------
    >>> age = Column("age", "numeric", ("≤ 40", "(40, 60]", "> 60"), cuts=(40.0, 60.0))
    >>> age.encode([35, 60, 61, float("nan")])  # 3 means unknown
    array([0, 1, 2, 3], dtype=uint8)
    """

    name: str
    kind: str
    states: tuple[State, ...]
    cuts: tuple[float, ...] | None = None
    missing_state: bool = False
    empty_unknown: bool = False

    __reduce__ = rebuilt

    @property
    def card(self) -> int:
        """Number of states; also the code of a cell that is none of them (unknown)."""
        return len(self.states)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Readable names of the states, all different."""
        return unique_labels(
            number_label(state) if isinstance(state, float) else str(state) for state in self.states
        )

    def encode(self, values: object) -> Codes:
        """Return the code of every cell; an unseen value, or NaN without a missing state, is `card`."""
        return self.encode_tidy(
            tidy(
                values
                if isinstance(values, pd.Series)
                else pd.Series(values, name=self.name, dtype=object if isinstance(values, list) else None)
            )
        )

    @property
    def takes_numbers(self) -> bool:
        """Whether its values are numbers or booleans."""
        return self.kind in _NUMBER_KINDS

    def encode_tidy(self, column: pd.Series, codes: Codes | None = None) -> Codes:
        """Return the code of every cell of a column as `tidy` gives it, in `codes` if that is given."""
        if codes is None:
            codes = np.empty(len(column), dtype=self._dtype)
        if is_number(column) and self.kind in _NUMBER_KINDS:
            codes[:] = self.as_precise(column.dtype)._encode_numbers(numbers(column))
            return codes
        if isinstance(column.array, pd.Categorical):
            places, words = column.array.codes, column.array.categories
        else:
            places, words = pd.factorize(column)
        of_word = self._encode_words(plain_states(words))  # look up every distinct word once
        if (of_word == np.arange(len(of_word))).all() and places.min(initial=0) >= 0:  # as in training
            np.copyto(codes, places, casting="unsafe")
        else:
            table = np.append(of_word, self._dtype.type(self.absent)).astype(codes.dtype)
            np.take(table, places, out=codes, mode="wrap")  # an empty cell has the place -1
        return codes

    def encode_number(self, value: float) -> int:
        """Return the code of one finite number, as `encode` gives it for a column of numbers.

        Examples
        --------
        >>> Column("age", "numeric", ("≤ 40", "> 40"), cuts=(40.0,)).encode_number(35)
        0
        """
        return int(self._encode_numbers(np.array([value], dtype=np.float64))[0])

    def as_precise(self, dtype: object) -> Self:
        """Return the column with its numbers rounded as those of a table in single precision are.

        0.1 in single precision is not 0.1 in double precision, but is the same value to whoever wrote it. A
        cut point next to a short number, which is then a value, must stay on its side of it.
        """
        known: Sequence[State] = self.known if self.cuts is None else self.cuts
        if str(dtype).lower() != "float32" or not any(isinstance(value, float) for value in known):
            return self
        with np.errstate(over="ignore"):
            single = np.array(known, dtype=np.float32)
        if self.cuts is not None:
            near = np.array([float(f"{cut:.7g}") for cut in self.cuts])
            single = near.astype(np.float32)
            below = np.array(self.cuts) < near
            single = np.where(below, np.nextafter(single, np.float32(-np.inf)), single)
        rounded = tuple(single.astype(np.float64).tolist())
        if not all(low < high for low, high in pairwise(rounded)):
            return self
        if self.cuts is not None:
            return replace(self, cuts=rounded)
        return replace(self, states=(*rounded, *self.states[len(known) :]))

    def _encode_numbers(self, cells: NDArray[np.float64]) -> Codes:
        absent = np.isnan(cells)
        if absent.all() or not self.known:
            return np.where(absent, self.absent, self.card).astype(self._dtype)
        found = bin_codes(cells, self.cuts) if self.cuts is not None else self._find(cells)
        codes = found.astype(self._dtype, copy=False)
        if absent.any():
            codes[absent] = self.absent
        return codes

    def _find(self, cells: NDArray[np.float64]) -> NDArray[np.intp]:
        """Return the position of each number among the ascending states, `card` if it is none of them."""
        known = np.array(self.known, dtype=np.float64)
        place = np.minimum(np.searchsorted(known, cells), len(known) - 1)
        return np.where(known[place] == cells, place, self.card)

    def _encode_words(self, words: tuple[State, ...]) -> Codes:
        if self.kind in _NUMBER_KINDS and self.known:
            self._refuse(self.kind, "text", [word for word in words if isinstance(word, str)])
            return self._encode_numbers(np.array(words, dtype=np.float64))
        if all(isinstance(state, str) for state in self.known):
            self._refuse("text", "numeric", [word for word in words if not isinstance(word, str)])
        place = {state: code for code, state in enumerate(self.known)}
        return np.array([place.get(word, self.card) for word in words], dtype=self._dtype)

    def _refuse(self, was: str, now: str, words: list[State]) -> None:
        if words and self.known:
            raise DataError(
                f"column {self.name!r} was {was} at training and is {now} now (such as {words[0]!r}): use "
                "the same kind of value, or leave the cell empty if the value is unknown."
            )

    def grown(self, states: Iterable[State], *, empty: bool, most: int) -> Self:
        """Return the column with further states, as if it had been learned from all rows at once.

        Parameters
        ----------
        states : iterable of state
            What cells hold; a state that the column has already changes nothing.
        empty : bool
            Whether a missing cell needs a state.
        most : int
            The most numbers that can be states; words can be up to 1,000.

        Examples
        --------
        >>> Column("colour", "categorical", ("blue", "red")).grown(["green"], empty=True, most=10).states
        ('blue', 'green', 'red', 'missing')
        """
        new = [state for state in dict.fromkeys(states) if state not in self.known]
        if not new and not (empty and not self.missing_state):
            return self
        known = self._with(new, most if self.kind == "numeric" else MOST_STATES) if new else self.known
        column = replace(self, states=known, missing_state=False)
        if not empty and not self.missing_state:
            return column
        label = unique_labels((*column.labels, "missing"))[-1]
        return replace(column, states=(*known, label), missing_state=True)

    def _with(self, new: list[State], most: int) -> tuple[State, ...]:
        """Return the states and further ones, in order; refuse what can only be decided on all rows."""
        begin = "begin again with rows that hold all of its states, or declare them as pandas categories."
        if not self.known:
            raise DataError(
                f"column {self.name!r} had no value in the first rows, and has {new[0]!r} now: {begin}"
            )
        if self.kind in ("boolean", "ordered"):
            raise DataError(
                f"column {self.name!r} is {self.kind} with the states {listed(self.labels)}, and a later row "
                f"has {new[0]!r}: {begin}"
            )
        if len(self.known) + len(new) > most:
            advice = f"give its cut points, such as discretizer={{{self.name!r}: [...]}}, {begin}"
            raise DataError(
                f"column {self.name!r} has more than {most:,} distinct values with the later rows, too many "
                f"to be states; {advice if self.kind == 'numeric' else 'group its values, or leave it out.'}"
            )
        if self.kind == "numeric" and all(isinstance(state, int) for state in self.known):
            new = [int(state) if float(state).is_integer() else state for state in new]
        every = (*self.known, *new)
        try:
            ascending = list(self.known) == sorted(self.known)
            return tuple(sorted(every)) if ascending else every
        except TypeError:  # words and numbers
            return every

    def places(self, later: Self) -> Ints:
        """Return the code that each state has in a later form of the column.

        Examples
        --------
        >>> colour = Column("colour", "categorical", ("blue", "red"))
        >>> colour.places(colour.grown(["green"], empty=False, most=10))
        array([0, 2])
        """
        code = {state: place for place, state in enumerate(later.known)}
        found = [code[state] for state in self.known] + [later.card - 1] * self.missing_state
        return np.array(found, dtype=np.int64)

    def to_dict(self) -> dict[str, Any]:
        """Return the column as plain values for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, record: dict[str, Any]) -> Self:
        """Return the column that `to_dict` wrote."""
        column: Self = revived(cls, record, float_info.max)
        cuts = column.cuts
        if column.kind not in KINDS or not _are_states(column.states):
            raise ValueError(f"column {column.name!r} is not one that a table can have")
        known = column.known
        if (
            cuts is None
            and column.kind in _NUMBER_KINDS
            and not (
                all(isinstance(state, int | float) for state in known)
                and all(float(low) < float(high) for low, high in pairwise(known))
            )
        ):
            raise ValueError(f"the states of column {column.name!r} are not ascending numbers")
        if cuts is not None and not (
            len(cuts) + 1 == len(column.known)
            and all(isinstance(cut, int | float) and isfinite(cut) for cut in cuts)
            and all(low < high for low, high in pairwise(cuts))
        ):
            raise ValueError(
                f"the cut points of column {column.name!r} do not ascend, one between two states"
            )
        return column

    @property
    def n_ordered(self) -> int:
        """How many of the first states have an order: intervals and grades, not a missing cell."""
        return len(self.known) if self.kind in ("numeric", "ordered") else 0

    @property
    def known(self) -> tuple[State, ...]:
        """The states that a value can have: all but that of a missing cell."""
        return self.states[:-1] if self.missing_state else self.states

    @property
    def absent(self) -> int:
        """The code of a missing cell."""
        return self.card - (self.missing_state and not self.empty_unknown)

    @property
    def _dtype(self) -> np.dtype[np.unsignedinteger]:
        return code_type(self.card)


def _are_states(states: tuple[object, ...]) -> bool:
    """Say whether these can be the states of a column: text and numbers, all different."""
    return (
        len(states) > 0
        and all(isinstance(state, str | int | float) for state in states)
        and len({(type(state), state) for state in states}) == len(states)
    )


def plain_states(values: pd.Index) -> tuple[State, ...]:
    """Return declared categories as text, numbers and booleans; anything else becomes text.

    Examples
    --------
    >>> import pandas as pd
    >>> plain_states(pd.Index([1, 2])), plain_states(pd.interval_range(0, 2))
    ((1, 2), ('(0, 1]', '(1, 2]'))
    """
    return tuple(value if isinstance(value, str | int | float) else str(value) for value in values.tolist())


def code_type(card: int) -> np.dtype[np.unsignedinteger]:
    """Return the smallest type that holds the codes of so many states, and the one that means unknown.

    Examples
    --------
    >>> code_type(254), code_type(255)
    (dtype('uint8'), dtype('uint16'))
    """
    return np.dtype(np.uint8 if card <= _LARGEST_BYTE_CARD else np.uint16)
