"""Repairs of a table: steps, the recipe they make, what is found and proposed, the codebook."""

from pgm_nb.data.repairs.codebook import Codebook, read_codebook
from pgm_nb.data.repairs.columns import LeaveOut, LeaveOutRows, NumberNames
from pgm_nb.data.repairs.dates import FromDate
from pgm_nb.data.repairs.finding import propose, recommended
from pgm_nb.data.repairs.header import HeaderRows
from pgm_nb.data.repairs.numbers import Cut, ReadNumbers
from pgm_nb.data.repairs.proposal import Proposal
from pgm_nb.data.repairs.recipe import Recipe, repair
from pgm_nb.data.repairs.step import Step
from pgm_nb.data.repairs.values import KeepCommon, Merge, NotMeasured

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
