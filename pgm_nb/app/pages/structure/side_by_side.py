"""Two models side by side: the links they share in one colour, and those of one alone in another."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from html import escape

from pgm_nb.app.shell.fitting import Settings
from pgm_nb.app.widgets import words
from pgm_nb.graphs import Graph, HiddenParents
from pgm_nb.graphs.compare import SharedLinks
from pgm_nb.views.style import colours
from pgm_nb.words import plural

__all__ = ["ComparedModel", "compared_view", "comparison_sentence", "legend", "models_to_compare"]

COMPARABLE = ("nb", "tan", "gnb", "hnb", "phnb", "gaussian")  # models with one graph over the attributes


@dataclass(frozen=True)
class ComparedModel:
    """A model to compare with."""

    key: str
    title: str
    settings: Settings


def models_to_compare(settings: Settings) -> dict[str, ComparedModel]:
    """Return the models that the chosen one can be compared with, by their keys.

    Examples
    --------
    >>> [*models_to_compare(Settings("class", model="tan"))]
    ['nb', 'gnb greedy', 'gnb optimal', 'gnb exact', 'hnb', 'phnb', 'gaussian']
    >>> models_to_compare(Settings("class", model="local-pca"))
    {}
    """
    if settings.model not in COMPARABLE:
        return {}
    own = title(settings)
    found: dict[str, ComparedModel] = {}
    for model in COMPARABLE:
        for search in words.SEARCHES if model == "gnb" else ("",):
            other = replace(settings, model=model, search=search or settings.search)
            if title(other) != own:
                key = f"{model} {search}".strip()
                found[key] = ComparedModel(key, title(other), other)
    return found


def title(settings: Settings) -> str:
    """Return what people call a model with its search.

    Examples
    --------
    >>> title(Settings("class", model="gnb", search="exact"))
    'Generalized naive Bayes (GNB), best possible'
    """
    kind = type(settings.estimator())
    if settings.model != "gnb":
        return kind.title
    return f"{kind.title}, {words.SEARCHES[settings.search][0].lower()}"


def compared_view(structure: Graph) -> str:
    """Return the view in which a structure's links can be compared."""
    return "strongest" if isinstance(structure, HiddenParents) else structure.views[0]


def comparison_sentence(found: SharedLinks, first: str, second: str, mark: Callable[[str], str] = str) -> str:
    """Say how many links two models share.

    Examples
    --------
    >>> ab, bc, ac = (frozenset({frozenset(pair)}) for pair in ("ab", "bc", "ac"))
    >>> comparison_sentence(SharedLinks(ab, bc, ac), "A", "B")
    '1 of 2 links between attributes is in both; each has 1 of its own.'
    """
    common = len(found.common)
    one, other = common + len(found.only_first), common + len(found.only_second)
    first, second = mark(first), mark(second)
    if not one and not other:
        return "Neither has a link between attributes: in both, each hangs on the class alone."
    if not one or not other:
        bare, full = (first, second) if not one else (second, first)
        links = plural(max(one, other), "link")
        return f"{bare} has no link between attributes, {full} has {links}; the class points to all in both."
    if not found.only_first and not found.only_second:
        return f"The two are the same: {plural(common, 'link')} between attributes, all in both."
    verb = "is" if common == 1 else "are"
    if one == other:
        return (
            f"{common} of {one} links between attributes {verb} in both; each has {one - common} of its own."
        )
    return (
        f"{first} has {plural(one, 'link')} between attributes, {second} has {other:,}; "
        f"{common:,} {verb} in both."
    )


def legend(first: str, second: str, theme: str) -> str:
    """Return the key to the colours and dashes as HTML.

    Examples
    --------
    >>> "only in &lt;b&gt;" in legend("<b>", "TAN", "light")
    True
    """
    paint = colours(theme)
    lines = (
        ("in both", paint["tree arc"], "solid"),
        (f"only in {first}", paint["first arc"], "dashed"),
        (f"only in {second}", paint["second arc"], "dotted"),
    )
    parts = "".join(
        '<span style="display: inline-flex; align-items: center; gap: 0.4rem">'
        f'<span style="width: 2.1rem; border-top: 3px {dash} {colour}"></span>{escape(said)}</span>'
        for said, colour, dash in lines
    )
    style = "display: flex; flex-wrap: wrap; gap: 0.2rem 1.4rem; font-size: 0.875rem"
    return f'<div style="{style}">{parts}</div>'
