"""The explicit, frozen graph objects: names and weights in bits, no probabilities."""

from pgm_nb.graphs.base import Edge, Graph
from pgm_nb.graphs.cherry import CherryTree
from pgm_nb.graphs.star import Star
from pgm_nb.graphs.text import from_json
from pgm_nb.graphs.tree import Tree

__all__ = ["CherryTree", "Edge", "Graph", "Star", "Tree", "from_json"]
