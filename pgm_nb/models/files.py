"""Saved models: one zip file with a JSON part and integer arrays. No pickle, written atomically."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pgm_nb.errors import ModelFileError
from pgm_nb.files import write_atomically
from pgm_nb.graphs import Graph, from_json

if TYPE_CHECKING:
    from pgm_nb.models.base import Classifier

__all__ = ["load", "save"]

FORMAT = "pgm_nb model"
VERSION = 1
LARGEST_PART = 1 << 31  # bytes that one part of a file may unpack to


def save(model: Classifier, path: str | Path) -> None:
    """Write a fitted model to `path`; an existing file is replaced only when the new one is whole."""
    from pgm_nb.version import __version__

    learned, arrays = model._pack()
    description = {
        "format": FORMAT,
        "version": VERSION,
        "written_by": f"pgm_nb {__version__}",
        "model": type(model).__name__,
        "parameters": _plain(model.get_params(deep=False)),
        "learned": learned,
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        _put(archive, "model.json", json.dumps(description, ensure_ascii=False, indent=1).encode())
        for name, array in arrays.items():
            _put(archive, f"{name}.npy", _npy(array))
    write_atomically(path, buffer.getvalue())


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
    from pgm_nb.models import MODELS

    path = Path(path)
    parts = _read_parts(path)
    try:
        description = json.loads(parts.pop("model"))
        if description["format"] != FORMAT:
            raise ModelFileError(f"{path.name} is not a pgm_nb model")
        if description["version"] > VERSION:
            raise ModelFileError(
                f"{path.name} was written by {description['written_by']}, whose file version "
                f"{description['version']} is newer than this program reads ({VERSION}); update pgm_nb"
            )
        kinds = {kind.__name__: kind for kind in MODELS}
        model = kinds[description["model"]](**_revived(description["parameters"]))
        model._unpack(description["learned"], {name: _array(part) for name, part in parts.items()})
        return model
    except ModelFileError:
        raise
    except (KeyError, TypeError, ValueError, IndexError, EOFError) as error:
        raise ModelFileError(
            f"{path.name} is damaged ({type(error).__name__}: {error}); save the model again"
        ) from error


def _put(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    """Add a part with a fixed date, so that the same model is the same bytes."""
    archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)


def _npy(array: NDArray[Any]) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def _read_parts(path: Path) -> dict[str, bytes]:
    """Return the parts of a file by their names without ending; the JSON part is called model."""
    try:
        with zipfile.ZipFile(path) as archive:
            archive.getinfo("model.json")
            for part in archive.infolist():
                if part.file_size > LARGEST_PART:
                    raise ModelFileError(f"{path.name}: part {part.filename} is too large to be a model")
            return {Path(name).stem: archive.read(name) for name in archive.namelist()}
    except FileNotFoundError as error:
        raise ModelFileError(f"there is no file {path}") from error
    except OSError as error:
        raise ModelFileError(f"cannot read {path}: {error.strerror}") from error
    except (zipfile.BadZipFile, zlib.error, KeyError, EOFError) as error:
        raise ModelFileError(f"{path.name} is not a pgm_nb model, or is damaged") from error


def _array(part: bytes) -> NDArray[Any]:
    array: NDArray[Any] = np.load(io.BytesIO(part), allow_pickle=False)
    return array


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
