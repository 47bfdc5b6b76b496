"""``pgm-nb compare``: models on the same folds of a table, with tests of significance."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pgm_nb.cli.tables import Command, add_data, load_table, model_name, progress_bar, recipe_of

if TYPE_CHECKING:
    from pgm_nb.cli.tables import Commands
    from pgm_nb.evaluate import Comparison

__all__ = ["add"]

JUDGED = ("accuracy", "log_loss")  # scores by which pairs are tested


def add(commands: Commands) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("compare", help="compare models on the same folds")
    add_data(parser)
    parser.when_called(partial(_add_models, parser))
    parser.add_argument(
        "--with",
        dest="peers",
        type=_peers,
        default=[],
        metavar="NAMES",
        help="classifiers of scikit-learn: logistic, forest, boosting (default: none)",
    )
    parser.add_argument("--folds", type=int, default=10, metavar="K", help="folds (default: 10)")
    parser.add_argument(
        "--repeats",
        type=int,
        default=10,
        metavar="R",
        help="how often the folds are drawn anew (default: 10)",
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of the folds (default: 0)")
    parser.add_argument(
        "--jobs",
        type=int,
        default=1,
        metavar="N",
        help="processes to run in parallel; -1: one per core (default: 1)",
    )
    parser.add_argument(
        "--rows",
        type=int,
        metavar="N",
        help="draw about N rows at random from a larger table, each class by its share (default: all rows)",
    )
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="CSV to write, a row per model and fold"
    )
    parser.set_defaults(run=_compare)


def _add_models(parser: Command) -> None:
    from pgm_nb.models import MODELS

    usual = [kind.short_name for kind in MODELS if kind.is_baseline]
    parser.add_argument(
        "--models",
        type=_models,
        default=usual,
        metavar="NAMES",
        help=f"models, separated by commas: {', '.join(kind.short_name for kind in MODELS)} (default: "
        f"{','.join(usual)}); choices of a model follow it after colons, as in kdb:selected or gnb:class:4; "
        "the others are tested against the first",
    )


def _compare(options: argparse.Namespace) -> int:
    from pgm_nb.data.text import csv_text
    from pgm_nb.evaluate import compare
    from pgm_nb.files import write_atomically

    X, y = load_table(options.data, options.target, recipe_of(options))
    with progress_bar() as bar:
        result = compare(
            _entered(options),
            X,
            y,
            cv=f"{options.repeats}x{options.folds}",
            random_state=options.seed,
            n_jobs=options.jobs,
            most_rows=options.rows,
            progress=lambda done: bar.update(100 * done - bar.n),
        )
    if options.output is not None:  # written before anything is printed: see `fit`
        write_atomically(options.output, csv_text(result.scores).encode())
    print(_report(result))
    if options.output is not None:
        print(f"written: {options.output}")
    return 0


def _entered(options: argparse.Namespace) -> dict[str, Any]:
    """Return the models by the names they were asked for."""
    from pgm_nb.evaluate import PEERS

    ours = {name: _model(name) for name in options.models}
    return {**ours, **{name: PEERS[name][1]() for name in options.peers}}


def _report(result: Comparison) -> str:
    """Return the table, the tests against the first model, what they mean, and the failures."""
    from pgm_nb.evaluate.verdicts import finding, meaning_of_p
    from pgm_nb.scoring.drawn import drawn_sentence

    lines = [repr(result), "", result.summary().to_string(index=False)]
    for metric in JUDGED if len(result.models) > 1 else ():
        lines += ["", *_tests(result, metric)]
    if len(result.models) > 1:
        lines += ["", finding(result), meaning_of_p(result)]
    lines += [drawn_sentence(result.n_rows, result.of_rows)]
    return "\n".join([*lines, *result.failure_sentences()]).rstrip()


def _tests(result: Comparison, metric: str) -> list[str]:
    from pgm_nb.scoring.metrics import METRICS

    first = result.models[0]
    table = result.pairs(metric)
    columns = ["other", "difference", "standard_error", "p", "p_holm", "wilcoxon_p", "folds"]
    shown = table.loc[table["model"] == first, columns]
    return [
        f"{METRICS[metric].title}, {first} minus the other (p: corrected resampled t-test):",
        shown.to_string(index=False, float_format="{:.4f}".format),
    ]


def _models(text: str) -> list[str]:
    names = _names(text)
    for name in names:
        _model(name)
    return names


def _model(text: str) -> Any:
    """Return a model by its short name and the choices that follow it.

    Examples
    --------
    >>> _model("gnb:class:4")
    GeneralizedNaiveBayes(order=4, search='class')
    """
    from pgm_nb.models import MODELS

    name, *keys = text.split(":")
    kind = {kind.short_name: kind for kind in MODELS}[model_name(name)]
    chosen: dict[str, str] = {}
    for key in keys:
        options = [o for o in kind.options if o.key not in chosen and key in (c.key for c in o.choices)]
        if not options:
            offered = [choice.key for option in kind.options for choice in option.choices]
            said = f"choose from {', '.join(offered)}" if offered else "it has none"
            raise argparse.ArgumentTypeError(f"invalid choice of {name}: {key!r} ({said})")
        chosen[options[0].key] = key
    return kind(**kind.chosen_parameters(chosen))


def _peers(text: str) -> list[str]:
    from pgm_nb.evaluate import PEERS

    names = _names(text)
    for name in names:
        if name not in PEERS:
            raise argparse.ArgumentTypeError(f"invalid choice: {name!r} (choose from {', '.join(PEERS)})")
    return names


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]
