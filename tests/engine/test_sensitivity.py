"""What an entry of a table does to the posterior: against the same tables with that entry moved."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.engine.questions import _slopes, sensitivities


def small_model(kind, seed):
    rng = np.random.default_rng(seed)
    y = rng.choice(["no", "perhaps", "yes"], 60)
    X = pd.DataFrame({name: rng.choice(["a", "b", "c"], 60) for name in "stuv"})
    X["w"] = np.where(rng.random(60) < 0.6, X["s"], X["t"])
    return kind(parameters="generative", smoothing=1.0).fit(X, y)


def moved(tree, entry, value):
    """The tree with one entry moved and the others of its distribution in their old proportions."""
    factors = tree.factors

    def move(row, place):
        row = row * (1 - value) / (1 - row[place])
        row[place] = value
        return row

    if entry.attribute == tree.variables.target.name:
        factors = replace(factors, log_prior=np.log(move(np.exp(factors.log_prior), entry.y)))
    else:
        position = tree.variables.position(entry.attribute)
        table = np.exp(factors.tables[position])
        where = entry.y if entry.mother_state is None else (entry.y, entry.mother_state)
        table[where] = move(table[where], entry.state)
        tables = list(factors.tables)
        tables[position] = np.log(table)
        factors = replace(factors, tables=tuple(tables))
    return replace(tree, factors=factors)


@pytest.mark.parametrize(
    "kind", [pnb.NaiveBayes, pnb.GeneralizedNaiveBayes], ids=lambda k: k.about.short_name
)
@pytest.mark.parametrize("given", [{}, {"s": "a", "v": "c"}, {"w": "b", "t": pnb.not_("a")}], ids=str)
def test_every_entry(kind, given):
    for seed in (0, 1):
        tree = small_model(kind, seed).junction_tree().observe(given)
        entries = sensitivities(tree, 1)
        assert len(entries) > 3 or not given
        for entry in entries:
            for value in (entry.value * 0.7, entry.value + 0.3 * (1 - entry.value)):
                expected = moved(tree, entry, value).beliefs.classes()[0][1]
                assert entry.after(value) == pytest.approx(expected, abs=1e-9)
            step = 1e-6
            slope = (entry.after(entry.value + step) - entry.after(entry.value - step)) / (2 * step)
            assert entry.derivative == pytest.approx(slope, abs=1e-6)


def test_entries_of_zero_and_one_have_no_slope():
    joint = np.array([[0.0, 0.25, 0.5], [0.0, 0.0, 0.25]])
    theta = np.array([[0.0, 0.5, 0.5], [0.0, 0.0, 1.0]])
    # 0.25 / 0.5 - (0.75 - 0.25) / 0.5, and 0.5 / 0.5 - 0.25 / 0.5
    assert _slopes(joint, theta).tolist() == [[0.0, -0.5, 0.5], [0.0, 0.0, 0.0]]


def test_entries_of_the_prior_are_among_them():
    tree = small_model(pnb.NaiveBayes, 1).junction_tree().observe({"s": "a"})
    of_prior = [entry for entry in sensitivities(tree, 0) if entry.attribute == "class"]
    assert [entry.state for entry in of_prior] == [0, 1, 2]
    prior, seen = np.exp(tree.factors.log_prior), np.exp(tree.factors.tables[0][:, 0])
    for entry in of_prior:
        y, value = entry.state, 0.5
        moved_prior = prior * (1 - value) / (1 - prior[y])
        moved_prior[y] = value
        expected = moved_prior[0] * seen[0] / (moved_prior @ seen)
        assert entry.after(value) == pytest.approx(expected, abs=1e-12)


def test_what_says_nothing_is_left_out():
    tree = small_model(pnb.NaiveBayes, 1).junction_tree().observe({"s": "a"})
    found = {entry.attribute for entry in sensitivities(tree, 0)}
    assert found == {"class", "s"}  # the other attributes are unknown, and sum to one
