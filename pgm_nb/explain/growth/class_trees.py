"""The growth of one tree per class: tree after tree, which attribute joined where, and the runners-up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from pgm_nb.explain.growth import Growth
from pgm_nb.explain.growth.story import Contender, Frame, Story, joined, said
from pgm_nb.explain.growth.tree import SO_FAR, says_alone, weight_curve
from pgm_nb.words import GLOSSARY, about_class, class_name, in_bits, scale

if TYPE_CHECKING:
    from pgm_nb.explain.protocols import ExplainedModel
    from pgm_nb.graphs import ClassTrees
    from pgm_nb.learning.trace import Candidate, Step
    from pgm_nb.views.graph.drawing import Drawing

__all__ = ["class_trees_growth", "class_trees_story"]

PAIRS = (
    "Every value of the class has a tree of its own; they are shown one after the other. A tree starts from "
    "the attribute that says most about the class and takes the strongest link among the rows of its class, "
    "again and again."
)
TRIPLES = (
    "Every value of the class has a tree of its own; they are shown one after the other. A tree starts from "
    "the pair that shares most among the rows of its class. Then the attribute joins that shares most with "
    "one or two that are linked; a second one must pay for her larger table."
)
SHARES = "Shares"
HELP = (
    (SHARES, "What the attribute shares with its mothers among the rows of this class."),
    ("Weight", GLOSSARY["weight"]),
    (SO_FAR, "Of the information that the best single tree captures; trees of their own can capture more."),
)
Place = tuple[str, str]  # a class and an attribute


def class_trees_growth(model: ExplainedModel, view: str, most: int) -> Growth:
    """Describe how the tree of every class grew; of many attributes, the first that joined each tree."""
    structure: ClassTrees = model.structure_
    kept: list[Step] = []
    for label in structure.trees:
        kept += [step for step in vars(model)["trace_"].steps if step.label == label][:most]
    story = class_trees_story(kept, structure, model.title)
    steps: dict[Place, int] = {}
    for number, step in enumerate(kept, start=1):
        for name in (step.attribute, *step.chosen.mothers):
            steps.setdefault((step.label, name), number)
    drawing = structure.drawing(view)
    drawing = (
        _tree_by_tree(drawing, structure, steps) if view == "trees" else _together(drawing, structure, steps)
    )

    def draw(theme: str) -> tuple[str]:
        from pgm_nb.views.graph.render import draw as drawn

        return (drawn(drawing, theme=theme).decode(),)

    return Growth(story, view, "Step", draw)


def _tree_by_tree(drawing: Drawing, structure: ClassTrees, steps: Mapping[Place, int]) -> Drawing:
    """Mark the boxes and arrows of every tree with the step in which they appear."""
    at: dict[str, int | None] = {}
    for place, label in enumerate(structure.trees):
        at |= {f"t{place}n{i}": steps.get((label, name)) for i, name in enumerate(structure.attributes)}
        at[f"t{place}"] = min((s for (own, _), s in steps.items() if own == label), default=None)
    nodes = tuple(replace(node, step=at.get(node.id)) for node in drawing.nodes)
    return replace(drawing, nodes=nodes, arcs=tuple(replace(a, step=at.get(a.target)) for a in drawing.arcs))


def _together(drawing: Drawing, structure: ClassTrees, steps: Mapping[Place, int]) -> Drawing:
    """Mark boxes and lines with the first step in which some tree has them."""
    own = {node.id: node.names[0] for node in drawing.nodes if node.kind == "attribute"}
    first = {
        id: min((step for (_, other), step in steps.items() if other == name), default=None)
        for id, name in own.items()
    }
    links: dict[frozenset[str], int] = {}
    for label in structure.trees:
        for mother, child, _ in structure.links(label):
            step = steps.get((label, child))
            if step is not None:
                pair = frozenset((mother, child))
                links[pair] = min(step, links.get(pair, step))
    arcs = tuple(
        replace(arc, step=links.get(frozenset((own[arc.source], own[arc.target])))) for arc in drawing.arcs
    )
    return replace(
        drawing, nodes=tuple(replace(node, step=first.get(node.id)) for node in drawing.nodes), arcs=arcs
    )


def class_trees_story(steps: list[Step], structure: ClassTrees, title: str) -> Story:
    """Describe the steps of all trees.

    Examples
    --------
    >>> from pgm_nb.graphs import ClassTrees
    >>> from pgm_nb.learning.trace import Candidate, Step
    >>> graph = ClassTrees("ill", ("age", "sex"), {"no": {"sex": "age"}}, {"no": {"sex": 0.25}})
    >>> root = Step(Candidate("age", None, 0.5, 0.0), 0.5, (), label="no")
    >>> link = Step(Candidate("sex", "age", 0.0, 0.25), 0.75, (), label="no")
    >>> for frame in class_trees_story([root, link], graph, "LDMLCS").frames:
    ...     print(frame.title, "|", frame.sentence)
    no: age comes first | The tree where ill is no starts from age, which carries 0.500 bits of information
    about ill.
    no: sex joins | Where ill is no, sex and age share 0.250 bits.
    """
    called = class_name(structure.target)
    begun: set[str] = set()
    frames = []
    for step in steps:
        frames.append(_frame(step, called, first=step.label not in begun))
        begun.add(step.label)
    several = any(step.chosen.others for step in steps)
    pairs = any(step.mother is None and step.chosen.relevance for step in steps)
    return Story(
        title,
        PAIRS if pairs or not steps else TRIPLES,
        tuple(frames),
        "Strongest link in this class",
        ("Attribute", "with mothers" if several else "with mother"),
        SHARES,
        (weight_curve(tuple(step.weight for step in steps)),),
        help=HELP,
    )


def _frame(step: Step, called: str, *, first: bool) -> Frame:
    name, chosen = step.attribute, step.chosen
    facts: list[tuple[str, str]] = []
    contenders: tuple[Contender, ...] = ()
    if chosen.mother is None and first:
        alone = says_alone(about_class(chosen.relevance))
        sentence = said(f"The tree where {{}} is {{}} starts from {{}}, which {alone} {{}}.",
                        called, step.label, name, called)  # fmt: skip
        title = f"{step.label}: {name} comes first"
    elif chosen.mother is None:
        sentence = said("Where {} is {}, {} shares nothing with any other and stands alone.",
                        called, step.label, name)  # fmt: skip
        title = f"{step.label}: {name} stands alone"
    else:
        mothers = " and ".join(["{}"] * len(chosen.mothers))
        start = f"Where {{}} is {{}}, {{}} and {mothers} share {in_bits(chosen.dependence)}."
        if len(chosen.mothers) > 1:
            start = f"Where {{}} is {{}}, {{}} shares {in_bits(chosen.dependence)} with {mothers}."
        sentence = joined(said(start, called, step.label, name, *chosen.mothers), _second(step))
        title = (
            f"{step.label}: {chosen.mother} and {name} come first" if first else f"{step.label}: {name} joins"
        )
        facts.append((SHARES, in_bits(chosen.dependence)))
        contenders = tuple(_contender(one, won=one is chosen) for one in (chosen, *step.runners_up))
    facts.append(("Weight" if scale() is None else SO_FAR, in_bits(step.weight)))
    return Frame(title, sentence, tuple(facts), contenders)


def _second(step: Step) -> tuple[str, ...]:
    """Say what the runner-up would have shared."""
    if not step.runners_up:
        return ()
    runner = step.runners_up[0]
    who = f"{{}} with {' and '.join(['{}'] * len(runner.mothers))}"
    more = runner.dependence > step.chosen.dependence
    but = ", but for a table that is too large for so few rows" if more else ""
    return said(
        f"The runner-up, {who}, would have shared {in_bits(runner.dependence)}{but}.",
        runner.attribute, *runner.mothers,
    )  # fmt: skip


def _contender(one: Candidate, *, won: bool) -> Contender:
    names = (one.attribute, " and ".join(one.mothers) or "–")
    return Contender(names, in_bits(one.dependence), one.dependence, won=won)
