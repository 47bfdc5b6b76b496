"""The explicit, frozen graph objects: names and weights in bits, no probabilities."""

from pgm_nb.graphs.averaged import AveragedStars
from pgm_nb.graphs.bags import Bags
from pgm_nb.graphs.base import Edge, Graph, Headline, View
from pgm_nb.graphs.checks import from_json
from pgm_nb.graphs.cherry import CherryTree
from pgm_nb.graphs.class_trees import ClassTrees
from pgm_nb.graphs.clusters import ClusterTree, LocalCluster
from pgm_nb.graphs.gaussian import GaussianStar
from pgm_nb.graphs.hidden import HiddenParents
from pgm_nb.graphs.higher import HigherCherryTree
from pgm_nb.graphs.joined import JoinedStar
from pgm_nb.graphs.parents import Parents
from pgm_nb.graphs.selective import SelectiveStar
from pgm_nb.graphs.star import Star
from pgm_nb.graphs.strongest import StrongestParents
from pgm_nb.graphs.tree import Tree, mothers_first
from pgm_nb.graphs.weighted import WeightedStar

__all__ = [
    "AveragedStars",
    "Bags",
    "CherryTree",
    "ClassTrees",
    "ClusterTree",
    "Edge",
    "GaussianStar",
    "Graph",
    "Headline",
    "HiddenParents",
    "HigherCherryTree",
    "JoinedStar",
    "LocalCluster",
    "Parents",
    "SelectiveStar",
    "Star",
    "StrongestParents",
    "Tree",
    "View",
    "WeightedStar",
    "from_json",
    "mothers_first",
]
