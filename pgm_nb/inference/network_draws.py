"""Scores of one case under drawn tables, where an attribute has any parents, or every class its own tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pgm_nb.arrays import Floats, Ints
from pgm_nb.inference.credible import drawn_scores, possible_states
from pgm_nb.inference.elimination import Network, log_joint_network
from pgm_nb.inference.families import Families
from pgm_nb.inference.table_draws import TableDraws
from pgm_nb.inference.table_posterior import CLASS_ROWS, LEAST, Mixture, TablePosterior

__all__ = ["ClassTreeDraws", "OneClass", "network_scores", "parent_families"]

States = Sequence[int | None]


def parent_families(
    y: Ints, columns: Sequence[int], parents: Sequence[Sequence[int]], tables: Sequence[Ints]
) -> Families:
    """Return counts with any parents in the form that is drawn from; the graph need not be chordal.

    Examples
    --------
    >>> alone, three = np.ones((2, 2)), np.ones((2, 2, 2, 2))
    >>> parent_families(np.array([8, 8]), (0, 1, 2), ((), (), (0, 1)), (alone, alone, three)).given
    ((), (), (0, 1))
    """
    first = tuple(above[0] if above else -1 for above in parents)
    return Families(y, tuple(columns), first, tuple(tables), tuple(tuple(above[1:]) for above in parents))


def network_scores(draws: TableDraws, states: States) -> Floats:
    """Return log P(y, known attributes) under drawn tables, (k, n); the others are summed out exactly.

    Parameters
    ----------
    draws : TableDraws
        Draws of the tables, from `parent_families`.
    states : sequence of int or None
        The state of every attribute; None if it is unknown.

    Examples
    --------
    >>> counts = parent_families(np.array([20, 80]), (0,), ((),), (np.array([[20, 0], [4, 76]]),))
    >>> network_scores(TableDraws(TablePosterior(counts), 100), [0]).shape
    (2, 100)
    """
    families = draws.posterior.families
    possible = possible_states(draws.posterior, _weights(states, families.cards))
    drawn = draws.factors(possible)
    network = Network(drawn.log_prior, drawn.columns, drawn.given, drawn.tables)
    used = [i for i, found in enumerate(possible) if found is not None]
    codes = [0 if states[i] is not None else families.cards[i] for i in used]
    if not used:
        return draws.log_prior.T
    scores: Floats = log_joint_network(network, np.array(codes, dtype=np.uint16)[:, None])[0]
    return scores.reshape(len(families.y), draws.n)


@dataclass(frozen=True, eq=False)
class OneClass(TablePosterior):
    """The posterior of the tables of one class; what a table leans on may come from the other classes.

    Attributes
    ----------
    families : Families
        The counts of this class alone.
    whole : tuple of arrays
        The same tables of all classes.
    label : int
        Which class it is.
    """

    whole: tuple[Ints, ...] = ()
    label: int = 0

    @cached_property
    def mixtures(self) -> tuple[Mixture, ...]:
        """The posteriors of every table."""
        found = (Mixture.of(counts) for counts in self.whole)
        return tuple(Mixture(one.rows[:, self.label : self.label + 1], one.shares) for one in found)


@dataclass(frozen=True, eq=False)
class ClassTreeDraws:
    """Draws of the tables of one tree per class.

    Parameters
    ----------
    y : array (k,)
        Rows per class.
    columns, mothers, others : tuple of tuples
        For every class its tree, as in `Families`.
    tables : tuple of tuples of arrays
        For every class the counts of its cliques, in all classes, (k, ..., v).
    n : int
        How many draws.
    """

    y: Ints
    columns: tuple[tuple[int, ...], ...]
    mothers: tuple[tuple[int, ...], ...]
    others: tuple[tuple[tuple[int, ...], ...], ...]
    tables: tuple[tuple[Ints, ...], ...]
    n: int

    @cached_property
    def log_prior(self) -> Floats:
        """Log shares of the classes, (k, n)."""
        prior = np.random.default_rng(0).standard_gamma(self.y + CLASS_ROWS, size=(self.n, len(self.y)))
        prior += LEAST
        found: Floats = np.log(prior / prior.sum(axis=1, keepdims=True)).T
        return found

    @cached_property
    def trees(self) -> tuple[TableDraws, ...]:
        """The draws of each tree."""
        found = []
        parts = zip(self.columns, self.mothers, self.others, self.tables, strict=True)
        for label, (columns, mothers, others, tables) in enumerate(parts):
            here = slice(label, label + 1)
            own = Families(self.y[here], columns, mothers, tuple(table[here] for table in tables), others)
            found.append(TableDraws(OneClass(own, tables, label), self.n, seed=1 + label))
        return tuple(found)

    def scores(self, states: States) -> Floats:
        """Return log P(y, known attributes) under drawn tables, (k, n), from the state of every column."""
        evidence = []
        for draws in self.trees:
            families = draws.posterior.families
            own = [states[column] for column in families.columns]
            evidence.append(drawn_scores(draws, _weights(own, families.cards))[1])
        total: Floats = self.log_prior + np.concatenate(evidence)
        return total


def _weights(states: States, cards: Sequence[int]) -> list[Floats | None]:
    return [None if state is None else np.eye(v)[state] for state, v in zip(states, cards, strict=True)]
