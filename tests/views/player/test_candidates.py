"""Runners-up in the frames of an animation: at their boxes in a tree, below their mother in clusters."""

from xml.etree import ElementTree

import pytest

import pgm_nb as pnb
from pgm_nb.views.player.animation import AnimationFrames
from pgm_nb.views.player.candidates import _frame

TEXT, GROUP = ("{http://www.w3.org/2000/svg}" + name for name in ("text", "g"))


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


def test_their_numbers_cover_neither_a_box_nor_each_other():
    wide = pnb.GeneralizedNaiveBayes(parameters="generative", n_bins=5).fit(*pnb.load_sample("wdbc"))
    play = pnb.growth(wide, "tree").play("light")
    for step in (0, 9, 19):
        root = ElementTree.fromstring(AnimationFrames(play).svg(step))
        boxes = [_frame(g) for g in root.iter(GROUP) if "node" in g.get("class", "").split()]
        taken = [*boxes]
        for mark in (each for each in root.iter(TEXT) if each.get("paint-order") == "stroke"):
            x, y, half = float(mark.get("x")), float(mark.get("y")) - 4, 3.5 * len(mark.text)
            here = (x - half, x + half, y - 5, y + 5)
            assert not [box for box in taken if overlap(here, box)]
            taken.append(here)
        assert len(taken) == len(boxes) + 3


def overlap(one, other):
    return one[0] < other[1] and other[0] < one[1] and one[2] < other[3] and other[2] < one[3]


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
