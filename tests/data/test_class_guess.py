"""Which column is guessed to be the class."""

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.data.target import class_guess, guess_class

RNG = np.random.default_rng(3)
WRONG_IF_FIRST = {"car", "heart", "kr_vs_kp"}  # their last attribute looks as much like a class


@pytest.mark.parametrize(
    ("columns", "guess"),
    [
        ({"diagnosis": ["m", "b"], "sex": ["f", "m"]}, "diagnosis"),
        ({"label": [0, 1], " Class ": [1, 0], "sex": ["f", "m"]}, " Class "),
        ({"sex": ["f", "m"], "smoker": ["y", "n"], "same": ["x", "x"]}, "smoker"),
        ({"grade": [1.0, 2.0], "size": [1.5, 2.5]}, "grade"),
        ({"size": [1.5, 2.5], "same": [1, 1]}, None),
        ({"number": list(range(21))}, None),
        ({"number": list(range(20))}, "number"),
        ({"sex": ["f", "m"], "cells": [[1], [2]]}, "sex"),
    ],
)
def test_guess(columns, guess):
    assert guess_class(pd.DataFrame(columns)) == guess


def test_missing_cells_do_not_hide_a_class():
    assert guess_class(pd.DataFrame({"grade": [1.0, 2.0, np.nan], "size": [0.5, 1.5, 2.5]})) == "grade"


def letters(n=600):
    """Return a table like that of the letters: 26 of them first, then numbers from 0 to 15."""
    numbers = {name: RNG.integers(0, 16, n) for name in ("x-box", "y-box", "onpix", "xybar", "yegvx")}
    return pd.DataFrame({"mark": [chr(65 + i % 26) for i in range(n)], **numbers})


def test_letters_among_numbers_are_the_class():
    guess = class_guess(letters())
    assert guess.name == "mark"
    assert guess.why == "it is the only column of words"
    assert not guess.named


def test_names_of_patients_are_not_a_class():
    frame = letters(60).assign(mark=[f"P{i}" for i in range(60)])
    assert class_guess(frame).name != "mark"


@pytest.mark.parametrize("sample", pnb.SAMPLES)
def test_the_classes_of_the_samples_are_found_without_their_name(sample):
    X, y = pnb.load_sample(sample)
    assert class_guess(X.assign(V=y)).name == "V"
    first = pd.concat([y.rename("V"), X], axis=1)
    assert (class_guess(first).name == "V") == (sample not in WRONG_IF_FIRST)


@pytest.mark.parametrize(
    ("columns", "guess", "why"),
    [
        ({"sex": [0, 1] * 9, "x": [1, 2, 3] * 6, "age": [30, 31] * 9}, "x", "it has few values"),
        ({"x1": [0, 1], "seen": [2, 1], "x2": [0, 1], "x3": [1, 0]}, "seen", "it has few values"),
        ({"a": [0, 1], "class of risk": [1, 2], "b": [0, 2]}, "class of risk", "of its name"),
        ({"a": [1, 2, 3] * 6, "b": [0, 1] * 9}, "b", "it stands last and has few values"),
    ],
)
def test_why(columns, guess, why):
    found = class_guess(pd.DataFrame(columns))
    assert (found.name, found.why) == (guess, why)


def test_only_a_column_called_class_is_no_guess():
    assert class_guess(pd.DataFrame({"Class": [0, 1], "a": [1, 0]})).named
    assert not class_guess(pd.DataFrame({"target": [0, 1], "a": [1, 0]})).named
    assert class_guess(pd.DataFrame({"a": [0.5, 1.5]})) is None
