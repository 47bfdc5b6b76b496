"""Shared by the modules of compiled kernels; importing this one loads numba.

Kernels are written in Python and compiled by `numba.njit`. A few innermost steps need vector instructions
that the compiler would not choose by itself: these are intrinsics, written with llvmlite's builder. They get
the addresses of arrays as integers (`array.ctypes.data`), so that nothing here depends on how numba stores an
array.
"""

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar, cast

import numba
from llvmlite import ir
from numba import extending, types

__all__ = [
    "Numba",
    "compile_for",
    "inlined",
    "intrinsic",
    "ir",
    "loop",
    "loop_all",
    "pointer",
    "read",
    "types",
    "write",
]

Numba: TypeAlias = Any  # an object of numba or llvmlite, which declare no types
Function = TypeVar("Function", bound=Callable[..., Any])

# compiled as part of its callers
inlined = cast("Callable[[Function], Function]", numba.njit(nogil=True))
intrinsic = cast("Callable[[Callable[..., Any]], Callable[..., Any]]", extending.intrinsic)


def compile_for(*arguments: Numba, any_order: bool = False) -> Callable[[Function], Function]:
    """Compile at import for these argument types only, keep the result on disk, release the lock.

    Where nothing can be kept (a full disk, no folder that can be written to) it is compiled all the same.
    With `any_order` sums may be added up in vectors: the last digits depend on the processor.
    """
    sums = {"reassoc"} if any_order else False

    def decorate(function: Function) -> Function:
        try:
            compiled = numba.njit([types.void(*arguments)], nogil=True, cache=True, fastmath=sums)(function)
        except (RuntimeError, OSError):  # numba finds no place, or the place has no room
            compiled = numba.njit([types.void(*arguments)], nogil=True, fastmath=sums)(function)
        return cast("Function", compiled)

    return decorate


def read(dtype: Numba, ndim: int = 1) -> Numba:
    """Return the type of an array that is only read."""
    return types.Array(dtype, ndim, "C", readonly=True)


def write(dtype: Numba, ndim: int = 1) -> Numba:
    """Return the type of an array that is written to."""
    return types.Array(dtype, ndim, "C")


def pointer(builder: Numba, address: Numba, kind: Numba) -> Numba:
    """Return an address as a pointer to values of a kind."""
    return builder.inttoptr(address, kind.as_pointer())


def loop(builder: Numba, times: Numba, step: Callable[[Numba, Numba], Numba], start: Numba) -> Numba:
    """Build `for index in range(times): total = step(index, total)` and return the last total."""
    (total,) = loop_all(builder, times, lambda index, totals: [step(index, totals[0])], [start])
    return total


def loop_all(
    builder: Numba, times: Numba, step: Callable[[Numba, list[Numba]], list[Numba]], starts: list[Numba]
) -> list[Numba]:
    """Build the same loop for several totals, each of which may be of another type."""
    zero, one = ir.Constant(times.type, 0), ir.Constant(times.type, 1)
    before, body, after = (
        builder.block,
        builder.append_basic_block("body"),
        builder.append_basic_block("after"),
    )
    builder.cbranch(builder.icmp_signed("<", zero, times), body, after)
    builder.position_at_end(body)
    index, *totals = (builder.phi(value.type) for value in (times, *starts))
    following, reached = step(index, totals), builder.add(index, one)
    builder.cbranch(builder.icmp_signed("<", reached, times), body, after)
    end = builder.block
    for value, first, later in zip((index, *totals), (zero, *starts), (reached, *following), strict=True):
        value.add_incoming(first, before)
        value.add_incoming(later, end)
    builder.position_at_end(after)
    last = [builder.phi(start.type) for start in starts]
    for value, start, later in zip(last, starts, following, strict=True):
        value.add_incoming(start, before)
        value.add_incoming(later, end)
    return last
