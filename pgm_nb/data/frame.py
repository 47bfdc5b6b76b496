"""Any table as a pandas DataFrame whose columns are numbers, booleans, text or categories."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api import types

from pgm_nb.data.blocks import columns_at, number_blocks
from pgm_nb.errors import DataError
from pgm_nb.words import listed

__all__ = ["as_frame", "is_empty", "is_number", "is_text", "numbers", "tidy"]

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
    names = frame.columns if _are_text(frame.columns) else pd.Index([str(name) for name in frame.columns])
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
    names = [f"x{position}" for position in range(array.shape[1])]
    return pd.DataFrame(np.asfortranarray(array), columns=names, copy=False)  # every column contiguous


def _from_arrow(X: object) -> pd.DataFrame:
    import pyarrow as pa

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
    if isinstance(dtype, pd.CategoricalDtype | pd.StringDtype) or types.is_bool_dtype(dtype):
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
        return column
    if found == "boolean":
        return column.astype("boolean")
    if found == "empty":
        return pd.Series(np.nan, index=column.index, name=column.name, dtype=np.float64)
    if found in _NUMBERS:
        clean = column.where(column.notna(), np.nan).astype(np.float64)
        _check_finite(clean)
        return clean
    if found in _TIMES:
        raise DataError(
            f"column {str(column.name)!r} holds dates or times, which cannot be used directly: turn it into "
            "a number (such as an age in days) or a category (such as a month)."
        )
    raise DataError(_mixture(column))


def _mixture(column: pd.Series) -> str:
    """Say what kinds of cells a column mixes, with an example of each."""
    name = repr(str(column.name))
    cells = column.reset_index(drop=True).dropna()
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
    return isinstance(value, np.datetime64 | np.timedelta64) and bool(np.isnat(value))


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
