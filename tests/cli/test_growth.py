"""``pgm-nb growth``: an animation, a page, and clear words where neither can be made."""

from PIL import Image


def test_growth(run, model, tmp_path):
    target = tmp_path / "growth.gif"
    code, out, _ = run("growth", model, "-o", target, "--view", "junction", "--seconds", "0.2")
    assert code == 0
    assert out == f"2 steps: {target}\n"
    with Image.open(target) as image:
        assert image.n_frames == 2
        assert image.info["duration"] == 200

    page = tmp_path / "growth.html"
    assert run("growth", model, "-o", page)[0] == 0
    assert "function player(" in page.read_text(encoding="utf-8")


def test_growth_refuses(run, model, tmp_path):
    code, _, said = run("growth", model, "-o", tmp_path / "growth.mp4")
    assert code == 2
    assert ".gif, .webp or .html" in said
    assert run("growth", model, "-o", tmp_path / "growth.gif", "--view", "bags")[0] == 2
    assert run("growth", model, "-o", tmp_path / "growth.gif", "--seconds", "0")[0] == 2
