"""The command line: ``pgm-nb samples | fit | predict | query | next | export | app``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pgm_nb import __version__
from pgm_nb.errors import DataError, PgmNbError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["main"]

EXAMPLES = """\
examples:
  pgm-nb samples                                   tables that come with the program
  pgm-nb fit wdbc -o wdbc.pgmnb                    learn a cherry tree from a sample
  pgm-nb fit patients.csv --class outcome --model tan -o patients.pgmnb
  pgm-nb predict patients.pgmnb new.csv -o predictions.csv
  pgm-nb query patients.pgmnb --given age=64 --given sex=female --of outcome
  pgm-nb next patients.pgmnb --given age=64        what to measure next
  pgm-nb export patients.pgmnb -o tree.svg --view junction
  pgm-nb app patients.csv --class outcome          look and click in the browser
"""


OPTIONS = {  # parameters of models -> how they are written
    "search": "--search",
    "max_clusters": "--max-clusters",
    "threshold": "--threshold",
    "discretizer": "--discretizer",
    "n_bins": "--bins",
    "smoothing": "--smoothing",
    "missing": "--missing",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code.

    Examples
    --------
    >>> main(["samples", "--names"])  # doctest: +ELLIPSIS
    wdbc
    ...
    0
    """
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        result: int = options.run(options)
        sys.stdout.flush()
    except PgmNbError as error:
        print(f"pgm-nb {options.command}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # whoever read our output has seen enough (pgm-nb samples | head -1)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return result


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pgm-nb",
        description="The structure explorer for the naive Bayes family: a table with a class column goes "
        "in; an explicit graph, its numbers and a classifier come out.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"pgm-nb {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    samples = commands.add_parser("samples", help="list the tables that come with the program")
    samples.add_argument("--names", action="store_true", help="print the names alone")
    samples.set_defaults(run=_samples)

    fit = commands.add_parser("fit", help="learn a structure and its classifier from a table")
    _add_data(fit)
    fit.add_argument(
        "--model",
        default="gnb",
        type=_kind,
        help="nb (naive Bayes, a star), tan (tree augmented), gnb (generalized, a cherry junction tree; the "
        "default), hnb (hidden parents), phnb (its packaged form), and for columns that should not be binned "
        "gaussian, local-pca, kernel",
    )
    group = fit.add_argument_group("options of the models (each has its own default)")
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
        help="imaginary rows spread over the states of every table (an m-estimate), or 'none' for the "
        "unsmoothed rule of the paper (nb, tan, gnb)",
    )
    option(
        "--missing",
        help="missing cells are a 'state' of their own (the default), their rows are dropped ('drop'), or "
        "they get the commonest state ('mode')",
    )
    fit.add_argument("-o", "--output", type=Path, metavar="FILE", help="save the model, e.g. model.pgmnb")
    fit.set_defaults(run=_fit)

    predict = commands.add_parser("predict", help="classify the rows of a table; writes CSV")
    predict.add_argument("model", type=Path, help="a model saved by fit")
    predict.add_argument("data", help="a file, or the name of a sample; empty cells mean unknown")
    predict.add_argument("-o", "--output", type=Path, metavar="FILE", help="CSV to write (default: print it)")
    predict.set_defaults(run=_predict)

    query = commands.add_parser("query", help="ask for the probability of anything, given anything")
    _add_evidence(query)
    query.add_argument(
        "--of",
        action="append",
        metavar="NAME",
        help="what is asked for: the class (the default) or an attribute; may be repeated",
    )
    query.add_argument("--apart", action="store_true", help="each on its own instead of their combinations")
    query.set_defaults(run=_query)

    following = commands.add_parser("next", help="rank what is unknown by what it would tell about the class")
    _add_evidence(following)
    following.set_defaults(run=_next)

    export = commands.add_parser("export", help="write a picture, a graph, or the network for other programs")
    export.add_argument("model", type=Path, help="a model saved by fit")
    export.add_argument(
        "-o",
        "--output",
        type=Path,
        required=True,
        metavar="FILE",
        help="its ending says the format: .svg .png .pdf for a picture, .dot .json .graphml for the graph, "
        ".bif .xmlbif .bifxml .xdsl .net .uai for the network with its tables",
    )
    export.add_argument(
        "--view",
        help="gnb has four: tree (the default), chordal, junction, compact; hnb three: focus (the default), "
        "strongest, heatmap; phnb also bags (its default)",
    )
    export.set_defaults(run=_export)

    app = commands.add_parser("app", help="open the web app")
    _add_data(app, required=False)
    app.add_argument("--port", type=int, help="port on this machine (default: 8501, or the next free one)")
    app.add_argument("--no-browser", action="store_true", help="do not open a browser window")
    app.set_defaults(run=_app)
    return parser


def _add_data(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
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


def _add_evidence(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", type=Path, help="a model saved by fit")
    parser.add_argument(
        "--given",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="what is known: a state by its name, or a value as in the table; may be repeated",
    )


def _samples(options: argparse.Namespace) -> int:
    from pgm_nb.data import SAMPLES, load_sample

    for name in SAMPLES:
        if options.names:
            print(name)
        else:
            X, y = load_sample(name)
            classes = ", ".join(sorted(set(map(str, y))))
            print(f"{name:12} {len(X):6} rows {X.shape[1]:3} attributes  classes: {classes}")
    return 0


def _fit(options: argparse.Namespace) -> int:
    X, y = _load(options.data, options.target)
    model = _model(options).fit(X, y)
    print(_summary(model, len(X)))
    if options.output is not None:
        model.save(options.output)
        print(f"saved: {options.output}")
    return 0


def _predict(options: argparse.Namespace) -> int:
    import pandas as pd

    from pgm_nb.files import write_atomically
    from pgm_nb.models import load

    model = load(options.model)
    frame = _read(options.data)
    names = model.attribute_names_
    absent = [name for name in names if name not in frame.columns]
    if absent:
        raise DataError(f"{options.data} has no column {_quoted(absent)}, which the model was trained on")
    probabilities = model.predict_proba(frame[list(names)])
    result = pd.DataFrame({"prediction": model.classes_[probabilities.argmax(axis=1)]})
    for label, column in zip(model.classes_, probabilities.T, strict=True):
        result[f"P({label})"] = column
    text = result.to_csv(index=False)
    if options.output is None:
        print(text, end="")
        return 0
    write_atomically(options.output, text.encode())
    print(f"{len(result)} rows classified: {options.output}")
    return 0


def _query(options: argparse.Namespace) -> int:
    from pgm_nb.models import load

    model = _answering(load(options.model))
    asked = options.of or [model.learned_.target]
    table = model.query(asked, given=_evidence(options.given, model), joint=not options.apart)
    print(table.to_string(index=False, float_format="{:.6f}".format))
    return 0


def _next(options: argparse.Namespace) -> int:
    from pgm_nb.models import load

    model = _answering(load(options.model))
    table = model.next_best(given=_evidence(options.given, model))
    print(table.to_string(index=False, float_format="{:.4f}".format))
    return 0


def _answering(model: Any) -> Any:
    """Refuse questions to a model that has no joint distribution to ask."""
    if not hasattr(model, "query"):
        raise DataError(
            f"{model.title} classifies rows (pgm-nb predict) and has no joint distribution to ask; "
            "fit nb, tan or gnb for such questions"
        )
    return model


def _evidence(given: Sequence[str], model: Any) -> dict[str, str]:
    """Read NAME=VALUE; a name may hold an equals sign itself."""
    names = sorted([model.learned_.target, *model.encoder_.names], key=len, reverse=True)
    evidence = {}
    for piece in given:
        if "=" not in piece:
            raise DataError(
                f"evidence is written NAME=VALUE, such as --given age=64, but {piece!r} has no '='"
            )
        name = next((name for name in names if piece.startswith(f"{name}=")), piece.partition("=")[0])
        evidence[name] = piece[len(name) + 1 :]
    return evidence


def _export(options: argparse.Namespace) -> int:
    from pgm_nb.models import load

    for path in load(options.model).export(options.output, view=options.view):
        print(f"written: {path}")
    return 0


def _app(options: argparse.Namespace) -> int:
    from pgm_nb.app.launch import launch

    if options.data is not None:  # say what is wrong before a browser opens
        if options.target is None:
            _read(options.data)  # the app guesses the class, and lets it be chosen
        else:
            _load(options.data, options.target)
    return launch(options.data, options.target, port=options.port, browser=not options.no_browser)


def _model(options: argparse.Namespace) -> Any:
    """Build the model that was asked for; an option that it does not have is refused."""
    from pgm_nb.models import MODELS

    kind = next(kind for kind in MODELS if kind.short_name == options.model)
    given = {name: value for name, value in vars(options).items() if name in OPTIONS}
    for name in given:
        if name not in kind().get_params():
            raise DataError(f"{kind.title} ({options.model}) has no option {OPTIONS[name]}; leave it out")
    return kind(**given)


def _kind(text: str) -> str:
    """Check the short name of a model; the models are imported only when one is asked for."""
    from pgm_nb.models import MODELS

    names = [kind.short_name for kind in MODELS]
    if text not in names:
        raise argparse.ArgumentTypeError(f"invalid choice: {text!r} (choose from {', '.join(names)})")
    return text


def _smoothing(text: str) -> float | None:
    return None if text == "none" else float(text)


def _threshold(text: str) -> str | float:
    return text if text in ("average", "auto") else float(text)


def _read(data: str) -> pd.DataFrame:
    """Read a file, or a sample by name (a file of that name goes first)."""
    from pgm_nb.data import SAMPLES, load_sample, read_table

    if data in SAMPLES and not Path(data).exists():
        X, y = load_sample(data)
        return X.assign(**{"class": y})
    return read_table(data)


def _load(data: str, target: str | None) -> tuple[pd.DataFrame, pd.Series[Any]]:
    from pgm_nb.data import split_target

    frame = _read(data)
    if target is None and "class" not in frame.columns:
        raise DataError(
            f"which column of {data} is the class? Say --class COLUMN "
            f"(columns: {', '.join(map(str, frame.columns[:20]))}{', ...' if frame.shape[1] > 20 else ''})"
        )
    return split_target(frame, target if target is not None else "class")


def _summary(model: Any, n_rows: int) -> str:
    """Return the structure's numbers, a line each."""
    lines = [
        f"{model.title}: {model.n_features_in_} attributes, {len(model.classes_)} classes, {n_rows} rows",
        str(model.missing_),
        *_numbers(model),
        "",
        model.importance_.to_string(index=False, float_format="{:.4f}".format, na_rep="-"),
    ]
    return "\n".join(line for line in lines if line or line == "")


def _numbers(model: Any) -> list[str]:
    """Return the weight and the divergence, or why there are none; for bags their threshold."""
    numbers = model.divergence_
    if numbers is None:
        threshold = getattr(model, "threshold_", None)
        packed = [] if threshold is None else [f"threshold        {threshold:10.4f} bits"]
        return [*packed, f"KL divergence    {model.no_divergence}"]
    return [
        f"weight           {numbers.weight:10.4f} bits   (naive Bayes {numbers.weight_naive:.4f}, "
        f"best tree {numbers.weight_best:.4f})",
        f"KL divergence    {numbers.kl:10.4f} bits",
        f"short of the best{numbers.gap:10.4f} bits" + ("   (proven optimal)" if numbers.gap == 0 else ""),
    ]


def _quoted(names: Sequence[str]) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:5])
    return shown + (f" and {len(names) - 5} more" if len(names) > 5 else "")


if __name__ == "__main__":
    sys.exit(main())
