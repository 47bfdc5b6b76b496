"""How a tree or a star grew: which attribute joined at each step, why, and what the runner-up was."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import accumulate, islice
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from pgm_nb.explain.growth import Contender, Curve, Frame, Growth, Story, joined, one_picture, said
from pgm_nb.graphs.pictures import growing
from pgm_nb.information import Information
from pgm_nb.learning.structures import naive
from pgm_nb.learning.trace import Candidate, Step, Trace
from pgm_nb.words import GLOSSARY, SAME_BITS, Scale, about_class, class_name, in_bits, plural

if TYPE_CHECKING:
    from pgm_nb.explain.protocols import ExplainedModel

__all__ = ["SO_FAR", "says_alone", "selective_growth", "tree_growth", "tree_story", "weight_curve"]

INTRODUCTIONS = {
    "naive": "No structure is searched for: every attribute depends on the class alone. The attributes that "
    "say most about the class come first.",
    "tan": "The tree starts from the attribute that says most about the class. At each step, the strongest "
    "link from an attribute in the tree to one outside is added.",
    "greedy": "The tree starts from the best pair. At each step, the attribute that adds the most "
    "information joins, with the mother on which it adds most.",
    "optimal": "The best tree that keeps the first pair, shown in its order of importance.",
    "exact": "The best tree of all, shown in its order of importance from its heaviest pair on.",
    "best part": "The best tree with so many clusters, shown in its order of importance from its heaviest "
    "pair on.",
    "improved part": "The heaviest tree with so many clusters that was found, shown in its order of "
    "importance from its heaviest pair on.",
    "class": "The tree whose pairs say most about the class together, shown in its order of importance for "
    "the class.",
    "given": "The tree was given, not searched for; it is shown in its own order.",
}
SEVERAL = (
    "The tree starts from the best pair. At each step, the attribute that adds the most information joins, "
    "with the mothers on which it adds most; a second mother must add more than her larger table would by "
    "chance."
)
SO_FAR = "Captured so far"
HELP = (
    ("Adds", "What the attribute says about the class, plus what it shares with its mother given the class."),
    ("Weight", GLOSSARY["weight"]),
    ("KL divergence", GLOSSARY["KL divergence"]),
    (SO_FAR, "Of the information that the best tree captures."),
    ("Separator", GLOSSARY["separator"]),
)
SAVES, TIMES, ABOUT = "Saves", "Probability", "About the class"
SAVED_HELP = (
    (SAVES, "By how much the log-loss of rows that are left out of training falls, in bits per row."),
    (TIMES, "How many times as probable the true class of rows left out of training typically becomes."),
    (ABOUT, "What the attribute says about the class, taken alone."),
)


def tree_growth(model: ExplainedModel, view: str, most: int) -> Growth:
    """Describe how a tree or star grew, attribute by attribute, from the trace of its search or a ranking."""
    trace: Trace | None = getattr(model, "trace_", None)
    if trace is None:
        trace = _ranking(model)
    structure = model.structure_
    divergence = getattr(model, "divergence_", None)
    clusters = hasattr(structure, "clusters")
    kl = None if divergence is None or not isfinite(divergence.kl) else divergence.kl
    story = tree_story(
        trace, model.about.title, structure.target, kl=kl, clusters=clusters, scale=model.structure_.scale
    )
    if model.about.growth_introduction:
        story = replace(story, introduction=model.about.growth_introduction)
    steps = trace.step_numbers()
    shown = sorted(steps, key=steps.__getitem__)[:most]
    n_frames = max(steps[name] for name in shown)
    drawn_graph = structure.part(shown) if structure.divisible else structure
    drawing = growing(drawn_graph, view, steps)

    boxes = {node.names[0]: node.id for node in drawing.nodes if node.kind == "attribute" and node.names}
    homes: dict[str, str] = {}
    for node in drawing.nodes:
        if node.kind == "cluster" and not boxes:
            homes |= {name: node.id for name in node.names if name not in homes}
    return Growth(_first(story, n_frames), view, "Step", one_picture(drawing), boxes, homes)


def _first(story: Story, n_frames: int) -> Story:
    """Return the beginning of a story."""
    curves = tuple(replace(curve, numbers=curve.numbers[:n_frames]) for curve in story.curves)
    return replace(story, frames=story.frames[:n_frames], curves=curves)


def _ranking(model: ExplainedModel) -> Trace:
    """Rank the attributes of a model without a search by what they say about the class."""
    structure = model.structure_
    relevance = np.array([(structure.relevance or {}).get(name, 0.0) for name in structure.attributes])
    d = len(relevance)
    ranked = Information(0, 0.0, np.zeros(d), relevance, np.zeros((d, d)))
    return naive(ranked, structure.attributes, structure.target)[1]


def tree_story(
    trace: Trace,
    title: str,
    target: str,
    *,
    kl: float | None,
    clusters: bool = False,
    scale: Scale | None = None,
) -> Story:
    """Describe the steps of a trace.

    Parameters
    ----------
    trace : Trace
        What was chosen, and the runners-up.
    title : str
        Name of the model.
    target : str
        Name of the class.
    kl : float or None
        KL divergence in bits at the end; None where it is not defined.
    clusters : bool
        Whether each step is a cluster that shares a separator with an earlier one.

    Examples
    --------
    >>> first = Step(Candidate("sex", None, 0.5, 0.0), 0.5, (Candidate("age", None, 0.25, 0.0),))
    >>> story = tree_story(Trace("naive", (first,)), "Naive Bayes", "ill", kl=1.0)
    >>> story.frames[0].sentence
    'sex carries 0.500 bits of information about ill. The runner-up is age with 0.250 bits.'
    """
    measure = "dependence" if trace.algorithm == "tan" else "gain"
    reasons, called = _reasons(trace), class_name(target)
    frames = []
    for place, step in enumerate(trace.steps):
        compared = "relevance" if measure == "dependence" and step.mother is None else measure
        rest = None if kl is None else kl + trace.steps[-1].weight - step.weight
        frames.append(
            Frame(
                _title(place, step),
                joined(
                    _why(place, step, called, compared, scale=scale),
                    _close(
                        step, compared, reasons, first=place == 0 and step.mother is not None, scale=scale
                    ),
                ),
                _facts(step, target if clusters and place else None, rest, scale=scale),
                _contest(step, compared, scale=scale),
            )
        )
    total = trace.steps[-1].weight
    curves = [weight_curve(tuple(step.weight for step in trace.steps), scale=scale)]
    if kl is not None and scale is None:
        curves.append(Curve("KL divergence", "bits", tuple(kl + total - step.weight for step in trace.steps)))
    starlike = all(step.mother is None for step in trace.steps)
    several = any(step.chosen.others for step in trace.steps)
    return Story(
        title,
        SEVERAL if several and trace.algorithm == "greedy" else INTRODUCTIONS.get(trace.algorithm, ""),
        tuple(frames),
        "Most information about the class"
        if starlike
        else "Strongest link"
        if measure != "gain"
        else "Most information added",
        ("Attribute",) if starlike else ("Attribute", "with mothers" if several else "with mother"),
        "Carries" if starlike else "Shares" if measure != "gain" else "Adds",
        tuple(curves),
        help=HELP,
    )


def weight_curve(weights: tuple[float, ...], *, scale: Scale | None = None) -> Curve:
    """Return what is captured after each step, as a curve."""
    of = scale
    if of is None:
        return Curve("Weight", "bits", weights)
    return Curve(SO_FAR, "%", tuple(weight / of.whole for weight in weights), digits=1)


def says_alone(amount: str, *, scale: Scale | None = None) -> str:
    """Say how much an attribute says about the class, which is named next."""
    if scale is None:
        return f"carries {amount} of information about"
    return f"alone says {amount} of what there is to know about"


def _title(place: int, step: Step) -> str:
    if step.mother is None:
        return f"{step.attribute} comes first" if place == 0 else f"{step.attribute} joins"
    return f"{step.mother} and {step.attribute} come first" if place == 0 else f"{step.attribute} joins"


def _facts(
    step: Step, target: str | None, kl: float | None, *, scale: Scale | None
) -> tuple[tuple[str, str], ...]:
    so_far = "Weight" if scale is None else SO_FAR
    facts = [("Adds", in_bits(step.gain, scale=scale)), (so_far, in_bits(step.weight, scale=scale))]
    if kl is not None and scale is None:
        facts.append(("KL divergence", in_bits(kl, scale=scale)))
    if target is not None and step.mother is not None:
        facts.append(("Separator", ", ".join((target, *step.chosen.mothers))))
    return tuple(facts)


def _contest(step: Step, measure: str, *, scale: Scale | None) -> tuple[Contender, ...]:
    """Return the chosen one and, below it, the runners-up."""
    lines = ((step.chosen, True), *((runner, False) for runner in step.runners_up))
    return tuple(
        Contender(
            (c.attribute, " and ".join(c.mothers) or "–"),
            in_bits(_worth(c, measure), scale=scale),
            _worth(c, measure),
            won=won,
            box=c.attribute,
            mothers=c.mothers,
        )
        for c, won in lines
    )


def _worth(candidate: Candidate, measure: str) -> float:
    return float(getattr(candidate, measure))


def _why(place: int, step: Step, target: str, measure: str, *, scale: Scale | None) -> tuple[str, ...]:
    worth, alone = (
        in_bits(_worth(step.chosen, measure), scale=scale),
        about_class(step.chosen.relevance, scale=scale),
    )
    if step.mother is None:
        root = "is the root: it " if measure == "relevance" else ""
        return said(f"{{}} {root}{says_alone(alone, scale=scale)} {{}}.", step.attribute, target)
    if measure == "dependence":
        return said(
            f"{{}} joins with mother {{}}: given {{}}, the two share {worth}.",
            step.attribute, step.mother, target,
        )  # fmt: skip
    if place == 0:
        return said(
            f"{{}} and {{}} come first: together with {{}}, they share {worth}.",
            step.mother,
            step.attribute,
            target,
        )
    mothers = step.chosen.mothers
    its = "its mother" if len(mothers) == 1 else "its mothers"
    chosen = step.chosen
    relevance, dependence = in_bits(chosen.relevance, scale=scale), in_bits(chosen.dependence, scale=scale)
    return said(
        f"{{}} joins with {_mothers(len(mothers))} and adds {worth}: {relevance} "
        f"{'of information ' if scale is None else ''}about {{}}, and {dependence} "
        f"that it shares with {its} given {{}}.",
        step.attribute, *mothers, target, target,
    )  # fmt: skip


def _mothers(number: int) -> str:
    """Return the place for one mother in a sentence, or for several."""
    if number == 1:
        return "mother {}"
    return "mothers " + ", ".join(["{}"] * (number - 1)) + " and {}"


def _close(
    step: Step, measure: str, reasons: Callable[[Candidate], str], *, first: bool, scale: Scale | None
) -> tuple[str, ...]:
    """Name the runner-up; if it is the same attribute with another mother, also the next attribute."""
    if not step.runners_up:
        return said("No other attribute was left.")
    runner = step.runners_up[0]
    sentences = [_lost(step, runner, measure, reasons, first=first, scale=scale)]
    if runner.attribute == step.attribute and not first:
        others = (other for other in step.runners_up if other.attribute != step.attribute)
        sentences += [
            _lost(step, other, measure, reasons, first=False, scale=scale) for other in islice(others, 1)
        ]
    return joined(*sentences)


def _lost(
    step: Step,
    runner: Candidate,
    measure: str,
    reasons: Callable[[Candidate], str],
    *,
    first: bool,
    scale: Scale | None,
) -> tuple[str, ...]:
    """Say what a runner-up would have brought, and why it was not taken where that is more."""
    ahead = _worth(runner, measure) - _worth(step.chosen, measure)
    amount = in_bits(_worth(runner, measure), scale=scale)
    if runner.mother is None:
        just = "also " if abs(ahead) < SAME_BITS else ""
        return said(f"The runner-up is {{}} with {just}{amount}.", runner.attribute)
    verb = "shared" if first else {"gain": "added", "dependence": "shared"}[measure]
    names: tuple[str, ...]
    if first:
        who, names = "{} and {}", (runner.mother, runner.attribute)
    elif runner.attribute == step.attribute:
        who, names = f"With {_mothers(len(runner.mothers))} it", runner.mothers
    else:
        who, names = f"{{}} with {_mothers(len(runner.mothers))}", (runner.attribute, *runner.mothers)
    if abs(ahead) < SAME_BITS:
        return said(f"{who} would have {verb} just as much.", *names)
    if ahead < 0:
        return said(f"{who} would have {verb} {amount}.", *names)
    reason = "this link was required" if step.required else reasons(runner)
    return said(f"{who} would have {verb} more ({amount}), but {reason}.", *names)


def _reasons(trace: Trace) -> Callable[[Candidate], str]:
    """Return why a candidate that would have brought more was not taken at its step."""
    links = {frozenset((step.attribute, *step.chosen.mothers)) for step in trace.steps}
    several = any(step.chosen.others for step in trace.steps)
    whose = "the given tree" if trace.algorithm == "given" else "the best tree as a whole"
    if trace.algorithm in ("greedy", "tan"):
        whose = "the tree with the required links"

    def reason(candidate: Candidate) -> str:
        later = frozenset((candidate.attribute, *candidate.mothers)) in links
        if several and trace.algorithm == "greedy":
            return "its table would be too large for so few rows"
        return "it comes later in the order of importance" if later else f"{whose} does not have this link"

    return reason


def selective_growth(model: ExplainedModel, view: str, most: int) -> Growth:
    """Describe which attribute joined at each step, what it saved, and when the search ended."""
    found = tree_growth(model, view, most)
    trace: Trace = vars(model)["trace_"]
    if trace.steps[0].chosen.saved is None:  # a file that was written before savings were traced
        return found
    structure = model.structure_
    frames = saved_frames(trace, structure.target, len(structure.apart), scale=model.structure_.scale)[
        : len(found.story.frames)
    ]
    saved = tuple(accumulate(_saved(step.chosen) for step in trace.steps[: len(frames)]))
    curve = Curve("Log-loss saved", "bits", saved)
    if model.structure_.scale is not None:
        curve = Curve("Probability of the true class", "times", tuple(2**bits for bits in saved), digits=2)
    story = replace(
        found.story,
        frames=frames,
        contest="Most log-loss saved" if model.structure_.scale is None else "Best on rows left out",
        number=SAVES if model.structure_.scale is None else TIMES,
        curves=(curve, *found.story.curves[:1]),
        help=(*SAVED_HELP, *found.story.help),
    )
    return replace(found, story=story)


def saved_frames(
    trace: Trace, target: str, n_left_out: int, *, scale: Scale | None = None
) -> tuple[Frame, ...]:
    """Describe the steps by what they saved; the last one says why no other attribute joined.

    Examples
    --------
    >>> from pgm_nb.learning.trace import Candidate, Step, Trace
    >>> runner = Candidate("sex", None, 0.125, 0.0, saved=0.25)
    >>> step = Step(Candidate("age", None, 0.5, 0.0, saved=0.375), 0.5, (runner,))
    >>> print(saved_frames(Trace("selective", (step,)), "ill", 1)[0].sentence)
    With age, rows left out of training are predicted better by 0.375 bits each. With sex it would have been
    0.250 bits. The other attribute would not help, and is left out.
    """
    called = class_name(target)
    frames = [_saved_frame(place, step, called, scale=scale) for place, step in enumerate(trace.steps)]
    if n_left_out:
        verb = "is" if n_left_out == 1 else "are"
        others = "other attribute" if n_left_out == 1 else f"other {plural(n_left_out, 'attribute')}"
        last = said(f"The {others} would not help, and {verb} left out.")
        frames[-1] = replace(frames[-1], parts=joined(frames[-1].parts, last))
    return tuple(frames)


def _saved_frame(place: int, step: Step, called: str, *, scale: Scale | None) -> Frame:
    name, amount = step.attribute, _amount(step.chosen, scale=scale)
    start = "With {}" if place == 0 else "With {} as well"
    better = f"rows left out of training are predicted better by {amount} each"
    if scale is not None:
        better = f"rows left out of training typically give their true class {amount} the probability"
    sentences = [said(f"{start}, {better}.", name)]
    if step.runners_up:
        runner = step.runners_up[0]
        worse = f"they would have been predicted worse by {-_saved(runner):.3f} bits"
        plain = _saved(runner) >= 0 or scale is not None
        how = f"it would have been {_amount(runner, scale=scale)}" if plain else worse
        sentences.append(said(f"With {{}} {how}.", runner.attribute))
        top = max(step.runners_up, key=lambda other: other.relevance)
        if top.relevance > step.chosen.relevance:
            alone = says_alone(about_class(top.relevance, scale=scale), scale=scale)
            sentences.append(
                said(f"{{}} {alone} {{}}, more than {{}} does, but adds less to what is known.",
                     top.attribute, called, name)
            )  # fmt: skip
    contenders = [Contender((name,), amount, max(0.0, _saved(step.chosen)), won=True, box=name)]
    contenders += [
        Contender(
            (other.attribute,), _amount(other, scale=scale), max(0.0, _saved(other)), box=other.attribute
        )
        for other in step.runners_up
    ]
    facts = (
        (SAVES if scale is None else TIMES, amount),
        (ABOUT, about_class(step.chosen.relevance, scale=scale)),
    )
    title = f"{name} comes first" if place == 0 else f"{name} joins"
    return Frame(title, joined(*sentences), facts, tuple(contenders))


def _saved(candidate: Candidate) -> float:
    return candidate.saved or 0.0


def _amount(candidate: Candidate, *, scale: Scale | None) -> str:
    """Write what a candidate saves: bits of log-loss, or how many times the true class is as probable."""
    return f"{_saved(candidate):.3f} bits" if scale is None else f"{2 ** _saved(candidate):.2f} times"
