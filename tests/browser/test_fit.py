"""A visitor looks at the fit: the sentence, the charts, and the numbers to take away."""

import csv
import io

import pytest

from pgm_nb.models import MODELS

pytestmark = pytest.mark.browser


def test_five_structures_and_their_numbers(page, settled, choose):
    settled(page)
    choose(page, "Table", "Iris flowers")
    page.get_by_role("link", name="Fit", exact=True).click()
    page.get_by_text("TAN and Best tree (exact) are best trees").wait_for()
    page.get_by_text("predicts best, with a typical probability of").wait_for(timeout=90_000)
    settled(page)
    page.get_by_test_id("stVegaLiteChart").nth(2).wait_for()
    joint = [kind for kind in MODELS if kind.is_joint and not kind.own_states]
    names = [variant.name for kind in joint for variant in kind.variants()]
    rows = numbers(page, 0)
    assert [row["model"] for row in rows] == names
    assert round(float(rows[1]["weight"]), 2) == 5.90
    assert {row["model"] for row in numbers(page, 1)} == set(names)
    assert len(numbers(page, 2)) == sum(len(kind.variants()) for kind in MODELS)


def numbers(page, place):
    with page.expect_download() as download:
        page.get_by_role("button", name="Numbers as CSV").nth(place).click()
    return list(csv.DictReader(io.StringIO(download.value.path().read_text())))
