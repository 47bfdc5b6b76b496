"""What a report shows of rows that the models had not seen: scores, decisions, what to measure, cases."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from pgm_nb.errors import DataError
from pgm_nb.explain.case_values import number_text
from pgm_nb.reports.sections import Values, drawn_chart
from pgm_nb.words import in_bits, percent, plural, plus_minus, probability

if TYPE_CHECKING:
    import pandas as pd

    from pgm_nb.evaluate import Comparison, Decisions
    from pgm_nb.evaluate.predictions import UnseenRows
    from pgm_nb.explain import ImportanceCurve
    from pgm_nb.scoring.folds import Progress

__all__ = ["cases", "curve", "decisions", "judge", "measuring", "scores"]

WIDTH = 560
FIRST = 5  # attributes that are listed
QUESTIONS = 3  # on any way through the chart
WRONG, UNSURE = 6, 4  # rows that are listed of each kind


def curve(found: ImportanceCurve | None) -> Values | None:
    """Say how many attributes are enough."""
    if found is None:
        return None
    best, enough = found.best["log_loss"], found.smallest["log_loss"]
    return {
        "unit": found.unit,
        "sentence": f"On rows it had not seen, the model was best with the first {best} {found.unit} of "
        f"this order; the first {enough} are as good within the standard error.",
        "drawn": drawn_chart(lambda theme: found.chart("log_loss", theme=theme).properties(width=620)),
    }


def scores(comparison: Comparison | None, why_not: str, n_rows: int) -> Values:
    """Give the scores of the models on rows they had not seen."""
    if comparison is None:
        return {"why_not": why_not}
    sampled = f"{comparison.n_rows:,} of {n_rows:,} rows" if comparison.n_rows < n_rows else ""
    return {
        "why_not": "",
        "sampled": sampled,
        "models": [
            (
                row["model"],
                *(plus_minus(row[score], row[f"{score}_se"]) for score in ("accuracy", "log_loss")),
            )
            for row in comparison.to_frame().to_dict("records")
        ],
        "failures": list(comparison.failure_sentences()),
        "drawn": drawn_chart(lambda theme: comparison.chart("log_loss", theme=theme)),
        "reliability": _reliability(comparison),
    }


def _reliability(comparison: Comparison) -> Values | None:
    """Say how far the probabilities of the first model can be relied on."""
    from pgm_nb.scoring.metrics import reliability_sentence
    from pgm_nb.views.chart.reliability import reliability_chart

    curve = comparison.reliabilities[0]
    if not len(curve.rows):
        return None
    groups = (curve.predicted.tolist(), curve.observed.tolist(), curve.rows.tolist())
    return {
        "sentence": reliability_sentence(curve),
        "error": f"{curve.error:.3f}",
        "drawn": drawn_chart(lambda theme: reliability_chart(*groups, theme=theme)),
    }


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
    progress: Progress | None,
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


def decisions(found: Decisions | None) -> Values | None:
    """Return what the page shows of decisions."""
    if found is None:
        return None
    from pgm_nb.evaluate.deciding import said

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


def measuring(
    model: Any,
    frame: pd.DataFrame,
    labels: pd.Series,
    folds: int,
    random_state: int,
    path: pd.DataFrame | None,
) -> Values | None:
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


def cases(model: Any, frame: pd.DataFrame, unseen: UnseenRows | None) -> Values | None:
    """Return the rows to look at, each with a reason; None where nothing was predicted unseen."""
    if unseen is None:
        return None
    from pgm_nb.evaluate.predictions import case_list

    wrong = case_list(unseen, "wrong")
    wrong = wrong[wrong["wrong"]]
    unsure = case_list(unseen, "doubt")
    unsure = unsure[~unsure["wrong"]].head(UNSURE)
    rows = [*wrong.head(WRONG).to_dict("records"), *unsure.to_dict("records")]
    part = "" if len(unseen.rows) == unseen.n_rows else f" of {len(unseen.rows):,} that were drawn"
    return {
        "sentence": f"{plural(len(wrong), 'row')}{part} got a wrong class from a model that had not seen "
        f"{'it' if len(wrong) == 1 else 'them'}; those furthest off come first. Then come the right ones "
        "that were least sure.",
        "rows": [
            (
                f"{row['row']:,}",
                row["class"],
                f"{row['predicted']}, {probability(row['probability'])}",
                _reason(model, frame, row),
            )
            for row in rows
        ],
    }


def _reason(model: Any, frame: pd.DataFrame, row: dict[Any, Any]) -> str:
    """Name the value that speaks most for a wrong class, or the two that pull apart."""
    at = frame.iloc[[row["row"] - 1]]
    why = model.explain(
        at,
        label=row["predicted"],
        against=row["class"] if row["wrong"] else None,
    )
    parts = why.to_frame().iloc[1:]  # without the prior
    for_it, against = parts.loc[parts["contribution"].idxmax()], parts.loc[parts["contribution"].idxmin()]
    most = _value(for_it["part"], at) if for_it["contribution"] > 0 else None
    least = _value(against["part"], at) if against["contribution"] < 0 else None
    if row["wrong"]:
        return f"{most} speaks most for {why.label}." if most else f"No value speaks for {why.label}."
    if most and least:
        return f"{most} speaks for {why.label}, {least} for {why.against}."
    return f"{most or least} says most."


def _value(part: Any, at: pd.DataFrame) -> str:
    """Write a part of the model with the value that this row has there."""
    if part not in at.columns:
        return str(part)
    cell = at[part].iloc[0]
    return f"{part} ({number_text(cell) if isinstance(cell, float) else cell})"
