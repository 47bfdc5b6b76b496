"""The HTML around the picture."""

from base64 import b64decode
from xml.etree import ElementTree

import pytest

from pgm_nb.app.frame import picture_frame
from pgm_nb.errors import RenderError
from pgm_nb.graphs import Star

HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(2)>'


def test_the_picture_is_an_image_with_a_text():
    svg = Star("y", ("a", "b")).draw()
    image = ElementTree.fromstring(picture_frame(svg, HOSTILE).replace("></div>", "/></div>")).find("img")
    assert image is not None
    assert image.get("alt") == HOSTILE
    kind, _, content = image.get("src", "").partition(",")
    assert kind == "data:image/svg+xml;base64"
    assert b64decode(content) == svg


def test_hostile_names_stay_inside_the_alternative_text():
    assert "<script" not in picture_frame(Star("y", (HOSTILE,)).draw(), HOSTILE)


def test_fit_keeps_letters_legible_and_full_size_is_its_own():
    svg = b'<svg width="750pt" height="1500pt"/>'
    assert "width:max(600px, min(1000px, 100%, 39.0vh))" in picture_frame(svg, "")
    assert "width:1000px" in picture_frame(svg, "", full_size=True)


def test_a_picture_without_size_is_said_in_a_sentence():
    with pytest.raises(RenderError, match="no size"):
        picture_frame(b"<svg/>", "")
