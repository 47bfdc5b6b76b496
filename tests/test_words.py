"""The terms, and numbers as people read them."""

import pytest

from pgm_nb import words
from pgm_nb.data import SAMPLES
from pgm_nb.words import bits, in_bits, number, p_value, percent, plus_minus, probability, proven_best

NAN = float("nan")


def test_ten_terms_of_one_sentence_each():
    assert set(words.GLOSSARY) == {
        "attribute", "state", "mother", "cluster", "separator", "hidden parent", "bag", "bits", "weight",
        "KL divergence",
    }  # fmt: skip
    meanings = [*words.GLOSSARY.values(), *words.NUMBERS.values()]
    assert all(meaning.endswith(".") and meaning.count(".") == 1 for meaning in meanings)


def test_every_sample_has_a_title():
    assert tuple(words.SAMPLE_TITLES) == SAMPLES  # in this order: the first one is offered first


@pytest.mark.parametrize(
    ("value", "short", "long"),
    [
        (0.0, "0.00", "0.000 bits"),
        (1e-16, "0.00", "0.000 bits"),  # rounding only
        (-1e-16, "0.00", "0.000 bits"),
        (1e-5, "<0.01", "<0.001 bits"),
        (0.00051, "<0.01", "0.001 bits"),
        (0.005, "0.01", "0.005 bits"),
        (-0.25, "-0.25", "-0.250 bits"),
        (12.3456, "12.35", "12.346 bits"),
        (NAN, "–", "–"),
        (float("inf"), "–", "–"),
    ],
)
def test_bits(value, short, long):
    assert (bits(value), in_bits(value)) == (short, long)


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.0, "0.0%"), (1e-9, "<0.1%"), (0.0004999, "<0.1%"), (0.00051, "0.1%"), (0.674, "67.4%"),
     (0.9994, "99.9%"), (0.9995, ">99.9%"), (1 - 1e-12, ">99.9%"), (1.0, "100.0%"), (NAN, "–")],
)  # fmt: skip
def test_what_is_not_certain_is_not_called_certain(value, shown):
    assert probability(value) == shown


def test_percent():
    assert [percent(share) for share in (0.0, 0.005, 0.0051, 0.25, 1.0, NAN)] == [
        "0%", "<1%", "1%", "25%", "100%", "–",
    ]  # fmt: skip
    assert [percent(value, 8.0, digits=1) for value in (1.0, 0.001)] == ["12.5%", "<0.1%"]
    assert percent(1.0, 0.0) == "–"


def test_other_numbers():
    assert [p_value(p) for p in (0.5, 0.0312, 0.001, 0.0009, NAN)] == [
        "p = 0.5", "p = 0.031", "p = 0.001", "p < 0.001", "p = –",
    ]  # fmt: skip
    assert [plus_minus(*pair) for pair in ((0.5, 0.0123), (0.5, NAN), (NAN, 0.1))] == [
        "0.500 ± 0.012", "0.500", "–",
    ]  # fmt: skip


def test_what_is_rounded_to_zero_has_no_sign():
    assert [number(value) for value in (-0.0004, -0.0, -0.0006, 0.0006, NAN)] == [
        "0.000", "0.000", "-0.001", "0.001", "–",
    ]  # fmt: skip
    assert (number(-0.004, 2), number(float("inf"))) == ("0.00", "inf")
    assert (percent(-0.001), percent(-0.02), percent(-0.0)) == ("0%", "-2%", "0%")
    assert plus_minus(-0.0001, 0.002) == "0.000 ± 0.002"


def test_proven_best_up_to_rounding():
    assert proven_best(0.0)
    assert proven_best(-1e-12)
    assert not proven_best(1e-6)
