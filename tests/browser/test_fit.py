"""A visitor looks at the fit: the sentence, the charts, and the numbers to take away."""

import csv
import io
import re

import pytest

from pgm_nb.models import MODELS

pytestmark = pytest.mark.browser


def test_two_models_at_first_and_all_when_asked(page, settled, choose, go):
    settled(page)
    choose(page, "Table", "Iris flowers")
    go(page, "Fit")
    page.get_by_text("predicts best, with a typical probability of").wait_for()
    page.get_by_text("When the model says").wait_for()
    settled(page)
    assert [row["model"] for row in numbers(page, 0)] == ["Naive Bayes", "GNB-A"]
    assert [row["model"] for row in numbers(page, 2)] == ["Naive Bayes", "GNB-A"]

    page.get_by_text(re.compile(r"^All \d+ models$")).click()
    page.get_by_text("TAN and Best tree (exact) are best trees").wait_for()
    page.wait_for_url("**fits=every**")
    page.get_by_text("are only in this chart").wait_for()
    settled(page)
    joint = [kind for kind in MODELS if kind.about.is_joint and not kind.about.own_states]
    names = [variant.name for kind in joint for variant in kind.about.variants()]
    rows = numbers(page, 0)
    assert [row["model"] for row in rows] == names
    assert round(float(rows[1]["weight"]), 2) == 5.90
    assert {row["model"] for row in numbers(page, 1)} == set(names)
    assert len(numbers(page, 2)) == sum(len(kind.about.variants()) for kind in MODELS)


def numbers(page, place):
    with page.expect_download() as download:
        page.get_by_role("button", name="Numbers as CSV").nth(place).click()
    return list(csv.DictReader(io.StringIO(download.value.path().read_text())))
