"""``pgm-nb export``: every format."""

import pytest
from PIL import Image


@pytest.mark.parametrize(
    "ending", ["dot", "svg", "png", "pdf", "json", "graphml", "bif", "xmlbif", "bifxml", "xdsl", "net", "uai"]
)
def test_export(run, model, tmp_path, ending):
    target = tmp_path / f"tree.{ending}"
    assert run("export", model, "-o", target, "--view", "junction")[0] == 0
    assert target.stat().st_size > 100


def test_what_a_network_file_holds_is_said(run, tmp_path):
    path = tmp_path / "heart.pgmnb"
    for parameters, says in (("class", True), ("generative", False)):
        assert run("fit", "heart", "--parameters", parameters, "-o", path)[0] == 0
        for ending, sentence in (("bif", "tables as counted"), ("uai", "is a Markov network"), ("svg", "")):
            code, out, _ = run("export", path, "-o", tmp_path / f"m.{ending}")
            assert code == 0
            lines = [line for line in out.splitlines() if not line.startswith("written: ")]
            assert len(lines) == (says and bool(sentence))
            assert all(sentence in line for line in lines)


def test_a_picture_for_print(run, model, tmp_path):
    target = tmp_path / "tree.png"
    size = ("--width-mm", "85", "--dpi", "600", "--font-size", "8", "--no-legend")
    assert run("export", model, "-o", target, *size)[0] == 0
    with Image.open(target) as image:
        assert image.width == 2008  # 85 / 25.4 * 600
        assert image.info["dpi"] == pytest.approx((600, 600), abs=0.02)
    code, _, err = run("export", model, "-o", target, "--width-mm", "2")
    assert code != 0
    assert "20 to 1000 mm" in err


@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
def test_known_values_are_drawn_in_the_boxes(run, model, tmp_path, ending):
    target = tmp_path / f"known.{ending}"
    assert run("export", model, "-o", target, "--given", "age=64")[0] == 0
    content = target.read_bytes()
    if ending == "svg":
        assert content.count(b'stroke-width="3"') == 1  # the ring around what is known
        assert content.count(b'class="bars"') == 4
    assert len(content) > 1000


@pytest.mark.parametrize(
    ("name", "more", "says"),
    [
        ("known.svg", ("--given", "stem=1"), "NAME is one of age, fever, cough"),
        ("known.dot", ("--given", "age=64"), "known values are drawn as svg, pdf, png"),
        ("known.svg", ("--given", "age=64", "--view", "junction"), "leave --view or --given out"),
    ],
)
def test_known_values_that_cannot_be_drawn(run, model, tmp_path, name, more, says):
    code, _, err = run("export", model, "-o", tmp_path / name, *more)
    assert code != 0
    assert says in err
