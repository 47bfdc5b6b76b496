"""How good the models are: on the same folds, with tests of significance, and against the papers."""

from pgm_nb.evaluate.case_list import cases
from pgm_nb.evaluate.comparison import Comparison
from pgm_nb.evaluate.contestants import PEERS, with_preprocessing
from pgm_nb.evaluate.crossvalidate import compare
from pgm_nb.evaluate.deciding import Decisions, decisions
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
