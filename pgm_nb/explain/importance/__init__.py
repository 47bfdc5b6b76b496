"""Which attributes matter: for predicting the class, beside one another, and in the order of joining."""

from pgm_nb.explain.importance.orders import importance, redundancy, redundancy_of
from pgm_nb.explain.importance.out_of_fold import OutOfFold, out_of_fold
from pgm_nb.explain.importance.study import Cost, Kept, Study, keep_only, study_order

__all__ = [
    "Cost",
    "Kept",
    "OutOfFold",
    "Study",
    "importance",
    "keep_only",
    "out_of_fold",
    "redundancy",
    "redundancy_of",
    "study_order",
]
