"""Counts -> entropy, mutual information, information content, weight and KL divergence, in bits."""

from pgm_nb.information.divergence import Divergence, joint_entropy, kl_divergence, weight
from pgm_nb.information.measures import (
    Information,
    class_information,
    conditional_mutual_information,
    entropies,
    entropy,
    information,
    interaction_information,
    mutual_information,
    pair_information,
    star_information,
    triplet_information,
)
from pgm_nb.information.wide import WideInformation, wide_information

__all__ = [
    "Divergence",
    "Information",
    "WideInformation",
    "class_information",
    "conditional_mutual_information",
    "entropies",
    "entropy",
    "information",
    "interaction_information",
    "joint_entropy",
    "kl_divergence",
    "mutual_information",
    "pair_information",
    "star_information",
    "triplet_information",
    "weight",
    "wide_information",
]
