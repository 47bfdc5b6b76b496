"""Why a model says what it says: contributions, importance, stability of its edges."""

from pgm_nb.explain.case_attributes import CaseAttribute
from pgm_nb.explain.case_reader import CaseReader
from pgm_nb.explain.cases import CaseAnalysis, CasePosterior
from pgm_nb.explain.changes import Changes, what_changes
from pgm_nb.explain.detail import Detail, DetailTable
from pgm_nb.explain.explanation import Explanation, Part
from pgm_nb.explain.importance.curve import ImportanceCurve, importance_curve
from pgm_nb.explain.independence import edge_tests
from pgm_nb.explain.likeness import Likeness, most_alike
from pgm_nb.explain.nomogram import Nomogram, nomogram
from pgm_nb.explain.pairs import CasePair, compare_cases
from pgm_nb.explain.parameters import parameter_sensitivity
from pgm_nb.explain.stability import EdgeStability, edge_stability
from pgm_nb.explain.swings import Tornado, tornado
from pgm_nb.explain.terms import Terms

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
