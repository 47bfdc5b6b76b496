"""scikit-learn classifiers, one thin file each."""

from pgm_nb.models.files import load
from pgm_nb.models.gaussian_naive_bayes import GaussianNaiveBayes
from pgm_nb.models.generalized_naive_bayes import GeneralizedNaiveBayes
from pgm_nb.models.hidden_naive_bayes import HiddenNaiveBayes
from pgm_nb.models.kernel_semi_naive_bayes import KernelSemiNaiveBayes
from pgm_nb.models.local_pca_mixture import LocalPCAMixture
from pgm_nb.models.naive_bayes import NaiveBayes
from pgm_nb.models.packaged_hidden_naive_bayes import PackagedHiddenNaiveBayes
from pgm_nb.models.table import TableClassifier
from pgm_nb.models.tree_augmented_naive_bayes import TreeAugmentedNaiveBayes

MODELS = (
    NaiveBayes,
    TreeAugmentedNaiveBayes,
    GeneralizedNaiveBayes,
    HiddenNaiveBayes,
    PackagedHiddenNaiveBayes,
    GaussianNaiveBayes,
    LocalPCAMixture,
    KernelSemiNaiveBayes,
)
TABLE_MODELS = tuple(kind for kind in MODELS if issubclass(kind, TableClassifier))  # over binned columns

__all__ = [
    "MODELS",
    "TABLE_MODELS",
    "GaussianNaiveBayes",
    "GeneralizedNaiveBayes",
    "HiddenNaiveBayes",
    "KernelSemiNaiveBayes",
    "LocalPCAMixture",
    "NaiveBayes",
    "PackagedHiddenNaiveBayes",
    "TreeAugmentedNaiveBayes",
    "load",
]
