"""The growth of hidden parents: what is said at each threshold is what the sweep holds."""

import numpy as np

from pgm_nb.models.hidden.growth import link_steps, shown_thresholds, sweep_story
from pgm_nb.models.hidden.model import Setting, Sweep

TIES = np.array([[0.0, 0.5, 0.2], [0.5, 0.0, 0.1], [0.2, 0.1, 0.0]])


def test_thresholds_run_from_naive_bayes_to_hidden_naive_bayes():
    thresholds = shown_thresholds(TIES, Sweep("average", 0.3))
    assert list(thresholds) == sorted(thresholds, reverse=True)
    assert 0.3 in thresholds
    counted = [int((np.triu(link_steps(TIES, thresholds)) == k).sum()) for k in range(len(thresholds) + 1)]
    assert counted[1] == 0  # no link at the first
    assert sum(counted[1:]) == 3  # every link by the last


def test_a_sweep_tells_what_the_bags_are():
    trace = Sweep("average", 0.3)
    story, thresholds = sweep_story(TIES, ["a", "b", "c"], trace, "PHNB", "ill")
    assert trace.story(TIES, ["a", "b", "c"], "PHNB", "ill") == story
    assert thresholds[story.chosen] == 0.3
    assert "This is naive Bayes" in story.frames[0].sentence
    assert "the average over all pairs" in story.frames[story.chosen].sentence
    assert "hidden naive Bayes" in story.frames[-1].sentence
    assert story.curves[0].numbers[0] == 0
    assert story.curves[0].numbers[-1] == 3
    assert story.frames[-1].contenders[-1].names == ("b", "c")


def test_validated_scores_are_told_where_they_are():
    settings = tuple(Setting(t, 0, 0.0, 0.25, 0.9) for t in (0.1, 0.2, 0.5, np.nextafter(0.5, 1)))
    story, _ = sweep_story(TIES, ["a", "b", "c"], Sweep("auto", 0.2, settings), "PHNB", "ill")
    assert [curve.name for curve in story.curves][2:] == ["Log-loss", "Accuracy"]
    assert dict(story.frames[0].facts)["Accuracy"] == "90.0%"
    assert "better log-loss in cross-validation" in story.frames[story.chosen].sentence


def test_one_attribute_alone_has_a_story():
    story, _ = sweep_story(np.zeros((1, 1)), ["a"], Sweep("hidden", None), "HNB", "ill")
    assert "No attribute has a bag" in story.frames[0].sentence


def test_one_other_attribute_is_not_one_point_nought():
    story = Sweep("hidden", None).story(TIES, ["a", "b", "c"], "HNB", "ill")
    assert story.frames[1].sentence == (
        "Attributes that share at least 0.500 bits given ill are now in each other's bags. 2 of 3 attributes "
        "have a bag, each with 1 other attribute. New: a and b (0.500 bits)."
    )
    assert "All 3 attributes have a bag, with 1.3 other attributes on average." in story.frames[2].sentence
