"""Class-trained scores of rows: complete ones are looked up, unknown attributes of others are summed out."""

from __future__ import annotations

import numpy as np

from pgm_nb.arrays import Codes, Floats, Ints
from pgm_nb.counts.kernels import CompiledModule, in_threads, thread_count
from pgm_nb.inference import chordal, cliques
from pgm_nb.inference.class_parameters import ClassParameters, class_potentials, class_terms
from pgm_nb.inference.cliques import clique_terms
from pgm_nb.inference.factors import Factors, log_joint
from pgm_nb.inference.incomplete import COMPILED_NS, KERNELS, cells_of, wide_codes

__all__ = ["COMPILED", "class_scores"]

COMPILED = CompiledModule("pgm_nb.inference.compiled_class", load_seconds=0.8, compile_seconds=6.0)
TERMS_NS = 30.0  # that NumPy takes to take a row with unknown cells apart, per cell of a table
TERM_NS = 40.0  # that NumPy takes to weigh what an attribute adds, per class
ROWS = 1 << 14  # with several mothers, handled at once
FEW_COMPLETE = 0.2  # up to this share it is faster to score complete rows twice than to copy the others


def class_scores(parameters: ClassParameters, factors: Factors, codes: Codes, kernel: str = "auto") -> Floats:
    """Score rows for every class, (n, k): log P(y | known attributes) up to a constant per row.

    Parameters
    ----------
    parameters : ClassParameters
        What was learned for the class.
    factors : Factors
        The generative tables.
    codes : array (d, n)
        Coded rows; a code equal to the number of states means unknown.
    kernel : {"auto", "numpy", "compiled"}
        How to sum unknown attributes out of a forest; the results agree to 1e-12.
    """
    complete = factors.packed.are_complete(codes)
    if complete.all():
        return log_joint(class_potentials(parameters, factors), codes)
    if complete.mean() <= FEW_COMPLETE:
        scores = _incomplete_scores(parameters, factors, codes, kernel)
    else:
        scores = np.empty((codes.shape[1], len(factors.log_prior)))
        scores[~complete] = _incomplete_scores(parameters, factors, codes[:, ~complete], kernel)
    if complete.any():
        scores[complete] = log_joint(class_potentials(parameters, factors), codes[:, complete])
    return scores


def _incomplete_scores(parameters: ClassParameters, factors: Factors, codes: Codes, kernel: str) -> Floats:
    """Score rows of which not everything is known; those that come too near to zero are summed in logs."""
    n, d = codes.shape[1], len(factors.columns)
    seconds = 1e-9 * TERMS_NS * cells_of(factors) * n
    if factors.others:
        return _clique_scores(parameters, factors, codes, kernel)
    if not _fit_to_multiply(factors) or not COMPILED.chosen(kernel, KERNELS, seconds):
        start, values = class_terms(parameters, factors, codes)
        scores: Floats = start + values.sum(axis=1)
        return scores
    from pgm_nb.inference import compiled_class

    laid, k = factors.laid, len(factors.log_prior)
    bias, weights, fades = parameters.at(np.arange(d + 1))
    sizes = np.array([main.shape[1] for main in parameters.mains], dtype=np.int64)
    cells = np.concatenate(
        [
            (cell if mothers else main).reshape(k, -1)
            for mothers, main, cell in zip(factors.given, parameters.mains, parameters.cells, strict=True)
        ],
        axis=1,
    )
    tables = (*laid[:3], laid.chances.ravel(), laid.turned.ravel(), laid.chances.shape[1], *factors.distant)
    trained = (
        np.concatenate([factors.packed.cells, cells.T], axis=1),
        np.cumsum(sizes) - sizes,
        np.concatenate(parameters.mains, axis=1),
        *(factors.log_prior + bias, weights, fades),
    )
    used, result, small = wide_codes(factors, codes), np.empty((n, k)), np.zeros(n, dtype=np.uint8)

    def add(first: int, last: int) -> None:
        compiled_class.class_scores(used, *tables, *trained, result, small, first, last)

    in_threads(add, np.full(n, COMPILED_NS * cells_of(factors)), thread_count(None))
    again = np.flatnonzero(small)
    if len(again):
        start, values = class_terms(parameters, factors, codes[:, again])
        result[again] = start + values.sum(axis=1)
    return result


def _clique_scores(parameters: ClassParameters, factors: Factors, codes: Codes, kernel: str) -> Floats:
    """Score rows of a graph in which attributes have several mothers, some rows at a time."""
    n, d, k = codes.shape[1], len(factors.columns), len(factors.log_prior)
    result = np.empty((n, k))
    if chordal.chosen(factors, n, kernel):
        left = chordal.add_up(factors, _trained(parameters, factors), codes, result)
        if len(left):
            start, values = class_terms(parameters, factors, codes[:, left])
            result[left] = start + values.sum(axis=1)
        return result
    for first in range(0, n, ROWS):
        block = slice(first, first + ROWS)
        terms = clique_terms(factors, codes[:, block], kernel)
        if not cliques.COMPILED.chosen(kernel, KERNELS, 1e-9 * TERM_NS * terms.size):
            start, values = class_terms(parameters, factors, codes[:, block], terms)
            result[block] = start + values.sum(axis=1)
            continue
        from pgm_nb.inference import compiled_cliques

        bias, weights, fades = parameters.at(np.arange(d + 1))
        cells = np.concatenate([cell.reshape(k, -1) for cell in parameters.cells], axis=1)
        sizes = np.array([main.shape[1] for main in parameters.mains], dtype=np.int64)
        compiled_cliques.weighted_terms(
            *(wide_codes(factors, codes[:, block]), factors.cards.astype(np.int64), *_given(factors)),
            *(np.ascontiguousarray(cells.T), np.cumsum(sizes) - sizes),
            np.ascontiguousarray(np.concatenate(parameters.mains, axis=1).T),
            *(terms, factors.log_prior + bias, weights, fades, result[block]),
        )
    return result


def _trained(parameters: ClassParameters, factors: Factors) -> chordal.Trained:
    """Return what rows are scored with by the kernel for up to two mothers."""
    bias, weights, fades = parameters.at(np.arange(len(factors.columns) + 1))
    states = factors.cards.astype(np.int64)
    sizes = np.array([table[0].size for table in factors.tables], dtype=np.int64)
    alone = zip(factors.given, parameters.mains, parameters.cells, strict=True)
    added = [cell if mothers else main for mothers, main, cell in alone]
    tables = (chordal.side_by_side(each, factors.given).T for each in (factors.tables, added))
    return chordal.Trained(
        np.cumsum(sizes) - sizes,
        np.ascontiguousarray(np.concatenate([*tables], axis=1)),
        np.cumsum(states) - states,
        np.concatenate(parameters.mains, axis=1),
        *(factors.log_prior + bias, weights, fades),
    )


def _given(factors: Factors) -> tuple[Ints, Ints, Ints, Ints]:
    """Return the number of mothers, the start of the table, the mothers and their steps, by attribute."""
    counts = np.array([len(mothers) for mothers in factors.given], dtype=np.int64)
    members, steps = np.zeros((2, len(counts), max(1, int(counts.max()))), dtype=np.int64)
    for position, (mothers, table) in enumerate(zip(factors.given, factors.tables, strict=True)):
        members[position, : len(mothers)] = mothers
        for axis in range(len(mothers)):
            steps[position, axis] = np.prod(table.shape[2 + axis :], dtype=np.int64)
    return counts, factors.packed.start.ravel().astype(np.int64), members, steps


def _fit_to_multiply(factors: Factors) -> bool:
    """Whether no state is impossible, and the chances of every attribute add up to one."""
    return all(bool(np.isfinite(table).all()) for table in factors.tables) and bool(factors.laid.whole.all())
