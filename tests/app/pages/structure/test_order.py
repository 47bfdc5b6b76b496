"""Attributes with up to two mothers on the Structure, Growth and What if pages."""

import pytest


def test_two_mothers_can_be_chosen(visit):
    app = visit("structure", sample="car", details="True")
    mothers = next(radio for radio in app.radio if radio.label == "Mothers")
    app = mothers.set_value("4").run()
    assert not app.error
    assert not app.exception
    said = " ".join(text.value for text in app.markdown)
    assert "Arrows lead from mothers to their child" in said
    assert any(metric.value.startswith("≤ ") for metric in app.metric)


@pytest.mark.parametrize("page", ["growth", "what_if", "cases", "features", "export", "decisions"])
def test_every_page_opens(visit, page):
    app = visit(page, sample="car", order="4", parameters="generative")
    assert not app.error
    assert not app.exception


@pytest.mark.parametrize(("search", "said"), [("optimal", "one mother each"), ("exact", "at most 12")])
def test_a_search_that_cannot_be_is_said(visit, search, said):
    app = visit("structure", sample="heart", order="4", search=search)
    assert said in app.error[0].value


def test_attributes_that_are_left_out_have_not_joined(visit):
    app = visit("structure", sample="heart", model="snb")
    assert not app.exception
    steps = next(frame.value for frame in app.dataframe if "step" in frame.value)
    assert steps["step"].tolist() == list(range(1, len(steps) + 1))
    (caption,) = [c.value for c in app.caption if c.value.startswith("Left out")]
    assert not any(name in caption for name in steps["attribute"])
    assert len(steps) + caption.count(",") == 13  # one comma before the reason, one between each two
