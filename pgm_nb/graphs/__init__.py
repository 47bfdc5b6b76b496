"""The explicit, frozen graph objects: names and weights in bits, no probabilities."""

from pgm_nb.graphs.averaged import AveragedStars
from pgm_nb.graphs.base import Edge, Graph, Headline, View, from_json
from pgm_nb.graphs.cherry import CherryTree, HigherCherryTree
from pgm_nb.graphs.clusters import ClusterTree, LocalCluster
from pgm_nb.graphs.hidden import Bags, HiddenParents
from pgm_nb.graphs.joined import JoinedStar
from pgm_nb.graphs.parents import Parents, StrongestParents
from pgm_nb.graphs.star import GaussianStar, SelectiveStar, Star, WeightedStar
from pgm_nb.graphs.tree import ClassTrees, Tree, mothers_first

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
