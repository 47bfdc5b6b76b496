"""The sample tables that come with the package."""

from pathlib import Path

import pandas as pd

from pgm_nb.data.read import read_table
from pgm_nb.data.target import split_target
from pgm_nb.errors import DataError
from pgm_nb.words import SAMPLE_TITLES, did_you_mean, listed

__all__ = ["SAMPLES", "load_sample"]

SAMPLES = tuple(SAMPLE_TITLES)

_PLACES = (Path(__file__).parents[1] / "sample_data", Path(__file__).parents[2] / "sample_data")
_COUNTED = {"zoo": ("legs",)}  # whole numbers that UCI documents as categories: ordered, not measured


def load_sample(name: str) -> tuple[pd.DataFrame, pd.Series]:
    """Return the attributes and the class of a sample table.

    Parameters
    ----------
    name
        One of `SAMPLES`; ``sample_data/SOURCES.md`` says where each comes from.

    Examples
    --------
    >>> X, y = load_sample("wdbc")
    >>> X.shape, X.columns[0], sorted(set(y))
    ((569, 30), 'mean radius', ['benign', 'malignant'])
    """
    if name not in SAMPLES:
        raise DataError(
            f"there is no sample {name!r}{did_you_mean(str(name), SAMPLES)} (samples: {listed(SAMPLES)})."
        )
    frame = read_table(_path(name))
    for column in _COUNTED.get(name, ()):
        frame[column] = frame[column].astype(
            pd.CategoricalDtype(sorted(frame[column].unique()), ordered=True)
        )
    return split_target(frame, "class")


def _path(name: str) -> Path:
    for folder in _PLACES:  # inside the package when installed, beside it in a checkout
        for ending in (".csv", ".csv.gz"):
            if (folder / f"{name}{ending}").is_file():
                return folder / f"{name}{ending}"
    raise DataError(f"the file of sample {name!r} is missing ({_PLACES[0]}): install pgm_nb again.")
