"""What several commands share: reading tables, evidence and base rates, building models, writing answers."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pgm_nb.errors import DataError, QueryError, needed
from pgm_nb.words import did_you_mean

if TYPE_CHECKING:
    import pandas as pd

    from pgm_nb.data.repairs import Recipe

__all__ = [
    "OPTION",
    "add_model",
    "add_models",
    "as_text",
    "build_model",
    "check_folds",
    "is_sample",
    "keep_columns",
    "load_table",
    "model_by_name",
    "named_values",
    "once",
    "peer_names",
    "read_data",
    "read_given",
    "read_number",
    "read_pieces",
    "read_prior",
    "read_rows",
    "recipe_of",
    "working",
    "write_table",
]

DEFAULT = "gnb"
OPTION = "option "  # before the name under which an option of a model is parsed


# Models and their options


def add_model(parser: argparse.ArgumentParser) -> None:
    """Add the kind of model and the options of all models to a command."""
    from pgm_nb.models import MODELS

    parser.add_argument(
        "--model",
        default=DEFAULT,
        type=_model_name,
        metavar="NAME",
        help="; ".join(
            f"{kind.about.short_name}: "
            f"{kind.about.title}{', the default' if kind.about.short_name == DEFAULT else ''}"
            for kind in MODELS
        ),
    )
    group = parser.add_argument_group("options of the models (each has its own default)")
    flags: dict[str, dict[str, list[str]]] = {}  # how it is written -> what is said of it -> of which models
    metavars: dict[str, str] = {}
    for kind in MODELS:
        for option in kind.about.options:
            flags.setdefault(option.written, {}).setdefault(option.described, []).append(
                kind.about.short_name
            )
            if option.metavar:
                metavars.setdefault(option.written, option.metavar)
    for flag, said in flags.items():
        group.add_argument(
            flag,
            dest=OPTION + flag,
            default=argparse.SUPPRESS,  # only what was said is passed on
            metavar=metavars.get(flag, flag.lstrip("-").upper()),
            help="; ".join(f"{', '.join(names)}: {text}" for text, names in said.items()).replace("%", "%%"),
        )


def add_models(parser: argparse.ArgumentParser) -> None:
    """Add the models that are compared to a command."""
    from pgm_nb.models import MODELS

    usual = [kind.about.short_name for kind in MODELS if kind.about.is_baseline]
    parser.add_argument(
        "--models",
        type=_model_names,
        default=usual,
        metavar="NAMES",
        help=f"models, separated by commas: {', '.join(kind.about.short_name for kind in MODELS)} (default: "
        f"{','.join(usual)}); choices of a model follow it after colons, as in kdb:selected or gnb:class:4; "
        "the others are tested against the first",
    )


def build_model(options: argparse.Namespace) -> Any:
    """Build the model that was asked for; an option that it does not have is refused."""
    kind = _kinds()[options.model]
    offered = {option.written: option for option in kind.about.options}
    parameters: dict[str, Any] = {}
    for name, text in vars(options).items():
        flag = name.removeprefix(OPTION)
        if flag == name:
            continue
        if flag not in offered:
            raise DataError(f"{kind.about.title} ({options.model}) has no option {flag}; leave it out")
        parameters |= offered[flag].read(text)
    return kind(**parameters)


def model_by_name(text: str) -> Any:
    """Return a model by its short name and the choices that follow it.

    Examples
    --------
    >>> model_by_name("gnb:class:4")
    GeneralizedNaiveBayes(order=4, search='class')
    """
    name, *keys = text.split(":")
    kind = _kinds()[_model_name(name)]
    chosen: dict[str, str] = {}
    for key in keys:
        options = [o for o in kind.about.options if o.key not in chosen and key in (c.key for c in o.choices)]
        if not options:
            offered = [choice.key for option in kind.about.options for choice in option.choices]
            said = f"choose from {', '.join(offered)}" if offered else "it has none"
            raise argparse.ArgumentTypeError(f"invalid choice of {name}: {key!r} ({said})")
        chosen[options[0].key] = key
    return kind(**kind.about.chosen_parameters(chosen))


def _model_names(text: str) -> list[str]:
    names = _names(text)
    for name in names:
        model_by_name(name)
    return names


def peer_names(text: str) -> list[str]:
    """Read the names of scikit-learn's classifiers."""
    from pgm_nb.evaluate import PEERS

    return [_one_of(PEERS, name) for name in _names(text)]


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _model_name(text: str) -> str:
    return _one_of(_kinds(), text)


def _one_of(known: Iterable[str], text: str) -> str:
    if text not in known:
        raise argparse.ArgumentTypeError(f"invalid choice: {text!r} (choose from {', '.join(known)})")
    return text


def _kinds() -> dict[str, Any]:
    """Return the kinds of models by their short names."""
    from pgm_nb.models import MODELS

    return {kind.about.short_name: kind for kind in MODELS}


# Tables


def recipe_of(options: argparse.Namespace) -> Recipe:
    """Return the recipe that was asked for, with the codebook; without steps if none was."""
    from pgm_nb.data.repairs import Recipe, read_codebook

    recipe = Recipe() if options.recipe is None else Recipe.read(options.recipe)
    return recipe if options.codebook is None else recipe.plus(read_codebook(options.codebook))


def keep_columns(X: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Return the table with these attributes only; with all if none is named."""
    from pgm_nb.explain.importance.study import chosen_names

    return X[list(chosen_names(names, [str(name) for name in X.columns]))] if names else X


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


# What is known of a case, and of the classes


def named_values(pieces: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    """Read pieces NAME=VALUE; a name may itself contain an equals sign.

    Examples
    --------
    >>> named_values(["a=b=1"], ["a=b"])
    {'a=b': '1'}
    """
    longest_first = sorted(names, key=len, reverse=True)
    values = []
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
        values.append((name, piece[len(name) + 1 :]))
    return once(values)


def once(given: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return what is given by name; refuse a name that is there twice.

    Examples
    --------
    >>> once([("age", 64.0), ("sex", "male")])
    {'age': 64.0, 'sex': 'male'}
    """
    names = [name for name, _ in given]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise DataError(f"{twice!r} is given twice: keep one value for it")
    return dict(given)


def read_given(pieces: Sequence[str], model: Any) -> dict[str, Any]:
    """Read the evidence; a piece that is none gets the sentence of a plain value that does not exist."""
    found, unread = read_pieces(pieces, model)
    plain = named_values(unread, [model.structure_.target, *model.attribute_names_])
    return once([*found, *plain.items()])


def read_pieces(pieces: Sequence[str], model: Any) -> tuple[list[tuple[str, Any]], list[str]]:
    """Return names with values or evidence, and apart from them the pieces that are neither."""
    from pgm_nb.engine.evidence import read_evidence

    variables = model.asked_variables()
    numbers = [name for name in model.attribute_names_ if name not in variables.names]

    def value(name: str, text: str) -> tuple[Any] | None:
        try:
            if name in numbers:
                return (float(text),)
            variable = variables[name]
            variable.state(text)
            column = variable.column
            if column is not None and column.cuts is not None and text not in variable.labels:
                return (float(text),)
        except (QueryError, ValueError):
            return None
        return (text,)

    found = [read_evidence(piece, [*variables.names, *numbers], value) for piece in pieces]
    unread = [piece for piece, read in zip(pieces, found, strict=True) if read is None]
    return [read for read in found if read is not None], unread


def read_prior(pieces: Sequence[str], labels: Iterable[Any]) -> dict[str, float] | None:
    """Return the base rates that were given; the one class that is left out gets the rest."""
    if not pieces:
        return None
    classes = [str(label) for label in labels]
    rates = {
        name: read_number(text, f"--prior {name}={text}: the share must be a number, such as 0.01")
        for name, text in named_values(pieces, classes).items()
    }
    left_out = [name for name in classes if name not in rates]
    if len(left_out) == 1 and all(name in classes for name in rates) and sum(rates.values()) <= 1:
        rates[left_out[0]] = 1 - sum(rates.values())
    return rates


def read_number(text: str, otherwise: str) -> float:
    """Read a number; refuse other text with this sentence."""
    try:
        return float(text)
    except ValueError:
        raise DataError(otherwise) from None


def check_folds(options: argparse.Namespace) -> None:
    """Refuse to split the rows into fewer than two folds."""
    if options.folds < 2:
        raise DataError(f"--folds must be at least 2, but is {options.folds}")


# What is printed and written


def as_text(table: pd.DataFrame, digits: int = 4, **settings: Any) -> str:
    """Return a table as it is printed."""
    text: str = table.to_string(index=False, float_format=f"{{:.{digits}f}}".format, **settings)
    return text


def write_table(path: Path | None, table: pd.DataFrame) -> None:
    """Write a table as CSV if a file was named: before anything is printed, see `fit`."""
    from pgm_nb.data.text import csv_text
    from pgm_nb.files import write_atomically

    if path is not None:
        write_atomically(path, csv_text(table).encode())


@contextmanager
def working() -> Iterator[Callable[[float], None]]:
    """Show a progress bar in per cent; yields the function that is told which share is done."""
    with needed("tqdm", "progress bars on the command line"):
        from tqdm import tqdm

    shown = "{percentage:3.0f}%|{bar}| {elapsed}<{remaining}"
    with tqdm(total=100, leave=False, disable=None, bar_format=shown) as bar:  # on a terminal only

        def progress(done: float) -> None:
            bar.update(100 * done - bar.n)

        yield progress
