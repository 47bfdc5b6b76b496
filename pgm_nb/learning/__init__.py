"""Information in, (graph, trace) out: one pure function per search."""

from pgm_nb.learning.constraints import Edges
from pgm_nb.learning.for_class import class_tree
from pgm_nb.learning.structures import best_weight, exact, greedy, naive, optimal, score, tan
from pgm_nb.learning.trace import Candidate, Constraint, Step, Trace

__all__ = [
    "Candidate",
    "Constraint",
    "Edges",
    "Step",
    "Trace",
    "best_weight",
    "class_tree",
    "exact",
    "greedy",
    "naive",
    "optimal",
    "score",
    "tan",
]
