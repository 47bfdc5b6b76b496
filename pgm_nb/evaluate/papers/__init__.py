"""The tables of the papers, reproduced: their protocols, their figures and ours."""

from pgm_nb.evaluate.papers.figures import Figure, Reproduction
from pgm_nb.evaluate.papers.reproduction import PAPERS, reproduce

__all__ = ["PAPERS", "Figure", "Reproduction", "reproduce"]
