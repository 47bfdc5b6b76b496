"""Traces: at most five runners-up, ranked; a round trip through JSON; a table to read."""

import json
from itertools import combinations

import numpy as np
import pytest

from pgm_nb.information import Information
from pgm_nb.learning import Trace, exact, greedy, naive, optimal, tan


@pytest.fixture(params=[naive, tan, greedy, optimal, exact], ids=lambda search: search.__name__)
def trace(request, wdbc_information, wdbc_names):
    return request.param(wdbc_information, wdbc_names, "class")[1]


def test_five_runners_up_in_order_of_what_the_search_compares(trace):
    compared = "dependence" if trace.algorithm == "tan" else "gain"
    for step in trace.steps[:-5]:
        scores = [getattr(c, compared) for c in step.runners_up]
        assert len(scores) == 5
        assert scores == sorted(scores, reverse=True)
        assert (step.mother, step.attribute) not in [(c.mother, c.attribute) for c in step.runners_up]


def test_greedy_choices_beat_their_runners_up(wdbc_information, wdbc_names):
    for search in (naive, tan, greedy):
        _, trace = search(wdbc_information, wdbc_names, "class")
        for step in trace.steps[1:] if search is tan else trace.steps:
            compared = "dependence" if search is tan else "gain"
            assert all(getattr(step.chosen, compared) >= getattr(c, compared) for c in step.runners_up)


def test_weights_are_the_running_sum_of_gains(trace):
    total = 0.0
    for step in trace.steps:
        total += step.gain
        assert step.weight == pytest.approx(total, abs=1e-12)


def test_json_round_trip(trace):
    assert Trace.from_dict(json.loads(json.dumps(trace.to_dict()))) == trace


def test_to_frame_shows_the_choice_beside_the_runner_up(trace):
    frame = trace.to_frame()
    assert frame["attribute"].tolist() == [step.attribute for step in trace.steps]
    assert frame["runner-up's gain"][0] == trace.steps[0].runners_up[0].gain


@pytest.mark.parametrize("search", [tan, greedy, optimal, exact])
def test_a_forbidden_edge_is_no_runner_up(search):
    dependence = np.array([[0, 3, 2, 1], [3, 0, 2, 1], [2, 2, 0, 1], [1, 1, 1, 0]], dtype=float)
    information = Information(100, 1.0, np.ones(4), np.array([4.0, 3.0, 2.0, 1.0]), dependence)
    forbidden = [("a", "c"), ("b", "d")]
    _, trace = search(information, list("abcd"), "y", forbidden=forbidden)
    links = {frozenset((c.attribute, c.mother)) for step in trace.steps for c in step.runners_up}
    assert links
    assert not links & {frozenset(pair) for pair in forbidden}


def random_information(d, seed):
    rng = np.random.default_rng(seed)
    dependence = np.triu(rng.random((d, d)), 1)
    return Information(100, 1.0, np.ones(d), rng.random(d), dependence + dependence.T)


def plain_steps(information, trace, required, forbidden, by_gain):
    """Every step with all that could have been taken, as (attribute, mother, bits), the best first."""
    names = "abcdefghi"
    relevance, dependence = information.relevance, information.dependence
    allowed = {frozenset(p) for p in combinations(names, 2)} - {frozenset(p) for p in forbidden}

    def bits(child, mother):
        return dependence[names.index(child), names.index(mother)]

    def says(child):
        return relevance[names.index(child)] if by_gain else 0.0

    inside = {trace.steps[0].attribute, trace.steps[0].mother} - {None}
    for step in trace.steps[1:]:
        possible = []
        for child in set(names) - inside:
            mothers = [m for m in inside if frozenset((child, m)) in allowed]
            if child == step.attribute:
                forced = {child, step.mother} in [set(p) for p in required]
                mothers = [] if forced else [m for m in mothers if m != step.mother]
            if mothers:
                mother = max(mothers, key=lambda m: bits(child, m))
                possible.append((child, mother, says(child) + bits(child, mother)))
        yield sorted(possible, key=lambda one: -one[2])[:5]
        inside.add(step.attribute)


@pytest.mark.parametrize("search", [tan, greedy, optimal, exact])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("constrained", [False, True])
def test_runners_up_are_the_best_of_all_that_could_have_been_taken(search, seed, constrained):
    information, names = random_information(9, seed), "abcdefghi"
    relevance, dependence = information.relevance, information.dependence
    required = [("b", "f")] if constrained else []
    forbidden = [("i", name) for name in "cdefgh"] + [("a", "c")] if constrained else []
    _, trace = search(information, tuple(names), "y", required=required, forbidden=forbidden)
    first, *later = trace.steps
    if search is tan:
        ranked = sorted(names, key=lambda name: -relevance[names.index(name)])
        assert [(c.attribute, c.mother) for c in first.runners_up] == [(name, None) for name in ranked[1:6]]
        assert not first.required
    else:
        ruled_out = {frozenset(names.index(name) for name in pair) for pair in forbidden}
        pairs = [pair for pair in combinations(range(9), 2) if frozenset(pair) not in ruled_out]
        pairs.remove(tuple(sorted(names.index(name) for name in (first.attribute, first.mother))))
        worth = {(i, j): relevance[i] + relevance[j] + dependence[i, j] for i, j in pairs}
        best = sorted(pairs, key=lambda pair: -worth[pair])[:5]
        rooted = [sorted(pair, key=lambda i: -relevance[i]) for pair in best]
        assert [(c.mother, c.attribute) for c in first.runners_up] == [
            (names[i], names[j]) for i, j in rooted
        ]
        assert [c.gain for c in first.runners_up] == pytest.approx([worth[pair] for pair in best], abs=1e-12)
        assert first.required == ({first.attribute, first.mother} in [set(pair) for pair in required])
    expected = list(plain_steps(information, trace, required, forbidden, by_gain=search is not tan))
    for step, possible in zip(later, expected, strict=True):
        assert [(c.attribute, c.mother) for c in step.runners_up] == [one[:2] for one in possible]
        assert [c.dependence if search is tan else c.gain for c in step.runners_up] == pytest.approx(
            [one[2] for one in possible], abs=1e-12
        )


def test_without_mothers_the_next_most_relevant_are_the_runners_up():
    information = random_information(9, 0)
    _, trace = naive(information, tuple("abcdefghi"), "y")
    ranked = sorted("abcdefghi", key=lambda name: -information.relevance["abcdefghi".index(name)])
    for place, step in enumerate(trace.steps):
        assert (step.attribute, step.mother) == (ranked[place], None)
        assert [c.attribute for c in step.runners_up] == ranked[place + 1 : place + 6]
    tied = Information(9, 1.0, np.ones(3), np.ones(3), np.zeros((3, 3)))
    assert [step.attribute for step in naive(tied, tuple("abc"), "y")[1].steps] == ["a", "b", "c"]


def test_traces_are_equal_if_all_their_parts_are(trace):
    data = trace.to_dict()
    assert Trace.from_dict(data | {"price": 1.0}) != trace
    assert Trace.from_dict(data | {"algorithm": "another"}) != trace
    assert trace != trace.steps


@pytest.mark.parametrize("search", [greedy, optimal, exact, tan])
def test_a_first_pair_that_was_required_is_marked(search):
    information = random_information(9, 0)
    _, free = greedy(information, tuple("abcdefghi"), "y")
    pair = (free.steps[0].mother, free.steps[0].attribute)
    _, trace = search(information, tuple("abcdefghi"), "y", required=[pair])
    assert [step.required for step in trace.steps].count(True) == 1
    assert trace.steps[0].required is (search is not tan)  # the first step of TAN is one attribute alone
    _, other = search(information, tuple("abcdefghi"), "y", required=[("b", "f")])
    assert {(step.attribute, step.mother) for step in other.steps if step.required} <= {
        ("b", "f"),
        ("f", "b"),
    }
    assert sum(step.required for step in other.steps) == 1
