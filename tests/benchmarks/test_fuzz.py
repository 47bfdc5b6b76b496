"""A short slice of `make fuzz`: whole journeys over random tables, and damaged files."""

import importlib.util
from pathlib import Path

import pytest

JOURNEYS, FILES = 20, 30


@pytest.fixture(scope="module")
def fuzz():
    path = Path(__file__).parents[2] / "benchmarks" / "fuzz.py"
    spec = importlib.util.spec_from_file_location("fuzz", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(("kind", "number"), [("journey", JOURNEYS), ("file", FILES)])
def test_only_our_own_errors_come_out(fuzz, kind, number):
    ends = [fuzz.run_case(kind, seed) for seed in range(number)]
    assert [end for end in ends if end[3] is not None] == []
    assert len({end[2] for end in ends}) > 1  # some are answered, some refused


def test_a_fault_is_a_finding(fuzz, monkeypatch):
    def broken(seed):
        raise KeyError(seed)

    monkeypatch.setitem(fuzz.CASES, "journey", broken)
    assert fuzz.run_case("journey", 7)[2:] == ("FAILED", "KeyError at ?: 7")
    monkeypatch.setattr(fuzz, "SECONDS", 1)
    monkeypatch.setitem(fuzz.CASES, "journey", lambda seed: [0 for _ in iter(int, 1)])
    assert "more than 1 seconds" in fuzz.run_case("journey", 7)[3]
