"""Runners-up in the frames of an animation: at their boxes in a tree, below their mother in clusters."""

from xml.etree import ElementTree

import pytest

import pgm_nb as pnb
from pgm_nb.views.player.animation import AnimationFrames

TEXT = "{http://www.w3.org/2000/svg}text"


@pytest.fixture(scope="module")
def model():
    return pnb.GeneralizedNaiveBayes(parameters="generative", n_bins=5).fit(*pnb.load_sample("heart"))


def dashed(frame):
    """What stands beside the runners-up, and how many lines lead to them."""
    root = ElementTree.fromstring(frame)
    marks = [each.text for each in root.iter(TEXT) if each.get("paint-order") == "stroke"]
    lines = [each for each in root.iter() if each.get("stroke-dasharray") == "6 4"]
    return marks, len(lines)


def test_the_three_best_runners_up_of_a_tree(model):
    play = pnb.growth(model, "tree").play("light")
    lost = [one["number"] for one in play["steps"][3]["contenders"] if not one["won"]][:3]
    assert dashed(AnimationFrames(play).svg(3)) == (lost, 3)


@pytest.mark.parametrize("view", ["junction", "compact"])
def test_in_clusters_they_stand_below_the_cluster_of_their_mother(model, view):
    play = pnb.growth(model, view).play("light")
    step = play["steps"][3]
    lost = [one for one in step["contenders"] if not one["won"]][:3]
    assert all(one["home"] for one in lost)
    marks, lines = dashed(AnimationFrames(play).svg(3))
    assert lines == 0
    assert marks
    assert set(marks) <= {f"+ {one['names'][0]}: {one['number']}" for one in lost}


def test_the_last_step_has_none_left(model):
    play = pnb.growth(model, "tree").play("light")
    others = [one for one in play["steps"][-1]["contenders"] if not one["won"]]
    marks, _ = dashed(AnimationFrames(play).svg(len(play["steps"]) - 1))
    assert len(marks) == min(len(others), 3)
