"""The pages of the app: one record each, in the order of the menu.

Pages are loaded when they are opened, so that the first one does not wait for the libraries of the others.
That is why the records stand here and not in the modules that they name.
"""

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pgm_nb.app.shell.screen import Screen

__all__ = ["DETAILS", "FIRST", "PAGES", "Page", "page_named"]


@dataclass(frozen=True)
class Page:
    """All that the app knows about a page.

    Examples
    --------
    >>> Page("ages", "Ages", "How old the cases are.").tour  # no station of the tour
    ''
    """

    name: str  #: of its module in this folder, which has a function ``show(screen)``; also its address
    title: str  #: in the menu
    answers: str  #: the question it answers, in one line
    rows: str = ""  #: what it needs rows for; empty if a saved model without its table is enough
    words: tuple[
        str, ...
    ] = ()  #: of the glossary, which its numbers need; without any it has no such numbers
    tour: str = ""  #: what to look at, if the tour stops here
    needs_class: bool = True  #: it cannot be drawn before the class is chosen
    explains_words: bool = False  #: it explains the words itself; below other pages stands the glossary

    def show(self, screen: "Screen") -> None:
        """Load the page and show it."""
        import_module(f"{__name__}.{self.name}").show(screen)


PAGES = (
    Page(
        "data",
        "Data",
        "What is in the table, and what each column becomes before a model learns from it.",
        rows="This page shows the columns and values of a table",
        words=("bits",),
        needs_class=False,
    ),
    Page(
        "structure",
        "Structure",
        "Which attributes depend on each other, and which say most about the class.",
        words=("bits", "weight", "KL divergence"),
        tour="Each box is a measurement. A line joins two that share information even when the class is "
        "known. The darker a box, the more it says about the class. Click a box to see its numbers.",
        explains_words=True,
    ),
    Page(
        "growth",
        "Growth",
        "How the structure was found, step by step, and what came second each time.",
        words=("bits", "weight", "KL divergence"),
        tour="This is how the picture came about. Press play: at each step the box that adds most joins, and "
        "those that came close are named.",
    ),
    Page(
        "fit",
        "Fit",
        "How much of the table each structure captures, and how well each model predicts new rows.",
        rows="This page says how much of a table each structure captures",
        words=("bits", "weight", "KL divergence", "log-loss"),
    ),
    Page(
        "features",
        "Features",
        "Which attributes matter for the class, and how few are enough.",
        rows="This page measures on the rows of a table which attributes matter",
        words=("bits", "log-loss"),
    ),
    Page(
        "what_if",
        "What if",
        "What follows for a case when some of its values are known, and why.",
        words=("log-odds", "bits"),
        tour="Here you ask. Click a value: the probability of each class follows at once, with the reasons "
        "and with what to measure next.",
    ),
    Page(
        "cases",
        "Cases",
        "Which rows the model gets wrong, and why.",
        rows="This page goes through the rows of a table",
        words=("log-odds",),
        tour="Every row is judged here by a model that has not seen it. Look at a wrong one to see why.",
    ),
    Page(
        "decisions",
        "Decisions",
        "From which probability on to act, when mistakes have their prices.",
        rows="This page counts on the rows of a table what a threshold finds and misses",
    ),
    Page(
        "compare",
        "Compare",
        "Which model predicts best on this table, and whether its lead is more than chance.",
        rows="This page tests models on the rows of a table",
        words=("log-loss", "p-value"),
        tour="Is another model better, and is its lead more than chance? All are tested on the same rows.",
    ),
    Page(
        "export",
        "Export",
        "What to take away: a report, pictures for print, the model, the project, predictions.",
        tour="Take away a report, pictures for print, the model, or the whole project. Then upload a table "
        "of your own on the left (on a phone behind »).",
    ),
)
FIRST = "structure"  # the page that opens at the root
DETAILS = "details"  # in the address: the switch for the numbers behind the words


def page_named(name: str) -> Page:
    """Return the record of a page.

    Examples
    --------
    >>> page_named("what_if").title
    'What if'
    """
    return next(page for page in PAGES if page.name == name)
