"""What the papers print: their figures, and deviations where they are on record."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

__all__ = ["deviation", "printed", "unit", "verdict"]

UNIT = 0.01


@cache
def _record() -> dict[str, Any]:
    text = files("pgm_nb.evaluate.papers").joinpath("figures.json").read_text(encoding="utf-8")
    record: dict[str, Any] = json.loads(text)
    return record


def printed(paper: str) -> tuple[str, Mapping[str, Mapping[str, Any]]]:
    """Return a paper's source and its printed figures.

    Examples
    --------
    >>> printed("gnb")[1]["accuracy"]["wdbc"]["GNB-A"]
    0.9349
    """
    record = _record()[paper]
    return record["source"], record["figures"]


def deviation(paper: str, table: str, system: str) -> float | None:
    """Return the deviation that a paper prints behind a figure, if it is on record.

    Examples
    --------
    >>> deviation("gnb", "wdbc", "GNB-A") is None
    True
    """
    found: float | None = _record()[paper].get("deviations", {}).get(table, {}).get(system)
    return found


def unit(paper: str) -> float:
    """Return the unit of the last digit that a paper prints, in percent; 0.01 if it is not said.

    Examples
    --------
    >>> unit("ptree")
    0.1
    """
    found: float = _record().get(paper, {}).get("unit", UNIT)
    return found


def verdict(paper: str, table: str, system: str) -> str:
    """Return the mark by the paper's printed deviation, found with the paper at hand; empty if none is known.

    Examples
    --------
    >>> verdict("ptree", "spambase", "traditional_nb")
    'not reproduced'
    """
    found: str = _record()[paper].get("verdicts", {}).get(table, {}).get(system, "")
    return found
