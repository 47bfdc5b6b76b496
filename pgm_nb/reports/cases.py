"""The section about cases to look at: wrong and least sure rows, by models that had not seen them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pgm_nb.explain.case_reader import number_text
from pgm_nb.words import plural, probability

if TYPE_CHECKING:
    import pandas as pd

    from pgm_nb.evaluate.out_of_fold import UnseenRows

__all__ = ["section"]

WRONG, UNSURE = 6, 4  # rows that are listed of each kind


def section(model: Any, frame: pd.DataFrame, unseen: UnseenRows | None) -> dict[str, Any] | None:
    """Return the rows to look at, each with a reason; None where nothing was predicted unseen."""
    if unseen is None:
        return None
    from pgm_nb.evaluate.case_list import case_list

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
        label=_label(model, row["predicted"]),
        against=_label(model, row["class"]) if row["wrong"] else None,
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


def _label(model: Any, text: str) -> Any:
    return next(label for label in model.classes_.tolist() if str(label) == text)
