"""Minimise a smooth convex function: L-BFGS on scaled parameters, the same numbers on any number of threads.

The products of vectors are plain sums: a linear algebra library would split them over its threads, and the
last digits would depend on how many there are.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from pgm_nb.arrays import Floats, Places
from pgm_nb.counts.kernels import CompiledModule

__all__ = ["COMPILED", "Descent", "Objective", "Pair", "descend", "dot", "inverse"]

COMPILED = CompiledModule("pgm_nb.training.compiled_cells", load_seconds=0.3, compile_seconds=0.5)
KERNELS = ("steady",)
WORTH_COMPILING = 20_000  # parameters from which compiled code multiplies vectors, if it was compiled before
MEMORY = 10  # pairs of steps and changes of the gradient that are remembered
LONG, SHORT_MEMORY = 100_000, 5  # ... of so many parameters, where reading the pairs takes most of the time
ENOUGH = 1e-4  # share of what the slope promises that a step must bring
SHORTEST = 1e-10  # no step in the direction is tried below this
FLAT = 1e-5  # no entry of the gradient is larger: the end
NEAR = 1e-3  # so close to zero a positive parameter is held back

Objective: TypeAlias = Callable[[Floats], tuple[float, Floats]]


class Pair(NamedTuple):
    """A step, what it changed in the gradient, and the product of both."""

    step: Floats
    change: Floats
    product: float

    @classmethod
    def of(cls, step: Floats, change: Floats) -> Pair:
        """Multiply the two.

        Examples
        --------
        >>> Pair.of(np.ones(2), np.array([3.0, 4.0])).product
        7.0
        """
        return cls(step, change, dot(step, change))


class Descent(NamedTuple):
    """Where a search ended, whether it ended before its steps did, and the last of its pairs."""

    point: Floats
    converged: bool
    pairs: list[Pair]


def dot(a: Floats, b: Floats) -> float:
    """Return the sum of products of two vectors, added up in one thread.

    Examples
    --------
    >>> dot(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    11.0
    """
    return float(np.einsum("i,i->", a, b))


def descend(
    objective: Objective,
    start: Floats,
    curvature: Floats,
    tolerance: float,
    most_steps: int,
    known: Sequence[Pair] = (),
    positive: int = 0,
) -> Descent:
    """Minimise a convex function.

    Parameters that must not be negative are kept in by Bertsekas's projection: those that are (nearly) zero
    and want to go further down follow the gradient alone, and every step ends at zero.

    Parameters
    ----------
    objective : callable
        point (p,) -> value and gradient (p,).
    start : array (p,)
        Where to begin.
    curvature : array (p,) or (p, p)
        About the second derivative by each parameter, positive, or by each pair of them: it scales the steps.
    tolerance : float
        Stop when a step lowers the value by less than this.
    most_steps : int
        Give up after so many steps.
    known : sequence of Pair
        Steps and changes from an earlier search for a similar function.
    positive : int
        How many of the first parameters must not be negative.

    Examples
    --------
    >>> bowl = lambda x: (float((x[0] - 3) ** 2 + 100 * x[1] ** 2), np.array([2 * x[0] - 6, 200 * x[1]]))
    >>> descend(bowl, np.ones(2), np.array([2.0, 200.0]), 1e-12, 50).point.round(6)
    array([3., 0.])
    """
    memory = MEMORY if len(start) < LONG else SHORT_MEMORY
    pairs = deque((pair for pair in known if pair.product > 0), maxlen=memory)
    point, (value, gradient) = start, objective(start)
    scale = _Scale(curvature)
    for _ in range(most_steps):
        if not np.isfinite(value):
            return Descent(point, False, list(pairs))
        low = (point[:positive] <= NEAR) & (gradient[:positive] > 0)
        stuck = np.flatnonzero((point[:positive] <= 0) & low)
        free = np.delete(gradient, stuck) if len(stuck) else gradient
        if max(free.max(initial=0.0), -free.min(initial=0.0)) <= FLAT:
            return Descent(point, True, list(pairs))
        direction = _bounded_direction(pairs, gradient, scale, np.flatnonzero(low))
        slope, length = dot(gradient, direction), 1.0
        ahead, step = _ahead(point, direction, positive)
        found = objective(ahead)
        while not found[0] <= value + ENOUGH * (dot(gradient, step) if positive else length * slope):
            if length < SHORTEST:  # the value cannot be told from a smaller one
                return Descent(point, True, list(pairs))
            bend = found[0] - value - length * slope  # of the parabola through what is known
            best = -slope * length**2 / (2 * bend) if np.isfinite(bend) and bend > 0 else 0.0
            length = min(max(best, 0.1 * length), 0.5 * length)
            ahead, step = _ahead(point, length * direction, positive)
            found = objective(ahead)
        pair = Pair.of(step, found[1] - gradient)
        if pair.product > 0:
            pairs.append(pair)
        gain = value - found[0]
        point, (value, gradient) = ahead, found
        if gain <= tolerance:
            return Descent(point, True, list(pairs))
    return Descent(point, False, list(pairs))


def _ahead(point: Floats, step: Floats, positive: int) -> tuple[Floats, Floats]:
    """Return where a step leads, and the step; what would become negative of the first parameters is zero."""
    ahead = point + step
    if not positive:
        return ahead, step
    np.maximum(ahead[:positive], 0.0, out=ahead[:positive])
    return ahead, ahead - point


class _Scale:
    """Divide by what is known about the second derivatives beforehand: one by one, or all pairs of them."""

    def __init__(self, curvature: Floats) -> None:
        self.curvature, self.alone = curvature, curvature if curvature.ndim == 1 else curvature.diagonal()
        self.low: Places = np.empty(0, dtype=np.intp)
        self.inverse = None if curvature.ndim == 1 else inverse(curvature)

    def hold(self, low: Places) -> None:
        """Let some parameters go their own ways."""
        if self.inverse is None or np.array_equal(low, self.low):
            return
        apart = self.curvature.copy()
        apart[low], apart[:, low] = 0.0, 0.0
        apart[low, low] = self.alone[low]
        self.low, self.inverse = low, inverse(apart)

    def divided(self, values: Floats, room: Floats) -> Floats:
        """Write the values divided by the second derivatives into the room, and return it."""
        if self.inverse is None:
            return np.divide(values, self.curvature, out=room)
        return np.einsum("ij,j->i", self.inverse, values, out=room)


def inverse(matrix: Floats) -> Floats:
    """Return the inverse of a positive definite matrix, in one thread: its digits depend on nothing else.

    Examples
    --------
    >>> inverse(np.array([[2.0, 1.0], [1.0, 1.0]]))
    array([[ 1., -1.],
           [-1.,  2.]])
    """
    left, right = matrix.copy(), np.eye(len(matrix))
    for i in range(len(matrix)):
        pivot = left[i, i]
        left[i] /= pivot
        right[i] /= pivot
        share = left[:, i].copy()
        share[i] = 0.0
        left -= share[:, None] * left[i]
        right -= share[:, None] * right[i]
    return right


def _bounded_direction(pairs: Sequence[Pair], gradient: Floats, scale: _Scale, low: Places) -> Floats:
    """Return the direction of `_direction`, but for some parameters that of the gradient alone."""
    scale.hold(low)
    if len(low) == 0:
        return _direction(pairs, gradient, scale)
    free = np.ones(len(gradient))
    free[low] = 0.0
    inner = [Pair.of(pair.step * free, pair.change * free) for pair in pairs]
    direction = _direction([pair for pair in inner if pair.product > 0], gradient * free, scale)
    direction[low] = -gradient[low] / scale.alone[low]
    return direction


def _direction(pairs: Sequence[Pair], gradient: Floats, scale: _Scale) -> Floats:
    """Return minus the gradient divided by the second derivatives, as far as the pairs know them."""
    direction, room = -gradient, np.empty_like(gradient)
    add = _add_and_multiply if _is_long(gradient) else _add_then_multiply
    shares: list[float] = []
    last = len(pairs) - 1
    ahead = dot(pairs[-1].step, direction) if pairs else 0.0
    for i in range(last, -1, -1):
        shares.append(ahead / pairs[i].product)
        ahead = add(direction, pairs[i].change, -shares[-1], pairs[max(i - 1, 0)].step, room)
    direction, room = scale.divided(direction, room), direction
    if pairs:
        _, change, product = pairs[-1]
        direction *= product / dot(change, scale.divided(change, room))
        ahead = dot(pairs[0].change, direction)
    for i, (step, _, product) in enumerate(pairs):
        times = shares[last - i] - ahead / product
        ahead = add(direction, step, times, pairs[min(i + 1, last)].change, room)
    return direction


def _is_long(vector: Floats) -> bool:
    """Return whether vectors are so long that reading them once instead of twice counts."""
    return (
        len(vector) >= WORTH_COMPILING and COMPILED.is_warm() and COMPILED.chosen("steady", KERNELS, np.inf)
    )


def _add_and_multiply(vector: Floats, added: Floats, times: float, other: Floats, room: Floats) -> float:
    """Add a multiple of a vector to another, and return the product of the result with a third."""
    from pgm_nb.training import compiled_cells as compiled_descent

    compiled_descent.add_and_multiply(vector, added, times, other, room)
    return float(room[0])


def _add_then_multiply(vector: Floats, added: Floats, times: float, other: Floats, room: Floats) -> float:
    """Do the same with NumPy."""
    vector += np.multiply(added, times, out=room)
    return dot(vector, other)
