"""One small family of errors: every message says what must hold, what was got, and what to do."""

__all__ = [
    "DataError",
    "FileError",
    "ModelFileError",
    "PgmNbError",
    "QueryError",
    "RenderError",
    "StructureError",
]


class PgmNbError(Exception):
    """The root of the family; catch it to catch everything this package raises on purpose."""


class DataError(PgmNbError, ValueError):
    """A table, column, cell or file that cannot be used as it is."""


class StructureError(PgmNbError, ValueError):
    """A graph that is not what it claims to be (a cherry tree without running intersection, a cycle)."""


class FileError(PgmNbError, OSError):
    """A file that cannot be written where it was asked for."""


class ModelFileError(PgmNbError, ValueError):
    """A saved model that cannot be read: damaged, of a later version, or not ours."""


class QueryError(PgmNbError, ValueError):
    """A question that cannot be answered: an unknown name or state, or evidence that contradicts itself."""


class RenderError(PgmNbError, RuntimeError):
    """A picture that could not be drawn."""
