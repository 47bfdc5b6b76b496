"""The growth of selective naive Bayes: what each attribute saved on rows left out, and the runners-up."""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING

from pgm_nb.explain.growth.story import Contender, Curve, Frame, joined, said
from pgm_nb.explain.growth.tree import says_alone, tree_growth
from pgm_nb.words import about_class, class_name, plural, scale

if TYPE_CHECKING:
    from pgm_nb.explain.growth import Growth
    from pgm_nb.explain.protocols import ExplainedModel
    from pgm_nb.learning.trace import Candidate, Step, Trace

__all__ = ["saved_frames", "selective_growth"]

SAVES, TIMES, ABOUT = "Saves", "Probability", "About the class"
HELP = (
    (SAVES, "By how much the log-loss of rows that are left out of training falls, in bits per row."),
    (TIMES, "How many times as probable the true class of rows left out of training typically becomes."),
    (ABOUT, "What the attribute says about the class, taken alone."),
)


def selective_growth(model: ExplainedModel, view: str, most: int) -> Growth:
    """Describe which attribute joined at each step, what it saved, and when the search ended."""
    found = tree_growth(model, view, most)
    trace: Trace = vars(model)["trace_"]
    if trace.steps[0].chosen.saved is None:  # a file that was written before savings were traced
        return found
    structure = model.structure_
    frames = saved_frames(trace, structure.target, len(structure.apart))[: len(found.story.frames)]
    saved = tuple(accumulate(_saved(step.chosen) for step in trace.steps[: len(frames)]))
    curve = Curve("Log-loss saved", "bits", saved)
    if scale() is not None:
        curve = Curve("Probability of the true class", "times", tuple(2**bits for bits in saved), digits=2)
    story = replace(
        found.story,
        frames=frames,
        contest="Most log-loss saved" if scale() is None else "Best on rows left out",
        number=SAVES if scale() is None else TIMES,
        curves=(curve, *found.story.curves[:1]),
        help=(*HELP, *found.story.help),
    )
    return replace(found, story=story)


def saved_frames(trace: Trace, target: str, n_left_out: int) -> tuple[Frame, ...]:
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
    frames = [_frame(place, step, called) for place, step in enumerate(trace.steps)]
    if n_left_out:
        verb = "is" if n_left_out == 1 else "are"
        others = "other attribute" if n_left_out == 1 else f"other {plural(n_left_out, 'attribute')}"
        last = said(f"The {others} would not help, and {verb} left out.")
        frames[-1] = replace(frames[-1], parts=joined(frames[-1].parts, last))
    return tuple(frames)


def _frame(place: int, step: Step, called: str) -> Frame:
    name, amount = step.attribute, _amount(step.chosen)
    start = "With {}" if place == 0 else "With {} as well"
    better = f"rows left out of training are predicted better by {amount} each"
    if scale() is not None:
        better = f"rows left out of training typically give their true class {amount} the probability"
    sentences = [said(f"{start}, {better}.", name)]
    if step.runners_up:
        runner = step.runners_up[0]
        worse = f"they would have been predicted worse by {-_saved(runner):.3f} bits"
        plain = _saved(runner) >= 0 or scale() is not None
        how = f"it would have been {_amount(runner)}" if plain else worse
        sentences.append(said(f"With {{}} {how}.", runner.attribute))
        top = max(step.runners_up, key=lambda other: other.relevance)
        if top.relevance > step.chosen.relevance:
            alone = says_alone(about_class(top.relevance))
            sentences.append(
                said(f"{{}} {alone} {{}}, more than {{}} does, but adds less to what is known.",
                     top.attribute, called, name)
            )  # fmt: skip
    contenders = [Contender((name,), amount, max(0.0, _saved(step.chosen)), won=True, box=name)]
    contenders += [
        Contender((other.attribute,), _amount(other), max(0.0, _saved(other)), box=other.attribute)
        for other in step.runners_up
    ]
    facts = ((SAVES if scale() is None else TIMES, amount), (ABOUT, about_class(step.chosen.relevance)))
    title = f"{name} comes first" if place == 0 else f"{name} joins"
    return Frame(title, joined(*sentences), facts, tuple(contenders))


def _saved(candidate: Candidate) -> float:
    return candidate.saved or 0.0


def _amount(candidate: Candidate) -> str:
    """Write what a candidate saves: bits of log-loss, or how many times the true class is as probable."""
    return f"{_saved(candidate):.3f} bits" if scale() is None else f"{2 ** _saved(candidate):.2f} times"
