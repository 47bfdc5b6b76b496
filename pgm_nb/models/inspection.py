"""What every model says about its views, about one element of its picture, and about a single case."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pgm_nb.arrays import Floats
from pgm_nb.data import Column, as_frame, learn_encoder
from pgm_nb.data.frame import check_values
from pgm_nb.errors import QueryError
from pgm_nb.explain.detail import Detail, share_table
from pgm_nb.explain.protocols import Value, Varied
from pgm_nb.graphs.base import Headline
from pgm_nb.models.about import About
from pgm_nb.words import (
    GLOSSARY,
    NUMBERS,
    PROVEN_BEST,
    Scale,
    about_class,
    in_bits,
    information,
    nth_most,
    percent,
    plural,
)

if TYPE_CHECKING:
    from pgm_nb.explain.explanation import Terms
    from pgm_nb.graphs.base import Graph, View
    from pgm_nb.information import Divergence
    from pgm_nb.views.graph.drawing import Element

__all__ = ["Inspection", "Known", "Mark", "Varied", "without_missing_state"]

Mark = Callable[[str], str]
Known = Mapping[str, Value | None]


class Inspection:
    """What pages, reports and notebooks ask of a fitted model; a model overrides what it knows better."""

    about: ClassVar[About]

    classes_: NDArray[Any]
    structure_: Any
    importance_: Any
    divergence_: Any
    class_log_prior_: Any
    _left_out: str = ""  # a sentence on classes that are declared and have no row

    if TYPE_CHECKING:

        @property
        def attribute_names_(self) -> tuple[str, ...]:
            """Names of the attributes."""

        def predict_joint_log_proba(self, X: Any) -> Floats:
            """Return joint log scores."""

        def terms(self, X: Any) -> Terms:
            """Return the scores as sums."""

    @property
    def views_(self) -> dict[str, View]:
        """Every view of the model by its name: those of its graph, and its charts."""
        graph: Graph = self.structure_
        return {name: graph.view(name) for name in (*graph.views, *graph.charts)}

    def chart_svg(
        self,
        view: str,
        *,
        plane: tuple[str, str] | None = None,
        X: Any = None,
        y: Any = None,
        theme: str = "light",
    ) -> str:
        """Draw a view that is a chart as SVG text; `plane` names the attributes across and up."""
        raise QueryError(f"{view!r} is not a chart of this model; draw it with structure_.draw({view!r})")

    @property
    def about_probabilities_(self) -> str:
        """Where the probabilities of the class come from, if not from the tables that the model shows.

        Of a class that is declared and has no row: that it is left out.
        """
        return self._left_out

    def headlines(self, graph: Graph | None = None) -> tuple[Headline, ...]:
        """Return the numbers that sum up the model; `graph` is the graph of one row, if that is shown."""
        if self.divergence_ is not None:
            return _joint_headlines(self.divergence_, scale=self.structure_.scale)
        if self.structure_.scale is not None:
            return tuple((self.structure_ if graph is None else graph).headlines())
        short = (
            self.about.no_divergence.partition(":")[0] if ":" in self.about.no_divergence else "not defined"
        )
        undefined = Headline("KL divergence", short, f"{self.about.no_divergence}.")
        own: Graph = self.structure_ if graph is None else graph
        return (*own.headlines(), undefined)

    def describe(
        self, element: Element, *, graph: Graph | None = None, row: Any = None, mark: Mark = str
    ) -> Detail:
        """Return what is known about one element of the picture.

        Parameters
        ----------
        element : Element
            What was chosen, as `pgm_nb.views.graph.drawing.elements` gives it.
        graph, row
            The graph of one row, and that row as a table, if that is the picture.
        mark : callable
            Marks the names in the sentences, for instance in bold.
        """
        target = self.structure_.target
        if element.kind == "class":
            return self._describe_class(mark)
        name = element.names[-1]
        if element.kind == "link" and name == target:
            name = element.names[0]
        found = self._describe_attribute(name, mark)
        if element.kind == "cluster":
            said = self._describe_cluster(element, mark)
            return replace(found, title=" · ".join(element.names[1:]), sentences=(said, *found.sentences))
        if element.kind == "link" and element.names[0] != target:
            said = self._describe_link(element.names[0], name, mark)
            return replace(found, title=" → ".join(element.names), sentences=(said, *found.sentences))
        return found

    def _describe_class(self, mark: Mark) -> Detail:
        labels = [str(label) for label in self.classes_]
        target = str(self.structure_.target)
        table = share_table(
            "How common each value is, before anything else is known",
            target,
            labels,
            [""],
            np.exp(self.class_log_prior_),
        )
        said = f"This is the class, which the model predicts. It has {plural(len(labels), 'value')}."
        said = f"{said} {self._left_out}".strip()
        return Detail(target, (said,), tables=(table,))

    def _describe_attribute(self, name: str, mark: Mark) -> Detail:
        relevance = self._relevance
        numbers = (
            Headline(
                "Information about the class",
                about_class(relevance[name], scale=self.structure_.scale),
                GLOSSARY["bits"],
            ),
            Headline(
                "Share of the total",
                percent(relevance[name], sum(relevance.values()), digits=1),
                "Of the information about the class that all attributes carry, each taken alone.",
            ),
        )
        return Detail(name, (self._information_sentence(name, mark),), numbers, attribute=name)

    def _information_sentence(self, name: str, mark: Mark) -> str:
        relevance = self._relevance
        rank = 1 + sum(other > relevance[name] for other in relevance.values())
        about, of = self.structure_.class_words(mark), plural(len(relevance), "attribute")
        amount = about_class(relevance[name], 2, scale=self.structure_.scale)
        if self.structure_.scale is not None:
            said = f"Alone it says {amount} of what there is to know about {about}"
            return f"{said}, the {nth_most(rank)} of {of}."
        return f"It carries {amount} of information about {about}, the {nth_most(rank)} of {of}."

    def _describe_cluster(self, element: Element, mark: Mark) -> str:
        target, mother, child = map(mark, element.names)
        return f"A cluster: {target}, the mother {mother}, and {child}, which depends on both."

    def _describe_link(self, source: str, target: str, mark: Mark) -> str:
        shared = (self.structure_.dependence or {}).get(target)
        amount = (
            "" if shared is None else f" They share {information(shared, 2, scale=self.structure_.scale)}."
        )
        given = f"Given {self.structure_.class_words(mark)}, {mark(target)} depends on {mark(source)}."
        return given + amount

    @property
    def _relevance(self) -> dict[str, float]:
        """Information of every attribute about the class, in bits."""
        relevance = self.structure_.relevance
        if relevance is None:
            table = self.importance_
            return dict(zip(table["attribute"], map(float, table["gain"]), strict=True))
        return dict(relevance)

    @property
    def codes_numbers(self) -> bool:
        """Whether the model sees the interval of a number rather than the number itself."""
        return self.about.bins

    def case_columns(self, X: Any) -> tuple[Column, ...]:
        """Return the attributes with the states that a person can choose between.

        Numbers that the model does not bin get intervals for this purpose.

        Parameters
        ----------
        X : DataFrame
            The training table, or one like it.
        """
        return without_missing_state(learn_encoder(as_frame(X), None)[0].columns)

    def case_scores(self, known: Known, varied: Varied | None = None) -> Floats:
        """Joint log scores of one case, (1, k), or of several that differ in some values, (n, k).

        Parameters
        ----------
        known : mapping
            Attributes and their values; None is an empty cell, an attribute left out is unknown.
        varied : mapping of str to (values, places), optional
            For some attributes a few values (NaN: unknown), and which of them each case has, (n,).
        """
        row = self._case_row(known)
        if not varied:
            return self.predict_joint_log_proba(row)
        columns: dict[str, Any] = {}
        for name in row.columns:
            if name in varied:
                values, places = varied[name]
                cells = pd.Series([np.nan if value is None else value for value in values])
                columns[name] = cells.iloc[places].reset_index(drop=True)
            else:
                rows = len(next(iter(varied.values()))[1])
                columns[name] = row[name].iloc[np.zeros(rows, dtype=np.intp)].reset_index(drop=True)
        return self.predict_joint_log_proba(pd.DataFrame(columns))

    def case_terms(self, known: Known) -> Terms:
        """Return the scores of one case as a sum over the steps of the model."""
        return self.terms(self._case_row(known))

    def state_tables(self, columns: Sequence[Column]) -> dict[str, Floats]:
        """P(state | class) of the attributes, each (k, states), where the model predicts attributes."""
        return {}

    def _case_row(self, known: Known) -> pd.DataFrame:
        """Return a case as a table of one row, in which what is not known is empty."""
        cells = {name: known.get(name) for name in self.attribute_names_}
        check_values(cells)
        return pd.DataFrame({name: [np.nan if cell is None else cell] for name, cell in cells.items()})


def without_missing_state(columns: Sequence[Column]) -> tuple[Column, ...]:
    """Return columns without the state of an empty cell, for models in which an empty cell is unknown."""
    return tuple(
        replace(column, states=column.states[:-1], missing_state=False) if column.missing_state else column
        for column in columns
    )


CAPTURED = {  # where amounts are shares of what the best tree captures
    "Captured": "Of the information that the best tree captures; more is better.",
    "By naive Bayes": "What naive Bayes would capture, in which every attribute depends on the class alone.",
    "Below the best tree": NUMBERS["Below the best tree"],
}


def _joint_headlines(divergence: Divergence, *, scale: Scale | None) -> tuple[Headline, ...]:
    if scale is not None:
        shown = divergence.weight, divergence.weight_naive, divergence.gap
        return tuple(
            Headline(
                label,
                in_bits(max(amount, 0.0), scale=scale),
                help,
                PROVEN_BEST if label == "Below the best tree" and divergence.is_best else "",
            )
            for (label, help), amount in zip(CAPTURED.items(), shown, strict=True)
        )
    values = {
        "Weight": in_bits(divergence.weight, scale=scale),
        "KL divergence": in_bits(divergence.kl, scale=scale),
        "Above naive Bayes": in_bits(divergence.weight - divergence.weight_naive, scale=scale),
        "Below the best tree": divergence.below_best,
    }
    return tuple(
        Headline(
            label,
            value,
            NUMBERS[label],
            PROVEN_BEST if label == "Below the best tree" and divergence.is_best else "",
        )
        for label, value in values.items()
    )
