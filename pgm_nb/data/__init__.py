"""Rows in: read, check, encode, discretise, missing values, samples."""

from pgm_nb.data.column import Column
from pgm_nb.data.encode import Encoder
from pgm_nb.data.frame import as_frame
from pgm_nb.data.learn import MissingReport, learn_encoder
from pgm_nb.data.read import SAMPLES, load_sample, read_table
from pgm_nb.data.target import as_labels, encode_target, split_target

__all__ = [
    "SAMPLES",
    "Column",
    "Encoder",
    "MissingReport",
    "as_frame",
    "as_labels",
    "encode_target",
    "learn_encoder",
    "load_sample",
    "read_table",
    "split_target",
]
