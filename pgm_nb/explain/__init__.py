"""Why a model says what it says: contributions, importance, stability of its edges."""

from pgm_nb.explain.case_values import CaseAttribute, CaseReader
from pgm_nb.explain.cases import CaseAnalysis, CasePosterior
from pgm_nb.explain.comparisons import CasePair, Likeness, compare_cases, most_alike
from pgm_nb.explain.detail import Detail, DetailTable
from pgm_nb.explain.explanation import Explanation, Part, Terms
from pgm_nb.explain.importance.curve import ImportanceCurve, importance_curve
from pgm_nb.explain.links import EdgeStability, edge_stability, edge_tests
from pgm_nb.explain.nomogram import Nomogram, nomogram
from pgm_nb.explain.sensitivity import Changes, Tornado, parameter_sensitivity, tornado, what_changes

__all__ = [
    "CaseAnalysis",
    "CaseAttribute",
    "CasePair",
    "CasePosterior",
    "CaseReader",
    "Changes",
    "Detail",
    "DetailTable",
    "EdgeStability",
    "Explanation",
    "ImportanceCurve",
    "Likeness",
    "Nomogram",
    "Part",
    "Terms",
    "Tornado",
    "compare_cases",
    "edge_stability",
    "edge_tests",
    "importance_curve",
    "most_alike",
    "nomogram",
    "parameter_sensitivity",
    "tornado",
    "what_changes",
]
