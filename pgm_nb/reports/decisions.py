"""The section about decisions: what the costs of mistakes make of the model, on rows it had not seen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from pgm_nb.errors import DataError
from pgm_nb.reports.charts import drawn_chart
from pgm_nb.words import percent

if TYPE_CHECKING:
    import pandas as pd

    from pgm_nb.evaluate import Decisions

__all__ = ["judge", "section"]

Progress = Callable[[float], object]
WIDTH = 560


def judge(
    model: Any,
    frame: pd.DataFrame,
    labels: pd.Series,
    costs: Mapping[Any, float] | pd.DataFrame | None,
    label: Any,
    *,
    folds: int,
    most_rows: int,
    random_state: int,
    progress: Progress,
) -> Decisions | None:
    """Decide about unseen rows; None where there is no cross-validation or it fails."""
    from pgm_nb.evaluate import decisions
    from pgm_nb.evaluate.deciding import check_costs

    check_costs(costs, model.classes_, label)
    if min(folds, int(labels.value_counts().min())) < 2:
        return None
    try:
        return decisions(
            model,
            frame,
            labels,
            costs,
            label=label,
            cv=folds,
            most_rows=most_rows,
            random_state=random_state,
            progress=progress,
        )
    except DataError:  # the section before this one says why
        return None


def section(found: Decisions | None) -> dict[str, Any] | None:
    """Return what the page shows of decisions."""
    if found is None:
        return None
    from pgm_nb.evaluate.decision_words import said

    seen = found.detection
    counts = found.confusion
    return {
        "label": found.label,
        "sentences": said(found),
        "headers": ["True class", *(f"decided: {name}" for name in counts.columns)],
        "counts": [[name, *map(int, row)] for name, row in zip(counts.index, counts.to_numpy(), strict=True)],
        "rates": [
            (
                name.capitalize(),
                percent(rate.value, digits=1),
                f"{percent(rate.low, digits=1)} to {percent(rate.high, digits=1)}",
                f"{rate.hits:,} of {rate.total:,}",
            )
            for name, rate in seen.rates.items()
        ],
        "classes": _classes(found),
        "area": f"{found.roc.area:.3f}",
        "roc": drawn_chart(lambda theme: found.chart("roc", theme=theme).properties(width=WIDTH)),
        "precision": f"{found.precision_recall.area:.3f}",
        "found": drawn_chart(
            lambda theme: found.chart("precision-recall", theme=theme).properties(width=WIDTH)
        ),
        "benefit": drawn_chart(lambda theme: found.chart("decision", theme=theme).properties(width=WIDTH)),
    }


def _classes(found: Decisions) -> list[list[Any]]:
    """List every class against the rest, where there are more than two."""
    if len(found.classes) < 3:
        return []
    names = ["class", "rows", *found.detection.rates, "auc"]
    return [
        [int(cell) if name == "rows" else cell for name, cell in zip(names, row, strict=True)]
        for row in found.per_class()[names].itertuples(index=False)
    ]
