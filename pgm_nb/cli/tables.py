"""What several commands share: which table, which class column, which model with which options."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pgm_nb.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

__all__ = [
    "add_data",
    "add_model",
    "build_model",
    "is_sample",
    "load_table",
    "model_name",
    "quoted",
    "read_data",
]

OPTIONS = {  # parameters of models -> how they are written
    "search": "--search",
    "max_clusters": "--max-clusters",
    "threshold": "--threshold",
    "discretizer": "--discretizer",
    "n_bins": "--bins",
    "smoothing": "--smoothing",
    "missing": "--missing",
}


def add_data(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    """Add the table and its class column to a command."""
    parser.add_argument(
        "data",
        nargs=None if required else "?",
        help="a CSV, TSV, Parquet, ARFF or Excel file, or the name of a sample",
    )
    parser.add_argument(
        "--class",
        dest="target",
        metavar="COLUMN",
        help="the class column (default: the column called 'class', else you are asked for it)",
    )


def add_model(parser: argparse.ArgumentParser) -> None:
    """Add the kind of model and its options to a command."""
    parser.add_argument(
        "--model",
        default="gnb",
        type=model_name,
        help="nb (naive Bayes, a star), tan (tree augmented), gnb (generalized, a cherry junction tree; the "
        "default), hnb (hidden parents), phnb (its packaged form), and for columns that should not be binned "
        "gaussian, local-pca, kernel",
    )
    group = parser.add_argument_group("options of the models (each has its own default)")
    option = partial(group.add_argument, default=argparse.SUPPRESS)  # only what was said is passed on
    option("--search", help="gnb: greedy (GNB-A, the default), optimal (GNB-O) or exact")
    option("--max-clusters", type=int, metavar="N", help="gnb: keep the N best clusters")
    option(
        "--threshold",
        type=_threshold,
        metavar="BITS",
        help="phnb: attributes that share at least so many bits are in each other's bags: 'average' of all "
        "pairs (the default), 'auto' for the best log-loss in cross-validation, or a number; kernel: join "
        "attributes that correlate by more than this at the row (default: 0.05)",
    )
    option(
        "--discretizer",
        type=lambda text: None if text == "none" else text,
        help="how numeric columns become states: quantile (bins of equal size), uniform (of equal width), "
        "mdlp (by the class, Fayyad-Irani) or none (every value a state)",
    )
    option("--bins", dest="n_bins", type=int, metavar="N", help="bins per numeric column")
    option(
        "--smoothing",
        type=_smoothing,
        metavar="M",
        help="nb, tan, gnb: 'backoff' (the default; large tables lean on smaller ones as far as the rows ask "
        "for it) or 'none' (the unsmoothed rule of the paper); all: a number of imaginary rows spread over "
        "the states of every table",
    )
    option(
        "--missing",
        help="missing cells are a 'state' of their own (the default), their rows are dropped ('drop'), or "
        "they get the commonest state ('mode')",
    )


def build_model(options: argparse.Namespace) -> Any:
    """Build the model that was asked for; an option that it does not have is refused."""
    from pgm_nb.models import MODELS

    kind = next(kind for kind in MODELS if kind.short_name == options.model)
    given = {name: value for name, value in vars(options).items() if name in OPTIONS}
    for name in given:
        if name not in kind().get_params():
            raise DataError(f"{kind.title} ({options.model}) has no option {OPTIONS[name]}; leave it out")
    return kind(**given)


def model_name(text: str) -> str:
    """Check the short name of a model; the models are imported only when one is asked for."""
    from pgm_nb.models import MODELS

    names = [kind.short_name for kind in MODELS]
    if text not in names:
        raise argparse.ArgumentTypeError(f"invalid choice: {text!r} (choose from {', '.join(names)})")
    return text


def _smoothing(text: str) -> float | str | None:
    return None if text == "none" else text if text == "backoff" else float(text)


def _threshold(text: str) -> str | float:
    return text if text in ("average", "auto") else float(text)


def is_sample(data: str) -> bool:
    """Tell whether a sample is meant, and not a file of the same name."""
    from pgm_nb.data import SAMPLES

    return data in SAMPLES and not Path(data).exists()


def read_data(data: str) -> pd.DataFrame:
    """Read a file, or a sample by name (a file of that name goes first)."""
    from pgm_nb.data import load_sample, read_table

    if is_sample(data):
        X, y = load_sample(data)
        return X.assign(**{"class": y})
    return read_table(data)


def load_table(data: str, target: str | None) -> tuple[pd.DataFrame, pd.Series[Any]]:
    """Read a table and split off its class column."""
    from pgm_nb.data import split_target

    frame = read_data(data)
    if target is None and "class" not in frame.columns:
        raise DataError(
            f"which column of {data} is the class? Say --class COLUMN "
            f"(columns: {', '.join(map(str, frame.columns[:20]))}{', ...' if frame.shape[1] > 20 else ''})"
        )
    return split_target(frame, target if target is not None else "class")


def quoted(names: Sequence[str]) -> str:
    """Return names as a sentence has them, the first five of many."""
    shown = ", ".join(f"'{name}'" for name in names[:5])
    return shown + (f" and {len(names) - 5} more" if len(names) > 5 else "")
