"""The growth of a graph in which attributes have several parents: every link with what it carries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from pgm_nb.explain.growth import Growth
from pgm_nb.explain.growth.story import Contender, Frame, Story, joined, said
from pgm_nb.explain.growth.tree import SO_FAR, says_alone, weight_curve
from pgm_nb.graphs.pictures import growing
from pgm_nb.words import GLOSSARY, about_class, class_name, in_bits, scale

if TYPE_CHECKING:
    from pgm_nb.explain.protocols import ExplainedModel
    from pgm_nb.graphs import Parents, StrongestParents
    from pgm_nb.learning.trace import Step, Trace
    from pgm_nb.views.graph.drawing import Node

__all__ = ["parents_growth", "parents_story"]

EARLIER = "Strongest links to earlier attributes"
ABOUT, SHARED = "About the class", "With its parents"
HELP = (
    (ABOUT, "What the attribute says about the class; the attributes come in this order."),
    (SHARED, "What the attribute shares with all its parents together, given the class."),
    ("Weight", GLOSSARY["weight"]),
)


def parents_growth(model: ExplainedModel, view: str, most: int, contest: str = EARLIER) -> Growth:
    """Describe attribute by attribute which parents each took, and what every link carries."""
    structure: Parents | StrongestParents = model.structure_
    trace: Trace = vars(model)["trace_"]
    story = parents_story(trace, structure, model.title, model.growth_introduction, most, contest)
    shown = [step.attribute for step in trace.steps[:most]]
    steps = {name: place for place, name in enumerate(shown, start=1)}
    drawing = growing(structure.part(shown), view, steps)
    drawing = replace(drawing, nodes=tuple(_when_named(node, structure, steps) for node in drawing.nodes))

    def draw(theme: str) -> tuple[str]:
        from pgm_nb.views.graph.render import draw as drawn

        return (drawn(drawing, theme=theme).decode(),)

    return Growth(story, view, "Step", draw)


def _when_named(node: Node, structure: Parents | StrongestParents, steps: Mapping[str, int]) -> Node:
    """Show the box of an attribute from when it joins, or is named as the parent of one that does."""
    name = node.names[0] if node.names else ""
    if node.step is None or name not in steps:
        return node
    children = (child for child, above in structure.parents.items() if name in above and child in steps)
    return replace(node, step=min(steps[name], *(steps[child] for child in children), node.step))


def parents_story(
    trace: Trace,
    structure: Parents | StrongestParents,
    title: str,
    introduction: str,
    most: int,
    contest: str = EARLIER,
) -> Story:
    """Describe the first steps: an attribute, its parents with I(Xi;Xj|Y), and the next best parent.

    Examples
    --------
    >>> from pgm_nb.graphs import Parents
    >>> from pgm_nb.learning.trace import Candidate, Step, Trace
    >>> graph = Parents("ill", ("age", "sex"), {"sex": {"age": 0.25}}, {"age": 0.5, "sex": 0.125})
    >>> steps = (Step(Candidate("age", None, 0.5, 0.0), 0.5, ()),
    ...          Step(Candidate("sex", "age", 0.125, 0.25), 0.875, ()))
    >>> print(parents_story(Trace("kdb", steps), graph, "KDB", "", 9).frames[1].sentence)
    sex carries 0.125 bits of information about ill. Its parent is age: given ill, they share 0.250 bits.
    """
    steps = trace.steps[:most]
    called = class_name(structure.target)
    frames = tuple(_frame(place, step, structure, called) for place, step in enumerate(steps))
    curve = weight_curve(tuple(step.weight for step in steps))
    return Story(
        title,
        introduction,
        frames,
        contest,
        ("Parent",),
        "Shares",
        (curve,),
        help=HELP,
    )


def _frame(place: int, step: Step, structure: Parents | StrongestParents, called: str) -> Frame:
    name = step.attribute
    links = dict(structure.parents.get(name, {}))
    sentences = [said(f"{{}} {says_alone(about_class(step.chosen.relevance))} {{}}.", name, called)]
    if len(links) == 1:
        ((parent, shared),) = links.items()
        sentences.append(
            said(f"Its parent is {{}}: given {{}}, they share {in_bits(shared)}.", parent, called)
        )
    elif links:
        amounts = [f"{{}} ({in_bits(shared)})" for shared in links.values()]
        sentences.append(
            said(f"Its parents are {', '.join(amounts[:-1])} and {amounts[-1]}, given {{}}.", *links, called)
        )
    if step.runners_up:
        runner = step.runners_up[0]
        sentences.append(
            said(f"The next would be {{}} with {in_bits(runner.dependence)}.", str(runner.mother))
        )
    facts = [(ABOUT, about_class(step.chosen.relevance))]
    if links:
        facts.append((SHARED, in_bits(step.chosen.dependence)))
    contenders = [Contender((parent,), in_bits(shared), shared, won=True) for parent, shared in links.items()]
    contenders += [
        Contender((str(other.mother),), in_bits(other.dependence), other.dependence)
        for other in step.runners_up
    ]
    return Frame(
        f"{name} comes first" if place == 0 else f"{name} joins",
        joined(*sentences),
        (*facts, ("Weight" if scale() is None else SO_FAR, in_bits(step.weight))),
        tuple(contenders),
    )
