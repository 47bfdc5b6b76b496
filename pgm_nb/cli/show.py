"""Pictures, pages and the app: ``pgm-nb export | growth | report | reproduce | app``."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pgm_nb.cli.shared import build_model, is_sample, keep_columns, load_table, read_data, recipe_of, working
from pgm_nb.errors import DataError
from pgm_nb.files import write_atomically
from pgm_nb.version import __version__
from pgm_nb.words import listed

if TYPE_CHECKING:
    from pgm_nb.views.printing import PrintSize

__all__ = ["app", "export", "growth", "print_size", "report", "reproduce"]

SOURCE = Path(__file__).parents[2] / "papers"  # there in the sources, not in what is installed from a wheel


def print_size(options: argparse.Namespace) -> PrintSize | None:
    """Return how large a picture is on paper, if anything was said about it."""
    from pgm_nb.views.printing import PrintSize

    said = {"width_mm": options.width_mm, "dpi": options.dpi, "font_size": options.font_size}
    asked = {name: value for name, value in said.items() if value is not None}
    if not asked and not options.no_legend:
        return None
    return PrintSize(**asked, legend=not options.no_legend)


def export(options: argparse.Namespace) -> int:
    """Write a picture, a graph, or the network for other programs."""
    from pgm_nb.engine.exchange import FORMATS
    from pgm_nb.models import load

    model = load(options.model)
    if options.given:
        write_atomically(options.output, _known(model, options))
        print(f"written: {options.output}")
        return 0
    for path in model.export(options.output, view=options.view, size=print_size(options)):
        print(f"written: {path}")
    ending = options.output.suffix.lstrip(".").lower()
    if ending in FORMATS and (about := model.about_network(ending)):
        print(about)
    return 0


def _known(model: Any, options: argparse.Namespace) -> bytes:
    """Draw the structure with what is known."""
    from pgm_nb.explain.case_values import CaseReader
    from pgm_nb.explain.known_picture import draw_known
    from pgm_nb.models.stand_in import no_stand_in, stand_in
    from pgm_nb.views.graph.layout import FONT_SIZE
    from pgm_nb.views.printing import FORMATS, PrintSize, print_svg

    ending = options.output.suffix.lstrip(".").lower()
    if ending not in FORMATS:
        raise DataError(f"known values are drawn as {', '.join(FORMATS)}, but {ending!r} was asked for")
    if options.view is not None:
        raise DataError("known values are drawn in the first picture of a model; leave --view or --given out")
    if why := no_stand_in(model):
        raise DataError(why)
    target = str(model.structure_.target)
    frame = stand_in(model)
    reader, given = CaseReader.of(frame, target), {}
    for piece in options.given:
        found = reader.read(piece)
        if found is None:
            raise DataError(
                f"--given {piece!r} is not an attribute of the model with one of its values; write "
                f"NAME=VALUE, where NAME is one of {listed(list(model.attribute_names_))}"
            )
        given[found[0]] = found[1]
    svg = draw_known(model, frame.drop(columns=target), given)
    size = print_size(options)
    if size is None and ending == "svg":
        return svg.encode()
    return print_svg(svg, ending, size or PrintSize(), font=FONT_SIZE)


def growth(options: argparse.Namespace) -> int:
    """Show how a saved model was learned, as an animation or a page with a player."""
    from pgm_nb.explain.growth import growth
    from pgm_nb.models import load

    found = growth(load(options.model), options.view)
    with working() as progress:
        found.save(options.output, seconds=options.seconds, progress=progress)
    print(f"{len(found.story.frames)} steps: {options.output}")
    return 0


def report(options: argparse.Namespace) -> int:
    """Write a table and its model as one HTML file that opens anywhere."""
    from pgm_nb.reports import Origin, report

    recipe = recipe_of(options)
    full, y = load_table(options.data, options.target, recipe)
    X = keep_columns(full, options.keep)
    left_out = tuple(str(name) for name in full.columns if name not in X.columns)
    model = build_model(options).fit(X, y)
    sample = is_sample(options.data)
    with working() as progress:
        text = report(
            model,
            X,
            y,
            title=options.title or Path(options.data).name,
            origin=Origin(options.data, str(y.name), sample=sample, leave_out=left_out, recipe=recipe),
            case=options.case,
            costs={"miss": options.miss, "false alarm": options.false_alarm},
            label=options.class_that_counts,
            folds=options.folds,
            date=options.date,
            progress=progress,
        )
    write_atomically(options.output, text.encode())
    print(f"written: {options.output}")
    return 0


def reproduce(options: argparse.Namespace) -> int:
    """Run a paper's protocol and print its figures next to ours."""
    if not (SOURCE / "figures.json").is_file():
        raise DataError(
            "the papers' experiments come with the source of the program, not with the installed package: "
            f"unpack the source archive of pgm-nb {__version__} and run `make papers DATA=DIR` in it."
        )
    if str(SOURCE.parent) not in sys.path:
        sys.path.insert(0, str(SOURCE.parent))
    result: int = import_module("papers.run").command(options)
    return result


def app(options: argparse.Namespace) -> int:
    """Open the web app."""
    from pgm_nb.app.shell.launch import launch

    if options.data is not None:
        _check(options.data, options.target)
    return launch(
        options.data,
        options.target,
        port=options.port,
        browser=not options.no_browser,
        address=options.address,
        hosts=options.host,
    )


def _check(data: str, target: str | None) -> None:
    """Say what is wrong with a table, model or project before a browser opens.

    Without a class, the app lets it be chosen.
    """
    from pgm_nb.data import split_target
    from pgm_nb.data.excerpt import read_portion
    from pgm_nb.data.read import file_bytes
    from pgm_nb.models.files import load
    from pgm_nb.models.projects import ENDING, load_project

    if data.lower().endswith(ENDING):
        load_project(data)
        return
    if data.lower().endswith(".pgmnb"):
        load(data)
        return
    if is_sample(data):
        frame = read_data(data)
    else:
        content, name = file_bytes(data)
        frame = read_portion(name, content, target=target, duplicates="keep").frame
    if target is not None and frame.columns.is_unique:  # what else is wrong, the Data page repairs
        split_target(frame.dropna(subset=[target]) if target in frame.columns else frame, target)
