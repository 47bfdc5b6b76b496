"""The papers' tables, run again: their protocols, their figures, ours beside them."""

from pgm_nb.evaluate.papers.reproduction import Figure, Reproduction
from pgm_nb.evaluate.papers.run import PAPERS, reproduce

__all__ = ["PAPERS", "Figure", "Reproduction", "reproduce"]
