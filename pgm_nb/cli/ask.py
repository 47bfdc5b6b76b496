"""Questions to a saved model: ``pgm-nb predict | query | next | questions | explain | case``."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pgm_nb.cli.shared import (
    as_text,
    load_table,
    named_values,
    once,
    read_data,
    read_given,
    read_number,
    read_pieces,
    read_prior,
    read_rows,
    working,
    write_table,
)
from pgm_nb.cli.show import print_size
from pgm_nb.errors import DataError
from pgm_nb.models import load

if TYPE_CHECKING:
    import pandas as pd

    from pgm_nb.explain.how_sure import RowsBehind

__all__ = ["case", "explain", "following", "predict", "query", "questions"]

PARQUET = (".parquet", ".pq")


def predict(options: argparse.Namespace) -> int:
    """Classify the rows of a table with a saved model."""
    from pgm_nb.data.text import csv_text
    from pgm_nb.evaluate.predictions import predictions

    model = load(options.model)
    prior = read_prior(options.prior, model.classes_)
    if options.output is not None and options.output.suffix.lower() in PARQUET:
        n_rows = _predict_batches(options, model, prior)
    else:
        result = predictions(model, read_rows(options.data, model), prior=prior)
        n_rows = len(result)
        if options.output is None:
            print(csv_text(result), end="")
            return 0
        write_table(options.output, result)
    print(f"{n_rows} rows classified: {options.output}")
    return 0


def _predict_batches(options: argparse.Namespace, model: Any, prior: dict[str, float] | None) -> int:
    """Classify batch by batch and write Parquet; memory holds one batch. Returns the number of rows."""
    import pyarrow as pa
    from pyarrow import parquet

    from pgm_nb.data.scan import scan
    from pgm_nb.evaluate.predictions import predictions

    in_batches = Path(options.data).suffix.lower() in PARQUET
    scanned = scan(options.data if in_batches else read_rows(options.data, model))
    done, writer = 0, None
    part = options.output.with_name(f"{options.output.name}.part")
    try:
        with working() as progress:
            for frame in scanned.frames():
                found = predictions(model, frame, prior=prior)
                table = pa.Table.from_pandas(found, preserve_index=False)
                writer = writer or parquet.ParquetWriter(part, table.schema)
                writer.write_table(table)
                done += len(frame)
                if scanned.n_rows:
                    progress(done / scanned.n_rows)
        if writer is None:
            raise DataError(f"{options.data} has no rows to classify")
        writer.close()
        part.replace(options.output)
    finally:
        part.unlink(missing_ok=True)
    return done


def query(options: argparse.Namespace) -> int:
    """Print the probability of any variables, given any evidence."""
    from pgm_nb.explain.how_sure import how_sure

    model = _load(options)
    given = read_given(options.given, model)
    target, prior = model.structure_.target, read_prior(options.prior, model.classes_)
    if options.likeliest:
        for name, state in model.map_query(options.of, given=given, prior=prior).items():
            print(f"{name} = {state}")
        return 0
    asked = options.of or [target]
    X = _values_to_expect(model, given, options.rows)
    table = model.query(asked, given=given, joint=not options.apart, prior=prior, X=X)
    rows = _rows_behind(model, options.rows)
    print(as_text(table, 6))
    if asked == [target]:
        _say(how_sure(model, given, rows, prior=prior))
    return 0


def following(options: argparse.Namespace) -> int:
    """Rank what is not known by what it would say about the class, also per price."""
    model = load(options.model)
    X, y = _table(options, model)
    prior, rule = read_prior(options.prior, model.classes_), _rule(options, model)
    plain = not options.given and prior is None and rule["ahead"] == 1
    plain = plain and all(rule[name] is None for name in ("cost", "groups", "costs", "least"))
    if plain and X is not None and y is not None:
        return _first(model, X, y)
    table = model.next_best(read_given(options.given, model), X=X, prior=prior, **rule)
    shown = table.astype({"with": object}).fillna({"with": ""}) if "with" in table else table
    print(as_text(shown, na_rep=""))
    if "worth" in table and not table["worth"].any():
        print("Nothing left is worth its price.")
    if plain:
        print("Each on its own. With --table TABLE: the best first, then what adds most to those above it.")
    return 0


def _first(model: Any, X: pd.DataFrame, y: pd.Series[Any]) -> int:
    """Print the order in which to measure while nothing is known, as `pgm-nb importance` has it."""
    from pgm_nb.explain.importance import study_order
    from pgm_nb.explain.importance.study import in_words

    with working() as progress:
        path = study_order(model, X, y, progress=progress).path
    print(f"{in_words(path, 'forward', model.structure_.target)}\n\n{as_text(path)}")
    return 0


def questions(options: argparse.Namespace) -> int:
    """Draw a few questions that lead to a class as a flow chart."""
    from pgm_nb.explain.questions import question_tree

    model = load(options.model)
    X, y = _table(options, model)
    given = read_given(options.given, model)
    tree = question_tree(
        model,
        X,
        None if given else y,
        max_questions=options.most,
        sure=options.sure,
        given=given,
        **_rule(options, model),
    )
    if options.output is not None:
        tree.save(options.output, size=print_size(options))
    print("\n".join([tree.text(), "", *tree.caption()]))
    if options.output is not None:
        print(f"Wrote {options.output}.")
    return 0


def _table(options: argparse.Namespace, model: Any) -> tuple[pd.DataFrame | None, pd.Series[Any] | None]:
    if options.table is None:
        return None, None
    target = options.target or model.structure_.target
    if model.recipe_ is None:
        return load_table(options.table, target)
    from pgm_nb.data import split_target

    frame = read_rows(options.table, model)
    return split_target(frame.dropna(subset=[target]) if target in frame.columns else frame, target)


def _cost(name: str, text: str) -> float:
    return read_number(text, f"the price of {name!r} must be a number, such as --cost {name}=20")


def _rule(options: argparse.Namespace, model: Any) -> dict[str, Any]:
    """Return the options as `next_best` takes them."""
    groups = {
        name: [member.strip() for member in text.split(",")]
        for name, text in named_values(options.group, []).items()
    }
    prices = named_values(options.cost, [*model.attribute_names_, *groups])
    costs = None
    if (options.miss is None) != (options.false_alarm is None):
        raise DataError("--miss and --false-alarm belong together: give both, or neither")
    if options.miss is not None:
        costs = {"miss": options.miss, "false alarm": options.false_alarm}
    return {
        "cost": {name: _cost(name, text) for name, text in prices.items()} or None,
        "groups": groups or None,
        "costs": costs,
        "label": options.label,
        "least": options.least,
        "ahead": options.ahead,
    }


def explain(options: argparse.Namespace) -> int:
    """Say why one row gets its class, part by part."""
    from pgm_nb.explain.how_sure import how_sure

    model = _load(options)
    frame = None if options.data is None else read_rows(options.data, model)
    row: dict[str, Any] = {}
    if frame is not None:
        place = _place(options.row, frame)
        row = {str(name): cells.iloc[place] for name, cells in _attributes(frame, model).items()}
    given = _values(options.given, model)
    row |= given
    prior = read_prior(options.prior, model.classes_)
    X = _values_to_expect(model, given, options.rows or options.data)
    why = model.explain(row, label=options.label, against=options.against, prior=prior, X=X)
    rows = _rows_behind(model, options.rows, frame)
    print(why)
    print(as_text(why.to_frame().drop(columns="attributes")))
    _say(how_sure(model, row, rows, label=why.label, prior=prior))
    return 0


def _attributes(frame: pd.DataFrame, model: Any, named: str = "the table") -> pd.DataFrame:
    """Return the columns that the model was trained on, without the class."""
    names = list(model.attribute_names_)
    absent = [name for name in names if name not in frame.columns]
    if absent:
        raise DataError(f"{named} has no column '{absent[0]}', which the model was trained on")
    return frame[names]


def _place(number: int | None, frame: pd.DataFrame, flag: str = "--row") -> int:
    """Return the place of a row in the table; users count from one."""
    if number is None:
        raise DataError("name the case with --row N")
    if not 1 <= number <= len(frame):
        raise DataError(f"the table has rows 1 to {len(frame):,}, but {flag} is {number}")
    return number - 1


def _values(pieces: Sequence[str], model: Any) -> dict[str, Any]:
    """Read what is given: ranges, alternatives and likelihoods as for query, values as the table has them."""
    from pgm_nb.engine.evidence import Evidence

    other: list[tuple[str, Any]] = []
    plain: list[str] = []
    for piece in pieces:
        found, _ = read_pieces([piece], model)
        if found and isinstance(found[0][1], Evidence):
            other += found
        else:
            plain.append(piece)
    texts = named_values(plain, model.attribute_names_)
    return once([*other, *((name, _value(text, name, model)) for name, text in texts.items())])


def _value(text: str, name: str, model: Any) -> Any:
    """Read a value as the model's column has it: words stay words, numbers and truths become such.

    A word that the model has never seen is refused: here it is a slip, not a cell of a table.
    """
    from pgm_nb.engine.variables import Variable

    columns = {column.name: column for column in getattr(getattr(model, "encoder_", None), "columns", ())}
    if name in columns and columns[name].kind not in ("numeric", "boolean"):
        Variable(name, columns[name].labels, columns[name]).state(text)
        return text
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    try:
        return float(text)
    except ValueError:
        return text


def case(options: argparse.Namespace) -> int:
    """Say what could change one case, and what is like it."""
    from pgm_nb import explain as about

    model = _load(options)
    frame = read_rows(options.data, model)
    X = _attributes(frame, model)
    analysis = about.CaseAnalysis.of(model, X)
    known = analysis.usable(_known(options, X))
    if not (options.unknowns or options.changes or options.numbers or options.alike or options.beside):
        options.unknowns = options.changes = True
        _say(_answer(analysis, known, options.label, _rows_behind(model, None, frame)))
    if options.unknowns:
        found = about.tornado(analysis, known, options.label)
        _print(found, found.to_frame())
    if options.changes:
        changes = about.what_changes(analysis, known, options.to, changeable=options.changeable)
        _print(changes, changes.to_frame() if changes.found else None)
    if options.numbers:
        _say(about.parameter_sensitivity(model, analysis.given(known), options.label)["sentence"])
    if options.alike or options.beside:
        place = _place(options.row, X)
    if options.alike:
        alike = about.most_alike(model, X, place, options.alike)
        print(as_text(alike.assign(row=alike["row"] + 1)))
    if options.beside:
        other = analysis.usable(_row(X, _place(options.beside, X, "--beside")))
        pair = about.compare_cases(analysis, known, other, options.label)
        _print(pair, pair.to_frame())
    return 0


def _answer(case: Any, known: dict[str, Any], label: str | None, rows: RowsBehind | None) -> list[str]:
    """Return the probability of a class, and how sure it is."""
    from pgm_nb.data.labels import class_place
    from pgm_nb.explain.how_sure import how_sure
    from pgm_nb.words import probability

    shares = case.posterior(known).classes
    place = int(shares.argmax()) if label is None else class_place(label, case.classes)
    said = f"{case.target} = {case.classes[place]} with probability {probability(shares[place])}"
    return [said, *how_sure(case.model, known, rows, label=case.classes[place])]


def _row(X: pd.DataFrame, place: int) -> dict[str, Any]:
    from pgm_nb.explain import CaseReader

    reader = CaseReader.of(X, "")
    read = {name: reader.value(name, text) for name, text in reader.row(X.iloc[place].to_dict()).items()}
    return {name: found[0] for name, found in read.items() if found}


def _known(options: argparse.Namespace, X: pd.DataFrame) -> dict[str, Any]:
    """Return what is known: the row, with what was given in its place."""
    from pgm_nb.explain import CaseReader

    known = {} if options.row is None else _row(X, _place(options.row, X))
    reader = CaseReader.of(X, "")
    for piece in options.given:
        found = reader.read(piece)
        if found is None:
            raise DataError(
                f"{piece!r} says nothing that a column of the table can have; write NAME=VALUE, such as "
                "age=64, age>60, age=40..50, colour=red|blue or colour!=red"
            )
        known[found[0]] = found[1]
    return known


def _load(options: argparse.Namespace) -> Any:
    """Load the model, to which an empty cell means what was chosen."""
    model = load(options.model)
    return model if options.empty is None else model.empty_as(options.empty)


def _rows_behind(model: Any, named: str | None, frame: pd.DataFrame | None = None) -> RowsBehind | None:
    """Return the rows of a table that was named, or of one that was read anyway, if it has the class.

    Rows without a class that the model knows are left out.
    """
    from pgm_nb.explain.how_sure import rows_behind

    target = str(model.structure_.target)
    if named is not None:
        frame = read_rows(named, model)
        _attributes(frame, model, f"--rows {named}")
        if target not in frame.columns:
            raise DataError(f"--rows {named} has no column '{target}', which the model was trained on")
    if frame is None or target not in frame.columns:
        return None
    frame = frame[frame[target].isin(model.classes_.tolist())]
    return rows_behind(model, frame[list(model.attribute_names_)], frame[target]) if len(frame) else None


def _values_to_expect(model: Any, given: dict[str, Any], named: str | None) -> pd.DataFrame | None:
    """Return the rows that show a model without intervals which values to expect; None if none are named."""
    from pgm_nb.engine.evidence import Evidence

    if model.codes_numbers:
        return None
    frame = None if named is None else read_data(named)
    if frame is not None and set(model.attribute_names_) <= set(frame.columns):
        return frame[list(model.attribute_names_)]
    if any(isinstance(value, Evidence) for value in given.values()):
        raise DataError(
            f"{model.about.title} does not sort numbers into intervals, so ranges and alternatives need a "
            "table that says which values to expect: name it with --rows TABLE, the training table or one "
            "like it"
        )
    return None


def _say(sentences: Iterable[object]) -> None:
    """Print sentences, one to a line."""
    for sentence in sentences:
        print(sentence)


def _print(said: object, table: pd.DataFrame | None) -> None:
    """Print what was found, and the table of it unless it is empty."""
    print(said)
    if table is not None and not table.empty:
        print(as_text(table))
