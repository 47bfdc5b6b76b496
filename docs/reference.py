"""A Sphinx extension that writes what the package knows itself: the API reference and the glossary."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pgm_nb
from pgm_nb.words import GLOSSARY

SECTIONS = {  # package -> title and introduction of its part of the reference
    "pgm_nb.models": (
        "Models",
        "Every model is a scikit-learn classifier: `score`, `get_params` and `set_params` work as usual.",
    ),
    "pgm_nb.graphs": (
        "Structures",
        "`model.structure_` is one of these frozen graph objects. Each draws and exports itself.",
    ),
    "pgm_nb.learning": ("Searches", "What `model.trace_` holds, and the searches themselves."),
    "pgm_nb.information": ("Information", "Entropy, mutual information, weight and KL divergence, in bits."),
    "pgm_nb.engine.junction": ("Junction tree", "The tree of clusters that answers questions."),
    "pgm_nb.tables.factors": ("Tables", "The tables of probabilities of a model."),
    "pgm_nb.engine.evidence": ("Evidence", "Ranges, alternatives, exclusions and likelihoods."),
    "pgm_nb.engine.exchange": ("Exchange", "Networks and structures as files for other programs."),
    "pgm_nb.explain": ("Explanations", "Why a model gives its answer, and how far to rely on it."),
    "pgm_nb.explain.importance": (
        "Importance",
        "Which attributes matter, repeat each other, or can be left out.",
    ),
    "pgm_nb.explain.questions": ("Questions to ask", "What to measure next, as a tree of questions."),
    "pgm_nb.explain.how_sure": (
        "How sure",
        "The rows behind an answer, its interval, and remarks about the case.",
    ),
    "pgm_nb.explain.growth": ("Growth", "The search replayed, step by step."),
    "pgm_nb.explain.known_picture": (
        "What is known",
        "The structure with what is known about a case in its boxes.",
    ),
    "pgm_nb.evaluate": ("Comparison", "Models on the same folds, and tests of their differences."),
    "pgm_nb.evaluate.reliability": ("Reliability", "Whether stated probabilities come true."),
    "pgm_nb.evaluate.edit_price": (
        "Price of wishes",
        "The tree of an expert beside the one of the data alone.",
    ),
    "pgm_nb.reports": ("Reports", "A model as one HTML page, and the Python lines that learn it again."),
    "pgm_nb.views.printing": ("Printing", "Pictures exactly as wide as the column of a journal."),
    "pgm_nb.data": ("Data", "From a file or a table to coded columns."),
    "pgm_nb.data.scan": ("Batches", "Tables of any size, read batch by batch."),
    "pgm_nb.data.repairs": ("Repairs", "What is odd about a table, and a recipe that puts it right."),
    "pgm_nb.models.counted": ("Counts", "Counts without rows: shared, added up and fitted."),
    "pgm_nb.models.projects": ("Projects", "A table, the choices made for it and the model as one file."),
    "pgm_nb.errors": ("Errors", "Raised when a table, a parameter or a question does not fit."),
}
CONSTANTS = {
    "MODELS": "The model classes, in the order in which the app and the command line offer them.",
    "SAMPLES": "The names of the bundled sample tables, for `load_sample`.",
}
INTRODUCTION = "Ten terms with one meaning each, in the app, the report and these pages."
FOREIGN = re.compile(r"set_\w+_request|get_metadata_routing")  # what scikit-learn adds to every estimator
STOP_AT = "object, BaseEstimator, ClassifierMixin, Exception, ValueError, ABC, tuple"


def setup(app: Any) -> dict[str, bool]:
    """Write the pages when Sphinx starts."""
    write(Path(app.srcdir) / "generated")
    app.connect("autodoc-skip-member", skip_member)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def skip_member(app: Any, what: str, name: str, value: Any, skip: bool, options: Any) -> bool:
    """Tell Sphinx to skip what scikit-learn adds to every estimator."""
    return skip or FOREIGN.fullmatch(name) is not None


def write(folder: Path) -> None:
    """Write a page for every name, their index, and the glossary."""
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.md"):
        old.unlink()
    seen: set[int] = set()
    index = [
        "# API reference",
        "",
        "Everything under `pgm_nb` itself is imported as `import pgm_nb as pnb`.",
        "",
    ]
    pages = []
    for package, (title, introduction) in SECTIONS.items():
        module = import_module(package)
        rows = []
        for name in module.__all__:
            value = getattr(module, name)
            if id(value) in seen or (is_constant(value) and name not in pgm_nb.__all__):
                continue
            seen.add(id(value))
            home = "pgm_nb" if name in pgm_nb.__all__ and getattr(pgm_nb, name) is value else package
            pages.append(page(folder, home, name, value))
            rows.append(f"| [`{shown(home, name)}`]({pages[-1]}.md) | {first_line(name, value)} |")
        if rows:
            index += [f"## {title}", "", introduction, "", "| name | |", "|---|---|", *rows, ""]
    if missing := set(pgm_nb.__all__) - {full.rpartition(".")[2] for full in pages} - {"__version__"}:
        raise LookupError(f"public names without a page: {sorted(missing)}; add their package to SECTIONS")
    (folder / "index.md").write_text("\n".join(index), encoding="utf-8")
    entries = [f"{term}\n  {meaning}\n" for term, meaning in GLOSSARY.items()]
    text = ["# Glossary", "", INTRODUCTION, "", "```{glossary}", *entries, "```", ""]
    (folder / "glossary.md").write_text("\n".join(text), encoding="utf-8")


def shown(home: str, name: str) -> str:
    """Return a name as one would type it."""
    return f"pnb.{name}" if home == "pgm_nb" else f"{home}.{name}"


def first_line(name: str, value: Any) -> str:
    """Return the first sentence about a name: of its docstring, or of `CONSTANTS`."""
    text = CONSTANTS[name] if is_constant(value) else (inspect.getdoc(value) or "").partition("\n\n")[0]
    return " ".join(text.split()).replace("|", "\\|")


def is_constant(value: Any) -> bool:
    """Say whether a public name is neither a class nor a function."""
    return not isinstance(value, type) and not inspect.isroutine(value)


def page(folder: Path, home: str, name: str, value: Any) -> str:
    """Write the page of one name; return the page's name."""
    full = f"{home}.{name}"
    if isinstance(value, type):
        body = f".. autoclass:: {full}\n   :members:\n   :inherited-members: {STOP_AT}"
    elif inspect.isroutine(value):
        body = f".. autofunction:: {full}"
    else:
        body = f".. py:data:: {full}\n\n   {CONSTANTS[name]}"
    head = "---\norphan: true\n---\n"  # a hundred names are too many for the menu
    text = f"{head}\n# {name}\n\n[API reference](index.md)\n\n```{{eval-rst}}\n{body}\n```\n"
    (folder / f"{full}.md").write_text(text, encoding="utf-8")
    return full
