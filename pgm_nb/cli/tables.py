"""What several commands share: which table, which class column, which model with which options."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pgm_nb.errors import DataError, needed
from pgm_nb.words import did_you_mean

if TYPE_CHECKING:
    import pandas as pd

    from pgm_nb.data.repairs import Recipe

    Commands = argparse._SubParsersAction["Command"]

__all__ = [
    "OPTION",
    "Command",
    "add_data",
    "add_keep",
    "add_model",
    "add_recipe",
    "add_target",
    "build_model",
    "is_sample",
    "keep_columns",
    "load_table",
    "model_name",
    "named_values",
    "progress_bar",
    "quoted",
    "read_data",
    "read_rows",
    "recipe_of",
]

DEFAULT = "gnb"
OPTION = "option "  # before the name under which an option of a model is parsed


class Command(argparse.ArgumentParser):
    """The parser of one command; what only the models know is added when the command is called."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self._at_call: list[Callable[[], None]] = []

    def when_called(self, add: Callable[[], None]) -> None:
        """Add these arguments only if the command is called, so that the others need not load the models."""
        self._at_call.append(add)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse, with all arguments in place."""
        while self._at_call:
            self._at_call.pop(0)()
        return super().parse_known_args(args, namespace)


def add_data(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    """Add the table and its class column to a command."""
    parser.add_argument(
        "data",
        nargs=None if required else "?",
        help="a CSV, TSV, Parquet, ARFF or Excel file, or the name of a sample",
    )
    add_target(parser)
    if required:
        add_recipe(parser)


def add_target(parser: argparse.ArgumentParser) -> None:
    """Add the class column to a command."""
    parser.add_argument(
        "--class",
        "--target",
        dest="target",
        metavar="COLUMN",
        help="the class column (default: the column called 'class')",
    )


def add_recipe(parser: argparse.ArgumentParser) -> None:
    """Add how a table is repaired before it is used."""
    parser.add_argument(
        "--recipe", metavar="FILE", help="repair the table first, by a recipe (JSON; pgm-nb repair writes it)"
    )
    parser.add_argument(
        "--codebook",
        metavar="FILE",
        help="names of columns and values, and units (CSV: column,value,name,unit)",
    )


def recipe_of(options: argparse.Namespace) -> Recipe:
    """Return the recipe that was asked for, with the codebook; without steps if none was."""
    from pgm_nb.data.repairs import Recipe, read_codebook

    recipe = Recipe() if options.recipe is None else Recipe.read(options.recipe)
    return recipe if options.codebook is None else recipe.plus(read_codebook(options.codebook))


def add_keep(parser: argparse.ArgumentParser, help: str) -> None:
    """Add the attributes to keep to a command."""
    parser.add_argument("--keep", action="append", default=[], metavar="NAME", help=help)


def keep_columns(X: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Return the table with these attributes only; with all if none is named."""
    from pgm_nb.explain.importance.keeping import chosen_names

    return X[list(chosen_names(names, [str(name) for name in X.columns]))] if names else X


def add_model(parser: Command) -> None:
    """Add the kind of model and the options of all models to a command."""
    parser.when_called(partial(_add_model, parser))


def _add_model(parser: Command) -> None:
    from pgm_nb.models import MODELS

    parser.add_argument(
        "--model",
        default=DEFAULT,
        type=model_name,
        metavar="NAME",
        help="; ".join(
            f"{kind.short_name}: {kind.title}{', the default' if kind.short_name == DEFAULT else ''}"
            for kind in MODELS
        ),
    )
    group = parser.add_argument_group("options of the models (each has its own default)")
    for flag, said in _flags().items():
        texts = [f"{', '.join(names)}: {text}" for text, names in said.items()]
        group.add_argument(
            flag,
            dest=OPTION + flag,
            default=argparse.SUPPRESS,  # only what was said is passed on
            metavar=_metavar(flag),
            help="; ".join(texts).replace("%", "%%"),
        )


def _flags() -> dict[str, dict[str, list[str]]]:
    """Return how options are written -> what is said about them -> the models of which it is said."""
    from pgm_nb.models import MODELS

    flags: dict[str, dict[str, list[str]]] = {}
    for kind in MODELS:
        for option in kind.options:
            said = flags.setdefault(option.written, {})
            said.setdefault(option.described, []).append(kind.short_name)
    return flags


def _metavar(flag: str) -> str | None:
    from pgm_nb.models import MODELS

    found = (option.metavar for kind in MODELS for option in kind.options if option.written == flag)
    return next((metavar for metavar in found if metavar), flag.lstrip("-").upper())


def build_model(options: argparse.Namespace) -> Any:
    """Build the model that was asked for; an option that it does not have is refused."""
    from pgm_nb.models import MODELS

    kind = next(kind for kind in MODELS if kind.short_name == options.model)
    offered = {option.written: option for option in kind.options}
    parameters: dict[str, Any] = {}
    for name, text in vars(options).items():
        flag = name.removeprefix(OPTION)
        if flag == name:
            continue
        if flag not in offered:
            raise DataError(f"{kind.title} ({options.model}) has no option {flag}; leave it out")
        parameters |= offered[flag].read(text)
    return kind(**parameters)


def model_name(text: str) -> str:
    """Check the short name of a model; the models are imported only when one is asked for."""
    from pgm_nb.models import MODELS

    names = [kind.short_name for kind in MODELS]
    if text not in names:
        raise argparse.ArgumentTypeError(f"invalid choice: {text!r} (choose from {', '.join(names)})")
    return text


def is_sample(data: str) -> bool:
    """Return whether a sample is meant, and not a file of the same name."""
    from pgm_nb.data import SAMPLES

    return data in SAMPLES and not Path(data).exists()


def read_data(data: str, *, duplicates: str = "refuse") -> pd.DataFrame:
    """Read a file, or a sample by name (a file of that name goes first)."""
    from pgm_nb.data import load_sample, read_table

    if is_sample(data):
        X, y = load_sample(data)
        return X.assign(**{"class": y})
    return read_table(data, duplicates=duplicates)


def read_rows(data: str, model: Any) -> pd.DataFrame:
    """Read rows for a model, raw or repaired: the recipe that it keeps is applied."""
    if model.recipe_ is None:
        return read_data(data)
    frame: pd.DataFrame = model.recipe_.for_rows(read_data(data, duplicates="keep"))
    return frame


def load_table(
    data: str, target: str | None, recipe: Recipe | None = None
) -> tuple[pd.DataFrame, pd.Series[Any]]:
    """Read a table, repair it, and split off its class column."""
    from pgm_nb.data import split_target

    frame = read_data(data, duplicates="keep" if recipe else "refuse")
    if recipe:
        target = recipe.renamed("class" if target is None and "class" in frame.columns else target or "")
        frame, target = recipe.apply(frame), target or None
    if target is None and "class" not in frame.columns:
        raise DataError(
            f"which column of {data} is the class? Name it with --class COLUMN "
            f"(columns: {', '.join(map(str, frame.columns[:20]))}{', ...' if frame.shape[1] > 20 else ''})"
        )
    return split_target(frame, target if target is not None else "class")


def quoted(names: Sequence[str]) -> str:
    """Return names as a sentence has them, the first five of many."""
    shown = ", ".join(f"'{name}'" for name in names[:5])
    return shown + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def named_values(pieces: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    """Read pieces NAME=VALUE; a name may itself contain an equals sign.

    Examples
    --------
    >>> named_values(["a=b=1"], ["a=b"])
    {'a=b': '1'}
    """
    longest_first = sorted(names, key=len, reverse=True)
    values = {}
    for piece in pieces:
        if "=" not in piece:
            name = re.split("[<>]", piece)[0]
            if name not in (piece, *names):
                raise DataError(
                    f"{piece!r} is about {name!r}, which does not exist{did_you_mean(name, names)}"
                )
            raise DataError(
                f"a value is written NAME=VALUE, such as --given age=64, but {piece!r} has no '='"
            )
        known = (name for name in longest_first if piece.startswith(f"{name}="))
        name = next(known, piece.partition("=")[0])
        if name in values:
            raise DataError(f"{name!r} is given twice: keep one value for it")
        values[name] = piece[len(name) + 1 :]
    return values


def progress_bar() -> Any:
    """Return a progress bar in per cent; it is drawn only on a terminal."""
    with needed("tqdm", "progress bars on the command line"):
        from tqdm import tqdm

    return tqdm(
        total=100, leave=False, disable=None, bar_format="{percentage:3.0f}%|{bar}| {elapsed}<{remaining}"
    )
