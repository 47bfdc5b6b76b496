"""Stories: what is said at each step is what the trace holds, in every case."""

import pytest

import pgm_nb as pnb
from pgm_nb.explain.growth import Curve, joined, said
from pgm_nb.explain.growth.trees import tree_story
from pgm_nb.learning.trace import Candidate, Step, Trace

FIRST = Step(Candidate("b", "a", 0.75, 0.5), 1.25, (Candidate("c", "a", 0.5, 0.25),))


def steps(chosen, *runners, required=False):
    return (FIRST, Step(chosen, FIRST.weight + chosen.gain, runners, required))


def told(algorithm, chosen, *runners, required=False):
    trace = Trace(algorithm, steps(chosen, *runners, required=required))
    return tree_story(trace, "GNB", "ill", kl=0.5, clusters=True).frames[1]


def test_why_this_attribute_now():
    frame = told("greedy", Candidate("c", "b", 0.25, 0.125), Candidate("d", "a", 0.25, 0.0625))
    assert frame.sentence == (
        "c joins with mother b and adds 0.375 bits: 0.250 bits of information about ill, and 0.125 bits that "
        "it shares with its mother given ill. d with mother a would have added 0.312 bits."
    )
    assert frame.parts[1::2] == ("c", "b", "ill", "ill", "d", "a")  # names stay apart from the text
    assert frame.facts == (
        ("Adds", "0.375 bits"),
        ("Weight", "1.625 bits"),
        ("KL divergence", "0.500 bits"),
        ("Separator", "ill, b"),
    )
    assert [(one.names, one.won) for one in frame.contenders] == [(("c", "b"), True), (("d", "a"), False)]


def test_the_divergence_falls_by_what_each_step_adds():
    story = tree_story(
        Trace("greedy", steps(Candidate("c", "b", 0.25, 0.125))), "GNB", "class", kl=0.5, clusters=True
    )
    assert story.curves[0].numbers == (1.25, 1.625)
    assert story.curves[1].numbers == (0.875, 0.5)
    assert story.frames[0].sentence.startswith(
        "a and b come first: together with the class, they share 1.250 bits."
    )
    assert "No other attribute was left" in story.frames[1].sentence
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
        (
            "exact",
            Candidate("d", "a", 0.5, 0.5),
            False,
            "but the best tree as a whole does not have this link",
        ),
        ("given", Candidate("d", "a", 0.5, 0.5), False, "but the given tree does not have this link"),
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
    story = tree_story(model.trace_, model.about.title, "class", kl=model.divergence_.kl, clusters=True)
    table = model.importance_
    assert len(story.frames) == len(model.structure_.clusters)
    assert story.curves[0].numbers == pytest.approx(table["weight"][1:])
    assert story.curves[1].numbers == pytest.approx(table["kl"][1:])
    for frame, separator in zip(story.frames[1:], model.structure_.separators, strict=True):
        assert dict(frame.facts)["Separator"] == ", ".join(separator)


def test_tan_compares_links():
    model = pnb.TreeAugmentedNaiveBayes().fit(*pnb.load_sample("iris"))
    story = tree_story(model.trace_, model.about.title, "class", kl=model.divergence_.kl)
    assert "is the root" in story.frames[0].sentence
    assert all("the two share" in frame.sentence for frame in story.frames[1:])
    for frame in story.frames:
        values = [one.value for one in frame.contenders]
        assert max(values) == values[0]  # no link was stronger


def test_numbers_are_written_with_their_units():
    assert Curve("Accuracy", "%", (0.954, None), 1).text(0) == "95.4%"
    assert Curve("Accuracy", "%", (0.954, None), 1).text(1) == "–"
    assert Curve("Clusters", "", (1234.0,), 0).text(0) == "1,234"


def test_names_with_braces_stay_as_they_are():
    assert joined(said("{} joins.", "{x}"), said("{} too.", "{}")) == ("", "{x}", " joins. ", "{}", " too.")
