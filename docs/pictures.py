"""Draw the pictures of the documentation with our own code: ``make pictures``."""

from pathlib import Path

import pandas as pd

import pgm_nb as pnb
from pgm_nb.explain import nomogram
from pgm_nb.models import TABLE_MODELS

HERE = Path(__file__).parent
SHOWN = {  # views of the models in `models.md`
    "nb": ("star",),
    "tan": ("tree",),
    "gnb": ("tree", "chordal", "junction", "compact"),
    "hnb": ("focus", "heatmap"),
    "phnb": ("bags",),
    "aode": ("focus",),
    "kdb": ("links",),
    "odanb": ("links",),
    "class-trees": ("trees",),
    "snb": ("star",),
    "wanb": ("star",),
}


def main() -> None:
    """Write every picture beside this file."""
    X, y = pnb.load_sample("wdbc")
    cherry = pnb.GeneralizedNaiveBayes().fit(X, y).structure_
    (HERE / "wdbc.svg").write_bytes(cherry.draw("tree", theme="auto"))

    decisions(X, y)

    X, y = pnb.load_sample("heart")
    family(X, y)
    explanations(X, y)
    X, y = pnb.load_sample("car")
    higher = pnb.GeneralizedNaiveBayes(order=4, parameters="generative").fit(X, y).structure_
    for view in ("tree", "junction"):
        (HERE / f"car-gnb4-{view}.svg").write_bytes(higher.draw(view, theme="auto"))
    X, y = pnb.load_sample("iris")
    gaussian = pnb.GaussianNaiveBayes().fit(X, y).structure_
    (HERE / "iris-gaussian.svg").write_bytes(gaussian.draw("densities", theme="auto"))
    clusters = pnb.LocalPCAMixture().fit(X, y).structure_
    (HERE / "iris-local-pca.svg").write_bytes(clusters.draw(theme="auto"))
    row = pnb.KernelSemiNaiveBayes().fit(X, y).structure_for(X.iloc[[0]])
    (HERE / "iris-kernel.svg").write_bytes(row.draw(theme="auto"))


def family(X: pd.DataFrame, y: pd.Series) -> None:
    """Draw the pictures of `models.md` that show one table."""
    for kind in TABLE_MODELS:
        structure = kind().fit(X, y).structure_
        for view in SHOWN.get(kind.short_name, ()):  # a star or tree like the others is not shown again
            (HERE / f"heart-{kind.short_name}-{view}.svg").write_bytes(structure.draw(view, theme="auto"))
    weighted = pnb.AveragedOneDependence(weighting="information").fit(X, y).structure_
    (HERE / "heart-waode-parents.svg").write_bytes(weighted.draw("parents", theme="auto"))


def decisions(X: pd.DataFrame, y: pd.Series) -> None:
    """Draw the picture of `decisions.md`."""
    model = pnb.TreeAugmentedNaiveBayes(
        parameters="generative", smoothing=1.0, discretizer="quantile", n_bins=5
    )
    found = pnb.decisions(model, X, y, {"miss": 10, "false alarm": 1}, label="malignant")
    found.chart("decision").properties(width=560).save(HERE / "wdbc-decisions.svg")


def explanations(X: pd.DataFrame, y: pd.Series) -> None:
    """Draw the pictures of `explain.md`, with the intervals of its examples."""
    model = pnb.GeneralizedNaiveBayes(n_bins=5).fit(X, y)
    model.explain(X.iloc[0]).chart().save(HERE / "heart-explain.svg")
    pnb.importance_curve(model, X, y, cv="4x5").chart().save(HERE / "heart-importance.svg")
    stability = pnb.edge_stability(model, X, y)
    (HERE / "heart-stability.svg").write_bytes(stability.draw(theme="auto"))
    sheet = nomogram(pnb.NaiveBayes(n_bins=5).fit(X, y))
    (HERE / "heart-nomogram.svg").write_text(sheet.draw(), encoding="utf-8")


if __name__ == "__main__":
    main()
