"""Saved models: one zip file with a JSON part, plain arrays and a checksum. No pickle, written atomically.

The format is written down in docs/format.md. Nothing in a file is believed: names, sizes and compression are
looked at before anything is unpacked, an array is unpacked only when it is asked for and has the shape that
the rest of the file implies, and a part that nobody asks for makes the file one that is refused.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from math import prod
from pathlib import Path
from tokenize import TokenError
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pgm_nb.data.excerpt import READERS
from pgm_nb.data.repairs.recipe import Recipe
from pgm_nb.errors import DataError, ModelFileError, PgmNbError
from pgm_nb.files import write_atomically
from pgm_nb.graphs import Graph, from_json
from pgm_nb.workers import OutOfTime, WorkerFailed

if TYPE_CHECKING:
    from pgm_nb.data import Column
    from pgm_nb.models.base import Classifier

__all__ = [
    "check_guarded", "load", "loaded", "pack_classes", "packed_parts", "reading", "save", "saved",
    "unpack_classes",
]  # fmt: skip

FORMAT = "pgm_nb model"
VERSION = 3  # has a recipe; a file without one is of version 2
CHECKSUM, DESCRIPTION = "checksum", "model.json"
MOST_BYTES = 1 << 31  # that all parts of a file may unpack to
MOST_TEXT = 1 << 26  # bytes of the JSON part
MOST_VALUES = 10_000_000  # in the JSON part; each takes more memory than it has bytes
MOST_PARTS = 50_000
MOST_CELLS = 1 << 28  # of all arrays; in memory each becomes eight bytes or more
GUARD = 60.0, 2_000_000_000  # seconds and bytes that the file of a stranger may take
_PART = re.compile(r"[a-z][a-z_]{0,40}[0-9]{0,6}\.npy")
_PIECE = 1 << 20  # bytes
_ENCRYPTED = 1  # a bit of a part's flags
_ENTRY = b"PK\x01\x02"  # begins every entry of a zip file's directory
_FAULTS = (
    KeyError, TypeError, ValueError, IndexError, AttributeError, EOFError, ArithmeticError,
    RuntimeError, PgmNbError, np.linalg.LinAlgError,
)  # fmt: skip
_HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}


def save(model: Classifier, path: str | Path) -> None:
    """Write a fitted model to `path`; an existing file is replaced only when the new one is whole."""
    write_atomically(path, saved(model))


def saved(model: Classifier) -> bytes:
    """Return the bytes of the file of a fitted model, after it was read back."""
    content = _saved(model)
    try:
        loaded(f"the file of {model.about.title}", content)
    except ModelFileError as error:
        raise ModelFileError(
            f"{model.about.title} cannot be saved, because the file could not be read back, so none was "
            f"written ({error}). This is a fault of the program: please report it."
        ) from error
    return content


def _saved(model: Classifier) -> bytes:
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
    parts = {DESCRIPTION: _json(description)} | {f"{n}.npy": _npy(array) for n, array in arrays.items()}
    parts[CHECKSUM] = _checksum({name: (len(part), [part]) for name, part in parts.items()}).encode()
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
    return loaded(path, None)


def loaded(name: str | Path, content: bytes | None) -> Any:
    """Read a model from the bytes of its file, or from the disk; `name` is what errors call it."""
    from pgm_nb.models import MODELS

    with reading(Path(name), FORMAT, VERSION, content) as (description, arrays):
        kinds = {kind.__name__: kind for kind in MODELS}
        model = kinds[description["model"]](**_revived(description["parameters"]))
        with np.errstate(all="ignore"):  # numbers that overflow end in probabilities that are refused
            model._unpack(description["learned"], arrays)
            model._left_out = str(description.get("left_out", ""))
            arrays.check_all_asked_for()
            _try(model)
        return model.keep_recipe(Recipe(description.get("recipe", ())))


def check_guarded(name: str, content: bytes, read: Callable[[str, bytes], Any] = loaded) -> None:
    """Read a stranger's file in a process of its own, with a budget of time and memory.

    What `read` reads there is read here as well, in as much time and memory.

    Raises
    ------
    ModelFileError
        It is damaged, or takes too much.
    """
    seconds, most_bytes = GUARD
    try:
        READERS.limited(seconds, most_bytes).run(_check, read, name, content)
    except OutOfTime:
        raise ModelFileError(
            f"{name} takes longer than {seconds:g} seconds to open, which no ordinary file does: learn "
            "the model again from its table"
        ) from None
    except WorkerFailed:
        raise ModelFileError(
            f"{name} needs more memory than one file may take ({most_bytes // 1_000_000:,} MB), or is "
            "damaged: open it in Python, or learn the model again with fewer columns or states"
        ) from None


def _check(read: Callable[[str, bytes], Any], name: str, content: bytes) -> None:
    read(name, content)


@contextmanager
def reading(
    path: Path, form: str, version: int, content: bytes | None = None
) -> Iterator[tuple[dict[str, Any], Parts]]:
    """Open a file that `packed_parts` made; whatever turns out wrong in it becomes one sentence.

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

    Yields
    ------
    dict, Parts
        Its description, and its arrays by name. At the end all of them must have been asked for, and the
        checksum must be right.
    """
    parts = None
    try:
        parts = Parts(path.name, form, _content(path) if content is None else content)
        yield parts.description(form, version), parts
        parts.check_all_asked_for()
        parts.check_whole()
    except ModelFileError:
        raise
    except FileNotFoundError as error:
        raise ModelFileError(f"there is no file {path}") from error
    except OSError as error:
        raise ModelFileError(f"cannot read {path}: {error.strerror or error}") from error
    except (zipfile.BadZipFile, zlib.error) as error:
        raise ModelFileError(f"{path.name} is not a {form}, or is damaged") from error
    except MemoryError as error:
        raise ModelFileError(
            f"{path.name} needs more memory than one file may take, or is damaged: learn the model again "
            "with fewer columns or states"
        ) from error
    except _FAULTS as error:
        if parts is not None:
            parts.check_whole()
        raise ModelFileError(
            f"{path.name} is damaged ({type(error).__name__}: {str(error)[:300]}); save it again"
        ) from error


def _content(path: Path) -> bytes:
    with path.open("rb") as file:
        if not path.is_file() or path.stat().st_size > MOST_BYTES:
            raise ModelFileError(f"{path.name} is not a file of a model, or is too large")
        return file.read()


class Parts(Mapping[str, Any]):
    """The arrays of a file by name: what they declare is known, and they are unpacked when they are used."""

    def __init__(self, name: str, form: str, content: bytes) -> None:
        self.name = name
        if content.count(_ENTRY) > MOST_PARTS:  # a directory is read as a whole
            raise ModelFileError(f"{name} is not a {form}, or is damaged: it has too many parts")
        self._archive = zipfile.ZipFile(io.BytesIO(content))
        self._infos = {part.filename: part for part in self._archive.infolist()}
        self._check_declared(form, self._archive.infolist())
        self._read: dict[str, bytearray] = {}
        self._cells = 0

    def description(self, form: str, version: int) -> dict[str, Any]:
        """Return the JSON part, after a look at its format and version."""
        text = self.read(DESCRIPTION)
        values = sum(map(text.count, (b",", b"[", b"{")))
        if len(text) > MOST_TEXT or values > MOST_VALUES:
            raise ValueError("its description is too long")
        found = json.loads(text)
        if found["format"] != form:
            raise ModelFileError(f"{self.name} is not a {form}, but a {str(found['format'])[:40]}")
        number = found["version"]
        if isinstance(number, bool) or not isinstance(number, int) or number < 1:
            raise ModelFileError(
                f"{self.name} has the file version {number!r}, which never was: it is damaged"
            )
        if number > version:
            raise ModelFileError(
                f"{self.name} was written by {found['written_by']}, whose file version {number} is newer "
                f"than this program reads ({version}); update pgm_nb"
            )
        return dict(found)

    def read(self, part: str, cells: int = 0) -> bytearray:
        """Return the content of a part, which holds so many cells."""
        if part not in self._read:
            self._cells += cells
            if self._cells > MOST_CELLS:
                raise ValueError(f"it holds more than {MOST_CELLS:,} numbers")
            content = bytearray(self.size(part))  # arrays that can be written to, without a copy
            with self.start(part) as file:
                if file.readinto(content) < len(content):
                    raise EOFError(f"part {part} ends too early")
            self._read[part] = content
        return self._read[part]

    def start(self, part: str) -> io.BufferedIOBase:
        """Return a part to be read from its beginning."""
        return self._archive.open(part)  # type: ignore[return-value]

    def size(self, part: str) -> int:
        """Return how many bytes a part has unpacked."""
        return self._infos[part].file_size

    def check_all_asked_for(self) -> None:
        """Refuse a file with a part that nobody used."""
        if unused := self._infos.keys() - self._read.keys() - {CHECKSUM}:
            raise ValueError(f"it has a part {min(unused)}, which it should not have")

    def check_whole(self) -> None:
        """Compare the content with the checksum; a part that was not used is unpacked in small pieces."""
        names = self._infos.keys() - {CHECKSUM}
        try:
            found = _checksum({name: (self.size(name), self._pieces(name)) for name in names})
            agrees = self.size(CHECKSUM) == len(found) and self._archive.read(CHECKSUM) == found.encode()
        except (*_FAULTS, OSError, zipfile.BadZipFile, zlib.error):  # parts that cannot even be unpacked
            agrees = False
        if not agrees:
            raise ModelFileError(
                f"{self.name} is damaged: its content does not agree with its checksum; save it again"
            )

    def __getitem__(self, name: str) -> Any:
        return Part(self, f"{name}.npy")

    def __iter__(self) -> Iterator[str]:
        return (name.removesuffix(".npy") for name in self._infos if name.endswith(".npy"))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _pieces(self, part: str) -> Iterator[bytes | bytearray]:
        if part in self._read:
            yield self._read[part]
            return
        with self.start(part) as file:
            while piece := file.read(_PIECE):
                yield piece

    def _check_declared(self, form: str, parts: list[zipfile.ZipInfo]) -> None:
        """Refuse a file by what it says about its parts, before any of them is unpacked."""
        names = Counter(part.filename for part in parts)
        if DESCRIPTION not in names:
            raise ModelFileError(f"{self.name} is not a {form}")
        if CHECKSUM not in names:
            raise ModelFileError(f"{self.name} has no checksum: it is incomplete; save it again")
        strange = [part for part in names.keys() - {DESCRIPTION, CHECKSUM} if _PART.fullmatch(part) is None]
        wrong = None
        if strange:
            wrong = f"a {form.split()[-1]} has no part {strange[0][:80]!r}"
        elif max(names.values()) > 1:
            wrong = f"it has more than one part {names.most_common(1)[0][0]}"
        elif any(part.flag_bits & _ENCRYPTED for part in parts):
            wrong = "it is encrypted"
        elif any(part.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for part in parts):
            wrong = "it is compressed in a way that models are not"
        elif sum(part.file_size for part in parts) > MOST_BYTES or self.size(DESCRIPTION) > MOST_TEXT:
            wrong = "it is too large"
        if wrong is not None:
            raise ModelFileError(f"{self.name} is not a {form}, or is damaged: {wrong}")


class Part:
    """An array in a file, whose shape and type are known before it is unpacked; to NumPy it is an array."""

    def __init__(self, parts: Parts, name: str) -> None:
        with parts.start(name) as file:
            version = np.lib.format.read_magic(file)
            if version not in _HEADERS:
                raise ValueError(f"part {name} is of an unknown version {version}")
            try:
                self.shape, self._by_columns, self.dtype = _HEADERS[version](file)
            except (SyntaxError, TokenError) as error:  # NumPy reads it as Python
                raise ValueError(f"part {name} begins with a header that cannot be read") from error
            self._offset = file.tell()
        count = prod(self.shape)  # a whole number of any size, unlike NumPy's
        size = parts.size(name) - self._offset
        if self.dtype.hasobject or self.dtype.itemsize == 0 or count * self.dtype.itemsize != size:
            raise ValueError(f"part {name} declares {count} cells of {self.dtype}, but does not hold them")
        self._parts, self._name = parts, name

    def __len__(self) -> int:
        return int(self.shape[0])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        content = self._parts.read(self._name, 0 if self.dtype == np.uint8 else prod(self.shape))
        flat = np.frombuffer(content, dtype=self.dtype, offset=self._offset)
        array = flat.reshape(self.shape, order="F" if self._by_columns else "C")
        return array.astype(dtype or self.dtype.newbyteorder("="), copy=bool(copy))


def _try(model: Classifier) -> None:
    """Let a model predict one row of ordinary values; what then fails is a ValueError here, not later."""
    import pandas as pd

    named = getattr(model, "feature_names_in_", None)
    names = [f"x{i}" for i in range(model.n_features_in_)] if named is None else named.tolist()
    if len(set(names)) != model.n_features_in_ or not all(isinstance(name, str) for name in names):
        raise ValueError("the names of the columns are not names, one for each")
    columns = {column.name: column for column in model._coded_columns()}
    row = pd.DataFrame({name: [_ordinary(columns.get(name))] for name in names})
    rows = row if named is not None else row.to_numpy()
    found = model.predict_proba(rows)
    if found.shape != (1, len(model.classes_)) or not abs(found.sum() - 1) < 1e-9:
        raise ValueError("it does not give probabilities")
    terms = model.terms(rows)
    if not set(map(str, model.importance_["attribute"])) <= set(model.attribute_names_) or not str(
        model.missing_
    ):
        raise ValueError(f"it ranks attributes that it does not have, in {len(terms.names)} steps")


def _ordinary(column: Column | None) -> Any:
    """Return a value that a column can have."""
    if column is None or column.cuts is not None:
        return 0.0
    return None if column.missing_state and column.card == 1 else column.states[0]


def _json(description: dict[str, Any]) -> bytes:
    try:
        return json.dumps(description, ensure_ascii=False, indent=1).encode()
    except UnicodeEncodeError:  # half of a surrogate pair, as a damaged table may hold
        return json.dumps(description, indent=1).encode()


def _npy(array: NDArray[Any]) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, np.ascontiguousarray(array), allow_pickle=False)  # in the order that reading gives it
    return buffer.getvalue()


def _checksum(parts: Mapping[str, tuple[int, Iterable[bytes | bytearray]]]) -> str:
    """Return a SHA-256 digest of all parts: their names, lengths and contents, in order of the names."""
    digest = hashlib.sha256()
    for name in sorted(parts):
        size, pieces = parts[name]
        digest.update(f"{name}\0{size}\0".encode())
        for piece in pieces:
            digest.update(piece)
    return digest.hexdigest()


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
    if isinstance(value, Fraction):
        return float(value)
    if isinstance(value, (list, tuple, np.ndarray)):
        return [_plain(part) for part in value]
    return value


def _revived(parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters with structures made graphs again."""
    return {
        name: from_json(json.dumps(value["graph"])) if isinstance(value, dict) and "graph" in value else value
        for name, value in parameters.items()
    }
