"""A fitted model as a short card for notebooks: what it is, its numbers, its picture."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from pgm_nb.words import PROVEN_BEST, in_bits, proven_best

if TYPE_CHECKING:
    from pgm_nb.models.base import Classifier

__all__ = ["card"]

MOST_ATTRIBUTES = 64  # beyond this the picture is left to `structure_`


def card(model: Classifier) -> str:
    """Return the card as HTML; every name in it is escaped."""
    structure = model.structure_
    facts = [
        ("class", f"{structure.target}: {', '.join(map(str, model.classes_))}"),
        ("attributes", f"{len(structure.attributes)} of {model.n_features_in_}"),
        *_numbers(model),
        ("missing cells", str(model.missing_)),
    ]
    rows = "".join(f"<tr><th style='text-align:left'>{a}</th><td>{escape(b)}</td></tr>" for a, b in facts)
    picture = (structure._repr_svg_() if len(structure.attributes) <= MOST_ATTRIBUTES else None) or ""
    return (
        f"<div><strong>{escape(model.title)}</strong><table>{rows}</table>"
        f"<div style='max-width:60em'>{picture}</div></div>"
    )


def _numbers(model: Classifier) -> list[tuple[str, str]]:
    """Return the weight and the divergence, or why there are none."""
    numbers = model.divergence_
    if numbers is None:
        return [("KL divergence", model.no_divergence)]
    gap = numbers.gap
    best = f"{PROVEN_BEST} tree" if proven_best(gap) else f"{in_bits(gap)} short of the best tree"
    return [
        ("weight", f"{numbers.weight:.3f} bits (naive Bayes {numbers.weight_naive:.3f}); {best}"),
        ("KL divergence", f"{numbers.kl:.3f} bits"),
    ]
