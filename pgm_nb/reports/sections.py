"""The sections of a report, each a function from what it needs to HTML."""

from __future__ import annotations

import platform
from html import escape
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from pgm_nb.data.labels import number_label
from pgm_nb.errors import DataError
from pgm_nb.reports import html, words
from pgm_nb.words import NUMBERS, below_best, listed, probability

if TYPE_CHECKING:
    import pandas as pd

    from pgm_nb.evaluate import Comparison
    from pgm_nb.explain import ImportanceCurve

__all__ = ["case", "data", "importance", "judged", "made", "numbers", "structure"]

MANY = 60  # attributes up to which the whole structure is drawn
LISTED = 50  # rows of a long table that are shown
HEADERS = {
    "attribute": "Attribute",
    "mother": "Mother",
    "gain": "Adds (bits)",
    "weight": "Weight so far",
    "kl": "KL divergence",
    "members": "Mixed from",
    "strongest": "Largest share",
    "share": "Share",
}
PACKAGES = ("pgm-nb", "numpy", "pandas", "scikit-learn")


def data(model: Any, X: pd.DataFrame, y: pd.Series) -> str:
    """Describe the rows: how many, of which classes, with which empty cells and columns."""
    from pgm_nb.views.histogram import class_balance

    counts = y.astype(str).value_counts()
    classes = [str(label) for label in model.classes_]
    of_class = [int(counts.get(label, 0)) for label in classes]
    told = ", ".join(f"{label} {n:,}" for label, n in zip(classes, of_class, strict=True))
    few = [label for label, n in zip(classes, of_class, strict=True) if n < 10]
    warning = f"Fewer than 10 rows: {listed(few)}. What is learned about them is uncertain." if few else ""
    return html.section(
        "The data",
        html.facts(
            [
                ("Rows", f"{len(X):,}", "one per case"),
                ("Attributes", f"{X.shape[1]:,}", "what was measured or asked"),
                ("Classes", f"{len(classes):,}", f"of {model.structure_.target}"),
                ("Empty cells", f"{int(X.isna().to_numpy().sum()):,}", "cells without a value"),
            ]
        ),
        html.chart(lambda theme: class_balance(classes, of_class, theme), f"Rows of each class: {told}."),
        html.paragraph(warning, "note") if warning else "",
        html.paragraph(str(model.missing_)),
        _columns(model, X),
    )


def _columns(model: Any, X: pd.DataFrame) -> str:
    """List the columns with the groups they were learned with."""
    encoder = getattr(model, "encoder_", None)
    coded = {} if encoder is None else {column.name: column for column in encoder.columns}
    rows = [
        (
            str(name),
            "number" if str(name) not in coded and cells.dtype.kind in "fiu" else _kind(coded.get(str(name))),
            listed(coded[str(name)].labels, 8) if str(name) in coded else _range(cells),
            int(cells.isna().sum()),
        )
        for name, cells in X.items()
    ]
    body = html.table(["Column", "Kind", "Values or groups", "Empty"], rows)
    return f"<details><summary>The columns, and the groups they become</summary>{body}</details>"


def _kind(column: Any) -> str:
    names = {"numeric": "number", "categorical": "category", "boolean": "yes / no", "ordered": "ordered"}
    return "category" if column is None else names[column.kind]


def _range(cells: pd.Series) -> str:
    if cells.dtype.kind in "fiu" and cells.notna().any():
        return f"{number_label(float(cells.min()), 4)} to {number_label(float(cells.max()), 4)}"
    return listed(sorted(map(str, cells.dropna().unique())), 8)


def structure(model: Any) -> str:
    """Draw the structure, whole or its most important part."""
    graph, remark = _drawn(model)
    pictures = []
    for view in graph.report_views:
        title, caption, _ = graph.view(view)
        svg = graph.draw(view, format="svg", theme="auto").decode()
        pictures.append(html.picture(svg, title, caption))
    return html.section(
        "The structure",
        html.paragraph(words.MODELS[model.short_name]),
        html.paragraph(words.finding(graph), "strong"),
        html.paragraph(remark, "note") if remark else "",
        *pictures,
    )


def _drawn(model: Any) -> tuple[Any, str]:
    graph = model.structure_
    if len(graph.attributes) <= MANY or not graph.divisible:
        return graph, ""
    names = tuple(model.importance_["attribute"][:MANY])
    said = f"The {MANY} most important of {len(graph.attributes):,} attributes are drawn."
    return graph.part(names), said


def numbers(model: Any) -> str:
    """Give weight and KL divergence with what they mean, beside naive Bayes and the best tree."""
    found = model.divergence_
    if found is None:
        said = f"The KL divergence is {model.no_divergence}; how well it predicts is told below."
        return html.section("The numbers", html.paragraph(said))
    values = {
        "Weight": f"{found.weight:.3f} bits",
        "KL divergence": f"{found.kl:.3f} bits",
        "Above naive Bayes": f"{found.weight - found.weight_naive:.3f} bits",
        "Below the best tree": below_best(found.gap),
    }
    kl_naive, kl_best = (found.kl + found.weight - other for other in (found.weight_naive, found.weight_best))
    rows = [
        ("Naive Bayes (star)", found.weight_naive, kl_naive),
        (f"{model.title} (this report)", found.weight, found.kl),
        ("The best tree there is", found.weight_best, kl_best),
    ]
    return html.section(
        "The numbers",
        html.facts([(name, value, NUMBERS[name]) for name, value in values.items()]),
        html.table(["Structure", "Weight (bits)", "KL divergence (bits)"], rows),
    )


def importance(model: Any, curve: ImportanceCurve | None) -> str:
    """List the attributes in the order of their importance, and how many of them are worth having."""
    ranked = model.importance_.dropna(axis="columns", how="all")
    shown = ranked.head(LISTED)
    rows = [
        [place, *("–" if value is None or value != value else value for value in row)]
        for place, row in enumerate(shown.itertuples(index=False), start=1)
    ]
    headers = ["", *(HEADERS.get(str(name), str(name)) for name in ranked.columns)]
    more = f"{len(ranked) - LISTED:,} more attributes follow." if len(ranked) > LISTED else ""
    return html.section(
        "The order of importance",
        html.paragraph("What each attribute adds, most important first."),
        html.table(headers, rows),
        html.paragraph(more, "note") if more else "",
        "" if curve is None else _curve(curve),
    )


def _curve(curve: ImportanceCurve) -> str:
    best, enough = curve.best["log_loss"], curve.smallest["log_loss"]
    said = (
        f"On rows it had not seen, the model was best with {best} {curve.unit}; {enough} are as good within "
        "the standard error."
    )
    parts = [
        html.chart(
            lambda theme: curve.chart("log_loss", theme=theme).properties(width=620),
            f"Log-loss against the number of {curve.unit}. {said}",
            "Log-loss of the model with its first attributes alone, in bits; less is better.",
        )
    ]
    return "".join(["<h3>How many attributes are enough?</h3>", html.paragraph(said), *parts])


def judged(comparison: Comparison | None, why_not: str, n_rows: int) -> str:
    """Give the scores of models on rows they had not seen."""
    if comparison is None:
        return html.section("How well it predicts", html.paragraph(why_not))
    table = comparison.to_frame()
    rows = [
        (
            row["model"],
            f"{row['accuracy']:.3f} ± {row['accuracy_se']:.3f}",
            f"{row['log_loss']:.3f} ± {row['log_loss_se']:.3f}",
        )
        for row in table.to_dict("records")
    ]
    part = f"Judged on {comparison.n_rows:,} of {n_rows:,} rows, drawn at random. "
    return html.section(
        "How well it predicts",
        html.paragraph((part if comparison.n_rows < n_rows else "") + words.SCORES),
        html.table(["Model", "Accuracy", "Log-loss (bits)"], rows),
        *(html.paragraph(sentence, "note") for sentence in comparison.failure_sentences()),
        html.chart(
            lambda theme: comparison.chart("log_loss", theme=theme),
            "Log-loss of every model in every fold, with mean and standard error.",
        ),
    )


def case(model: Any, X: pd.DataFrame, y: pd.Series, row: int) -> str:
    """Explain how one row gets its class."""
    if not 1 <= row <= len(X):
        raise DataError(f"the case must be a row from 1 to {len(X):,}, but is {row!r}.")
    why = model.explain(X.iloc[[row - 1]])
    told = why.to_frame()
    order = told["contribution"].abs().sort_values(ascending=False, kind="stable").index[:12]
    rows = [
        (part["part"], part["value"] or "–", float(part["contribution"]), f"× {part['factor']:.3g}")
        for part in told.loc[order].to_dict("records")
    ]
    chances = [
        (str(label), probability(p)) for label, p in zip(why.classes, why.probabilities.tolist(), strict=True)
    ]
    said = (
        f"Row {row:,} is {y.iloc[row - 1]}. The model says {why.label} with probability "
        f"{probability(why.probability)}. Below is what speaks for {why.label} (to the right) and for "
        f"{why.against} (to the left)."
    )
    return html.section(
        "One case explained",
        html.paragraph(said),
        html.table(["Class", "Probability"], chances),
        html.chart(lambda theme: why.chart(theme=theme), f"What each part adds to the log-odds. {why}"),
        html.table(["Part", "Value in this row", "Adds to the log-odds", "Odds"], rows),
    )


def made(model: Any, date: str, lines: str | None) -> str:
    """Tell with which program and parameters it was made, and the Python lines that do it again."""
    parameters = [(name, str(value)) for name, value in model.get_params(deep=False).items()]
    programs = [(name, version(name)) for name in PACKAGES]
    code = "" if lines is None else f"<h3>The same in Python</h3><pre><code>{escape(lines)}</code></pre>"
    return html.section(
        "How it was made",
        html.paragraph(f"Made on {date} with Python {platform.python_version()}."),
        html.table(["Parameter", "Value"], parameters, caption=f"{type(model).__name__}: its parameters"),
        html.table(["Package", "Version"], programs),
        code,
    )
