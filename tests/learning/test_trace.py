"""Traces: at most five runners-up, ranked; a round trip through JSON; a table to read."""

import json

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
