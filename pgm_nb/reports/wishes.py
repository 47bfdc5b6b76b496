"""The part of the report about what an expert asked of the tree, and its price."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pgm_nb.words import in_bits

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["section"]


def section(
    model: Any, X: pd.DataFrame, y: pd.Series, folds: int, random_state: int
) -> dict[str, Any] | None:
    """List what was asked for with its price in bits, and say what all of it costs; None if nothing was."""
    from pgm_nb.evaluate.edit_price import edit_price, free_model

    if free_model(model) is None:
        return None
    folds = min(folds, int(y.value_counts().min()))
    price = edit_price(model, X, y, cv=folds if folds > 1 else 0, random_state=random_state)
    return {
        "sentence": price.sentence,
        "links": [
            (f"{one} – {other}", kind, in_bits(float(bits)))
            for kind, one, other, bits in model.constraints_.itertuples(index=False)
        ],
    }
