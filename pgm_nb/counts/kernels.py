"""When compiled kernels are used, and threads over the pieces of their work.

A module of compiled kernels takes seconds to load, more if it must be compiled first, so it is imported only
where NumPy would take longer. Without numba NumPy does all the work: slower, with the same numbers.
"""

from __future__ import annotations

import math
import os
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib import import_module, metadata
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pgm_nb.errors import DataError, FileError, needed
from pgm_nb.files import user_cache, write_atomically
from pgm_nb.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

__all__ = ["CompiledModule", "in_threads", "thread_count"]

_SPENT: dict[str, float] = {}  # seconds of NumPy's work so far that each module could have done
_PACKAGE = Path(__file__).parents[1]
_FOLDERS = 4  # of compiled kernels that a place holds; older ones are removed
_WORTH_NS = 300_000  # below it threads cost more than they save


@dataclass(frozen=True)
class CompiledModule:
    """A module of compiled kernels that is imported when it pays.

    Parameters
    ----------
    name : str
        Its full name; its last statement must be ``READY = remember_compiled(__name__)``.
    load_seconds, compile_seconds : float
        How long an import takes when the compiled kernels are on disk, and when they are not.
    """

    name: str
    load_seconds: float
    compile_seconds: float

    def chosen(self, kernel: str, kernels: tuple[str, ...], numpy_seconds: float) -> bool:
        """Return whether the module is to do the work; if so, import it.

        Parameters
        ----------
        kernel : str
            "auto", "numpy", "steady", or another of `kernels`, all of which are in the module. "steady" looks
            at this work alone: the same work is always done in the same way, to the last digit.
        kernels : tuple of str
            The names that are allowed.
        numpy_seconds : float
            How long NumPy would take. Many small pieces of work are as much as a large one: what the process
            has done before is added.
        """
        if kernel not in kernels:
            raise DataError(f"kernel must be one of {', '.join(map(repr, kernels))}, got {kernel!r}")
        if kernel == "auto":
            spent = _SPENT[self.name] = _SPENT.get(self.name, 0.0) + numpy_seconds
            return self.is_loaded() or (self._pays(spent) and self._can_load())
        if kernel == "numpy":
            return False
        if kernel == "steady":
            return numpy_seconds > self.load_seconds and (self.is_loaded() or self._can_load())
        self.load()
        return True

    def is_loaded(self) -> bool:
        """Return whether the kernels are ready in this process."""
        return hasattr(sys.modules.get(self.name), "READY")

    def is_warm(self) -> bool:
        """Return whether the kernels are loaded or were compiled by an earlier process."""
        return self.is_loaded() or any((place / _at_first() / self.name).exists() for place in _places())

    def load(self) -> None:
        """Import the module; the first time on a machine this compiles the kernels."""
        with needed("numba", "a compiled kernel", 'kernel="auto" works without it'):
            self._import()

    def _pays(self, numpy_seconds: float) -> bool:
        if numpy_seconds <= self.load_seconds:
            return False
        return numpy_seconds > self.compile_seconds or self.is_warm()

    def _can_load(self) -> bool:
        try:
            self._import()
        except ImportError:  # no numba here: do not try again
            _SPENT[self.name] = -math.inf
            return False
        return True

    def _import(self) -> None:
        _at_first()
        import_module(self.name)


def remember_compiled(name: str) -> bool:
    """Note for later processes that the kernels of a module are compiled; return True."""
    keep(name, b"")
    return True


def keep(name: str, content: bytes) -> None:
    """Keep a file made from the kernels, in the first place that can be written to."""
    for folder in _folders():
        with suppress(OSError, FileError):
            if not folder.is_dir():
                folder.mkdir(parents=True)
                _remove_old(folder.parent)
            write_atomically(folder / name, content)
            return


def kept(name: str) -> bytes | None:
    """Return a file made from the kernels; None if there is none."""
    for folder in _folders():
        with suppress(OSError):
            return (folder / name).read_bytes()
    return None


def sources() -> list[Path]:
    """Return the files that hold what is compiled.

    Examples
    --------
    >>> sources()[0].name
    'compiled.py'
    """
    return sorted(_PACKAGE.rglob("*compil*.py"))


def fingerprint() -> str:
    """Return a name for the kernels as they are now.

    Kernels use constants and functions of each other, so it depends on all their files, and on everything
    else that takes part in compiling them except the processor.

    Examples
    --------
    >>> fingerprint().startswith("pgm_nb-")
    True
    """
    versions = [_version(package) for package in ("numba", "llvmlite", "numpy")]
    parts = [repr([__version__, sys.implementation.cache_tag, *versions]).encode()]
    parts += [path.read_bytes() for path in sources()]
    return "pgm_nb-" + sha256(b"".join(sha256(part).digest() for part in parts)).hexdigest()[:24]


@cache
def _version(package: str) -> str:
    return metadata.version(package)


@cache
def _at_first() -> str:
    with suppress(OSError, metadata.PackageNotFoundError):
        return fingerprint()
    return "nothing"


def _folders() -> Iterator[Path]:
    """Yield where files made from the kernels may be; nowhere if a kernel was edited since the first call.

    This process may have read one kernel before the edit and another one after it.
    """
    with suppress(OSError, metadata.PackageNotFoundError):
        if fingerprint() == _at_first():
            yield from (place / _at_first() for place in _places())


def _places() -> Iterator[Path]:
    if os.environ.get("NUMBA_CACHE_DIR"):
        yield Path(os.environ["NUMBA_CACHE_DIR"])
    yield _PACKAGE / "__pycache__"
    with suppress(RuntimeError):  # nobody's home
        yield user_cache()


def _remove_old(place: Path) -> None:
    dated = []
    for folder in place.glob("pgm_nb-*"):
        with suppress(OSError):  # another process removed it
            dated.append((folder.stat().st_mtime, folder))
    for _, folder in sorted(dated)[:-_FOLDERS]:
        shutil.rmtree(folder, ignore_errors=True)


def thread_count(n_threads: int | None) -> int:
    """Return `n_threads`, or by default the number of processor cores this process may use.

    Examples
    --------
    >>> thread_count(3), thread_count(None) >= 1
    (3, True)
    """
    if n_threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if n_threads < 1:
        raise DataError(f"n_threads must be 1 or more, or None for all cores, got {n_threads}")
    return n_threads


def in_threads(task: Callable[[int, int], None], work: NDArray[np.float64], n_threads: int) -> None:
    """Run task(first, last) over all items, cut into pieces of about equal work.

    Parameters
    ----------
    task : callable
        Handles the items first, ..., last - 1; must not depend on other pieces.
    work : array
        The estimated nanoseconds of each item.
    n_threads : int
        How many threads to use.

    Examples
    --------
    >>> import numpy as np
    >>> done = []
    >>> in_threads(lambda first, last: done.extend(range(first, last)), np.full(4, 1e6), n_threads=2)
    >>> sorted(done)
    [0, 1, 2, 3]
    """
    ends = np.cumsum(work)
    if n_threads == 1 or len(work) < 2 or ends[-1] < _WORTH_NS:
        task(0, len(work))
        return
    cuts = np.searchsorted(ends, np.linspace(0, ends[-1], 8 * n_threads + 1)[1:-1])
    bounds = np.unique(np.concatenate(([0], cuts, [len(work)])))
    with ThreadPoolExecutor(n_threads) as pool:
        list(pool.map(task, bounds[:-1].tolist(), bounds[1:].tolist()))
