"""Samples, repairs, counts and fitting: ``pgm-nb samples | repair | count | fit``."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from math import isnan
from typing import Any

from pgm_nb.cli.shared import (
    OPTION,
    as_text,
    build_model,
    keep_columns,
    load_table,
    read_data,
    recipe_of,
    write_table,
)
from pgm_nb.errors import DataError, StructureError
from pgm_nb.words import NOT_SEARCHED, PROVEN_BEST, plural

__all__ = ["count", "fit", "read_edge", "repair", "samples"]

FLAGS = {"required": "--require", "forbidden": "--forbid"}  # parameter of the model -> how it is written


def samples(options: argparse.Namespace) -> int:
    """List the tables that come with the program."""
    from pgm_nb.data import SAMPLES, load_sample

    for name in SAMPLES:
        if options.names:
            print(name)
        else:
            X, y = load_sample(name)
            classes = ", ".join(sorted(set(map(str, y))))
            print(f"{name:12} {len(X):6} rows {X.shape[1]:3} attributes  classes: {classes}")
    return 0


def repair(options: argparse.Namespace) -> int:
    """Say what can be repaired in a table, and write the recipe that does it."""
    from pgm_nb.data.repairs import Recipe, propose, recommended
    from pgm_nb.data.target import class_guess

    raw = read_data(options.data, duplicates="keep")
    given = recipe_of(options)
    frame = given.apply(raw)
    target = options.target if options.target is None else given.renamed(options.target)
    if target is not None and target not in [str(name) for name in frame.columns]:
        raise DataError(f"class column {target!r} is not in the table")
    if target is None and frame.columns.is_unique:
        guess = class_guess(frame)
        target = None if guess is None else guess.name
        if guess is not None and not guess.named:
            print(f"{target} was guessed to be the class because {guess.why}; if it is not, use --class.")
    found = propose(frame, target)
    if not found:
        print("Nothing to repair was found.")
    for number, proposal in enumerate(found, start=1):
        print(f"{number:3}. {proposal.sentence}")
        print(f"     {proposal.button}{''.join(f'; or: {label}' for label, _ in proposal.others)}")
    wrong = [number for number in options.take or () if not 1 <= number <= len(found)]
    if wrong:
        raise DataError(f"there is no proposal {wrong[0]}: there are {len(found)}")
    if options.take is None:
        more = recommended(frame, target)
    else:
        more = Recipe([found[number - 1].step for number in options.take])
    recipe = given.plus(*more.steps)
    repaired = None if options.table is None else recipe.apply(raw)
    if repaired is not None:
        write_table(options.table, repaired)
    if options.output is not None:
        recipe.save(options.output)
        print(f"written: {options.output} ({plural(len(recipe.steps), 'step')})")
    if repaired is not None:
        print(f"written: {options.table} ({plural(len(repaired), 'row')})")
    elif options.output is None and found:
        print(
            "Nothing was changed. Write the recipe with -o recipe.json, and use it: fit --recipe recipe.json"
        )
    return 0


def count(options: argparse.Namespace) -> int:
    """Count a table, so that its counts can be shared and fitted without its rows."""
    from pgm_nb.models.counted import count_table, load_counts

    like = None if options.like is None else load_counts(options.like)
    target = options.target if options.target or like is None else like.target
    X, y = load_table(options.data, target, recipe_of(options))
    found = count_table(X, y, like=like, min_cell=options.min_cell, n_bins=options.bins)
    found.save(options.output)
    print(f"{plural(found.n_rows, 'row')} counted, {len(found.encoder.columns)} attributes: {options.output}")
    print(found.missing)
    if options.min_cell > 1:
        withheld = plural(found.rows_withheld, "row")
        print(f"{withheld} left out, so that no cell holds fewer than {options.min_cell}.")
    return 0


def fit(options: argparse.Namespace) -> int:
    """Learn a structure and its classifier, print the numbers, save the model."""
    if len(options.data) > 1 or options.data[0].endswith(".counts"):
        return _fit_parts(options)
    recipe = recipe_of(options)
    X, y = load_table(options.data[0], options.target, recipe)
    X = keep_columns(X, options.keep)

    def built() -> Any:
        return _constrained(build_model(options), options, [str(name) for name in X.columns], str(y.name))

    model = built().fit(X, y)
    model.keep_recipe(recipe)
    more = [(options.price, _price), (options.calibration, _calibration)]
    return _told(options, model, len(X), [partial(said, built(), X, y) for asked, said in more if asked])


def _fit_parts(options: argparse.Namespace) -> int:
    """Fit counts of several places, or several files batch by batch."""
    from pgm_nb.data.scan import scan
    from pgm_nb.models.counted import load_counts

    for flag in ("calibration", "price", "recipe", "codebook"):
        if getattr(options, flag) not in (None, False):
            raise DataError(f"--{flag} needs all rows at once: give one table")
    model = build_model(options)
    if all(name.endswith(".counts") for name in options.data):
        first, *parts = [load_counts(name) for name in options.data]
        total = sum(parts, first)
        if "parameters" in model.get_params() and not hasattr(options, f"{OPTION}--parameters"):
            model.set_params(parameters="generative")  # counts hold no rows to train on
        _constrained(model, options, total.encoder.names, total.target).fit_counts(total)
        return _told(options, model, total.n_rows)
    batches = scan(options.data, target=options.target or "class", columns=options.keep or None)
    if options.required or options.forbidden or options.structure:
        columns = [str(name) for name in next(batches.frames()).columns]
        _constrained(model, options, columns, options.target or "class")
    model.fit_batches(batches)
    return _told(options, model, model.missing_.n_rows - model.missing_.rows_dropped)


def _told(
    options: argparse.Namespace, model: Any, n_rows: int, more: Sequence[Callable[[], str]] = ()
) -> int:
    """Save the model, then print its numbers: a closed terminal must not cost the model."""
    if options.output is not None:
        model.save(options.output)
    print(_summary(model, n_rows))
    for say in more:
        print(f"\n{say()}")
    if options.output is not None:
        print(f"saved: {options.output}")
    return 0


def _calibration(model: Any, X: Any, y: Any) -> str:
    """Return a sentence on new rows, and a line per amount of evidence."""
    from pgm_nb.evaluate.reliability import calibration

    found = calibration(model, X, y, cv=5)
    shown = found.to_frame().rename(columns={"known": "known of a row", "log_loss": "log-loss", "ece": "ECE"})
    return f"On rows it has not seen, everything known: {found.levels['all'].sentence}\n{as_text(shown)}"


def _price(model: Any, X: Any, y: Any) -> str:
    """Return in a sentence what was asked of a model costs, in bits and on rows it has not seen."""
    from pgm_nb.evaluate.edit_price import edit_price

    return edit_price(model, X, y).sentence


def _summary(model: Any, n_rows: int) -> str:
    """Return the structure's numbers, a line each."""
    order = model.importance_
    if "mother" in order:  # a column of None alone is not taken for empty
        order = order.assign(mother=order["mother"].where(order["mother"].notna(), "-"))
    lines = [
        f"{model.about.title}: {model.n_features_in_} attributes, {len(model.classes_)} classes, {n_rows} "
        "rows",
        str(model.missing_),
        *_numbers(model),
        *_prices(model),
        "",
        "the order of joining (pgm-nb importance says what matters for the class):",
        as_text(order, na_rep="-"),
    ]
    return "\n".join(lines)


def _prices(model: Any) -> list[str]:
    """Return a line for every edge that was required or forbidden: what it costs."""
    found = getattr(model, "constraints_", None)
    if found is None or found.empty:
        return []
    return ["", "what was required and forbidden, and its price in bits:", as_text(found)]


def _numbers(model: Any) -> list[str]:
    """Return the weight and the divergence, or why there are none; for bags their threshold."""
    numbers = model.divergence_
    if numbers is None:
        threshold = getattr(model, "threshold_", None)
        packed = [] if threshold is None else [f"threshold        {threshold:10.4f} bits"]
        return [*packed, f"KL divergence    {model.about.no_divergence}"]
    proven = f"   ({PROVEN_BEST})" if numbers.is_best else ""
    at_most = "" if numbers.proven else "at most "
    best = NOT_SEARCHED if isnan(numbers.gap) else f"best tree {at_most}{numbers.weight_best:.4f}"
    lines = [
        f"weight           {numbers.weight:10.4f} bits   (naive Bayes {numbers.weight_naive:.4f}, {best})"
    ]
    if isnan(numbers.kl):
        lines += ["KL divergence    not measured: it needs all rows at once"]
    else:
        lines += [f"KL divergence    {numbers.kl:10.4f} bits"]
    if not isnan(numbers.gap):
        lines += [f"below best tree  {at_most}{numbers.gap:{10 - len(at_most)}.4f} bits{proven}"]
    return [*lines, model.about_probabilities_]


def _constrained(model: Any, options: argparse.Namespace, names: Sequence[str], target: str) -> Any:
    """Hand the edges or the tree over to a model that is not fitted yet, and return it."""
    for parameter, flag in FLAGS.items():
        pieces: list[str] = getattr(options, parameter)
        if not pieces:
            continue
        _check_able(model, parameter, flag)
        model.set_params(**{parameter: [read_edge(piece, flag, names) for piece in pieces]})
    return model if not options.structure else _with_tree(model, options.structure, names, target)


def _with_tree(model: Any, path: str, names: Sequence[str], target: str) -> Any:
    """Hand a tree from a file over to a model."""
    from pgm_nb.engine.exchange import read_structure
    from pgm_nb.learning.by_hand import mothers_from

    _check_able(model, "structure", "--structure")
    structure = read_structure(path)
    try:
        mothers_from(structure, names, target)
    except StructureError as error:
        raise StructureError(f"{path}: {error}") from None
    return model.set_params(structure=structure)


def _check_able(model: Any, parameter: str, flag: str) -> None:
    if not model.about.has_parameter(parameter):
        from pgm_nb.models import MODELS

        able = [f"--model {kind.about.short_name}" for kind in MODELS if kind.about.has_parameter(parameter)]
        raise DataError(f"{model.about.title} has no option {flag}: leave it out, or use {' or '.join(able)}")


def read_edge(piece: str, flag: str, names: Sequence[str]) -> tuple[str, str]:
    """Split A:B into two attributes; where names contain colons, at the colon that leaves two attributes.

    Examples
    --------
    >>> read_edge("age:blood: sugar", "--require", ["age", "blood: sugar"])
    ('age', 'blood: sugar')
    """
    colons = [place for place, letter in enumerate(piece) if letter == ":"]
    if not colons:
        raise DataError(f"an edge is written A:B, such as {flag} age:pulse, but {piece!r} has no colon")
    ways = [(piece[:place], piece[place + 1 :]) for place in colons]
    known = [(first, second) for first, second in ways if first in names and second in names]
    if len(known) > 1:
        read = " or ".join(f"{first!r} and {second!r}" for first, second in known)
        raise DataError(f"{flag} {piece} can be read in two ways, as {read}: rename one of these columns")
    return known[0] if known else ways[0]
