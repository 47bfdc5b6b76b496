"""How families of parents and the trees of single classes grew: what each link carries; the runners-up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from pgm_nb.explain.growth import Contender, Frame, Growth, Story, joined, one_picture, said
from pgm_nb.explain.growth.trees import SO_FAR, says_alone, weight_curve
from pgm_nb.graphs.pictures import growing
from pgm_nb.words import GLOSSARY, Scale, about_class, class_name, in_bits

if TYPE_CHECKING:
    from pgm_nb.explain.protocols import ExplainedModel
    from pgm_nb.graphs import ClassTrees, Parents, StrongestParents
    from pgm_nb.learning.trace import Candidate, Step, Trace
    from pgm_nb.views.graph.drawing import Drawing, Node

__all__ = ["class_trees_growth", "class_trees_story", "parents_growth", "parents_story"]

EARLIER = "Strongest links to earlier attributes"
ABOUT, SHARED = "About the class", "With its parents"
PARENTS_HELP = (
    (ABOUT, "What the attribute says about the class; the attributes come in this order."),
    (SHARED, "What the attribute shares with all its parents together, given the class."),
    ("Weight", GLOSSARY["weight"]),
)
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
CLASS_HELP = (
    (SHARES, "What the attribute shares with its mothers among the rows of this class."),
    ("Weight", GLOSSARY["weight"]),
    (SO_FAR, "Of the information that the best single tree captures; trees of their own can capture more."),
)
Place = tuple[str, str]  # a class and an attribute


def parents_growth(model: ExplainedModel, view: str, most: int, contest: str = EARLIER) -> Growth:
    """Describe attribute by attribute which parents each took, and what every link carries."""
    structure: Parents | StrongestParents = model.structure_
    trace: Trace = vars(model)["trace_"]
    story = parents_story(trace, structure, model.about.title, model.about.growth_introduction, most, contest)
    shown = [step.attribute for step in trace.steps[:most]]
    steps = {name: place for place, name in enumerate(shown, start=1)}
    drawing = growing(structure.part(shown), view, steps)
    drawing = replace(drawing, nodes=tuple(_when_named(node, structure, steps) for node in drawing.nodes))

    return Growth(story, view, "Step", one_picture(drawing))


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
    frames = tuple(_parents_frame(place, step, structure, called) for place, step in enumerate(steps))
    curve = weight_curve(tuple(step.weight for step in steps), scale=structure.scale)
    return Story(
        title,
        introduction,
        frames,
        contest,
        ("Parent",),
        "Shares",
        (curve,),
        help=PARENTS_HELP,
    )


def _parents_frame(place: int, step: Step, structure: Parents | StrongestParents, called: str) -> Frame:
    name = step.attribute
    links = dict(structure.parents.get(name, {}))
    alone = says_alone(about_class(step.chosen.relevance, scale=structure.scale), scale=structure.scale)
    sentences = [said(f"{{}} {alone} {{}}.", name, called)]
    if len(links) == 1:
        ((parent, shared),) = links.items()
        sentences.append(
            said(
                f"Its parent is {{}}: given {{}}, they share {in_bits(shared, scale=structure.scale)}.",
                parent,
                called,
            )
        )
    elif links:
        amounts = [f"{{}} ({in_bits(shared, scale=structure.scale)})" for shared in links.values()]
        sentences.append(
            said(f"Its parents are {', '.join(amounts[:-1])} and {amounts[-1]}, given {{}}.", *links, called)
        )
    if step.runners_up:
        runner = step.runners_up[0]
        sentences.append(
            said(
                f"The next would be {{}} with {in_bits(runner.dependence, scale=structure.scale)}.",
                str(runner.mother),
            )
        )
    facts = [(ABOUT, about_class(step.chosen.relevance, scale=structure.scale))]
    if links:
        facts.append((SHARED, in_bits(step.chosen.dependence, scale=structure.scale)))
    contenders = [
        Contender((parent,), in_bits(shared, scale=structure.scale), shared, won=True)
        for parent, shared in links.items()
    ]
    contenders += [
        Contender((str(other.mother),), in_bits(other.dependence, scale=structure.scale), other.dependence)
        for other in step.runners_up
    ]
    return Frame(
        f"{name} comes first" if place == 0 else f"{name} joins",
        joined(*sentences),
        (
            *facts,
            ("Weight" if structure.scale is None else SO_FAR, in_bits(step.weight, scale=structure.scale)),
        ),
        tuple(contenders),
    )


def class_trees_growth(model: ExplainedModel, view: str, most: int) -> Growth:
    """Describe how the tree of every class grew; of many attributes, the first that joined each tree."""
    structure: ClassTrees = model.structure_
    kept: list[Step] = []
    for label in structure.trees:
        kept += [step for step in vars(model)["trace_"].steps if step.label == label][:most]
    story = class_trees_story(kept, structure, model.about.title)
    steps: dict[Place, int] = {}
    for number, step in enumerate(kept, start=1):
        for name in (step.attribute, *step.chosen.mothers):
            steps.setdefault((step.label, name), number)
    drawing = structure.drawing(view)
    drawing = (
        _tree_by_tree(drawing, structure, steps) if view == "trees" else _all_trees(drawing, structure, steps)
    )

    return Growth(story, view, "Step", one_picture(drawing))


def _tree_by_tree(drawing: Drawing, structure: ClassTrees, steps: Mapping[Place, int]) -> Drawing:
    """Mark the boxes and arrows of every tree with the step in which they appear."""
    at: dict[str, int | None] = {}
    for place, label in enumerate(structure.trees):
        at |= {f"t{place}n{i}": steps.get((label, name)) for i, name in enumerate(structure.attributes)}
        at[f"t{place}"] = min((s for (own, _), s in steps.items() if own == label), default=None)
    nodes = tuple(replace(node, step=at.get(node.id)) for node in drawing.nodes)
    return replace(drawing, nodes=nodes, arcs=tuple(replace(a, step=at.get(a.target)) for a in drawing.arcs))


def _all_trees(drawing: Drawing, structure: ClassTrees, steps: Mapping[Place, int]) -> Drawing:
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
        frames.append(_class_frame(step, called, first=step.label not in begun, scale=structure.scale))
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
        (weight_curve(tuple(step.weight for step in steps), scale=structure.scale),),
        help=CLASS_HELP,
    )


def _class_frame(step: Step, called: str, *, first: bool, scale: Scale | None) -> Frame:
    name, chosen = step.attribute, step.chosen
    facts: list[tuple[str, str]] = []
    contenders: tuple[Contender, ...] = ()
    if chosen.mother is None and first:
        alone = says_alone(about_class(chosen.relevance, scale=scale), scale=scale)
        sentence = said(f"The tree where {{}} is {{}} starts from {{}}, which {alone} {{}}.",
                        called, step.label, name, called)  # fmt: skip
        title = f"{step.label}: {name} comes first"
    elif chosen.mother is None:
        sentence = said("Where {} is {}, {} shares nothing with any other and stands alone.",
                        called, step.label, name)  # fmt: skip
        title = f"{step.label}: {name} stands alone"
    else:
        mothers = " and ".join(["{}"] * len(chosen.mothers))
        start = f"Where {{}} is {{}}, {{}} and {mothers} share {in_bits(chosen.dependence, scale=scale)}."
        if len(chosen.mothers) > 1:
            start = (
                f"Where {{}} is {{}}, {{}} shares {in_bits(chosen.dependence, scale=scale)} with {mothers}."
            )
        sentence = joined(
            said(start, called, step.label, name, *chosen.mothers), _runner_up(step, scale=scale)
        )
        title = (
            f"{step.label}: {chosen.mother} and {name} come first" if first else f"{step.label}: {name} joins"
        )
        facts.append((SHARES, in_bits(chosen.dependence, scale=scale)))
        contenders = tuple(
            _contender(one, won=one is chosen, scale=scale) for one in (chosen, *step.runners_up)
        )
    facts.append(("Weight" if scale is None else SO_FAR, in_bits(step.weight, scale=scale)))
    return Frame(title, sentence, tuple(facts), contenders)


def _runner_up(step: Step, *, scale: Scale | None) -> tuple[str, ...]:
    """Say what the runner-up would have shared."""
    if not step.runners_up:
        return ()
    runner = step.runners_up[0]
    who = f"{{}} with {' and '.join(['{}'] * len(runner.mothers))}"
    more = runner.dependence > step.chosen.dependence
    but = ", but for a table that is too large for so few rows" if more else ""
    return said(
        f"The runner-up, {who}, would have shared {in_bits(runner.dependence, scale=scale)}{but}.",
        runner.attribute, *runner.mothers,
    )  # fmt: skip


def _contender(one: Candidate, *, won: bool, scale: Scale | None) -> Contender:
    names = (one.attribute, " and ".join(one.mothers) or "–")
    return Contender(names, in_bits(one.dependence, scale=scale), one.dependence, won=won)
