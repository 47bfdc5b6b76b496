"""A graph and its counts in; factors, posteriors and answers out."""

from pgm_nb.inference.beliefs import Beliefs, Forest, calibrate
from pgm_nb.inference.evidence import Evidence
from pgm_nb.inference.factors import Factors, estimate, estimate_unsmoothed, log_joint
from pgm_nb.inference.families import Families, families
from pgm_nb.inference.junction import JunctionTree
from pgm_nb.inference.normalising import normalise, posteriors
from pgm_nb.inference.variables import Variable, Variables

__all__ = [
    "Beliefs",
    "Evidence",
    "Factors",
    "Families",
    "Forest",
    "JunctionTree",
    "Variable",
    "Variables",
    "calibrate",
    "estimate",
    "estimate_unsmoothed",
    "families",
    "log_joint",
    "normalise",
    "posteriors",
]
