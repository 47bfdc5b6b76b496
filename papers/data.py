"""The papers' tables (from a folder, else from OpenML or UCI, kept in a cache), their splits and scores.

A table whose shape is not the one in the papers is refused.
"""

from __future__ import annotations

import io
import os
import urllib.request
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from papers.store import Measured
from pgm_nb.arrays import Floats, Places
from pgm_nb.data import read_table
from pgm_nb.errors import DataError, FileError
from pgm_nb.files import user_cache, write_atomically
from pgm_nb.scoring.folds import in_parallel
from pgm_nb.words import did_you_mean, listed

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "DATASETS",
    "Dataset",
    "Part",
    "RunOptions",
    "Systems",
    "Watch",
    "accuracy",
    "cache_folder",
    "fetch",
    "load",
    "random_folds",
    "random_splits",
    "scores",
    "stratified_folds",
    "unwatched",
]

UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases"
CACHE_VARIABLE = "PGM_NB_CACHE"
PATIENCE = 60  # seconds for one answer of a server
MOST_BYTES = 200_000_000
ENDINGS = ("csv", "csv.gz", "parquet", "arff")


@dataclass(frozen=True)
class Dataset:
    """Where a table comes from, and its shape.

    Parameters
    ----------
    name : str
        Its name here, and the name of its file without the ending.
    rows, attributes, classes : int
        The shape in the papers.
    openml : int, optional
        Its number on OpenML.
    uci : str, optional
        Its path at UCI.
    header : bool
        Whether the first line of the file at UCI names the columns.
    target : int
        Position of the class column in the file at UCI.
    drop : tuple of int
        Positions of columns that only name the rows.

    Examples
    --------
    >>> DATASETS["iris"].rows
    150
    """

    name: str
    rows: int
    attributes: int
    classes: int
    openml: int | None = None
    uci: str | None = None
    header: bool = False
    target: int = -1
    drop: tuple[int, ...] = ()


DATASETS = {
    dataset.name: dataset
    for dataset in (
        Dataset("wdbc", 569, 30, 2, openml=1510),
        Dataset("heart_cleveland", 303, 13, 5, uci="heart-disease/processed.cleveland.data"),
        Dataset("early_diabetes", 520, 16, 2, uci="00529/diabetes_data_upload.csv", header=True),
        Dataset("thyroid_ann_train", 3772, 21, 3, uci="thyroid-disease/ann-train.data"),
        Dataset(
            "parkinsons", 195, 22, 2, uci="parkinsons/parkinsons.data", header=True, target=17, drop=(0,)
        ),
        Dataset("nursery", 12960, 8, 5, uci="nursery/nursery.data"),
        Dataset("sick", 3772, 29, 2, openml=38),
        Dataset("kr-vs-kp", 3196, 36, 2, openml=3),
        Dataset("mfeat-zernike", 2000, 47, 10, openml=22),
        Dataset("mfeat-fourier", 2000, 76, 10, openml=14),
        Dataset("mfeat-pixel", 2000, 240, 10, openml=20),
        Dataset("mfeat-factors", 2000, 216, 10, openml=12),
        Dataset("optdigits", 5620, 64, 10, openml=28),
        Dataset("arrhythmia", 452, 279, 13, uci="arrhythmia/arrhythmia.data"),
        Dataset("spambase", 4601, 57, 2, openml=44),
        Dataset("adult", 48842, 14, 2, openml=1590),
        Dataset("sick-euthyroid", 3163, 25, 2, uci="thyroid-disease/sick-euthyroid.data", target=0),
        Dataset("iris", 150, 4, 3, uci="iris/iris.data"),
        Dataset("banknote", 1372, 4, 2, openml=1462),
        Dataset("blood_transfusion", 748, 4, 2, openml=1464),
        Dataset("eeg_eye_state", 14980, 14, 2, openml=1471),
        Dataset("seeds", 210, 7, 3, openml=1499),
        Dataset("sonar", 208, 60, 2, openml=40),
        Dataset("user_knowledge", 403, 5, 4, openml=1508),
        Dataset("blogger", 100, 5, 2, openml=1463),
        Dataset("wine", 178, 13, 3, openml=187),
        Dataset("balance_scale", 625, 4, 3, openml=11),
        Dataset("vehicle", 846, 18, 4, openml=54),
    )
}


def load(name: str, folder: str | Path | None = None) -> tuple[pd.DataFrame, pd.Series[Any]]:
    """Return a paper's table: attributes and class.

    Parameters
    ----------
    name : str
        One of `DATASETS`.
    folder : path, optional
        Folder with ``NAME.csv``, ``NAME.csv.gz``, ``NAME.parquet`` or ``NAME.arff``, each with a column
        ``class``; a table that is not there is fetched.

    Raises
    ------
    DataError
        The name is unknown, or the table does not have the shape in the papers.
    FileError
        It is not in the folder and cannot be fetched.
    """
    if name not in DATASETS:
        raise DataError(f"{name!r} is not among the papers' tables{did_you_mean(name, [*DATASETS])}.")
    dataset = DATASETS[name]
    path = None if folder is None else _find(Path(folder), name)
    frame = read_table(path) if path is not None else fetch(dataset)
    _check(dataset, frame, path or "the fetched table")
    return frame.drop(columns="class"), frame["class"].astype(str)


def fetch(dataset: Dataset, *, uci: str = UCI) -> pd.DataFrame:
    """Return a table from the cache, else from OpenML or UCI; its class column is called ``class``."""
    return _from_uci(dataset, uci) if dataset.openml is None else _from_openml(dataset)


def cache_folder() -> Path:
    """Return the folder in which fetched tables are kept; the variable PGM_NB_CACHE overrides it."""
    chosen = os.environ.get(CACHE_VARIABLE)
    return Path(chosen) if chosen else user_cache()


def _find(folder: Path, name: str) -> Path | None:
    if not folder.is_dir():
        raise FileError(f"{folder} is not a folder: --data must name the folder with the tables.")
    paths = (folder / f"{name}.{ending}" for ending in ENDINGS)
    return next((path for path in paths if path.exists()), None)


def _from_openml(dataset: Dataset) -> pd.DataFrame:
    from sklearn.datasets import fetch_openml

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # scikit-learn warns of every retry
            found = fetch_openml(
                data_id=dataset.openml, data_home=cache_folder(), as_frame=True, parser="liac-arff"
            )
    except (OSError, ValueError, LookupError) as problem:
        raise _unfetched(f"OpenML's table {dataset.openml}", problem) from problem
    frame: pd.DataFrame = found.frame
    return frame.rename(columns={found.target_names[0]: "class"})


def _from_uci(dataset: Dataset, server: str) -> pd.DataFrame:
    import pandas as pd

    assert dataset.uci is not None
    content = _get(f"{server}/{dataset.uci}", f"{dataset.name}-{Path(dataset.uci).name}")
    separator = "," if b"," in content[:1000] else r"\s+"
    frame = pd.read_csv(
        io.BytesIO(content),
        sep=separator,
        header=0 if dataset.header else None,
        na_values=["?"],
        skipinitialspace=True,
    )
    frame = frame.dropna(axis=1, how="all").dropna(axis=0, how="all")
    target = frame.columns[dataset.target]
    labels = frame.pop(target)
    frame = frame.drop(columns=[frame.columns[place] for place in dataset.drop])
    if not dataset.header:
        frame.columns = pd.Index([f"x{place + 1}" for place in range(frame.shape[1])])
    return frame.assign(**{"class": labels})


def _get(url: str, name: str) -> bytes:
    """Return the file at an address, from the cache where it is there."""
    path = cache_folder() / name
    if path.exists():
        return path.read_bytes()
    try:
        with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
            content: bytes = answer.read(MOST_BYTES + 1)
    except (OSError, ValueError) as problem:
        raise _unfetched(url, problem) from problem
    if len(content) > MOST_BYTES:
        raise FileError(
            f"{url} is larger than {MOST_BYTES // 1_000_000} MB, so it cannot be the paper's table."
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, content)
    return content


def _unfetched(what: str, problem: Exception) -> FileError:
    reason = getattr(problem, "reason", problem)
    return FileError(
        f"{what} could not be fetched ({reason}): put the table into the folder that --data names, or try "
        "again when there is a network."
    )


def _check(dataset: Dataset, frame: pd.DataFrame, where: Path | str) -> None:
    """Refuse a table that is not the one in the papers."""
    if "class" not in frame.columns:
        columns = listed(list(map(str, frame.columns)))
        raise DataError(f"{where} has no column 'class' (columns: {columns}): rename its class column.")
    shape = (len(frame), frame.shape[1] - 1, frame["class"].nunique())
    expected = (dataset.rows, dataset.attributes, dataset.classes)
    if shape != expected:
        raise DataError(
            f"{dataset.name} should have {expected[0]:,} rows, {expected[1]} attributes and {expected[2]} "
            f"classes, but {where} has {shape[0]:,}, {shape[1]} and {shape[2]}: it is a different table."
        )


Systems = Mapping[str, Any]  # name -> unfitted model
Watch = Callable[[str, int, int], None]  # takes the table, how many models are trained, and of how many
Score = Callable[[Any, "pd.DataFrame", "pd.Series[Any]"], Sequence[float]]


class Split(NamedTuple):
    """Rows to train on and rows to score.

    Examples
    --------
    >>> Split(np.array([0, 1]), np.array([2])).test
    array([2])
    """

    train: Places
    test: Places


def stratified_folds(labels: NDArray[Any], folds: int, repeats: int, seed: int = 0) -> tuple[Split, ...]:
    """Divide the rows of every class evenly among the folds; a small class may be missing from a fold.

    Examples
    --------
    >>> [len(split.test) for split in stratified_folds(np.array(["a", "b"] * 5), 5, 1)]
    [2, 2, 2, 2, 2]
    """
    random = np.random.default_rng(seed)
    splits = []
    for _ in range(repeats):
        order = random.permutation(len(labels))
        by_class = order[np.argsort(labels[order], kind="stable")]
        fold = np.empty(len(labels), dtype=np.intp)
        fold[by_class] = np.arange(len(labels)) % folds
        splits += [Split(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in range(folds)]
    return tuple(splits)


def random_folds(n_rows: int, folds: int, repeats: int, seed: int = 0) -> tuple[Split, ...]:
    """Divide the rows among the folds at random, without regard to their classes.

    Examples
    --------
    >>> [len(split.test) for split in random_folds(10, 5, 1)]
    [2, 2, 2, 2, 2]
    """
    random = np.random.default_rng(seed)
    splits = []
    for _ in range(repeats):
        fold = random.permutation(np.arange(n_rows) % folds)
        splits += [Split(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in range(folds)]
    return tuple(splits)


def random_splits(n_rows: int, share: float, repeats: int, seed: int = 0) -> tuple[Split, ...]:
    """Draw test rows at random, again for every repeat.

    Examples
    --------
    >>> [len(split.test) for split in random_splits(20, 0.15, 2)]
    [3, 3]
    """
    random = np.random.default_rng(seed)
    size = round(n_rows * share)
    orders = [random.permutation(n_rows) for _ in range(repeats)]
    return tuple(Split(np.sort(order[size:]), np.sort(order[:size])) for order in orders)


def unwatched(table: str, done: int, of: int) -> None:
    """Ignore how far the work is."""


def accuracy(model: Any, X: pd.DataFrame, y: pd.Series[Any]) -> tuple[float]:
    """Return the accuracy of a fitted model, in percent."""
    return (100 * float(np.mean(model.predict(X) == y.to_numpy())),)


def scores(
    systems: Systems,
    X: pd.DataFrame,
    y: pd.Series[Any],
    splits: Sequence[Split],
    *,
    score: Score = accuracy,
    n_jobs: int = 1,
    watch: Callable[[int, int], None] | None = None,
) -> dict[str, Floats]:
    """Train every system on every split and score it: name -> array (splits, scores).

    `watch` is called with how many models have been trained, and of how many.
    """
    jobs = [(model, split) for model in systems.values() for split in splits]
    progress = None if watch is None else lambda done: watch(round(done * len(jobs)), len(jobs))
    found = in_parallel(partial(_one, X, y, score), jobs, n_jobs=n_jobs, progress=progress)
    table = np.array(found).reshape(len(systems), len(splits), -1)
    return dict(zip(systems, table, strict=True))


@dataclass(frozen=True)
class RunOptions:
    """How a protocol is run.

    Parameters
    ----------
    folder : Path or None
        Where the tables are; those that are not there are fetched.
    repeats : int
        How often the rows are split; 0 stands for the protocol's own number.
    n_jobs : int
        Number of processes.
    watch : callable
        Called with the table, how many models have been trained, and of how many.
    """

    folder: Path | None
    repeats: int
    n_jobs: int = 1
    watch: Watch = unwatched

    def scores(
        self,
        table: str,
        systems: Systems,
        X: pd.DataFrame,
        y: pd.Series[Any],
        splits: Sequence[Split],
        score: Score = accuracy,
    ) -> dict[str, Floats]:
        """Train every system on every split of a table and score it."""
        watch = partial(self.watch, table)
        return scores(systems, X, y, splits, score=score, n_jobs=self.n_jobs, watch=watch)


class Part(NamedTuple):
    """One experiment of a paper.

    Parameters
    ----------
    name : str
        What it is called in the file of results.
    tables : tuple of str
        The tables it runs on.
    repeats : int
        How often it is repeated.
    measure : callable
        Takes a table and the options, and returns our figures.
    main : bool
        Whether it belongs to the paper's table of figures.

    Examples
    --------
    >>> Part("times", ("seeds",), 5, lambda table, options: []).main
    False
    """

    name: str
    tables: tuple[str, ...]
    repeats: int
    measure: Callable[[str, RunOptions], list[Measured]]
    main: bool = False


def _one(X: pd.DataFrame, y: pd.Series[Any], score: Score, job: tuple[Any, Split]) -> Sequence[float]:
    from sklearn.base import clone

    model, (train, test) = job
    return score(clone(model).fit(X.iloc[train], y.iloc[train]), X.iloc[test], y.iloc[test])
