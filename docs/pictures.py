"""Draw the pictures of the documentation with our own code: ``make pictures``."""

from pathlib import Path

import pandas as pd

import pgm_nb as pnb
from pgm_nb.explain import nomogram

HERE = Path(__file__).parent


def main() -> None:
    """Write every picture beside this file."""
    X, y = pnb.load_sample("wdbc")
    cherry = pnb.GeneralizedNaiveBayes().fit(X, y).structure_
    (HERE / "wdbc.svg").write_bytes(cherry.draw("tree", theme="auto"))

    X, y = pnb.load_sample("heart")
    heart = {kind.short_name: kind().fit(X, y).structure_ for kind in pnb.MODELS}
    for name, structure in heart.items():
        for view in structure.views:
            (HERE / f"heart-{name}-{view}.svg").write_bytes(structure.draw(view, theme="auto"))
    explanations(X, y)


def explanations(X: pd.DataFrame, y: pd.Series) -> None:
    """Draw the pictures of `explain.md`."""
    model = pnb.GeneralizedNaiveBayes().fit(X, y)
    model.explain(X.iloc[0]).chart().save(HERE / "heart-explain.svg")
    pnb.importance_curve(model, X, y, cv="4x5").chart().save(HERE / "heart-importance.svg")
    stability = pnb.edge_stability(model, X, y)
    (HERE / "heart-stability.svg").write_bytes(stability.draw(theme="auto"))
    sheet = nomogram(pnb.NaiveBayes().fit(X, y))
    (HERE / "heart-nomogram.svg").write_text(sheet.draw(), encoding="utf-8")


if __name__ == "__main__":
    main()
