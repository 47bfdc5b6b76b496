"""Information in, (graph, trace) out: one pure function per search."""

from pgm_nb.learning.constraints import Edges
from pgm_nb.learning.hidden import (
    Setting,
    Sweep,
    average_dependence,
    bags,
    hidden_parents,
    parent_weights,
    sweep,
    threshold_path,
)
from pgm_nb.learning.structures import best_weight, exact, greedy, naive, optimal, score, tan
from pgm_nb.learning.trace import Candidate, Constraint, Step, Trace

__all__ = [
    "Candidate",
    "Constraint",
    "Edges",
    "Setting",
    "Step",
    "Sweep",
    "Trace",
    "average_dependence",
    "bags",
    "best_weight",
    "exact",
    "greedy",
    "hidden_parents",
    "naive",
    "optimal",
    "parent_weights",
    "score",
    "sweep",
    "tan",
    "threshold_path",
]
