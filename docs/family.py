"""Ask every model of the family what it offers, and write the answers into `docs/family.md`.

    python docs/family.py

`tests/test_family.py` asks again and compares, so that the page says what the models do.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import NamedTuple

import pgm_nb as pnb
from pgm_nb.errors import QueryError
from pgm_nb.explain.growth import growth_views

PAGE = Path(__file__).with_name("family.md")
BEGIN, END = "<!-- asked -->\n", "<!-- end -->\n"
HEADER = ("model", "graph", "pictures", "trace", "growth", "factors for pgmpy", "source", "oracle")
ROWS = slice(None, None, 6)  # of iris: what is asked does not depend on how many


class Known(NamedTuple):
    """What a model cannot say itself: where it comes from, and what its numbers are held against."""

    source: str
    oracle: str
    test: str  #: the file and the name of the test


FAMILY = {
    "NaiveBayes": Known(
        "textbook",
        "scikit-learn's CategoricalNB",
        "tables/test_factors.py::test_naive_bayes_equals_scikit_learn",
    ),
    "TreeAugmentedNaiveBayes": Known(
        "Friedman, Geiger, Goldszmidt 1997",
        "maximum spanning tree by networkx",
        "learning/test_trees.py::test_without_relevance_it_is_a_maximum_spanning_tree",
    ),
    "GeneralizedNaiveBayes": Known(
        "Kovács, Ország, Pfeifer, Benczúr 2024",
        "maximum arborescence by networkx",
        "learning/test_structures.py::test_optimal_equals_the_maximum_arborescence_of_the_paper",
    ),
    "GeneralizedNaiveBayes(order=4)": Known(
        "Szántai, Kovács 2011 (arXiv 1104.2762)",
        "all cherry trees of few attributes; pgmpy",
        "learning/test_higher.py::test_exact_is_the_heaviest_of_all_and_the_bound_holds",
    ),
    "HiddenNaiveBayes": Known(
        "Jiang, Zhang, Cai 2009",
        "Weka's HNB",
        "models/hidden/test_mixtures.py::test_hidden_naive_bayes_is_wekas",
    ),
    "PackagedHiddenNaiveBayes": Known(
        "Ji, Yu, Zhang 2011",
        "HNB and naive Bayes as limits; pgmpy",
        "models/hidden/test_models.py::test_a_threshold_below_everything_is_hidden_naive_bayes",
    ),
    "AveragedOneDependence": Known(
        "Webb, Boughton, Wang 2005", "Weka's AODE", "models/test_averaged_scores.py::test_aode_is_wekas"
    ),
    "AveragedOneDependence(weighting='information')": Known(
        "Jiang, Zhang 2006", "Weka's WAODE", "models/test_averaged_scores.py::test_waode_is_wekas"
    ),
    "KDependenceBayes": Known(
        "Sahami 1996", "pgmpy", "models/test_k_dependence.py::test_pgmpy_gives_the_same_posterior"
    ),
    "KDependenceBayes(select=True)": Known(
        "Martínez, Webb, Chen, Zaidi 2016",
        "a loop over rows left out",
        "models/test_k_dependence.py::test_selection_is_that_of_a_loop_over_rows",
    ),
    "OneDependenceAugmented": Known(
        "Jiang, Zhang, Cai, Su 2005",
        "by hand",
        "models/test_one_dependence_augmented.py::test_parents_and_scores_by_hand",
    ),
    "AveragedTree": Known(
        "Jiang, Cai, Wang, Zhang 2012",
        "trees fitted root by root",
        "models/test_averaged_tree.py::test_the_mean_over_trees_fitted_root_by_root",
    ),
    "ClassTreesBayes": Known(
        "Ghofrani, Keshavarz-Haddad, Jamshidi 2018",
        "all trees of few attributes",
        "models/test_class_trees.py::test_every_tree_is_the_best_of_all",
    ),
    "SelectiveNaiveBayes": Known(
        "Langley, Sage 1994",
        "a loop over rows left out",
        "models/test_selective_naive_bayes.py::test_the_search_is_that_of_a_loop_over_rows",
    ),
    "AttributeWeightedNaiveBayes": Known(
        "Zaidi, Cerquides, Carman, Webb 2013",
        "the conditions of the maximum; pgmpy",
        "models/test_attribute_weighted.py::test_no_step_away_is_better",
    ),
    "BernoulliNaiveBayes": Known(
        "Henriksen 2016",
        "scikit-learn's BernoulliNB",
        "models/test_bernoulli_naive_bayes.py::test_it_is_scikit_learns",
    ),
    "MultinomialNaiveBayes": Known(
        "Henriksen 2016",
        "scikit-learn's MultinomialNB",
        "models/test_multinomial_naive_bayes.py::test_it_is_scikit_learns",
    ),
    "GaussianNaiveBayes": Known(
        "Henriksen 2016",
        "scikit-learn's GaussianNB",
        "models/test_gaussian_naive_bayes.py::test_equals_scikit_learn",
    ),
    "LocalPCAMixture": Known(
        "Haghpanah Jahromi, Taheri 2017",
        "SciPy's Gaussian density",
        "models/local_pca/test_search.py::test_density_is_the_full_covariance_gaussian",
    ),
    "KernelSemiNaiveBayes": Known(
        "Denton, Perrizo 2004",
        "the formulas written out",
        "models/kernel/test_model.py::test_scores_are_the_formulas_written_out",
    ),
}


def asked(written: str) -> tuple[str, ...]:
    """Fit a model, written as a person would, and return its row of the table."""
    name, _, choices = written.rstrip(")").partition("(")
    X, y = pnb.load_sample("iris")
    parameters = dict(pair.split("=") for pair in choices.split(", ") if pair)
    values = {key: {"True": True}.get(text, text.strip("'")) for key, text in parameters.items()}
    model = getattr(pnb, name)(**{k: int(v) if str(v).isdigit() else v for k, v in values.items()})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X[ROWS], y[ROWS])
    try:
        factors = f"`{type(model.to_pgmpy()).__name__}`"
    except QueryError as error:
        factors = "of a row" if "for one row" in str(error) else f"none: {str(error).split('; ')[0]}"
    known = FAMILY[written]
    pictures, grows = (", ".join(views) for views in (model.structure_.views, growth_views(model)))
    trace = "none: there is no search" if model.trace_ is None else f"`{type(model.trace_).__name__}`"
    graph = f"`{type(model.structure_).__name__}`"
    file, test = known.test.split("::")
    oracle = f"{known.oracle} (`tests/{file}`, `{test}`)"
    return f"`{written}`", graph, pictures, trace, grows, factors, known.source, oracle


def table() -> str:
    """Return the table of all models as Markdown."""
    rows = [HEADER, ("---",) * len(HEADER), *(asked(written) for written in FAMILY)]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


if __name__ == "__main__":
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    after = rest.split(END)[1]
    PAGE.write_text(f"{before}{BEGIN}\n{table()}\n{END}{after}", encoding="utf-8")
