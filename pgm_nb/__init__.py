"""The structure explorer for the naive Bayes family: a table goes in, an explicit graph comes out.

>>> import pgm_nb as pnb
>>> X, y = pnb.load_sample("wdbc")
>>> model = pnb.GeneralizedNaiveBayes().fit(X, y)
>>> print(model.structure_.clusters[0])
('class', 'mean area', 'mean radius')
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from pgm_nb.version import __version__

_HOME = {
    "MODELS": "pgm_nb.models",
    "AveragedOneDependence": "pgm_nb.models",
    "AttributeWeightedNaiveBayes": "pgm_nb.models",
    "AveragedTree": "pgm_nb.models",
    "BernoulliNaiveBayes": "pgm_nb.models",
    "MultinomialNaiveBayes": "pgm_nb.models",
    "OneDependenceAugmented": "pgm_nb.models",
    "SelectiveNaiveBayes": "pgm_nb.models",
    "ClassTreesBayes": "pgm_nb.models",
    "GaussianNaiveBayes": "pgm_nb.models",
    "GeneralizedNaiveBayes": "pgm_nb.models",
    "HiddenNaiveBayes": "pgm_nb.models",
    "KDependenceBayes": "pgm_nb.models",
    "KernelSemiNaiveBayes": "pgm_nb.models",
    "LocalPCAMixture": "pgm_nb.models",
    "NaiveBayes": "pgm_nb.models",
    "PackagedHiddenNaiveBayes": "pgm_nb.models",
    "TreeAugmentedNaiveBayes": "pgm_nb.models",
    "CountedTable": "pgm_nb.models.counted",
    "count_table": "pgm_nb.models.counted",
    "load_counts": "pgm_nb.models.counted",
    "PrintSize": "pgm_nb.views.printing",
    "print_chart": "pgm_nb.views.printing",
    "Project": "pgm_nb.models.projects",
    "load_project": "pgm_nb.models.projects",
    "load": "pgm_nb.models",
    "calibration": "pgm_nb.evaluate.reliability",
    "cases": "pgm_nb.evaluate",
    "compare": "pgm_nb.evaluate",
    "decisions": "pgm_nb.evaluate",
    "draw_known": "pgm_nb.explain.known_picture",
    "edit_price": "pgm_nb.evaluate.edit_price",
    "friedman": "pgm_nb.evaluate",
    "edge_stability": "pgm_nb.explain",
    "CaseAnalysis": "pgm_nb.explain",
    "compare_cases": "pgm_nb.explain",
    "most_alike": "pgm_nb.explain",
    "parameter_sensitivity": "pgm_nb.explain",
    "tornado": "pgm_nb.explain",
    "what_changes": "pgm_nb.explain",
    "edge_tests": "pgm_nb.explain",
    "growth": "pgm_nb.explain.growth",
    "question_tree": "pgm_nb.explain.questions",
    "how_sure": "pgm_nb.explain.how_sure",
    "rows_behind": "pgm_nb.explain.how_sure",
    "importance": "pgm_nb.explain.importance",
    "importance_curve": "pgm_nb.explain",
    "keep_only": "pgm_nb.explain.importance",
    "redundancy": "pgm_nb.explain.importance",
    "AveragedStars": "pgm_nb.graphs",
    "Bags": "pgm_nb.graphs",
    "CherryTree": "pgm_nb.graphs",
    "ClassTrees": "pgm_nb.graphs",
    "HiddenParents": "pgm_nb.graphs",
    "HigherCherryTree": "pgm_nb.graphs",
    "Parents": "pgm_nb.graphs",
    "Star": "pgm_nb.graphs",
    "Tree": "pgm_nb.graphs",
    "SAMPLES": "pgm_nb.data",
    "load_sample": "pgm_nb.data",
    "report": "pgm_nb.reports",
    "above": "pgm_nb.engine.evidence",
    "below": "pgm_nb.engine.evidence",
    "between": "pgm_nb.engine.evidence",
    "likelihood": "pgm_nb.engine.evidence",
    "not_": "pgm_nb.engine.evidence",
    "one_of": "pgm_nb.engine.evidence",
    "read_structure": "pgm_nb.engine.exchange",
    "read_table": "pgm_nb.data",
    "Codebook": "pgm_nb.data.repairs",
    "Recipe": "pgm_nb.data.repairs",
    "propose": "pgm_nb.data.repairs",
    "read_codebook": "pgm_nb.data.repairs",
    "repair": "pgm_nb.data.repairs",
    "scan": "pgm_nb.data.scan",
}

if TYPE_CHECKING:
    from pgm_nb.data import SAMPLES, load_sample, read_table
    from pgm_nb.data.repairs import Codebook, Recipe, propose, read_codebook, repair
    from pgm_nb.data.scan import scan
    from pgm_nb.engine.evidence import above, below, between, likelihood, not_, one_of
    from pgm_nb.engine.exchange import read_structure
    from pgm_nb.evaluate import cases, compare, decisions, friedman
    from pgm_nb.evaluate.edit_price import edit_price
    from pgm_nb.evaluate.reliability import calibration
    from pgm_nb.explain import (
        CaseAnalysis,
        compare_cases,
        edge_stability,
        edge_tests,
        importance_curve,
        most_alike,
        parameter_sensitivity,
        tornado,
        what_changes,
    )
    from pgm_nb.explain.growth import growth
    from pgm_nb.explain.how_sure import how_sure, rows_behind
    from pgm_nb.explain.importance import importance, keep_only, redundancy
    from pgm_nb.explain.known_picture import draw_known
    from pgm_nb.explain.questions import question_tree
    from pgm_nb.graphs import (
        AveragedStars,
        Bags,
        CherryTree,
        ClassTrees,
        HiddenParents,
        HigherCherryTree,
        Parents,
        Star,
        Tree,
    )
    from pgm_nb.models import (
        MODELS,
        AttributeWeightedNaiveBayes,
        AveragedOneDependence,
        AveragedTree,
        BernoulliNaiveBayes,
        ClassTreesBayes,
        GaussianNaiveBayes,
        GeneralizedNaiveBayes,
        HiddenNaiveBayes,
        KDependenceBayes,
        KernelSemiNaiveBayes,
        LocalPCAMixture,
        MultinomialNaiveBayes,
        NaiveBayes,
        OneDependenceAugmented,
        PackagedHiddenNaiveBayes,
        SelectiveNaiveBayes,
        TreeAugmentedNaiveBayes,
        load,
    )
    from pgm_nb.models.counted import CountedTable, count_table, load_counts
    from pgm_nb.models.projects import Project, load_project
    from pgm_nb.reports import report
    from pgm_nb.views.printing import PrintSize, print_chart

__all__ = [
    "MODELS",
    "SAMPLES",
    "AttributeWeightedNaiveBayes",
    "AveragedOneDependence",
    "AveragedStars",
    "AveragedTree",
    "Bags",
    "BernoulliNaiveBayes",
    "CaseAnalysis",
    "CherryTree",
    "ClassTrees",
    "ClassTreesBayes",
    "Codebook",
    "CountedTable",
    "GaussianNaiveBayes",
    "GeneralizedNaiveBayes",
    "HiddenNaiveBayes",
    "HiddenParents",
    "HigherCherryTree",
    "KDependenceBayes",
    "KernelSemiNaiveBayes",
    "LocalPCAMixture",
    "MultinomialNaiveBayes",
    "NaiveBayes",
    "OneDependenceAugmented",
    "PackagedHiddenNaiveBayes",
    "Parents",
    "PrintSize",
    "Project",
    "Recipe",
    "SelectiveNaiveBayes",
    "Star",
    "Tree",
    "TreeAugmentedNaiveBayes",
    "__version__",
    "above",
    "below",
    "between",
    "calibration",
    "cases",
    "compare",
    "compare_cases",
    "count_table",
    "decisions",
    "draw_known",
    "edge_stability",
    "edge_tests",
    "edit_price",
    "friedman",
    "growth",
    "how_sure",
    "importance",
    "importance_curve",
    "keep_only",
    "likelihood",
    "load",
    "load_counts",
    "load_project",
    "load_sample",
    "most_alike",
    "not_",
    "one_of",
    "parameter_sensitivity",
    "print_chart",
    "propose",
    "question_tree",
    "read_codebook",
    "read_structure",
    "read_table",
    "redundancy",
    "repair",
    "report",
    "rows_behind",
    "scan",
    "tornado",
    "what_changes",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that ``import pgm_nb`` costs nothing."""
    if name not in _HOME:
        raise AttributeError(f"module 'pgm_nb' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOME[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
