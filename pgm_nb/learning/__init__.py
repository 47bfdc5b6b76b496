"""Information in, (graph, trace) out: one pure function per search."""

from pgm_nb.learning.structures import best_weight, exact, greedy, naive, optimal, tan
from pgm_nb.learning.trace import Candidate, Step, Trace

__all__ = ["Candidate", "Step", "Trace", "best_weight", "exact", "greedy", "naive", "optimal", "tan"]
