"""Pictures for print have the size that was asked for: pixels, resolution, page and text."""

import io
import re
from xml.etree import ElementTree

import pytest
from PIL import Image

import pgm_nb as pnb
from pgm_nb.errors import RenderError
from pgm_nb.explain.nomogram import nomogram
from pgm_nb.views.printing import PrintSize, print_chart, print_svg, text_size

SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 200"><text font-size="10">ill</text></svg>'
MEDIA = re.compile(rb"/MediaBox ?\[ ?0 0 ([\d.]+) ([\d.]+) ?\]")


def png(content):
    with Image.open(io.BytesIO(content)) as image:
        return image.size, image.info["dpi"]


def page(content):
    width, height = MEDIA.search(content).groups()
    return float(width), float(height)


@pytest.fixture(scope="module")
def structure():
    return pnb.GeneralizedNaiveBayes(n_bins=3).fit(*pnb.load_sample("iris")).structure_


@pytest.fixture(scope="module")
def comparison():
    models = {"NB": pnb.NaiveBayes(), "TAN": pnb.TreeAugmentedNaiveBayes()}
    return pnb.compare(models, *pnb.load_sample("iris"), cv=3)


@pytest.mark.parametrize(
    ("width_mm", "dpi", "pixels"), [(85, 300, 1004), (85, 600, 2008), (170, 600, 4016), (100, 72, 283)]
)
def test_a_png_has_its_pixels_and_says_its_resolution(width_mm, dpi, pixels):
    (width, height), tag = png(print_svg(SVG, "png", PrintSize(width_mm, dpi)))
    assert width == pixels  # mm / 25.4 * dpi
    assert height in (pixels // 2, pixels // 2 + 1)
    assert tag == pytest.approx((dpi, dpi), abs=0.02)  # a PNG counts pixels per metre


def test_the_page_of_a_pdf():
    width, height = page(print_svg(SVG, "pdf", PrintSize(85)))
    assert width == pytest.approx(85 / 25.4 * 72, abs=0.01)
    assert height == pytest.approx(85 / 25.4 * 36, abs=0.01)


def test_an_svg_says_its_width_in_millimetres():
    root = ElementTree.fromstring(print_svg(SVG, "svg", PrintSize(85)))
    assert (root.get("width"), root.get("height")) == ("85mm", "42.5mm")


def test_text_is_as_large_as_asked_for_where_the_width_allows_it():
    assert text_size(SVG, PrintSize(85, font_size=5), font=10) == pytest.approx(5)
    assert text_size(SVG, PrintSize(85, font_size=50), font=10) == pytest.approx(85 / 25.4 * 72 / 400 * 10)
    small = ElementTree.fromstring(print_svg(SVG, "svg", PrintSize(85, font_size=5), font=10))
    [picture] = small
    assert float(picture.get("width")) == pytest.approx(200)  # half a point per unit
    assert float(picture.get("x")) == pytest.approx((85 / 25.4 * 72 - 200) / 2, abs=1e-3)  # in the middle


@pytest.mark.parametrize("format", ["svg", "png", "pdf"])
def test_the_graph(structure, format):
    size = PrintSize(85, 300, 8)
    content = structure.draw("junction", format=format, size=size)
    if format == "png":
        assert png(content)[0][0] == 1004
    elif format == "pdf":
        assert page(content)[0] == pytest.approx(240.945, abs=0.01)
    else:
        words = " ".join(ElementTree.fromstring(content).itertext())
        assert structure.view("junction").reading[:30] in words
        bare = structure.draw("junction", format="svg", size=PrintSize(85, legend=False))
        assert structure.view("junction").reading[:30] not in " ".join(
            ElementTree.fromstring(bare).itertext()
        )


def test_the_flow_chart_and_the_nomogram():
    model = pnb.NaiveBayes(n_bins=3).fit(*pnb.load_sample("wdbc"))
    tree = pnb.question_tree(model, *pnb.load_sample("wdbc"), max_questions=1)
    assert png(tree.draw("png", size=PrintSize(85, 600)))[0][0] == 2008
    assert page(nomogram(model).printed("pdf", PrintSize(170)))[0] == pytest.approx(170 / 25.4 * 72, abs=0.01)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_chart_is_laid_out_for_the_paper(comparison, theme):
    chart = comparison.calibration_chart(theme=theme)
    content = print_chart(chart, "svg", PrintSize(120, font_size=8)).decode()
    root = ElementTree.fromstring(content)
    assert root.get("width") == "120mm"
    sizes = {float(found) for found in re.findall(r'font-size="([\d.]+)px"', content)}
    assert sizes == {8.0}
    [picture] = root
    scale = float(picture.get("width")) / float(picture.get("viewBox").split()[2])
    assert scale == pytest.approx(1, abs=0.02)  # so that eight points are eight points
    assert float(root.get("height").removesuffix("mm")) < 1.1 * 120  # not 360 pixels high, whatever the width
    assert "#e6ebf1" not in content  # the text of a dark page


def test_a_chart_without_legend(comparison):
    chart = comparison.calibration_chart()
    with_it, without = (
        print_chart(chart, "svg", PrintSize(120, legend=legend)).decode() for legend in (True, False)
    )
    assert "role-legend" in with_it
    assert "role-legend" not in without
    assert png(print_chart(chart, "png", PrintSize(85, 600)))[0][0] == 2008


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"width_mm": 5}, "The width of a picture is 20 to 1000 mm, but 5 was asked for."),
        ({"dpi": 1}, "The resolution of a picture is 36 to 2400 dpi, but 1 was asked for."),
        ({"font_size": 100}, "The font size of a picture is 3 to 72 points, but 100 was asked for."),
    ],
)
def test_what_cannot_be_is_refused(said, sentence):
    with pytest.raises(RenderError, match=re.escape(sentence)):
        PrintSize(**said)


def test_another_format_is_refused():
    with pytest.raises(RenderError, match="svg, pdf, png"):
        print_svg(SVG, "gif", PrintSize())
