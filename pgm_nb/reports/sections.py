"""What a report shows of the model: plain values, which ``templates/report.html`` puts into words."""

from __future__ import annotations

import platform
from base64 import b64encode
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from pgm_nb.data.labels import number_label
from pgm_nb.errors import DataError
from pgm_nb.explain.cases import likeliest
from pgm_nb.views.graph.edited import mark_edits
from pgm_nb.views.graph.render import draw
from pgm_nb.views.native import chart_svg
from pgm_nb.words import (
    NUMBERS,
    PROVEN_BEST,
    class_name,
    in_bits,
    listed,
    number,
    percent,
    plural,
    probability,
)

if TYPE_CHECKING:
    import pandas as pd

    from pgm_nb.data.repairs import Recipe
    from pgm_nb.explain.how_sure import RowsBehind
    from pgm_nb.explain.importance import Study
    from pgm_nb.graphs import Graph

__all__ = [
    "Values",
    "case",
    "data",
    "drawn_chart",
    "importance",
    "lead",
    "made",
    "matters",
    "numbers",
    "structure",
    "wishes",
]


Values = dict[str, Any]

WISHED = "Links that were required are drawn wide in another colour, forbidden ones dotted."
MANY = 60  # attributes up to which the whole structure is drawn
BARS = 20  # of what matters that are drawn
LISTED = 50  # rows of a long table that are shown
FEW = 10  # rows; a class with fewer is uncertain
PARTS = 12  # of an explanation that are listed
HEADERS = {
    "attribute": "Attribute",
    "mother": "Mother",
    "gain": "Adds (bits)",
    "weight": "Weight so far",
    "kl": "KL divergence",
    "members": "Mixed from",
    "strongest": "Largest share",
    "share": "Share",
    "parent": "Parent",
    "shared": "Shares with it (bits)",
    "counts": "Counts (times)",
}
KINDS = {"numeric": "number", "categorical": "category", "boolean": "yes / no", "ordered": "ordered"}
PACKAGES = ("pgm-nb", "numpy", "pandas", "scikit-learn")


def drawn_chart(build: Callable[[str], Any]) -> dict[str, str]:
    """Draw an Altair chart as SVG for a light and for a dark page, as text that an address can hold."""
    return {
        theme: b64encode(chart_svg(build(theme).to_json()).encode()).decode() for theme in ("light", "dark")
    }


def lead(model: Any, n_rows: int) -> str:
    """Say in one sentence what was learned from what.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> print(lead(pnb.NaiveBayes().fit(*pnb.load_sample("iris")), 150))
    Naive Bayes, learned from 150 rows with 4 attributes and 3 classes.
    """
    attributes = plural(len(model.attribute_names_), "attribute")
    classes = plural(len(model.classes_), "class", "classes")
    return f"{model.about.title}, learned from {plural(n_rows, 'row')} with {attributes} and {classes}."


def data(model: Any, X: pd.DataFrame, y: pd.Series, recipe: Recipe | None) -> Values:
    """Describe the rows: how many, of which classes, with which columns and missing cells, how repaired."""
    from pgm_nb.views.chart.rows import class_balance

    found = y.astype(str).value_counts()
    classes = [str(label) for label in model.classes_]
    counts = [int(found.get(label, 0)) for label in classes]
    counted = [f"{label} {n:,}" for label, n in zip(classes, counts, strict=True)]
    return {
        "facts": [
            ("Rows", f"{len(X):,}", "one per case"),
            ("Attributes", f"{X.shape[1]:,}", "what was measured or asked"),
            ("Classes", f"{len(classes):,}", f"of {class_name(model.structure_.target)}"),
            ("Missing cells", f"{int(X.isna().to_numpy().sum()):,}", "cells without a value"),
        ],
        "balance": drawn_chart(lambda theme: class_balance(classes, counts, theme)),
        "counted": ", ".join(counted),
        "rare": listed([label for label, n in zip(classes, counts, strict=True) if n < FEW]),
        "missing": str(model.missing_),
        "repairs": [step.said for step in recipe.steps] if recipe else [],
        "columns": _columns(model, X),
    }


def _columns(model: Any, X: pd.DataFrame) -> list[tuple[str, str, str, int]]:
    """List the columns with the states they were learned with."""
    encoder = getattr(model, "encoder_", None)
    coded = {} if encoder is None else {column.name: column for column in encoder.columns}
    rows = []
    for name, cells in X.items():
        column = coded.get(str(name))
        numeric = cells.dtype.kind in "fiu"
        kind = KINDS[column.kind] if column else "number" if numeric else "category"
        states = listed(column.labels, 8) if column else _range(cells)
        rows.append((str(name), kind, states, int(cells.isna().sum())))
    return rows


def _range(cells: pd.Series) -> str:
    if cells.dtype.kind in "fiu" and cells.notna().any():
        return f"{number_label(float(cells.min()), 4)} to {number_label(float(cells.max()), 4)}"
    return listed(sorted(map(str, cells.dropna().unique())), 8)


def structure(model: Any) -> Values:
    """Draw the structure, or the part that joined first if it is large."""
    from markupsafe import Markup

    graph: Graph = model.structure_
    total = len(graph.attributes)
    if left_out := total > MANY and graph.divisible:
        graph = graph.part(tuple(model.importance_["attribute"][:MANY]))
    wishes = model.get_params(deep=False)
    required, forbidden = wishes.get("required") or (), wishes.get("forbidden") or ()
    pictures = []
    for name in graph.report_views:
        view = graph.view(name)
        drawing, reading = graph.drawing(name), view.reading
        if (required or forbidden) and name == graph.links_view:
            drawing = mark_edits(drawing, required, forbidden)
            reading = f"{reading} {WISHED}"
        svg = draw(drawing, theme="auto").decode()  # its names are escaped
        pictures.append({"title": view.title, "reading": reading, "svg": Markup(svg)})
    return {
        "summary": model.about.summary,
        "finding": finding(graph),
        "left_out": left_out,
        "shown": MANY,
        "total": f"{total:,}",
        "pictures": pictures,
    }


def finding(graph: Graph) -> str:
    """Say what stands out in a structure: the most informative attribute, and the strongest link.

    Examples
    --------
    >>> from pgm_nb.graphs import CherryTree
    >>> print(finding(CherryTree("y", ("a", "b"), {"b": "a"}, {"a": 0.5, "b": 0.25}, {"b": 0.125})))
    Of all attributes, a says most about y (0.50 bits). Given y, a and b share most information (0.12 bits).
    """
    said, named = [], class_name(graph.target)
    if graph.relevance:
        top = graph.most_relevant
        said.append(f"Of all attributes, {top} says most about {named} ({in_bits(graph.relevance[top], 2)}).")
    linked = {child: bits for child, bits in (graph.dependence or {}).items() if child in graph.mothers}
    if linked:
        child = max(linked, key=linked.__getitem__)
        pair = f"{graph.mothers[child]} and {child}"
        said.append(f"Given {named}, {pair} share most information ({in_bits(linked[child], 2)}).")
    return " ".join(said)


def numbers(model: Any) -> Values:
    """Give weight and KL divergence with what they mean, beside naive Bayes and the best tree."""
    found = model.divergence_
    if found is None:
        return {"facts": None, "why_not": model.about.no_divergence}
    written = {
        "Weight": in_bits(found.weight),
        "KL divergence": in_bits(found.kl),
        "Above naive Bayes": in_bits(found.weight - found.weight_naive),
        "Below the best tree": f"{found.below_best}: {PROVEN_BEST}" if found.is_best else found.below_best,
    }
    kl_naive, kl_best = (found.kl + found.weight - other for other in (found.weight_naive, found.weight_best))
    return {
        "facts": [(name, value, NUMBERS[name]) for name, value in written.items()],
        "beside": [
            ("Naive Bayes (star)", found.weight_naive, kl_naive),
            (f"{model.about.title} (this report)", found.weight, found.kl),
            ("The best tree" if found.proven else "At most possible", found.weight_best, kl_best),
        ],
        "probabilities": model.about_probabilities_,
    }


def matters(model: Any, X: pd.DataFrame, found: Study | None) -> Values | None:
    """Rank the attributes by what they add to predicting the class, and say what follows from another."""
    if found is None:
        return None
    from pgm_nb.explain.importance.study import explained, in_words, repeats
    from pgm_nb.views.chart.importance import Worth, worth_chart

    path, alone = found.path, model.next_best(X=X)[["attribute", "information"]]
    worths = [Worth(*row) for row in path.head(BARS).itertuples(index=False)]
    said = dict(zip(alone["attribute"], alone["information"], strict=True))
    others = found.repeated.set_index("attribute")
    return {
        "sentences": [
            in_words(path, "forward", model.structure_.target),
            explained["forward"],
        ],
        "ranked": [
            (
                place,
                name,
                float(value),
                f"{number(low, 2)}\N{NO-BREAK SPACE}to\N{NO-BREAK SPACE}{number(high, 2)}",
                float(said.get(name, 0.0)),
                others["other"][name] if others["share"][name] > 0 else "–",
                percent(others["share"][name]),
            )
            for place, (name, value, low, high) in enumerate(
                path.head(LISTED).itertuples(index=False), start=1
            )
        ],
        "more": f"{len(path) - LISTED:,}" if len(path) > LISTED else "",
        "repeats": repeats(found.repeated)[:PARTS],
        "drawn": drawn_chart(
            lambda theme: worth_chart(
                worths, x_title="bits it adds to those above it", theme=theme
            ).properties(width=480)
        ),
    }


def importance(model: Any) -> Values:
    """List the attributes in the order of joining."""
    ranked = model.importance_.dropna(axis="columns", how="all")
    return {
        "joined": "mother" in ranked,
        "headers": ["", *(HEADERS.get(str(name), str(name)) for name in ranked.columns)],
        "ranked": [
            [place, *("–" if value is None or value != value else value for value in row)]
            for place, row in enumerate(ranked.head(LISTED).itertuples(index=False), start=1)
        ],
        "more": f"{len(ranked) - LISTED:,}" if len(ranked) > LISTED else "",
    }


def case(model: Any, X: pd.DataFrame, y: pd.Series, row: int) -> Values:
    """Explain how one row gets its class."""
    if not 1 <= row <= len(X):
        raise DataError(f"the case must be a row from 1 to {len(X):,}, but is {row!r}.")
    from pgm_nb.explain.how_sure import how_sure, rows_behind

    why = model.explain(X.iloc[[row - 1]])
    cells = {str(name): cell for name, cell in X.iloc[row - 1].items()}
    rows = rows_behind(model, X, y)
    parts = why.to_frame()
    order = parts["contribution"].abs().sort_values(ascending=False, kind="stable").index[:PARTS]
    return {
        "row": f"{row:,}",
        "actual": y.iloc[row - 1],
        "label": why.label,
        "against": why.against,
        "probability": probability(why.probability),
        "sure": how_sure(model, cells, rows, label=why.label),
        "probabilities": _probabilities(why, *_sure(model, cells, rows)),
        "parts": [
            (
                _about(place, part),
                part["value"] or "–",
                float(part["contribution"]),
                f"{part['factor']:.3g}",
            )
            for place, part in parts.loc[order].to_dict("index").items()
        ],
        "sentence": str(why),
        "drawn": drawn_chart(lambda theme: why.chart(theme=theme)),
    }


def _about(place: int, part: dict[str, Any]) -> str:
    """Name what a part is about: an attribute with its mothers, in the order of their values, or as it is."""
    if place == 0:
        return "base rate"
    return str(part["attributes"] if part["attributes"].startswith(part["part"]) else part["part"])


def _probabilities(why: Any, between: list[str], counts: list[int]) -> list[tuple[str, str, str, int]]:
    """Return a line per class; of many classes the most probable ones first, the others as one line."""
    shares = why.probabilities.tolist()
    shown, rest = likeliest(shares)
    lines = [(str(why.classes[i]), probability(shares[i]), between[i], counts[i]) for i in shown]
    if rest:
        total = probability(sum(shares[i] for i in rest))
        lines.append((f"{len(rest)} other classes", total, "–", sum(counts[i] for i in rest)))
    return lines


def _sure(model: Any, cells: Mapping[str, Any], rows: RowsBehind) -> tuple[list[str], list[int]]:
    """Return the credible interval of every class, and how many rows like this it has."""
    from pgm_nb.explain.how_sure import usable

    known = usable(model, cells, rows)
    counts = rows.support(known).rows.tolist()
    if model.intervals_.why_not_given(known):
        return ["–"] * len(counts), counts
    found = model.credible_interval(known)
    ends = zip(found.iloc[:, 2].tolist(), found.iloc[:, 3].tolist(), strict=True)
    return [f"{percent(low)} to {percent(high)}" for low, high in ends], counts


def made(model: Any, date: str, lines: str | None) -> Values:
    """Say with which program and parameters it was made, and the Python lines that do it again."""
    return {
        "date": date,
        "python": platform.python_version(),
        "model": type(model).__name__,
        "parameters": [(name, str(value)) for name, value in model.get_params(deep=False).items()],
        "packages": [(name, version(name)) for name in PACKAGES],
        "lines": lines,
    }


def wishes(model: Any, X: pd.DataFrame, y: pd.Series, folds: int, random_state: int) -> Values | None:
    """List what was asked for with its price in bits, and say what all of it costs; None if nothing was."""
    from pgm_nb.evaluate.edit_price import edit_price, free_model

    if free_model(model) is None:
        return None
    folds = min(folds, int(y.value_counts().min()))
    price = edit_price(model, X, y, cv=folds if folds > 1 else 0, random_state=random_state)
    return {
        "sentence": price.sentence,
        "links": [
            (f"{one} – {other}", kind, in_bits(float(bits)))
            for kind, one, other, bits in model.constraints_.itertuples(index=False)
        ],
    }
