"""How good models are on rows they have not seen: ``pgm-nb cases | importance | compare | decide``."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pgm_nb.cli.shared import (
    as_text,
    build_model,
    check_folds,
    load_table,
    model_by_name,
    read_prior,
    recipe_of,
    working,
    write_table,
)
from pgm_nb.errors import DataError
from pgm_nb.words import did_you_mean

if TYPE_CHECKING:
    import pandas as pd

    from pgm_nb.evaluate import Comparison, Decisions

__all__ = ["cases", "compare", "decide", "importance"]

JUDGED = ("accuracy", "log_loss")  # scores by which pairs are tested


def cases(options: argparse.Namespace) -> int:
    """List the rows of a table with what a model that has not seen them says."""
    from pgm_nb import evaluate

    check_folds(options)
    X, y = load_table(options.data, options.target, recipe_of(options))
    if options.id is not None:
        if options.id not in X.columns or X.shape[1] == 1:
            raise DataError(
                f"--id {options.id} is no column of the table besides its class"
                f"{did_you_mean(options.id, X.columns)}"
            )
        X = X.set_index(options.id)
        y = y.set_axis(X.index)
    with working() as progress:
        table = evaluate.cases(
            build_model(options),
            X,
            y,
            order=options.order,
            cv=options.folds,
            random_state=options.seed,
            progress=progress,
        )
    write_table(options.output, table)
    wrong = int(table["wrong"].sum())
    print(f"{wrong} of {len(table)} rows get a wrong class from a model that has not seen them")
    print(as_text(table.head(options.most)))
    return 0


def importance(options: argparse.Namespace) -> int:
    """Say which attributes matter for the class, and what keeping only some of them costs."""
    X, y = load_table(options.data, options.target, recipe_of(options))
    with working() as progress:
        table, said = _importance(options, X, y, progress)
    write_table(options.output, table)
    print(f"{said}\n\n{as_text(table, na_rep='-')}")
    return _written(options)


def _importance(
    options: argparse.Namespace, X: pd.DataFrame, y: pd.Series[Any], progress: Callable[[float], None]
) -> tuple[pd.DataFrame, str]:
    """Return the table, and what it says in words."""
    from pgm_nb.explain.importance import importance, keep_only, redundancy
    from pgm_nb.explain.importance.study import folds_of, in_words, repeats, rows_predicted

    model = build_model(options)
    settings = {
        "cv": folds_of(y, options.folds),
        "max_rows": rows_predicted(model),
        "random_state": options.seed,
        "n_jobs": options.jobs,
        "progress": progress,
    }
    if options.keep:
        kept = keep_only(model, X, y, options.keep, **settings)
        return kept.to_frame(), str(kept)
    if options.method == "redundancy":
        table = redundancy(model, X, y, **settings)
        return table, "\n".join(repeats(table)) or "No attribute follows from another one."
    table = importance(model, X, y, options.method, **settings)
    return table, in_words(table, options.method, str(y.name))


def compare(options: argparse.Namespace) -> int:
    """Compare models on the same folds of a table, with tests of significance."""
    from pgm_nb import evaluate

    X, y = load_table(options.data, options.target, recipe_of(options))
    entered = {name: model_by_name(name) for name in options.models}
    entered |= {name: evaluate.PEERS[name][1]() for name in options.peers}
    with working() as progress:
        result = evaluate.compare(
            entered,
            X,
            y,
            cv=f"{options.repeats}x{options.folds}",
            random_state=options.seed,
            n_jobs=options.jobs,
            most_rows=options.rows,
            progress=progress,
        )
    write_table(options.output, result.scores)
    print(_compared(result))
    return _written(options)


def _compared(result: Comparison) -> str:
    """Return the table, the tests against the first model, what they mean, and the failures."""
    from pgm_nb.evaluate.comparison import finding, meaning_of_p
    from pgm_nb.scoring.folds import drawn_sentence

    lines = [repr(result), "", result.summary().to_string(index=False)]
    if len(result.models) > 1:
        for metric in JUDGED:
            lines += ["", *_tests(result, metric)]
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
        as_text(shown),
    ]


def decide(options: argparse.Namespace) -> int:
    """Say which threshold the costs set, and what is found and missed with it on unseen rows."""
    from pgm_nb.evaluate import decisions
    from pgm_nb.files import write_atomically

    ending = None if options.output is None else options.output.suffix.lower()
    if ending not in (None, ".json", ".csv"):
        raise DataError(f"the file must end in .json or .csv, but is {str(options.output)!r}")
    check_folds(options)
    X, y = load_table(options.data, options.target, recipe_of(options))
    prior = read_prior(options.prior, sorted(set(y.dropna().astype(str))))
    with working() as progress:
        found = decisions(
            build_model(options),
            X,
            y,
            {"miss": options.miss, "false alarm": options.false_alarm},
            label=options.class_that_counts,
            cv=options.folds,
            random_state=options.seed,
            progress=progress,
            prior=prior,
        )
    if ending == ".csv":
        write_table(options.output, found.per_class())
    elif ending == ".json":
        text = json.dumps(found.to_dict(), indent=2, ensure_ascii=False) + "\n"
        write_atomically(options.output, text.encode())
    print(_decided(found))
    return _written(options)


def _decided(found: Decisions) -> str:
    """Return the sentences, the table of decisions, and the numbers."""
    from pgm_nb.evaluate.deciding import said

    lines = [*said(found), "", "Rows by their true class (down) and the decided one (across):"]
    lines += [found.confusion.to_string(), "", as_text(found.to_frame(), na_rep="-")]
    if len(found.classes) > 2:
        names = ["class", "rows", "threshold", *found.detection.rates, "auc"]
        lines += ["", "Each class against the rest, at the same costs:"]
        lines += [as_text(found.per_class()[names], na_rep="-")]
    return "\n".join(lines)


def _written(options: argparse.Namespace) -> int:
    if options.output is not None:
        print(f"written: {options.output}")
    return 0
