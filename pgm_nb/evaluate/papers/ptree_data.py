"""The tables and the kernel systems of Denton and Perrizo 2004: logarithms, and the two runs of joining."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["KERNELS", "SHARE", "THEIR_SPLITS", "error", "log_columns", "plain"]

SHARE = 1 / 3
THEIR_SPLITS = 1
FEWEST = 20  # values of a column that every class needs for a bell curve
KERNELS: dict[str, dict[str, Any]] = {
    "kernel_semi_nb_1": {"threshold": 0.3, "anticorrelation": True},
    "kernel_semi_nb_2": {"threshold": 0.05},
}


def log_columns(name: str, X: pd.DataFrame) -> list[str]:
    """Return the columns that the paper scales by logarithms."""
    return {"spambase": list(X.columns), "adult": ["capital-gain", "capital-loss"]}.get(name, [])


def plain(name: str, X: pd.DataFrame, y: pd.Series[Any]) -> pd.DataFrame:
    """Return the table for bell curves: log-scaled, without columns that are nearly empty in a class."""
    measured_columns = X.columns[X.groupby(y.to_numpy()).count().ge(FEWEST).all()]
    scaled = {}
    for column in log_columns(name, X):
        sizes = X[column].abs()
        scaled[column] = np.sign(X[column]) * np.log1p(sizes / sizes[sizes > 0].min())
    return X.assign(**scaled)[list(measured_columns)]


def error(model: Any, X: pd.DataFrame, y: pd.Series[Any]) -> tuple[float]:
    """Return the error of a fitted model, in percent."""
    return (100 * float(np.mean(model.predict(X) != y.to_numpy())),)
