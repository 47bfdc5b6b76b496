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
