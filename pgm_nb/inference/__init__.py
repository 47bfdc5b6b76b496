"""A graph and its counts in, factors and posteriors out."""

from pgm_nb.inference.factors import Factors, estimate, estimate_unsmoothed, log_joint, normalise
from pgm_nb.inference.families import Families, families

__all__ = [
    "Factors",
    "Families",
    "estimate",
    "estimate_unsmoothed",
    "families",
    "log_joint",
    "normalise",
]
