"""Repairs of a table: steps, the recipe they make, what is found and proposed, the codebook."""

from pgm_nb.data.repairs.find_cells import Proposal
from pgm_nb.data.repairs.finding import propose, recommended
from pgm_nb.data.repairs.header import HeaderRows
from pgm_nb.data.repairs.recipe import Codebook, Recipe, read_codebook, repair
from pgm_nb.data.repairs.step import Step
from pgm_nb.data.repairs.steps import (
    Cut,
    FromDate,
    KeepCommon,
    LeaveOut,
    LeaveOutRows,
    Merge,
    NotMeasured,
    NumberNames,
    ReadNumbers,
)

__all__ = [
    "Codebook",
    "Cut",
    "FromDate",
    "HeaderRows",
    "KeepCommon",
    "LeaveOut",
    "LeaveOutRows",
    "Merge",
    "NotMeasured",
    "NumberNames",
    "Proposal",
    "ReadNumbers",
    "Recipe",
    "Step",
    "propose",
    "read_codebook",
    "recommended",
    "repair",
]
