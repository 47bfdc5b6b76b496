"""Saved models: one zip file with a JSON part, plain arrays and a checksum. No pickle, written atomically.

The format is written down in docs/format.md. Nothing in a file is believed: names, sizes and compression are
looked at before anything is unpacked, and every array is checked against the structure before it is used.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pgm_nb.data.repairs.recipe import Recipe
from pgm_nb.errors import DataError, ModelFileError, PgmNbError
from pgm_nb.files import write_atomically
from pgm_nb.graphs import Graph, from_json

if TYPE_CHECKING:
    from pgm_nb.data import Column
    from pgm_nb.models.base import Classifier

__all__ = ["load", "loaded", "pack_classes", "packed_parts", "read_parts", "save", "saved", "unpack_classes"]

FORMAT = "pgm_nb model"
VERSION = 3  # 1 had no checksum; 3 has a recipe, and a file without one is of version 2
CHECKSUM = "checksum"
MOST_BYTES = 1 << 31  # that all parts of a file may unpack to
MOST_PARTS = 50_000
_PART = re.compile(r"model\.json|checksum|[a-z][a-z_]{0,40}[0-9]{0,6}\.npy")
_ENCRYPTED = 1  # a bit of a part's flags


def save(model: Classifier, path: str | Path) -> None:
    """Write a fitted model to `path`; an existing file is replaced only when the new one is whole."""
    write_atomically(path, saved(model))


def saved(model: Classifier) -> bytes:
    """Return the bytes of the file of a fitted model."""
    from pgm_nb.version import __version__

    learned, arrays = model._pack()
    description = {
        "format": FORMAT,
        "version": VERSION if model.recipe_ else VERSION - 1,
        "written_by": f"pgm_nb {__version__}",
        "model": type(model).__name__,
        "parameters": _plain(model.get_params(deep=False)),
        "learned": learned,
        **({"recipe": model.recipe_.to_list()} if model.recipe_ else {}),
    }
    if model._left_out:
        description["left_out"] = model._left_out
    return packed_parts(description, arrays)


def packed_parts(description: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return the bytes of a file with a description, arrays by name, and their checksum."""
    parts = {"model.json": _json(description)} | {f"{n}.npy": _npy(array) for n, array in arrays.items()}
    parts[CHECKSUM] = _checksum(parts).encode()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():  # with a fixed date: the same model is the same bytes
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def load(path: str | Path) -> Any:
    """Read a model that `save` wrote.

    Parameters
    ----------
    path : str or Path
        A ``.pgmnb`` file.

    Returns
    -------
    estimator
        Fitted, of the class that was saved.

    Raises
    ------
    ModelFileError
        When the file is absent, damaged, of a later version, or something else altogether.

    Examples
    --------
    >>> import tempfile, pathlib, pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "iris.pgmnb"
    >>> pnb.NaiveBayes().fit(X, y).save(path)
    >>> pnb.load(path).predict(X.head(1))
    array(['setosa'], dtype=object)
    """
    return _loaded(Path(path), None)


def loaded(name: str, content: bytes) -> Any:
    """Read a model from the bytes of its file; `name` is what errors call it."""
    return _loaded(Path(name), content)


def _loaded(path: Path, content: bytes | None) -> Any:
    from pgm_nb.models import MODELS

    parts = _read_parts(path, content)
    try:
        description = json.loads(parts.pop("model.json"))
        if description["format"] != FORMAT:
            raise ModelFileError(f"{path.name} is not a pgm_nb model")
        _check_version(path, description, parts)
        arrays = {name.removesuffix(".npy"): _array(name, part) for name, part in parts.items()}
        kinds = {kind.__name__: kind for kind in MODELS}
        kind = kinds[description["model"]]
        model = kind(**{**kind.before, **_revived(description["parameters"])})
        with np.errstate(all="ignore"):  # numbers that overflow end in probabilities that are refused
            model._unpack(description["learned"], arrays)
            model._left_out = str(description.get("left_out", ""))
            _try(model)
        return model.keep_recipe(Recipe(description.get("recipe", ())))
    except ModelFileError:
        raise
    except (
        KeyError, TypeError, ValueError, IndexError, AttributeError, EOFError, ArithmeticError, MemoryError,
        RecursionError, PgmNbError, np.linalg.LinAlgError,
    ) as error:  # fmt: skip
        raise ModelFileError(
            f"{path.name} is damaged ({type(error).__name__}: {str(error)[:300]}); save the model again"
        ) from error


def read_parts(
    path: Path, form: str, version: int, content: bytes | None = None, called: str = FORMAT
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Read a file that `packed_parts` made: its description, and the arrays by name; all checked.

    Parameters
    ----------
    path : Path
        The file.
    form : str
        What its description must say about its format.
    version : int
        The latest version that is known.
    content : bytes, optional
        What the file holds; then nothing is read from the disk.
    called : str
        What a file is not that is something else altogether.
    """
    parts = _read_parts(path, content, called)
    try:
        description = json.loads(parts.pop("model.json"))
        if description["format"] != form:
            raise ModelFileError(f"{path.name} does not hold {form}, but {str(description['format'])[:40]}")
        if not isinstance(description["version"], int) or not 1 <= description["version"] <= version:
            raise ModelFileError(
                f"{path.name} is of version {description['version']!r}, but this program reads {version}; "
                "update pgm_nb"
            )
        if parts.pop(CHECKSUM, None) is None:
            raise ModelFileError(f"{path.name} has no checksum: it is incomplete; write it again")
        return description, {name.removesuffix(".npy"): _array(name, part) for name, part in parts.items()}
    except (KeyError, TypeError, ValueError, MemoryError, RecursionError, EOFError) as error:
        raise ModelFileError(
            f"{path.name} is damaged ({type(error).__name__}: {str(error)[:300]}); write it again"
        ) from error


def _try(model: Classifier) -> None:
    """Let a model predict one row of ordinary values; what then fails is a ValueError here, not later."""
    import pandas as pd

    named = getattr(model, "feature_names_in_", None)
    names = [f"x{i}" for i in range(model.n_features_in_)] if named is None else named.tolist()
    if len(set(names)) != model.n_features_in_ or not all(isinstance(name, str) for name in names):
        raise ValueError("the names of the columns are not names, one for each")
    columns = {column.name: column for column in model._coded_columns()}
    row = pd.DataFrame({name: [_ordinary(columns.get(name))] for name in names})
    found = model.predict_proba(row if named is not None else row.to_numpy())
    if found.shape != (1, len(model.classes_)) or not abs(found.sum() - 1) < 1e-9:
        raise ValueError("it does not give probabilities")


def _ordinary(column: Column | None) -> Any:
    """Return a value that a column can have."""
    if column is None or column.cuts:
        return 0.0
    return None if column.missing_state and column.card == 1 else column.states[0]


def _json(description: dict[str, Any]) -> bytes:
    try:
        return json.dumps(description, ensure_ascii=False, indent=1).encode()
    except UnicodeEncodeError:  # half of a surrogate pair, as a damaged table may hold
        return json.dumps(description, indent=1).encode()


def _npy(array: NDArray[Any]) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def _checksum(parts: Mapping[str, bytes]) -> str:
    """Return a SHA-256 digest of all parts: their names, lengths and contents, in order of the names."""
    digest = hashlib.sha256()
    for name in sorted(parts):
        digest.update(f"{name}\0{len(parts[name])}\0".encode())
        digest.update(parts[name])
    return digest.hexdigest()


def _check_version(path: Path, description: dict[str, Any], parts: dict[str, bytes]) -> None:
    """Refuse a file of a later version."""
    version = description["version"]
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise ModelFileError(f"{path.name} has the file version {version!r}, which never was: it is damaged")
    if version > VERSION:
        raise ModelFileError(
            f"{path.name} was written by {description['written_by']}, whose file version {version} is newer "
            f"than this program reads ({VERSION}); update pgm_nb"
        )
    if version > 1 and parts.pop(CHECKSUM, None) is None:
        raise ModelFileError(f"{path.name} has no checksum: it is incomplete; save the model again")


def _read_parts(path: Path, content: bytes | None = None, called: str = FORMAT) -> dict[str, bytes]:
    """Return the parts of a file by name, after a look at what it declares, and compare the checksum."""
    try:
        with zipfile.ZipFile(path if content is None else io.BytesIO(content)) as archive:
            _check_declared(path.name, archive.infolist(), called)
            parts = {part.filename: archive.read(part) for part in archive.infolist()}
    except ModelFileError:
        raise
    except FileNotFoundError as error:
        raise ModelFileError(f"there is no file {path}") from error
    except OSError as error:
        raise ModelFileError(f"cannot read {path}: {error.strerror or error}") from error
    except (
        zipfile.BadZipFile, zlib.error, EOFError, KeyError, ValueError, OverflowError, NotImplementedError,
        RuntimeError,
    ) as error:  # fmt: skip
        raise ModelFileError(f"{path.name} is not a {called}, or is damaged") from error
    whole = {name: part for name, part in parts.items() if name != CHECKSUM}
    if CHECKSUM in parts and parts[CHECKSUM] != _checksum(whole).encode():
        raise ModelFileError(
            f"{path.name} is damaged: its content does not agree with its checksum; save it again"
        )
    return parts


def _check_declared(name: str, parts: list[zipfile.ZipInfo], called: str) -> None:
    """Refuse a file by what it says about its parts, before any of them is unpacked."""
    names = Counter(part.filename for part in parts)
    if "model.json" not in names:
        raise ModelFileError(f"{name} is not a {called}")
    strange = [part for part in names if _PART.fullmatch(part) is None]
    wrong = None
    if len(parts) > MOST_PARTS:
        wrong = f"it has {len(parts):,} parts"
    elif strange:
        wrong = f"a {called.split()[-1]} has no part {strange[0][:80]!r}"
    elif max(names.values()) > 1:
        wrong = f"it has more than one part {names.most_common(1)[0][0]}"
    elif any(part.flag_bits & _ENCRYPTED for part in parts):
        wrong = "it is encrypted"
    elif any(part.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for part in parts):
        wrong = "it is compressed in a way that models are not"
    elif sum(part.file_size for part in parts) > MOST_BYTES:
        wrong = "it is too large"
    if wrong is not None:
        raise ModelFileError(f"{name} is not a {called}, or is damaged: {wrong}")


def _array(name: str, part: bytes) -> NDArray[Any]:
    """Read an array whose header agrees with how much follows it."""
    file = io.BytesIO(part)
    version = np.lib.format.read_magic(file)
    read = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }.get(version)
    if read is None:
        raise ValueError(f"part {name} is of an unknown version {version}")
    shape, by_columns, dtype = read(file)
    count = 1
    for length in shape:
        count *= length  # in whole numbers of any size, unlike NumPy's
    if dtype.hasobject or dtype.itemsize == 0 or count * dtype.itemsize != len(part) - file.tell():
        raise ValueError(f"part {name} declares {count} cells of {dtype}, but does not hold them")
    flat = np.frombuffer(part, dtype=dtype, offset=file.tell())
    array: NDArray[Any] = flat.reshape(shape, order="F" if by_columns else "C").copy()
    return array.astype(dtype.newbyteorder("="), copy=False)


def pack_classes(classes: NDArray[Any]) -> dict[str, Any]:
    """Return the classes as plain values for JSON; `unpack_classes` reads them back.

    Examples
    --------
    >>> unpack_classes(pack_classes(np.array([1, 2])))
    array([1, 2])
    >>> unpack_classes(pack_classes(np.array(["2026-11-17"], dtype="datetime64[D]")))
    array(['2026-11-17'], dtype='datetime64[D]')
    """
    kind = classes.dtype.kind
    values = (classes.view(np.int64) if kind in "Mm" else classes).tolist()
    if kind == "O" and not all(isinstance(value, str | int | float) for value in values):
        strange = next(value for value in values if not isinstance(value, str | int | float))
        raise DataError(
            f"a class is {strange!r}, of a type that a file cannot hold ({type(strange).__name__}): train "
            "with classes that are text, numbers, dates or truth values."
        )
    return {"dtype": classes.dtype.str, "values": values}


def unpack_classes(record: Mapping[str, Any]) -> NDArray[Any]:
    """Return the classes that `pack_classes` wrote.

    Examples
    --------
    >>> unpack_classes({"dtype": "|b1", "values": [False, True]})
    array([False,  True])
    """
    dtype, values = np.dtype(record["dtype"]), record["values"]
    if dtype.kind not in "iufbUOMm" or not isinstance(values, list) or not values:
        raise ValueError(f"classes of type {dtype} are not possible")
    if not all(isinstance(value, str | int | float) for value in values):
        raise ValueError("a class is neither text nor a number")
    if dtype.kind == "U":  # of the length of its longest text, whatever the file says
        return np.array(values, dtype=str)
    if dtype.kind in "Mm":
        return np.array(values, dtype=np.int64).view(dtype)
    classes = np.array(values, dtype=dtype)
    if len(np.unique(classes.astype(str))) < len(classes):
        raise ValueError("two classes are the same")
    return classes


def _plain(value: Any) -> Any:
    """Numbers, cut points and structures as JSON knows them."""
    if isinstance(value, Graph):
        return {"graph": json.loads(value.to_json())}
    if isinstance(value, dict):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (list, tuple, np.ndarray)):
        return [_plain(part) for part in value]
    return value


def _revived(parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters with structures made graphs again."""
    return {
        name: from_json(json.dumps(value["graph"])) if isinstance(value, dict) and "graph" in value else value
        for name, value in parameters.items()
    }
