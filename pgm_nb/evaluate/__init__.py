"""How good the models are: on the same folds, with tests of significance."""

from pgm_nb.evaluate.comparison import Comparison
from pgm_nb.evaluate.crossvalidate import PEERS, compare, with_preprocessing
from pgm_nb.evaluate.deciding import Decisions, decisions
from pgm_nb.evaluate.predictions import cases
from pgm_nb.evaluate.ranks import Friedman, friedman

__all__ = [
    "PEERS",
    "Comparison",
    "Decisions",
    "Friedman",
    "cases",
    "compare",
    "decisions",
    "friedman",
    "with_preprocessing",
]
