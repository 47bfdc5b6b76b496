"""scikit-learn classifiers, one thin file each."""

from pgm_nb.models.attribute_weighted import AttributeWeightedNaiveBayes
from pgm_nb.models.averaged_one_dependence import AveragedOneDependence
from pgm_nb.models.averaged_tree import AveragedTree
from pgm_nb.models.bernoulli_naive_bayes import BernoulliNaiveBayes
from pgm_nb.models.class_trees import ClassTreesBayes
from pgm_nb.models.files import load
from pgm_nb.models.gaussian_naive_bayes import GaussianNaiveBayes
from pgm_nb.models.generalized_naive_bayes import GeneralizedNaiveBayes
from pgm_nb.models.hidden.model import HiddenNaiveBayes, PackagedHiddenNaiveBayes
from pgm_nb.models.k_dependence import KDependenceBayes
from pgm_nb.models.kernel.model import KernelSemiNaiveBayes
from pgm_nb.models.local_pca.model import LocalPCAMixture
from pgm_nb.models.multinomial_naive_bayes import MultinomialNaiveBayes
from pgm_nb.models.naive_bayes import NaiveBayes
from pgm_nb.models.one_dependence_augmented import OneDependenceAugmented
from pgm_nb.models.selective_naive_bayes import SelectiveNaiveBayes
from pgm_nb.models.table import TableClassifier
from pgm_nb.models.tree_augmented_naive_bayes import TreeAugmentedNaiveBayes

MODELS = (
    NaiveBayes,
    TreeAugmentedNaiveBayes,
    GeneralizedNaiveBayes,
    HiddenNaiveBayes,
    PackagedHiddenNaiveBayes,
    AveragedOneDependence,
    KDependenceBayes,
    OneDependenceAugmented,
    AveragedTree,
    ClassTreesBayes,
    SelectiveNaiveBayes,
    AttributeWeightedNaiveBayes,
    BernoulliNaiveBayes,
    MultinomialNaiveBayes,
    GaussianNaiveBayes,
    LocalPCAMixture,
    KernelSemiNaiveBayes,
)
TABLE_MODELS = tuple(  # over columns that are binned as a person chooses
    kind for kind in MODELS if issubclass(kind, TableClassifier) and kind.about.has_parameter("n_bins")
)

__all__ = [
    "MODELS",
    "TABLE_MODELS",
    "AttributeWeightedNaiveBayes",
    "AveragedOneDependence",
    "AveragedTree",
    "BernoulliNaiveBayes",
    "ClassTreesBayes",
    "GaussianNaiveBayes",
    "GeneralizedNaiveBayes",
    "HiddenNaiveBayes",
    "KDependenceBayes",
    "KernelSemiNaiveBayes",
    "LocalPCAMixture",
    "MultinomialNaiveBayes",
    "NaiveBayes",
    "OneDependenceAugmented",
    "PackagedHiddenNaiveBayes",
    "SelectiveNaiveBayes",
    "TreeAugmentedNaiveBayes",
    "load",
]
