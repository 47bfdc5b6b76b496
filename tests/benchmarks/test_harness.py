"""The harness of the benchmarks: turns, medians, ratios, and the check that all did the same work."""

import importlib.util
import sys
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def harness():
    path = Path(__file__).parents[2] / "benchmarks" / "harness.py"
    spec = importlib.util.spec_from_file_location("benchmark_harness", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def scripted(harness, name, seconds, log=None, result=1, **options):
    """A contender that says how long it took: the seconds in turn, the last one for ever."""
    left = list(seconds)

    def run():
        if log is not None:
            log.append(name)
        return harness.Timed(left.pop(0) if len(left) > 1 else left[0], result)

    return harness.Contender(name, run, **options)


def same(ours, theirs):
    return ours == theirs


def test_contenders_take_turns(harness):
    log = []
    field = [scripted(harness, name, [1e-3], log) for name in "abc"]
    harness.compare(field, same, rounds=2)
    assert "".join(log) == "abcabcabc"


def test_the_first_round_warms_up_and_the_median_is_of_the_rest(harness):
    times = harness.compare([scripted(harness, "a", [9.0, 1.0, 5.0, 2.0])], same, rounds=3, budget=100)
    assert times["a"].seconds == (1.0, 5.0, 2.0)
    assert times["a"].median == 2.0


def test_ratio_is_of_medians(harness):
    slow, fast = harness.Measurement((6.0, 3.0, 90.0), None), harness.Measurement((2.0, 1.0, 4.0), None)
    assert harness.ratio(slow, fast) == 3.0


def test_a_single_run_is_marked(harness):
    assert harness.Measurement((0.5,), None).milliseconds() == "500 (1 run)"
    assert harness.Measurement((0.5, 0.25), None).milliseconds() == "375"


def test_a_contender_over_budget_keeps_its_only_run(harness):
    log = []
    field = [scripted(harness, "quick", [0.1], log), scripted(harness, "slow", [7.0], log)]
    times = harness.compare(field, same, rounds=3, budget=5.0)
    assert log.count("slow") == 1
    assert log.count("quick") == 4
    assert times["slow"].seconds == (7.0,)


def test_different_results_are_refused(harness):
    field = [scripted(harness, "ours", [1.0]), scripted(harness, "theirs", [1.0], result=2)]
    with pytest.raises(harness.DifferentWorkError, match="theirs and ours"):
        harness.compare(field, same, rounds=1)


def test_openly_different_work_is_not_checked(harness):
    field = [scripted(harness, "ours", [1.0]), scripted(harness, "bar", [1.0], result=2, equal=False)]
    assert harness.compare(field, same, rounds=1)["bar"].result == 2


def test_work_that_does_not_time_itself_is_timed(harness):
    measured = harness.compare([harness.Contender("sum", lambda: sum(range(1000)))], same, rounds=1)["sum"]
    assert measured.result == 499_500
    assert 0 < measured.median < 1


@pytest.mark.parametrize(
    ("measured", "at_least", "met"),
    [(10.0, True, "yes"), (9.9, True, "**no**"), (11.0, False, "**no**"), (None, True, "-")],
)
def test_targets(harness, measured, at_least, met):
    assert harness.Target("t", 10, measured, at_least=at_least).row()[3] == met


def test_tables_as_text_and_markdown(harness):
    table = harness.Table("Fit, ms", ("rows", "ours"), [("5,000", "0.41"), ("100,000", "12")], ["A note."])
    assert table.markdown().splitlines() == [
        "### Fit, ms",
        "",
        "| rows | ours |",
        "| --- | ---: |",
        "| 5,000 | 0.41 |",
        "| 100,000 | 12 |",
        "",
        "- A note.",
    ]
    assert table.text().splitlines()[4:6] == ["5,000    0.41", "100,000    12"]


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.4123, "0.412"), (5.317, "5.32"), (41.0, "41.0"), (1534.2, "1,534"), (99.96, "100")],
)
def test_three_digits(harness, value, shown):
    assert harness.three_digits(value) == shown
