"""Stories: what is said at each step is what the trace holds, in every case."""

import numpy as np
import pytest

import pgm_nb as pnb
from pgm_nb.explain.growth.story import Curve, joined, said
from pgm_nb.explain.growth.tree_story import tree_story
from pgm_nb.learning.trace import Candidate, Step, Trace
from pgm_nb.models.hidden.search import Setting, Sweep
from pgm_nb.models.hidden.story import link_steps, sweep_story, told_thresholds
from pgm_nb.models.local_pca.search import Iteration, LocalPCATrace
from pgm_nb.models.local_pca.story import cluster_story, members

FIRST = Step(Candidate("b", "a", 0.75, 0.5), 1.25, (Candidate("c", "a", 0.5, 0.25),))


def steps(chosen, *runners, required=False):
    return (FIRST, Step(chosen, FIRST.weight + chosen.gain, runners, required))


def told(algorithm, chosen, *runners, required=False):
    trace = Trace(algorithm, steps(chosen, *runners, required=required))
    return tree_story(trace, "GNB", "ill", kl=0.5, clusters=True).frames[1]


def test_why_this_attribute_now():
    frame = told("greedy", Candidate("c", "b", 0.25, 0.125), Candidate("d", "a", 0.25, 0.0625))
    assert frame.sentence == (
        "c joins with mother b: it adds 0.375 bits, of which it tells 0.250 bits about ill and shares 0.125 "
        "bits with its mother beyond that. d with mother a would have added 0.312 bits."
    )
    assert frame.parts[1::2] == ("c", "b", "ill", "d", "a")  # names stay apart from the text
    assert frame.facts == (
        ("Adds", "0.375 bits"),
        ("Weight", "1.625 bits"),
        ("KL divergence", "0.500 bits"),
        ("Separator", "ill, b"),
    )
    assert [(rival.names, rival.won) for rival in frame.rivals] == [(("c", "b"), True), (("d", "a"), False)]


def test_the_divergence_falls_by_what_each_step_adds():
    story = tree_story(
        Trace("greedy", steps(Candidate("c", "b", 0.25, 0.125))), "GNB", "class", kl=0.5, clusters=True
    )
    assert story.curves[0].numbers == (1.25, 1.625)
    assert story.curves[1].numbers == (0.875, 0.5)
    assert story.frames[0].sentence.startswith("a and b begin: together with the class they hold 1.250 bits.")
    assert "Nothing else was left" in story.frames[1].sentence
    assert "Separator" not in dict(story.frames[0].facts)


def test_a_second_mother_does_not_hide_the_best_other_attribute():
    frame = told(
        "greedy",
        Candidate("c", "b", 0.25, 0.125),
        Candidate("c", "a", 0.25, 0.0625),
        Candidate("d", "a", 0.125, 0.125),
    )
    assert "With mother a it would have added 0.312 bits. d with mother a would have added 0.250" in (
        frame.sentence
    )


@pytest.mark.parametrize(
    ("algorithm", "runner", "required", "reason"),
    [
        ("exact", Candidate("d", "a", 0.5, 0.5), False, "but the best tree as a whole has no such link"),
        ("given", Candidate("d", "a", 0.5, 0.5), False, "but the given tree has no such link"),
        ("optimal", Candidate("a", "b", 0.5, 0.5), False, "but it comes later in the order of importance"),
        ("greedy", Candidate("d", "a", 0.5, 0.5), True, "but this link was required"),
        ("greedy", Candidate("d", "a", 0.25, 0.125), False, "just as much"),
    ],
)
def test_why_a_better_one_was_not_taken(algorithm, runner, required, reason):
    frame = told(algorithm, Candidate("c", "b", 0.25, 0.125), runner, required=required)
    assert reason in frame.sentence


@pytest.mark.parametrize("search", ["greedy", "optimal", "exact"])
def test_every_step_of_a_cherry_tree_is_told(search):
    model = pnb.GeneralizedNaiveBayes(search=search).fit(*pnb.load_sample("zoo"))
    story = tree_story(model.trace_, model.title, "class", kl=model.divergence_.kl, clusters=True)
    table = model.importance_
    assert len(story.frames) == len(model.structure_.clusters)
    assert story.curves[0].numbers == pytest.approx(table["weight"][1:])
    assert story.curves[1].numbers == pytest.approx(table["kl"][1:])
    for frame, separator in zip(story.frames[1:], model.structure_.separators, strict=True):
        assert dict(frame.facts)["Separator"] == ", ".join(separator)


def test_tan_compares_links():
    model = pnb.TreeAugmentedNaiveBayes().fit(*pnb.load_sample("iris"))
    story = tree_story(model.trace_, model.title, "class", kl=model.divergence_.kl)
    assert "is the root" in story.frames[0].sentence
    assert all("still share" in frame.sentence for frame in story.frames[1:])
    for frame in story.frames:
        values = [rival.value for rival in frame.rivals]
        assert max(values) == values[0]  # no link was stronger


TIES = np.array([[0.0, 0.5, 0.2], [0.5, 0.0, 0.1], [0.2, 0.1, 0.0]])


def test_thresholds_run_from_naive_bayes_to_hidden_naive_bayes():
    thresholds = told_thresholds(TIES, Sweep("average", 0.3))
    assert list(thresholds) == sorted(thresholds, reverse=True)
    assert 0.3 in thresholds
    counted = [int((np.triu(link_steps(TIES, thresholds)) == k).sum()) for k in range(len(thresholds) + 1)]
    assert counted[1] == 0  # no link at the first
    assert sum(counted[1:]) == 3  # every link by the last


def test_a_sweep_tells_what_the_bags_are():
    story, thresholds = sweep_story(TIES, ["a", "b", "c"], Sweep("average", 0.3), "PHNB", "ill")
    assert thresholds[story.chosen] == 0.3
    assert "This is naive Bayes" in story.frames[0].sentence
    assert "the average of all pairs" in story.frames[story.chosen].sentence
    assert "hidden naive Bayes" in story.frames[-1].sentence
    assert story.curves[0].numbers[0] == 0
    assert story.curves[0].numbers[-1] == 3
    assert story.frames[-1].rivals[-1].names == ("b", "c")


def test_validated_scores_are_told_where_they_are():
    settings = tuple(Setting(t, 0, 0.0, 0.25, 0.9) for t in (0.1, 0.2, 0.5, np.nextafter(0.5, 1)))
    story, _ = sweep_story(TIES, ["a", "b", "c"], Sweep("auto", 0.2, settings), "PHNB", "ill")
    assert [curve.name for curve in story.curves][2:] == ["Log-loss", "Accuracy"]
    assert dict(story.frames[0].facts)["Accuracy"] == "90.0%"
    assert "better log-loss in cross-validation" in story.frames[story.chosen].sentence


def test_one_attribute_alone_has_a_story():
    story, _ = sweep_story(np.zeros((1, 1)), ["a"], Sweep("hidden", None), "HNB", "ill")
    assert "No attribute has a bag" in story.frames[0].sentence


ROUNDS = (
    Iteration((1, 1), (0, 0), (False, False), 0.2, ((), ())),
    Iteration((2, 1), (0, 1), (False, False), 0.1, ((0, 2), (3,))),
    Iteration((2, 1), (0, 1), (False, False), 0.1, ((0,), ())),
)
ROUNDS_TRACE = LocalPCATrace(("ill", "well"), ROUNDS, 1, "the training error stopped falling")


def test_rounds_tell_who_moved():
    frames = cluster_story(ROUNDS_TRACE, "Local PCA").frames
    assert frames[0].sentence == "Every class begins as one cluster. They misclassify 20.0% of the rows."
    assert frames[1].sentence == (
        "The misclassified rows leave their clusters: 2 rows of ill and 1 row of well form new ones. One "
        "cluster is too small or too flat to be measured, and has no say. The training error falls from "
        "20.0% to 10.0%. These clusters are the model's."
    )
    assert frames[2].sentence.endswith("It ends here, because the training error stopped falling.")
    assert frames[1].title == "Round 2 (the model's)"


def test_members_follow_who_moved():
    assert [m.tolist() for m in members(ROUNDS_TRACE, np.array([0, 0, 0, 1, 1]))] == [
        [0, 0, 0, 1, 1],
        [2, 0, 2, 3, 1],
        [4, 0, 2, 3, 1],
    ]


def test_numbers_are_written_with_their_units():
    assert Curve("Accuracy", "%", (0.954, None), 1).text(0) == "95.4%"
    assert Curve("Accuracy", "%", (0.954, None), 1).text(1) == "–"
    assert Curve("Clusters", "", (1234.0,), 0).text(0) == "1,234"


def test_names_with_braces_stay_as_they_are():
    assert joined(said("{} joins.", "{x}"), said("{} too.", "{}")) == ("", "{x}", " joins. ", "{}", " too.")
