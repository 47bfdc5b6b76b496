"""The growth of hidden parents: links and bags that form as the threshold falls, and what is said of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pgm_nb.explain.growth import Contender, Curve, Frame, Growth, Story, joined, said
from pgm_nb.information import Information, information
from pgm_nb.models.hidden.model import Setting, Sweep, bags, sweep, threshold_path
from pgm_nb.views.player.threshold_links import Link, links_svg
from pgm_nb.words import Scale, class_name, in_bits, percent, plural

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["link_steps", "shown_thresholds", "sweep_story", "threshold_growth"]

FRAMES = 20  # thresholds that are shown
LISTED = 6  # of the new links of a frame
HELP = (
    ("Threshold", "The least information that two attributes in each other's bags share, given the class."),
    ("With a bag", "Attributes with at least one other in their bag; the rest depend on the class alone."),
    ("Members", "How many other attributes a bag holds, on average."),
    ("Log-loss", "How wrong the probabilities are in cross-validation, in bits per row; less is better."),
    ("Accuracy", "Share of rows classified correctly in cross-validation."),
)
CHOICES = {
    "average": "This is the model's threshold: the average over all pairs.",
    "auto": "This is the model's threshold: no other had a better log-loss in cross-validation.",
    "given": "This is the model's threshold, as it was set.",
}


def threshold_growth(model: Any, trace: Sweep, view: str, most: int) -> Growth:
    """Describe how bags fill as the threshold falls."""
    scale = model.structure_.scale
    measured = information(model.learned_.counts)
    names, target = model.encoder_.names, model.structure_.target
    story, thresholds = sweep_story(measured.dependence, names, trace, model.about.title, target, scale=scale)

    def draw(theme: str) -> tuple[str, ...]:
        if view == "bags":
            packed = (bags(measured, names, target, threshold) for threshold in thresholds)
            return tuple(each.in_shares(scale).draw("bags", theme=theme).decode() for each in packed)
        return (_links_picture(measured, names, target, thresholds, most, theme, scale=scale),)

    return Growth(story, view, "Threshold", draw)


def _links_picture(
    measured: Information,
    names: Sequence[str],
    target: str,
    thresholds: Sequence[float],
    most: int,
    theme: str,
    *,
    scale: Scale | None,
) -> str:
    """Draw the attributes that say most about the class, and their links by threshold."""
    shown = np.sort(np.argsort(-measured.relevance, kind="stable")[:most])
    ties = measured.dependence[np.ix_(shown, shown)]
    steps = link_steps(ties, thresholds)
    rows, columns = np.nonzero(np.triu(steps))
    named = [names[i] for i in shown]
    links = [
        Link(named[i], named[j], float(ties[i, j]), int(steps[i, j]))
        for i, j in zip(rows.tolist(), columns.tolist(), strict=True)
    ]
    relevance = dict(zip(named, measured.relevance[shown].tolist(), strict=True))
    around = [named[i] for i in _close_ones_together(ties)]
    return links_svg(around, relevance, links, target=target, theme=theme, scale=scale)


def _close_ones_together(ties: Floats) -> list[int]:
    """Order the attributes so that those that share most are neighbours: the leaves of a cluster tree."""
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    if len(ties) < 3:
        return list(range(len(ties)))
    apart = ties.max() - ties
    np.fill_diagonal(apart, 0.0)
    tree = linkage(squareform(apart, checks=False), "average", optimal_ordering=True)
    order: list[int] = leaves_list(tree).tolist()
    return order


def shown_thresholds(dependence: Floats, trace: Sweep) -> tuple[float, ...]:
    """Choose about twenty thresholds to show, from the highest (no bag at all) down.

    The first links come one by one, later ones many at a time; the model's own threshold is always shown.

    Examples
    --------
    >>> shown_thresholds(np.array([[0.0, 0.5, 0.1], [0.5, 0.0, 0.1], [0.1, 0.1, 0.0]]), Sweep("hidden", None))
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
    """Return the frame, from 1 on, at which each pair enters each other's bags; 0 for never, (d, d).

    Examples
    --------
    >>> link_steps(np.array([[0.0, 0.3, 0.1], [0.3, 0.0, 0.0], [0.1, 0.0, 0.0]]), (0.4, 0.3, 0.1)).tolist()
    [[0, 2, 3], [2, 0, 0], [3, 0, 0]]
    """
    first = np.searchsorted(-np.asarray(thresholds), -dependence, side="left")
    return np.where((dependence > 0) & (first < len(thresholds)), first + 1, 0)


def sweep_story(
    dependence: Floats,
    names: Sequence[str],
    trace: Sweep,
    title: str,
    target: str,
    *,
    scale: Scale | None = None,
) -> tuple[Story, tuple[float, ...]]:
    """Describe how the bags fill as the threshold falls; also return the thresholds of the frames.

    Examples
    --------
    >>> dependence = np.array([[0.0, 0.5, 0.1], [0.5, 0.0, 0.1], [0.1, 0.1, 0.0]])
    >>> story, _ = sweep_story(dependence, ["age", "sex", "dose"], Sweep("hidden", None), "HNB", "ill")
    >>> print(story.frames[1].sentence)
    Attributes that share at least 0.500 bits given ill are now in each other's bags. 2 of 3 attributes have a
    bag, each with 1 other attribute. New: age and sex (0.500 bits).
    """
    thresholds = shown_thresholds(dependence, trace)
    known = {setting.threshold: setting for setting in trace.settings}
    counted = sweep(dependence, trace.algorithm, 0.0, np.array(thresholds)).settings
    settings = [known.get(setting.threshold, setting) for setting in counted]
    steps = link_steps(dependence, thresholds)
    chosen = None if trace.threshold is None else thresholds.index(trace.threshold)
    frames = []
    for place, setting in enumerate(settings):
        contenders = _new_links(dependence, names, steps == place + 1, scale=scale)
        ends = place in (0, len(settings) - 1)
        sentence = joined(
            _what(setting, len(names), target, scale=scale),
            _limit(place, len(settings)) if ends else (),
            _links(contenders, int(np.count_nonzero(np.triu(steps == place + 1)))),
            said(CHOICES[trace.algorithm]) if place == chosen else (),
        )
        above = "" if setting.in_bags else "above "
        heading = f"Threshold {above}{in_bits(setting.threshold, scale=scale)}" + (
            " (the model's)" if place == chosen else ""
        )
        frames.append(Frame(heading, sentence, _facts(setting, len(names), scale=scale), contenders))
    story = Story(
        title,
        "As the threshold falls, more and more attributes enter each other's bags: from naive Bayes, which "
        "has no bags, to hidden naive Bayes, which leaves no pair out. The picture draws the three strongest "
        "links of each attribute; a number such as +4 counts its others.",
        tuple(frames),
        "New in each other's bags",
        ("Attribute", "and"),
        "Shares",
        _curves(settings),
        chosen,
        HELP,
    )
    return story, thresholds


def _what(setting: Setting, d: int, target: str, *, scale: Scale | None) -> tuple[str, ...]:
    if not setting.in_bags:
        return said("No attribute has a bag: each depends on {} alone.", class_name(target))
    size = f"{setting.mean_size:.1f}".removesuffix(".0")
    others = "each with 1 other attribute" if size == "1" else f"with {size} other attributes on average"
    having = (
        f"All {d} attributes have" if setting.in_bags == d else f"{setting.in_bags} of {d} attributes have"
    )
    return said(
        f"Attributes that share at least {in_bits(setting.threshold, scale=scale)} given {{}} are now in "
        f"each other's bags. {having} a bag, {others}.",
        class_name(target),
    )


def _limit(place: int, n_frames: int) -> tuple[str, ...]:
    if place == 0:
        return said("This is naive Bayes.")
    return said("No pair is left out: this is hidden naive Bayes.") if n_frames > 1 else ()


def _links(contenders: Sequence[Contender], n_new: int) -> tuple[str, ...]:
    if not contenders:
        return ()
    first, second = contenders[0].names
    more = f", and {plural(n_new - 1, 'weaker pair')}" if n_new > 1 else ""
    return said(f"New: {{}} and {{}} ({contenders[0].number}){more}.", first, second)


def _new_links(
    dependence: Floats, names: Sequence[str], new: NDArray[np.bool_], *, scale: Scale | None
) -> tuple[Contender, ...]:
    """Return the strongest of the links that are new at a frame."""
    rows, columns = np.nonzero(np.triu(new))
    shares = dependence[rows, columns]
    order = np.argsort(-shares, kind="stable")[:LISTED]
    return tuple(
        Contender(
            (names[rows[i]], names[columns[i]]), in_bits(float(shares[i]), scale=scale), float(shares[i])
        )
        for i in order.tolist()
    )


def _facts(setting: Setting, d: int, *, scale: Scale | None) -> tuple[tuple[str, str], ...]:
    facts = [
        ("Threshold", in_bits(setting.threshold, scale=scale)),
        ("With a bag", f"{setting.in_bags} of {d}"),
        ("Members", f"{setting.mean_size:.1f}"),
    ]
    if setting.log_loss is not None:
        facts.append(("Log-loss", in_bits(setting.log_loss, scale=scale)))
    if setting.accuracy is not None:
        facts.append(("Accuracy", percent(setting.accuracy, digits=1)))
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
