"""``pgm-nb fit``: learn a structure and its classifier, print the numbers, save the model."""

from __future__ import annotations

import argparse
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pgm_nb.cli.edges import add_edges, constrained, loss_lines, price_lines
from pgm_nb.cli.tables import (
    OPTION,
    add_keep,
    add_model,
    add_recipe,
    add_target,
    build_model,
    keep_columns,
    load_table,
    recipe_of,
)
from pgm_nb.errors import DataError
from pgm_nb.words import NOT_SEARCHED, PROVEN_BEST

if TYPE_CHECKING:
    from pgm_nb.cli.tables import Commands

__all__ = ["add"]


def add(commands: Commands) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("fit", help="learn a structure and its classifier from a table")
    parser.add_argument(
        "data",
        nargs="+",
        help="a CSV, TSV, Parquet, ARFF or Excel file, or the name of a sample; several Parquet or CSV files "
        "are read in batches; or counts of several places (pgm-nb count)",
    )
    add_target(parser)
    add_recipe(parser)
    add_model(parser)
    add_keep(parser, "an attribute to keep, all others are left out; may be repeated (default: all)")
    add_edges(parser)
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="save the model, e.g. model.pgmnb")
    parser.add_argument(
        "--calibration",
        action="store_true",
        help="say how far the probabilities can be relied on, with much and little known (five folds)",
    )
    parser.set_defaults(run=_fit)


def _fit(options: argparse.Namespace) -> int:
    if len(options.data) > 1 or options.data[0].endswith(".counts"):
        return _fit_parts(options)
    recipe = recipe_of(options)
    X, y = load_table(options.data[0], options.target, recipe)
    X = keep_columns(X, options.keep)
    names = [str(name) for name in X.columns]
    model = constrained(build_model(options), options, names, str(y.name)).fit(X, y)
    model.keep_recipe(recipe)
    if options.output is not None:
        model.save(options.output)  # before anything is printed: a closed terminal must not cost the model
    print(_summary(model, len(X)))
    if options.price:
        print("\n".join(loss_lines(constrained(build_model(options), options, names, str(y.name)), X, y)))
    if options.calibration:
        print(f"\n{_calibration(constrained(build_model(options), options, names, str(y.name)), X, y)}")
    if options.output is not None:
        print(f"saved: {options.output}")
    return 0


def _fit_parts(options: argparse.Namespace) -> int:
    """Fit counts of several places, or several files batch by batch."""
    from pgm_nb.data.scan import scan
    from pgm_nb.models.counted import load_counts

    given = {"--recipe": options.recipe, "--codebook": options.codebook}
    told = [(options.calibration, "--calibration"), (options.price, "--price")]
    for asked, flag in (*told, *((value is not None, flag) for flag, value in given.items())):
        if asked:
            raise DataError(f"{flag} needs all rows at once: give one table")
    model = build_model(options)
    if all(name.endswith(".counts") for name in options.data):
        parts = [load_counts(name) for name in options.data]
        total = parts[0]
        for part in parts[1:]:
            total = total + part
        if "parameters" in model.get_params() and not hasattr(options, f"{OPTION}--parameters"):
            model.set_params(parameters="generative")  # counts hold no rows to train on
        constrained(model, options, total.encoder.names, total.target).fit_counts(total)
        n_rows = total.n_rows
    else:
        keep = options.keep or None
        batches = scan(options.data, target=options.target or "class", columns=keep)
        if options.required or options.forbidden or options.structure:
            columns = [str(name) for name in next(batches.frames()).columns]
            constrained(model, options, columns, options.target or "class")
        model.fit_batches(batches)
        n_rows = model.missing_.n_rows - model.missing_.rows_dropped
    if options.output is not None:
        model.save(options.output)
    print(_summary(model, n_rows))
    if options.output is not None:
        print(f"saved: {options.output}")
    return 0


def _calibration(model: Any, X: Any, y: Any) -> str:
    """Return a sentence on new rows, and a line per amount of evidence."""
    from pgm_nb.evaluate.reliability import calibration

    found = calibration(model, X, y, cv=5)
    shown = found.to_frame().rename(columns={"known": "known of a row", "log_loss": "log-loss", "ece": "ECE"})
    return "\n".join(
        [
            f"On rows it has not seen, everything known: {found.levels['all'].sentence}",
            shown.to_string(index=False, float_format="{:.4f}".format),
        ]
    )


def _summary(model: Any, n_rows: int) -> str:
    """Return the structure's numbers, a line each."""
    order = model.importance_
    if "mother" in order:  # a column of None alone is not taken for empty
        order = order.assign(mother=order["mother"].where(order["mother"].notna(), "-"))
    lines = [
        f"{model.title}: {model.n_features_in_} attributes, {len(model.classes_)} classes, {n_rows} rows",
        str(model.missing_),
        *_numbers(model),
        *price_lines(model),
        "",
        "the order of joining (pgm-nb importance says what matters for the class):",
        order.to_string(index=False, float_format="{:.4f}".format, na_rep="-"),
    ]
    return "\n".join(line for line in lines if line or line == "")


def _numbers(model: Any) -> list[str]:
    """Return the weight and the divergence, or why there are none; for bags their threshold."""
    numbers = model.divergence_
    if numbers is None:
        threshold = getattr(model, "threshold_", None)
        packed = [] if threshold is None else [f"threshold        {threshold:10.4f} bits"]
        return [*packed, f"KL divergence    {model.no_divergence}"]
    proven = f"   ({PROVEN_BEST})" if numbers.is_best else ""
    at_most = "" if numbers.proven else "at most "
    best = NOT_SEARCHED if isnan(numbers.gap) else f"best tree {at_most}{numbers.weight_best:.4f}"
    return [
        f"weight           {numbers.weight:10.4f} bits   (naive Bayes {numbers.weight_naive:.4f}, {best})",
        f"KL divergence    {numbers.kl:10.4f} bits"
        if not isnan(numbers.kl)
        else "KL divergence    not measured: it needs all rows at once",
        *(
            []
            if isnan(numbers.gap)
            else [f"below best tree  {at_most}{numbers.gap:{10 - len(at_most)}.4f} bits{proven}"]
        ),
        model.about_probabilities_,
    ]
