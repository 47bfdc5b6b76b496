"""scikit-learn classifiers, one thin file each."""

from pgm_nb.models.files import load
from pgm_nb.models.generalized_naive_bayes import GeneralizedNaiveBayes
from pgm_nb.models.naive_bayes import NaiveBayes
from pgm_nb.models.tree_augmented_naive_bayes import TreeAugmentedNaiveBayes

MODELS = (NaiveBayes, TreeAugmentedNaiveBayes, GeneralizedNaiveBayes)

__all__ = ["MODELS", "GeneralizedNaiveBayes", "NaiveBayes", "TreeAugmentedNaiveBayes", "load"]
