"""Any table as a pandas DataFrame of numbers, booleans, text or categories; its numbers as a few arrays."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from numbers import Number
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api import types

from pgm_nb.errors import DataError, QueryError
from pgm_nb.words import listed

__all__ = [
    "Block",
    "Tile",
    "array_block",
    "as_frame",
    "check_characters",
    "check_values",
    "columns_at",
    "empty_cells",
    "is_empty",
    "is_float",
    "is_number",
    "is_text",
    "number_blocks",
    "numbers",
    "tidy",
]

TILE = 1 << 15  # cells handled at once: they stay in cache
_KINDS = "biuf"
_STEPS = 3  # columns gone through in the time that asking for one takes
_LARGEST = 8  # bytes of a number: wider ones are columns like any other


@dataclass(frozen=True, eq=False)
class Tile:
    """A piece of a block: some neighbouring columns and rows of it."""

    columns: slice
    rows: slice


@dataclass(frozen=True, eq=False)
class Block:
    """Columns of one NumPy type.

    Attributes
    ----------
    places : array of int
        Which columns of the table they are.
    cells : array of shape (columns, rows)
        Their cells; no copy if the table holds them in one piece.
    """

    places: NDArray[np.intp]
    cells: NDArray[Any]

    @property
    def is_float(self) -> bool:
        """Whether a cell can be missing, or infinite."""
        return self.cells.dtype.kind == "f"

    def tiles(self) -> Iterator[Tile]:
        """Cut the block into pieces that are near each other in memory.

        Examples
        --------
        >>> block = array_block(np.zeros((40_000, 2)).T.copy().T)
        >>> [(tile.columns.start, tile.rows.start) for tile in block.tiles()]
        [(0, 0), (0, 32768), (1, 0), (1, 32768)]
        """
        m, n = self.cells.shape
        by_column = self.cells.strides[1] <= self.cells.strides[0]
        width = max(1, TILE // n) if by_column else m
        height = min(n, TILE) if by_column else max(1, TILE // m)
        for first in range(0, m, width):
            for start in range(0, n, height):
                yield Tile(slice(first, min(first + width, m)), slice(start, min(start + height, n)))

    def check_finite(self, names: pd.Index) -> bool:
        """Refuse infinite cells; return whether every cell has a value.

        Examples
        --------
        >>> array_block(np.array([[1.0, np.nan]])).check_finite(pd.Index(["a", "b"]))
        False
        """
        if not self.is_float:
            return True
        with np.errstate(over="ignore", invalid="ignore"):
            if np.isfinite(self.cells.sum()):  # one cheap pass: NaN and infinity make the sum infinite or NaN
                return True
        complete, infinite = True, False
        for tile in self.tiles():
            cells = self.cells[tile.columns, tile.rows]
            if not np.isfinite(cells).all():
                complete = False  # a missing cell: infinity is refused below
                infinite |= bool(np.isinf(cells).any())
        if infinite:
            column = int(np.isinf(self.cells).any(axis=1).argmax())
            row = int(np.isinf(self.cells[column]).argmax())
            raise DataError(
                f"column {str(names[self.places[column]])!r} contains infinity in row {row + 1}: every "
                "number must be finite; correct the cell, or leave it empty if the value is unknown."
            )
        return complete


def array_block(array: NDArray[Any]) -> Block | None:
    """Return an array, rows down, as one block; None if it is not a table of plain numbers with rows.

    Examples
    --------
    >>> array_block(np.array([[1, 2], [3, 4]])).cells
    array([[1, 3],
           [2, 4]])
    """
    if array.ndim != 2 or not len(array) or not _is_plain(array.dtype):
        return None
    return Block(np.arange(array.shape[1]), array.T)


def number_blocks(frame: pd.DataFrame, kinds: str = _KINDS) -> tuple[list[Block], list[int]]:
    """Return the columns of plain numbers and booleans by type, and the places of columns of anything else.

    Parameters
    ----------
    frame : DataFrame
        The table.
    kinds : str
        Which kinds of numbers to return, by the letters that NumPy has for them.

    Examples
    --------
    >>> frame = pd.DataFrame({"age": [40, 50], "sex": ["f", "m"], "dose": [1.5, 2.0], "visits": [1, 2]})
    >>> blocks, others = number_blocks(frame)
    >>> [(block.places.tolist(), block.cells.dtype.name) for block in blocks], others
    ([([0, 3], 'int64'), ([2], 'float64')], [1])
    """
    every = frame.dtypes.tolist()
    if every and _is_plain(every[0]) and every[0].kind in kinds and all(kind is every[0] for kind in every):
        return [Block(np.arange(len(every)), frame.to_numpy().T)], []  # thousands of columns are one step
    by_type: dict[np.dtype[Any], list[int]] = {}
    others: list[int] = []
    for place, dtype in enumerate(every):
        if _is_plain(dtype):
            if dtype.kind in kinds:
                by_type.setdefault(dtype, []).append(place)
        else:
            others.append(place)
    if any(len(places) == frame.shape[1] for places in by_type.values()):
        return [Block(np.arange(frame.shape[1]), frame.to_numpy().T)], others
    return [
        Block(np.array(places), frame.iloc[:, places].to_numpy().T) for places in by_type.values()
    ], others


def columns_at(frame: pd.DataFrame, places: Sequence[int]) -> dict[int, pd.Series]:
    """Return some columns of a table by their places.

    Going through a table takes a third of the time for each column that asking for it takes.

    Examples
    --------
    >>> columns_at(pd.DataFrame({"age": [40], "sex": ["f"]}), [1])[1].tolist()
    ['f']
    """
    if _STEPS * len(places) < frame.shape[1]:
        return {place: frame.iloc[:, place] for place in places}
    wanted = set(places)
    return {place: column for place, (_, column) in enumerate(frame.items()) if place in wanted}


def _is_plain(dtype: object) -> bool:
    """Return whether a column is of numbers or booleans as NumPy has them."""
    return isinstance(dtype, np.dtype) and dtype.kind in _KINDS and dtype.itemsize <= _LARGEST


_NUMBERS = ("integer", "floating", "mixed-integer-float", "decimal")
_TIMES = ("datetime64", "datetime", "date", "time", "timedelta64", "timedelta", "period")


def as_frame(X: object) -> pd.DataFrame:
    """Return a table as a DataFrame with distinct text names and clean columns.

    Parameters
    ----------
    X
        A DataFrame, a two-dimensional NumPy array or list of rows (columns are named x0, x1, ...), a
        polars or Arrow table, or anything else with the Arrow stream protocol.

    Returns
    -------
    pandas.DataFrame
        The same cells; columns of numbers share their memory with `X` where possible.

    Raises
    ------
    DataError
        There are no rows or no columns, two columns have the same name, a number is infinite, or a column
        mixes numbers with text or holds dates, complex numbers or nested cells.

    Examples
    --------
    >>> import numpy as np
    >>> as_frame(np.array([[1.0, 2.0], [3.0, 4.0]]))
        x0   x1
    0  1.0  2.0
    1  3.0  4.0
    """
    frame = _to_pandas(X)
    if frame.shape[1] == 0:
        raise DataError(
            f"the table has no attributes: 0 feature(s) (shape={frame.shape}) while a minimum of 1 is "
            "required; give at least one column besides the class."
        )
    if frame.shape[0] == 0:
        raise DataError("the table has no rows: 0 sample(s) while a minimum of 1 is required.")
    names = frame.columns if _are_text(frame.columns) else _as_names(frame.columns)
    if not names.is_unique:
        twice = listed([repr(name) for name in names[names.duplicated()].unique()])
        raise DataError(f"every column needs its own name, but {twice} occurs more than once: rename them.")
    frame = frame.copy(deep=False)
    if names is not frame.columns:
        frame.columns = names
    floats, others = number_blocks(frame, "f")
    for block in floats:
        block.check_finite(names)
    for position, column in columns_at(frame, others).items():
        clean = tidy(column)
        if clean is not column:
            frame.isetitem(position, clean.array)
    return frame


def _are_text(names: pd.Index) -> bool:
    """Return whether all column names are text, as almost always."""
    return isinstance(names.dtype, pd.StringDtype) and not names.hasnans


def _as_names(names: pd.Index) -> pd.Index:
    """Return column names of any kind as text."""
    words = [str(name) for name in names]
    check_characters(words, "the names of the columns")
    return pd.Index(words)


def check_characters(words: Iterable[object], where: str) -> None:
    r"""Refuse text with half of a surrogate pair, which no file, page or Arrow table can hold.

    Examples
    --------
    >>> check_characters(["caf\u00e9", "\ud800"], "column 'drink'")
    Traceback (most recent call last):
    pgm_nb.errors.DataError: '\ud800' in column 'drink' is broken text (half of a surrogate pair): correct it,
    or read the file again in its own encoding.
    """
    texts = [word for word in words if isinstance(word, str)]
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:  # also of two halves in different cells, which join to no pair either
        broken = next((word for word in texts if _is_broken(word)), "")
        raise DataError(
            f"{broken[:40]!r} in {where} is broken text (half of a surrogate pair): correct it, or read the "
            "file again in its own encoding."
        ) from None


def check_values(cells: Mapping[str, object]) -> None:
    """Refuse values of a case, by name, that no column can hold: broken text, numbers beyond a float.

    Examples
    --------
    >>> check_values({"age": 10**400})
    Traceback (most recent call last):
    pgm_nb.errors.QueryError: the value of 'age' is beyond 1.8e308: give a number that can occur
    """
    for name, value in cells.items():
        if isinstance(value, str):
            check_characters([value], f"the value of {name!r}")
        elif isinstance(value, Number) and not isinstance(value, complex) and not is_float(value):
            raise QueryError(f"the value of {name!r} is beyond 1.8e308: give a number that can occur")


def _is_broken(word: str) -> bool:
    return any("\ud800" <= letter <= "\udfff" for letter in word)


def _to_pandas(X: object) -> pd.DataFrame:
    if isinstance(X, pd.DataFrame):
        return X
    if hasattr(X, "__arrow_c_stream__") and not hasattr(X, "to_frame"):  # a Series has the protocol too
        return _from_arrow(X)
    if hasattr(X, "toarray"):
        raise DataError(
            "sparse matrices are not supported: a missing cell and a zero would look the same; "
            "pass X.toarray()."
        )
    try:
        array = np.asarray(X)
    except ValueError:
        raise DataError(
            "the rows of the table differ in length: every row needs a cell for every column."
        ) from None
    if array.ndim != 2:
        raise DataError(
            f"Expected 2D array, got {array.ndim}D array instead: a table has rows and columns. Reshape "
            "your data with X.reshape(-1, 1) for one column or X.reshape(1, -1) for one row."
        )
    if array.dtype.kind in "US" and isinstance(X, list | tuple):
        array = np.asarray(X, dtype=object)  # NumPy had turned the numbers into text
    if array.dtype.kind == "U":
        check_characters(array.ravel(), "the table")
    names = [f"x{position}" for position in range(array.shape[1])]
    return pd.DataFrame(np.asfortranarray(array), columns=names, copy=False)  # every column contiguous


def _from_arrow(X: object) -> pd.DataFrame:
    import pyarrow as pa

    if any("\0" in str(name) for name in getattr(X, "columns", ())):  # polars ends the process over it
        raise DataError("the name of a column holds a zero character, which Arrow does not: rename it.")
    table = pa.table(X)
    names = table.column_names
    frame: pd.DataFrame = table.rename_columns([str(i) for i in range(len(names))]).to_pandas()
    for position, field in enumerate(table.schema):
        # A polars Categorical also carries the words of every other one: keep only its own.
        if any(key.startswith(b"_PL_CATEGORICAL") for key in field.metadata or {}):
            frame.isetitem(position, frame.iloc[:, position].astype(object).array)
    return frame.set_axis(names, axis=1)


def tidy(column: pd.Series) -> pd.Series:
    """Return the column as numbers, booleans, text or categories; unchanged if it already is.

    Examples
    --------
    >>> import pandas as pd
    >>> tidy(pd.Series([1, None, 2.5], dtype=object)).dtype
    dtype('float64')
    """
    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        if dtype.categories.dtype == object:
            check_characters(dtype.categories, f"column {str(column.name)!r}")
        return column
    if isinstance(dtype, pd.StringDtype) or types.is_bool_dtype(dtype):
        return column
    if isinstance(dtype, pd.ArrowDtype) and not types.is_numeric_dtype(dtype):
        return tidy(column.astype(object))
    if types.is_complex_dtype(dtype):
        raise DataError(f"Complex data not supported: column {str(column.name)!r} holds complex numbers.")
    if types.is_numeric_dtype(dtype):
        _check_finite(column)
        return column
    return _tidy_objects(column)


def _tidy_objects(column: pd.Series) -> pd.Series:
    found = types.infer_dtype(column, skipna=True)
    if found == "string":
        check_characters(column, f"column {str(column.name)!r}")
        return column
    if found == "boolean":
        return column.astype("boolean")
    if found == "empty":
        return pd.Series(np.nan, index=column.index, name=column.name, dtype=np.float64)
    if found in _NUMBERS:
        clean = pd.Series(_as_floats(column), index=column.index, name=column.name)
        _check_finite(clean)
        return clean
    if found in _TIMES:
        raise DataError(
            f"column {str(column.name)!r} holds dates or times, which cannot be used directly: turn it into "
            "a number (such as an age in days) or a category (such as a month)."
        )
    raise DataError(_mixture(column))


def _as_floats(column: pd.Series) -> NDArray[np.float64]:
    """Return numbers of any type as float64; those that it cannot hold are refused."""
    try:
        return np.array([np.nan if is_empty(cell) else cell for cell in column], dtype=np.float64)
    except OverflowError:  # such as 10**400
        row = next(row for row, cell in enumerate(column) if not is_float(cell))
    raise DataError(
        f"column {str(column.name)!r} holds a number beyond 1.8e308 in row {row + 1}: correct "
        "the cell, or leave it empty if the value is unknown."
    )


def is_float(value: Any) -> bool:
    """Return whether a floating point number can hold a number, or the cell is empty.

    Examples
    --------
    >>> is_float(1), is_float(10**400)
    (True, False)
    """
    try:
        return is_empty(value) or float(value) is not None
    except OverflowError:
        return False


def _mixture(column: pd.Series) -> str:
    """Say what kinds of cells a column mixes, with an example of each."""
    name = repr(str(column.name))
    cells = column.reset_index(drop=True)[~empty_cells(column.to_numpy(dtype=object))]
    kinds = cells.map(_kind_of_cell)
    first = {kind: int(rows.index[0]) for kind, rows in kinds.groupby(kinds)}
    odd = next((kind for kind in first if kind not in ("number", "text", "boolean")), None)
    if odd is not None:
        return (
            f"column {name} holds a {odd} in row {first[odd] + 1} ({cells[first[odd]]!r}), but the argument "
            "must be a string or a number in every cell: extract the value, or leave the column out."
        )
    examples = " and ".join(f"{kind} ({cells[row]!r} in row {row + 1})" for kind, row in first.items())
    return f"column {name} mixes {examples}: make all its cells numbers, or all text."


def _kind_of_cell(cell: object) -> str:
    if isinstance(cell, bool | np.bool_):
        return "boolean"
    if isinstance(cell, int | float | np.integer | np.floating):
        return "number"
    return "text" if isinstance(cell, str) else type(cell).__name__


def _check_finite(column: pd.Series) -> None:
    if column.dtype.kind not in "fO":
        return
    values = numbers(column)
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum()):  # one cheap pass: NaN and infinity make the sum infinite or NaN
            return
    infinite = np.isinf(values)
    if infinite.any():
        raise DataError(
            f"column {str(column.name)!r} contains infinity in row {int(infinite.argmax()) + 1}: every "
            "number must be finite; correct the cell, or leave it empty if the value is unknown."
        )


def numbers(column: pd.Series) -> NDArray[np.float64]:
    """Return a number or boolean column as float64, missing cells as NaN, without a copy if possible.

    Examples
    --------
    >>> import pandas as pd
    >>> numbers(pd.Series([1, None], dtype="Int64"))
    array([ 1., nan])
    """
    if isinstance(column.dtype, np.dtype):
        return np.asarray(column.to_numpy(), dtype=np.float64)
    return column.to_numpy(dtype=np.float64, na_value=np.nan)


def is_empty(value: object) -> bool:
    """Return whether a single value is an empty cell: None, NaN, NA or NaT.

    Examples
    --------
    >>> is_empty(None), is_empty(float("nan")), is_empty(0), is_empty("")
    (True, True, False, False)
    """
    if value is None or value is pd.NA or value is pd.NaT:
        return True
    if isinstance(value, float | np.floating):
        return bool(np.isnan(value))
    if isinstance(value, Decimal):
        return value.is_nan()
    return isinstance(value, np.datetime64 | np.timedelta64) and bool(np.isnat(value))


def empty_cells(cells: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which cells are empty, also where pandas fails to look: at a signalling NaN of Decimal.

    Examples
    --------
    >>> empty_cells(np.array(["a", None], dtype=object))
    array([False,  True])
    """
    try:
        return np.asarray(pd.isna(cells))
    except ArithmeticError:
        return np.array([is_empty(cell) for cell in cells])


def is_number(column: pd.Series) -> bool:
    """Return whether a tidy column holds numbers or booleans.

    Examples
    --------
    >>> import pandas as pd
    >>> is_number(pd.Series([1.5])), is_number(pd.Series(["a"]))
    (True, False)
    """
    return types.is_numeric_dtype(column.dtype) or types.is_bool_dtype(column.dtype)


def is_text(column: pd.Series) -> bool:
    """Return whether a tidy column holds text that is not declared as categories.

    Examples
    --------
    >>> import pandas as pd
    >>> is_text(pd.Series(["a"])), is_text(pd.Series(["a"], dtype="category"))
    (True, False)
    """
    return not is_number(column) and not isinstance(column.dtype, pd.CategoricalDtype)
