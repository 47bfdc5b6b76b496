"""The story of a tree or a star: which attribute joined at each step, why, and what came close."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

from pgm_nb.explain.growth.story import Curve, Frame, Rival, Story, joined, said
from pgm_nb.learning.trace import Candidate, Step, Trace
from pgm_nb.words import SAME_BITS, class_name, in_bits

__all__ = ["tree_story"]


INTRODUCTIONS = {
    "naive": "Nothing is searched: every attribute hangs on the class alone, and those that tell most about "
    "it come first.",
    "tan": "From the most telling attribute on, the strongest link from inside the tree to outside is taken, "
    "again and again.",
    "greedy": "From the best pair on, the attribute that adds most comes next, with the mother on which it "
    "adds most.",
    "optimal": "The best tree that keeps the first pair, read in its order of importance.",
    "exact": "The tree that holds most of all, read from its heaviest pair on in its order of importance.",
    "given": "The tree was given, not searched; it is told in its own order.",
}
HELP = (
    ("Adds", "What the attribute tells about the class, and what it and its mother share beyond that."),
    ("Weight", "How much of what the columns tell about each other is in the picture; more is better."),
    ("KL divergence", "How much of the table the picture misses; at 0 it would tell everything."),
    ("Separator", "The two names, class and mother, that the new cluster shares with the one it hangs on."),
)


def tree_story(trace: Trace, title: str, target: str, *, kl: float | None, clusters: bool = False) -> Story:
    """Tell the steps of a trace.

    Parameters
    ----------
    trace : Trace
        What was chosen and what came close.
    title : str
        Name of the model.
    target : str
        Name of the class.
    kl : float or None
        KL divergence in bits at the end; None where it is not defined.
    clusters : bool
        Whether each step is a cluster that hangs on a separator.

    Examples
    --------
    >>> first = Step(Candidate("sex", None, 0.5, 0.0), 0.5, (Candidate("age", None, 0.25, 0.0),))
    >>> story = tree_story(Trace("naive", (first,)), "Naive Bayes", "ill", kl=1.0)
    >>> story.frames[0].sentence
    'sex tells 0.500 bits about ill. Next is age with 0.250 bits.'
    """
    measure = "dependence" if trace.algorithm == "tan" else "gain"
    reasons, called = _reasons(trace), class_name(target)
    frames = []
    for place, step in enumerate(trace.steps):
        told = "relevance" if measure == "dependence" and step.mother is None else measure
        rest = None if kl is None else kl + trace.steps[-1].weight - step.weight
        frames.append(
            Frame(
                _title(place, step),
                joined(
                    _why(place, step, called, told),
                    _close(step, told, reasons, first=place == 0 and step.mother is not None),
                ),
                _facts(step, target if clusters and place else None, rest),
                _contest(step, told),
            )
        )
    total = trace.steps[-1].weight
    curves = [Curve("Weight", "bits", tuple(step.weight for step in trace.steps))]
    if kl is not None:
        curves.append(Curve("KL divergence", "bits", tuple(kl + total - step.weight for step in trace.steps)))
    starlike = all(step.mother is None for step in trace.steps)
    return Story(
        title,
        INTRODUCTIONS[trace.algorithm],
        tuple(frames),
        "Who tells most" if starlike else "Which link is strongest" if measure != "gain" else "Who adds most",
        ("Attribute",) if starlike else ("Attribute", "with mother"),
        "Tells" if starlike else "Shares" if measure != "gain" else "Adds",
        tuple(curves),
        help=HELP,
    )


def _title(place: int, step: Step) -> str:
    if step.mother is None:
        return f"{step.attribute} begins" if place == 0 else f"{step.attribute} joins"
    return f"{step.mother} and {step.attribute} begin" if place == 0 else f"{step.attribute} joins"


def _facts(step: Step, target: str | None, kl: float | None) -> tuple[tuple[str, str], ...]:
    facts = [("Adds", in_bits(step.gain)), ("Weight", in_bits(step.weight))]
    if kl is not None:
        facts.append(("KL divergence", in_bits(kl)))
    if target is not None and step.mother is not None:
        facts.append(("Separator", f"{target}, {step.mother}"))
    return tuple(facts)


def _contest(step: Step, measure: str) -> tuple[Rival, ...]:
    """Return the chosen one and, below it, what came close."""
    lines = ((step.chosen, True), *((runner, False) for runner in step.runners_up))
    return tuple(
        Rival((c.attribute, c.mother or "–"), in_bits(_worth(c, measure)), _worth(c, measure), won=won)
        for c, won in lines
    )


def _worth(candidate: Candidate, measure: str) -> float:
    return float(getattr(candidate, measure))


def _why(place: int, step: Step, target: str, measure: str) -> tuple[str, ...]:
    worth, told = in_bits(_worth(step.chosen, measure)), in_bits(step.chosen.relevance)
    if step.mother is None:
        root = "is the root: it " if measure == "relevance" else ""
        return said(f"{{}} {root}tells {told} about {{}}.", step.attribute, target)
    if measure == "dependence":
        return said(
            f"{{}} joins with mother {{}}: with {{}} known, the two still share {worth}.",
            step.attribute, step.mother, target,
        )  # fmt: skip
    if place == 0:
        return said(
            f"{{}} and {{}} begin: together with {{}} they hold {worth}.", step.mother, step.attribute, target
        )
    return said(
        f"{{}} joins with mother {{}}: it adds {worth}, of which it tells {told} about {{}} and shares "
        f"{in_bits(step.chosen.dependence)} with its mother beyond that.",
        step.attribute, step.mother, target,
    )  # fmt: skip


def _close(step: Step, measure: str, reasons: Callable[[Candidate], str], *, first: bool) -> tuple[str, ...]:
    """Say what came closest; where that is the same attribute on another mother, also which other one did."""
    if not step.runners_up:
        return said("Nothing else was left.")
    runner = step.runners_up[0]
    sentences = [_lost(step, runner, measure, reasons, first=first)]
    if runner.attribute == step.attribute and not first:
        others = (other for other in step.runners_up if other.attribute != step.attribute)
        sentences += [_lost(step, other, measure, reasons, first=False) for other in islice(others, 1)]
    return joined(*sentences)


def _lost(
    step: Step, runner: Candidate, measure: str, reasons: Callable[[Candidate], str], *, first: bool
) -> tuple[str, ...]:
    """Say what a runner-up would have brought, and why it was not taken where that is more."""
    ahead = _worth(runner, measure) - _worth(step.chosen, measure)
    amount = in_bits(_worth(runner, measure))
    if runner.mother is None:
        just = "just as much, " if abs(ahead) < SAME_BITS else ""
        return said(f"Next is {{}} with {just}{amount}.", runner.attribute)
    verb = "held" if first else {"gain": "added", "dependence": "shared"}[measure]
    names: tuple[str, ...]
    if first:
        who, names = "{} and {}", (runner.mother, runner.attribute)
    elif runner.attribute == step.attribute:
        who, names = "With mother {} it", (runner.mother,)
    else:
        who, names = "{} with mother {}", (runner.attribute, runner.mother)
    if abs(ahead) < SAME_BITS:
        return said(f"{who} would have {verb} just as much.", *names)
    if ahead < 0:
        return said(f"{who} would have {verb} {amount}.", *names)
    reason = "this link was required" if step.required else reasons(runner)
    return said(f"{who} would have {verb} more ({amount}), but {reason}.", *names)


def _reasons(trace: Trace) -> Callable[[Candidate], str]:
    """Return why a candidate that would have brought more was not taken at its step."""
    links = {frozenset((step.attribute, step.mother)) for step in trace.steps}
    whose = "the given tree" if trace.algorithm == "given" else "the best tree as a whole"
    if trace.algorithm in ("greedy", "tan"):
        whose = "the tree with the required links"

    def reason(candidate: Candidate) -> str:
        later = frozenset((candidate.attribute, candidate.mother)) in links
        return "it comes later in the order of importance" if later else f"{whose} has no such link"

    return reason
