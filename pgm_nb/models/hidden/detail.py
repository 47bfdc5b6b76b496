"""What hidden naive Bayes says about one attribute of its picture: its hidden parent and its table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pgm_nb.explain.detail import Detail, ranked_shares
from pgm_nb.models.table_detail import states_by_class
from pgm_nb.words import information, plural

if TYPE_CHECKING:
    from pgm_nb.models.hidden.model import HiddenClassifier

__all__ = ["hidden_attribute"]


def hidden_attribute(model: HiddenClassifier, name: str, found: Detail, mark: Callable[[str], str]) -> Detail:
    """Add to what every model knows about an attribute its hidden parent and its table."""
    structure = model.structure_
    bag, target = structure.bag(name), structure.class_words(mark)
    place = model.encoder_.names.index(name)
    table = states_by_class(model, name, np.exp(model.factors_.alone.tables[place]))
    threshold = getattr(structure, "threshold", None)
    if not bag:
        said = f"No other attribute shares enough information with it, so it depends on {target} alone."
    elif threshold is None:
        said = (
            f"Its hidden parent is a mixture of {plural(len(bag), 'other attribute')}, each weighted by the "
            f"information it shares with this one, given {target}."
        )
    else:
        said = (
            f"Its bag holds the {plural(len(bag), 'attribute')} sharing at least "
            f"{information(threshold, 2)} with it, given {target}."
        )
    mixed = (ranked_shares("Shares in its hidden parent", "attribute", "share", bag),) if bag else ()
    return replace(found, sentences=(*found.sentences, said), tables=(*mixed, table))
