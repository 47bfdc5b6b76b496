"""The story of a threshold: from naive Bayes to hidden naive Bayes, as bags fill with ever looser ties."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from pgm_nb.explain.growth.story import Curve, Frame, Rival, Story, joined, said
from pgm_nb.models.hidden.search import Setting, Sweep, sweep, threshold_path
from pgm_nb.words import class_name, in_bits, plural

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["link_steps", "sweep_story", "told_thresholds"]

FRAMES = 20  # thresholds that are told
LISTED = 6  # of the new links of a frame
HELP = (
    ("Threshold", "What two attributes must at least tell about each other, with the class known."),
    ("With a bag", "Attributes that are mixed with at least one other; the rest hangs on the class alone."),
    ("Members", "How many others are mixed into a bag, on average."),
    ("Log-loss", "How wrong the probabilities are in cross-validation, in bits per row; less is better."),
    ("Accuracy", "Share of rows classified rightly in cross-validation."),
)
CHOICES = {
    "average": "This is the model's own threshold: the average of all pairs.",
    "auto": "This is the model's own threshold: no other had a better log-loss in cross-validation.",
    "given": "This is the model's own threshold, as it was given.",
}


def told_thresholds(dependence: Floats, trace: Sweep) -> tuple[float, ...]:
    """Choose about twenty thresholds to tell, from the highest (no bag at all) down.

    The first links come one by one, later ones many at a time; the model's own threshold is always told.

    Examples
    --------
    >>> told_thresholds(np.array([[0.0, 0.5, 0.1], [0.5, 0.0, 0.1], [0.1, 0.1, 0.0]]), Sweep("hidden", None))
    (0.5000000000000001, 0.5, 0.1)
    """
    ties = np.sort(_pairs(dependence))[::-1]
    goals = np.unique(np.geomspace(1, max(len(ties), 1), FRAMES - 1).round().astype(np.intp))
    if any(setting.log_loss is not None for setting in trace.settings):  # only these were validated
        path = np.unique([setting.threshold for setting in trace.settings])[::-1]
        entered = np.searchsorted(-ties, -path, side="right")  # links at each threshold of the path
        places = {0, len(path) - 1, *np.searchsorted(entered, goals).clip(max=len(path) - 1).tolist()}
        chosen = {float(path[place]) for place in places}
    else:
        chosen = {float(threshold_path(dependence)[-1]), *(ties[goals - 1].tolist() if len(ties) else ())}
    if trace.threshold is not None:
        chosen.add(trace.threshold)
    return tuple(sorted(chosen, reverse=True))


def link_steps(dependence: Floats, thresholds: Sequence[float]) -> NDArray[np.intp]:
    """Return the frame, from 1 on, at which each pair is in each other's bags; 0 for never, (d, d).

    Examples
    --------
    >>> link_steps(np.array([[0.0, 0.3, 0.1], [0.3, 0.0, 0.0], [0.1, 0.0, 0.0]]), (0.4, 0.3, 0.1)).tolist()
    [[0, 2, 3], [2, 0, 0], [3, 0, 0]]
    """
    first = np.searchsorted(-np.asarray(thresholds), -dependence, side="left")
    return np.where((dependence > 0) & (first < len(thresholds)), first + 1, 0)


def sweep_story(
    dependence: Floats, names: Sequence[str], trace: Sweep, title: str, target: str
) -> tuple[Story, tuple[float, ...]]:
    """Tell what falling thresholds make of the bags; also returns the thresholds of the frames.

    Examples
    --------
    >>> dependence = np.array([[0.0, 0.5, 0.1], [0.5, 0.0, 0.1], [0.1, 0.1, 0.0]])
    >>> story, _ = sweep_story(dependence, ["age", "sex", "dose"], Sweep("hidden", None), "HNB", "ill")
    >>> story.frames[1].sentence
    'From 0.500 bits on, 2 of 3 attributes have a bag, with 1.0 others in it. New: age and sex (0.500 bits).'
    """
    thresholds = told_thresholds(dependence, trace)
    known = {setting.threshold: setting for setting in trace.settings}
    counted = sweep(dependence, trace.algorithm, 0.0, np.array(thresholds)).settings
    settings = [known.get(setting.threshold, setting) for setting in counted]
    steps = link_steps(dependence, thresholds)
    chosen = None if trace.threshold is None else thresholds.index(trace.threshold)
    frames = []
    for place, setting in enumerate(settings):
        rivals = _new_links(dependence, names, steps == place + 1)
        ends = place in (0, len(settings) - 1)
        sentence = joined(
            _what(setting, len(names), target),
            _limit(place, len(settings)) if ends else (),
            _links(rivals, int(np.count_nonzero(np.triu(steps == place + 1)))),
            said(CHOICES[trace.algorithm]) if place == chosen else (),
        )
        title_ = f"Threshold {in_bits(setting.threshold)}" + (" (the model's)" if place == chosen else "")
        frames.append(Frame(title_, sentence, _facts(setting, len(names)), rivals))
    story = Story(
        title,
        "The threshold falls: ever more attributes are in each other's bags, from naive Bayes (none) to "
        "hidden naive Bayes (all).",
        tuple(frames),
        "New in each other's bags",
        ("Attribute", "and"),
        "Share",
        _curves(settings),
        chosen,
        HELP,
    )
    return story, thresholds


def _what(setting: Setting, d: int, target: str) -> tuple[str, ...]:
    if not setting.in_bags:
        return said("No attribute has a bag: every one hangs on {} alone.", class_name(target))
    return said(
        f"From {in_bits(setting.threshold)} on, {setting.in_bags} of {d} attributes have a bag, with "
        f"{setting.mean_size:.1f} others in it."
    )


def _limit(place: int, n_frames: int) -> tuple[str, ...]:
    if place == 0:
        return said("This is naive Bayes.")
    return said("Nothing is left out: this is hidden naive Bayes.") if n_frames > 1 else ()


def _links(rivals: Sequence[Rival], n_new: int) -> tuple[str, ...]:
    if not rivals:
        return ()
    first, second = rivals[0].names
    more = f", and {plural(n_new - 1, 'looser pair')}" if n_new > 1 else ""
    return said(f"New: {{}} and {{}} ({rivals[0].number}){more}.", first, second)


def _new_links(dependence: Floats, names: Sequence[str], new: NDArray[np.bool_]) -> tuple[Rival, ...]:
    """Return the strongest of the links that are new at a frame."""
    rows, columns = np.nonzero(np.triu(new))
    shares = dependence[rows, columns]
    order = np.argsort(-shares, kind="stable")[:LISTED]
    return tuple(
        Rival((names[rows[i]], names[columns[i]]), in_bits(float(shares[i])), float(shares[i]))
        for i in order.tolist()
    )


def _facts(setting: Setting, d: int) -> tuple[tuple[str, str], ...]:
    facts = [
        ("Threshold", in_bits(setting.threshold)),
        ("With a bag", f"{setting.in_bags} of {d}"),
        ("Members", f"{setting.mean_size:.1f}"),
    ]
    if setting.log_loss is not None:
        facts.append(("Log-loss", in_bits(setting.log_loss)))
    if setting.accuracy is not None:
        facts.append(("Accuracy", f"{setting.accuracy:.1%}"))
    return tuple(facts)


def _curves(settings: Sequence[Setting]) -> tuple[Curve, ...]:
    curves = [
        Curve("Attributes with a bag", "", tuple(float(s.in_bags) for s in settings), 0),
        Curve("Members of a bag", "", tuple(s.mean_size for s in settings), 1),
    ]
    if any(s.log_loss is not None for s in settings):
        curves.append(Curve("Log-loss", "bits", tuple(s.log_loss for s in settings)))
        curves.append(Curve("Accuracy", "%", tuple(s.accuracy for s in settings), 1))
    return tuple(curves)


def _pairs(dependence: Floats) -> Floats:
    ties = dependence[np.triu_indices(len(dependence), 1)]
    return ties[ties > 0]
