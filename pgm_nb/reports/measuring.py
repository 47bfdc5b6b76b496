"""The section about measuring: what to learn first of a case, and a flow chart for use without a computer."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from pgm_nb.errors import DataError
from pgm_nb.words import in_bits

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["section"]

FIRST = 5  # attributes that are listed
QUESTIONS = 3  # on any way through the chart


def section(
    model: Any,
    frame: pd.DataFrame,
    labels: pd.Series,
    folds: int,
    random_state: int,
    path: pd.DataFrame | None,
) -> dict[str, Any] | None:
    """Return what to measure first, and the flow chart with its error on rows that were not learned from.

    `path` is the order in which attributes matter, as on rows that were not learned from, if that is known;
    otherwise each is listed by what the model expects of it alone.
    """
    from markupsafe import Markup

    alone = path is None
    ranked = model.next_best(X=frame) if path is None else path
    ranked = ranked.head(FIRST).set_axis(["attribute", "bits", *ranked.columns[2:]], axis=1)
    if ranked.empty:
        return None
    tree, error = _tree(model, frame, labels, folds, random_state)
    asks = tree.root.column is not None
    svg = tree.draw("svg", theme="auto").decode() if asks else ""  # its names are escaped
    first = ranked.iloc[0]
    return {
        "sentence": f"With nothing known of a case, {first['attribute']} says most about the class: "
        f"{in_bits(float(first['bits']))}.",
        "bits": "Expected from it (bits)" if alone else "Adds to those above it (bits)",
        "ranked": [
            (place, str(row["attribute"]), float(row["bits"]))
            for place, row in enumerate(ranked.to_dict("records"), 1)
        ],
        "chart": Markup(svg),
        "said": " ".join(tree.caption()),
        "error": error,
        "steps": tree.text(),
        "nothing": "" if asks else f"No question changes the answer: {tree.classes[tree.root.decision]}.",
    }


def _tree(model: Any, frame: pd.DataFrame, labels: pd.Series, folds: int, seed: int) -> tuple[Any, str]:
    """Make the flow chart, with its error on unseen rows where that can be measured, or why it cannot."""
    from pgm_nb.explain.questions import question_tree

    make = partial(question_tree, model, frame, max_questions=QUESTIONS)
    folds = min(folds, int(labels.value_counts().min()))
    if folds < 2:
        return make(), "Its error was not measured on rows it had not seen."
    try:
        return make(labels, folds=folds, random_state=seed), ""
    except DataError as problem:
        return make(), f"Its error could not be measured: {problem}"
