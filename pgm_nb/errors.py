"""The errors of this package: every message says what is wrong, where, and what to do."""

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = [
    "DataError",
    "FileError",
    "MissingPackageError",
    "ModelFileError",
    "PgmNbError",
    "QueryError",
    "RenderError",
    "StructureError",
    "needed",
]


class PgmNbError(Exception):
    """The base of all errors that this package raises on purpose."""


class DataError(PgmNbError, ValueError):
    """A table, column, cell or file that cannot be used."""


class StructureError(PgmNbError, ValueError):
    """A graph that is not what it claims to be (a cherry tree without running intersection, a cycle)."""


class FileError(PgmNbError, OSError):
    """A file that cannot be read, fetched or written."""


class ModelFileError(PgmNbError, ValueError):
    """A saved model that cannot be read: damaged, from a later version, or not a pgm_nb model."""


class QueryError(PgmNbError, ValueError):
    """A query that cannot be answered: an unknown name or state, or contradictory evidence."""


class RenderError(PgmNbError, RuntimeError):
    """A picture that could not be drawn."""


class MissingPackageError(PgmNbError, ImportError):
    """A package that only some of the work needs, and that cannot be imported here."""


@contextmanager
def needed(package: str, purpose: str, without: str = "everything else works without it") -> Iterator[None]:
    """Say what a package is for where importing it fails.

    Examples
    --------
    >>> with needed("no_such_package", "a picture"):
    ...     import no_such_package
    Traceback (most recent call last):
    pgm_nb.errors.MissingPackageError: The package no_such_package is needed for a picture, but cannot be
    imported here (No module named 'no_such_package'). Install it (pip install no_such_package); everything
    else works without it.
    """
    try:
        yield
    except ImportError as error:
        raise MissingPackageError(
            f"The package {package} is needed for {purpose}, but cannot be imported here ({error}). "
            f"Install it (pip install {package}); {without}."
        ) from error
