"""Shared by the modules of compiled kernels; importing this one loads numba.

Kernels are written in Python, as ordinary loops, and compiled by `numba.njit`.
"""

import pickle
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeAlias, TypeVar, cast

import numba
from numba import types
from numba.core import compiler, config, serialize

from pgm_nb.counts.kernels import keep, kept, sources

__all__ = [
    "Numba",
    "compile_for",
    "inlined",
    "read",
    "types",
    "write",
]

Numba: TypeAlias = Any  # an object of numba or llvmlite, which declare no types
Function = TypeVar("Function", bound=Callable[..., Any])
_CONFIG, _RESULT, _DUMPS = cast("tuple[Numba, ...]", (config, compiler.CompileResult, serialize.dumps))

# compiled as part of its callers
inlined = cast("Callable[[Function], Function]", numba.njit(nogil=True))


class _OnDisk:
    """Where numba looks for the code of a kernel and leaves it, instead of its own cache.

    That one looks at the file of the function alone: code with an old constant, or an old function, of
    another file would stay in use.
    """

    cache_path = None  # shown by numba's statistics

    def __init__(self, function: Callable[..., Any]) -> None:
        self._name = f"{function.__module__}.{function.__qualname__}"

    def load_overload(self, signature: Numba, context: Numba) -> Numba:
        context.refresh()
        digest, content = (whole := kept(self._file(signature, context.codegen())) or b"")[:32], whole[32:]
        if sha256(content).digest() != digest:  # no file, or a damaged one
            return None
        return _RESULT._rebuild(context, *pickle.loads(content))

    def save_overload(self, signature: Numba, result: Numba) -> None:
        if result.library.has_dynamic_globals:  # addresses of this process
            return
        content = _DUMPS(result._reduce())
        keep(self._file(signature, result.library.codegen), sha256(content).digest() + content)

    def _file(self, signature: Numba, codegen: Numba) -> str:
        """Name the file after the function, its argument types and the processor."""
        made_for = sha256(repr((signature, codegen.magic_tuple())).encode()).hexdigest()[:12]
        return f"{self._name}-{made_for}.code"


def compile_for(*arguments: Numba, any_order: bool = False) -> Callable[[Function], Function]:
    """Compile at import for these argument types only, keep the result on disk, release the lock.

    Where nothing can be kept (a full disk, no folder that can be written to) it is compiled all the same.
    With `any_order` sums may be added up in vectors: the last digits depend on the processor.
    """

    def decorate(function: Function) -> Function:
        compiled: Numba = numba.njit(nogil=True, fastmath={"reassoc"} if any_order else False)(function)
        if _CONFIG.DISABLE_JIT:
            return function
        if Path(function.__code__.co_filename) in sources():  # which the place on disk depends on
            compiled._cache = _OnDisk(function)
        compiled.compile(types.void(*arguments))
        compiled.disable_compile()
        return cast("Function", compiled)

    return decorate


def read(dtype: Numba, ndim: int = 1) -> Numba:
    """Return the type of an array that is only read."""
    return types.Array(dtype, ndim, "C", readonly=True)


def write(dtype: Numba, ndim: int = 1) -> Numba:
    """Return the type of an array that is written to."""
    return types.Array(dtype, ndim, "C")
